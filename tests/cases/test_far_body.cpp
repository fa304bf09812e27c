// What happens to bodies does not depend on others that they never meet, however large or small these are: lengths of
// contact are those of the bodies in contact.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "support/run.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double far_ball_radius = 0.05;

/// Methods by name; the tolerances of `mlcp` and `penalty` are tight unless the name says "default".
std::unique_ptr<Method> method_beside(const std::string& name) {
    if (name == "local_global") return std::make_unique<local_global::LocalGlobal>(local_global::Options{});
    if (name == "penalty") {
        implicit::Options options;
        options.contact = implicit::ContactModel::penalty;
        options.implicit_tolerance = 1e-7;
        return std::make_unique<implicit::Implicit>(options, Integrator::backward_euler);
    }
    mlcp::Options options;
    if (name != "mlcp default") options.tolerance = 1e-10;
    if (name == "mlcp nonlinear") options.elasticity = mlcp::ElasticityModel::nonlinear;
    return std::make_unique<mlcp::Mlcp>(options);
}

/// A ball falls on the floor, a smaller one or a cloth on the ball; `beside`, a body 20 m aside falls freely.
std::pair<World, State> falling_beside(const std::string& upper, const std::string& beside) {
    WorldBuilder builder;
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    builder.add_half_space("floor", Vec3::Zero(), {0, 1, 0});
    BodyMaterial soft;
    soft.youngs_modulus = 1e5;
    const double r = far_ball_radius;
    builder.add_deformable("ball", translated(generate_ball(r, 2), {0, r + 0.002, 0}), soft);
    const Vec3 above(0.004, 2.0 * r + 0.004, 0.003);
    if (upper == "ball")
        builder.add_deformable("upper", translated(generate_ball(0.8 * r, 2), above + Vec3(0, 0.8 * r, 0)), soft);
    else
        builder.add_shell("upper", translated(generate_cloth(0.2, 0.2, 8, 8), above), {});
    const Vec3 aside(20, 5, 1);
    const auto far_box = [&](double size) { return translated(generate_box({size, size, size}, {1, 1, 1}), aside); };
    if (beside == "large") builder.add_deformable("far", far_box(1.0), soft);
    if (beside == "small") builder.add_deformable("far", far_box(0.002), soft);
    if (beside == "large rigid") builder.add_rigid("far", far_box(1.0), 1000.0);
    return builder.build();
}

/// Positions after 0.2 or 0.3 s of the ball and what is above it (m), a column for each body beside them: none, and
/// those of `beside`.
std::vector<VecX> ends_beside(const std::string& method, const std::string& upper,
                              const std::vector<std::string>& beside) {
    std::vector<VecX> ends;
    std::vector<std::string> all{""};
    all.insert(all.end(), beside.begin(), beside.end());
    for (const std::string& far : all) {
        auto [world, state] = falling_beside(upper, far);
        const auto steps = method_beside(method);
        const bool penalty = method == "penalty";
        const State end = run_steps(*steps, world, state, penalty ? 0.005 : 0.01, penalty ? 40 : 30);
        ends.push_back(end.x.head(3 * (world.bodies[2].first_vertex + world.bodies[2].vertex_count())));
    }
    return ends;
}

/// How far the bodies end from where they do alone, over the diameter of the ball, for each of `beside`.
std::vector<double> moved_by(const std::string& method, const std::string& upper,
                             const std::vector<std::string>& beside) {
    const std::vector<VecX> ends = ends_beside(method, upper, beside);
    std::vector<double> moved;
    for (std::size_t k = 1; k < ends.size(); ++k) {
        moved.push_back((ends[k] - ends[0]).lpNorm<Eigen::Infinity>() / (2.0 * far_ball_radius));
        MESSAGE(method << ", " << upper << ", " << beside[k - 1] << " body: " << moved.back());
    }
    return moved;
}

}  // namespace

TEST_CASE("a far body changes nothing: the penalty") {
    for (const std::string upper : {"ball", "cloth"}) {
        for (const double moved : moved_by("penalty", upper, {"large", "small", "large rigid"})) CHECK(moved < 1e-9);
    }
}

// A soft body leaves the bits of the others. A rigid one has the rounding of matrices with rigid modes, which the few
// iterations of a step amplify as they do a height of 1e-15 m: two balls end 1e-6 of their size apart.
TEST_CASE("a far body changes nothing: local_global") {
    for (const std::string upper : {"ball", "cloth"}) {
        for (const double moved : moved_by("local_global", upper, {"large", "small"})) CHECK(moved == 0.0);
    }
    CHECK(moved_by("local_global", "cloth", {"large rigid"})[0] < 1e-9);
}

// A rigid body that touches nothing has its velocity at once, so the others do not see it. A soft one is part of the
// iterations, which end within their tolerances: that of momentum is tight here. Rows are solved to eps_2 / 4, and a
// small body changes when they are.
TEST_CASE("a far body changes nothing: mlcp") {
    for (const std::string method : {"mlcp", "mlcp nonlinear"}) {
        for (const std::string upper : {"ball", "cloth"}) {
            const std::vector<double> moved = moved_by(method, upper, {"large", "large rigid", "small"});
            CHECK(moved[0] < 1e-9);
            CHECK(moved[1] < 1e-9);
            const double eps_2 = 5e-6 * std::sqrt(3.0);  // over the diameter of the ball
            CHECK(moved[2] < 4.0 * eps_2);
        }
    }
    CHECK(moved_by("mlcp default", "cloth", {"large rigid"})[0] < 1e-9);
}
