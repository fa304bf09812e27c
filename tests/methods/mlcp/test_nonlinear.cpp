// Nonlinear elasticity under the method `mlcp`: Newton's method with a line search, around the solves of contact
// problems.
#include "stiction/fem/elasticity.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/methods/mlcp/velocity_problem.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include "support/run.hpp"

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

struct Scene {
    World world;
    State state;
};

/// A bar with its x coordinates `stretch` times those at rest, and the velocities that the bar at rest would have were
/// it turning about z.
Scene turning_bar(double stretch, double youngs_modulus, double speed) {
    const Mesh rest = generate_box({0.5, 0.05, 0.05}, {8, 1, 1});
    Mesh bar = rest;
    for (Vec3& x : bar.vertices) x.x() *= stretch;
    WorldBuilder builder;
    builder.add_deformable("bar", bar, {MaterialLaw::neo_hookean, youngs_modulus, 0.3, 1000}, Vec3::Zero(),
                           Vec3::Zero(), rest.vertices);
    builder.set_gravity(Vec3::Zero());
    auto [world, state] = builder.build();
    for (Index v = 0; v < world.vertex_count(); ++v)
        state.v.segment<3>(3 * v) = Vec3(0, 0, speed).cross(rest.vertices[static_cast<std::size_t>(v)]);
    return {std::move(world), std::move(state)};
}

/// A soft block just above a plane without friction. The foot may only move up and down, so that there is one rest.
Scene soft_block(double youngs_modulus) {
    WorldBuilder builder;
    const Mesh block = translated(generate_box({0.4, 0.2, 0.4}, {4, 3, 4}), {0, 0.101, 0});
    builder.add_deformable("block", block, {MaterialLaw::fixed_corotated, youngs_modulus, 0.3, 1000});
    Motion foot{"foot", {}, 0.0, 1e300, 5, false, std::make_shared<HoldTrajectory>()};
    for (Index v = 0; v < static_cast<Index>(block.vertices.size()); ++v) {
        if (block.vertices[static_cast<std::size_t>(v)].y() < 0.002) foot.vertices.push_back(v);
    }
    builder.add_motion(foot);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Forces that are missing for Newton's second law at the end of a step of backward Euler, the largest of a vertex over
/// the largest of all terms.
double imbalance(const World& world, const StepInput& input, const StepResult& result) {
    const State& now = result.state;
    const VecX inertia = (mass_product(world, now.v) - mass_product(world, now.previous_v)) / input.h,
               elastic = elastic_gradient(world, now.x);
    VecX left = inertia + elastic - result.contact_force - result.friction_force;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        left.segment<3>(3 * v) -= world.mass[v] * world.gravity;
        for (int axis = 0; axis < 3; ++axis) {
            if (input.driven_axes[static_cast<std::size_t>(v)] >> axis & 1) left[3 * v + axis] = 0.0;
        }
    }
    const auto largest_length = [](const VecX& x) {
        return Eigen::Map<const Eigen::Matrix3Xd>(x.data(), 3, x.size() / 3).colwise().norm().maxCoeff();
    };
    return largest_length(left) / std::max(largest_length(inertia), largest_length(elastic));
}

/// Velocities' changes while elasticity is linearised at the end of the step again and again, without contact and
/// without a line search; until forces are not finite.
std::vector<double> plain_changes(const Scene& scene, double h, int count) {
    const StepInput input = schedule(scene.world, scene.state, h);
    HessianAssembly assembly(scene.world);
    SinglePrecisionRows rounded;
    VelocityProblem velocities(scene.world, scene.state, input, assembly, rounded);
    VecX x = scene.state.x, v = VecX::Zero(velocities.start_velocity().size()), next;
    std::vector<double> changes;
    while (static_cast<int>(changes.size()) < count) {
        velocities.linearise(x);
        if (!velocities.rhs().allFinite()) break;
        REQUIRE(velocities.factorise());
        velocities.solve(velocities.rhs(), next);
        changes.push_back(infinity_norm(next - v));
        v = next;
        x = velocities.positions(v);
    }
    return changes;
}

Options nonlinear() {
    Options options;
    options.elasticity = ElasticityModel::nonlinear;
    options.tolerance = 1e-8;
    options.velocity_tolerance = 1e-6;
    return options;
}

}  // namespace

TEST_CASE("mlcp: where repeated linearisation swings for ever, or inverts elements, the line search arrives") {
    const double h = 0.02;
    const Scene swings = turning_bar(2.0, 1e7, 50.0), inverts = turning_bar(0.5, 1e5, 100.0);
    const std::vector<double> swing = plain_changes(swings, h, 60);
    REQUIRE(swing.size() == 60);
    for (std::size_t k = 20; k < swing.size(); ++k) CHECK(swing[k] > 1.0);
    CHECK(plain_changes(inverts, h, 60).size() < 10);
    for (const Scene* scene : {&swings, &inverts}) {
        Mlcp mlcp(nonlinear());
        StepResult result;
        const StepInput input = schedule(scene->world, scene->state, h);
        mlcp.step(scene->world, scene->state, input, result);
        INFO(result.report.cause);
        REQUIRE(result.report.status == Status::converged);
        CHECK(result.report.line_search >
              result.report.complementarity->elastic_linearisations);  // some steps were shortened
        CHECK(imbalance(scene->world, input, result) < 1e-5);
    }
}

TEST_CASE("mlcp: elasticity that does not settle within the limit is no step") {
    const Scene scene = turning_bar(2.0, 1e7, 50.0);
    Options options = nonlinear();
    options.max_newton_iterations = 3;
    Mlcp mlcp(options);
    StepResult result;
    mlcp.step(scene.world, scene.state, schedule(scene.world, scene.state, 0.02), result);
    CHECK(result.report.status == Status::iteration_limit);
    CHECK(result.report.cause.find("in 3 iterations") != std::string::npos);
    CHECK(result.report.complementarity->elastic_linearisations == 3);
}

TEST_CASE("mlcp: a soft block under its weight balances in every large step and comes to the rest that ipc finds") {
    const double h = 0.02, dhat = 1e-5;
    const Scene scene = soft_block(5e3);
    Options options = nonlinear();
    options.distance_tolerance = 1e-6;
    Mlcp mlcp(options);
    double worst = 0.0, reported = 0.0;
    const State found =
        run_steps(mlcp, scene.world, scene.state, h, 300, [&](const State& now, const StepResult& result) {
            worst = std::max(worst, imbalance(scene.world, schedule(scene.world, now, h), result));
            reported = std::max(reported, result.report.complementarity->momentum_error);
        });
    CHECK(worst < 1e-6);
    CHECK(reported <= options.tolerance);  // that of the last contact problem
    CHECK(infinity_norm(found.v) < 1e-4);
    ipc::Options barrier;
    barrier.dhat = dhat;
    barrier.velocity_tolerance = 1e-5;
    ipc::Ipc ipc(barrier);
    const State expected = run_steps(ipc, scene.world, scene.state, h, 300);
    // The top comes down by a fifth of the height, so that agreement says something; gaps of the barrier are anything
    // up to dhat.
    CHECK(found.x.size() == expected.x.size());
    CHECK(infinity_norm(found.x - scene.state.x) > 0.035);
    CHECK(infinity_norm(found.x - expected.x) < 2.0 * dhat);
}

TEST_CASE("mlcp: what is at rest without forces stays") {
    const Scene scene = turning_bar(1.0, 1e6, 0.0);
    Mlcp mlcp(nonlinear());
    const State end = run_steps(mlcp, scene.world, scene.state, 0.02, 2);
    CHECK(infinity_norm(end.x - scene.state.x) < 1e-15);
}
