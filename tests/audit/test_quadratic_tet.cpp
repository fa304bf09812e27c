// The audit's own view of quadratic tets: which are inverted, and which moves keep them upright.
#include "stiction/audit/inversion.hpp"
#include "stiction/audit/quadratic_tet.hpp"
#include "stiction/fem/inversion.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace stiction;

namespace {

Mesh quadratic_box() {
    Mesh mesh = generate_box(Vec3(0.2, 0.2, 0.2), {1, 1, 1});
    add_mid_nodes(mesh);
    return mesh;
}

BodyMaterial rubber(MaterialLaw law = MaterialLaw::neo_hookean) {
    return {law, 1e5, 0.45, 1000.0};
}

}  // namespace

TEST_CASE("the audit of quadratic tets agrees with their step bound, and proves moves within it") {
    constexpr unsigned seed = 72;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> noise;
    WorldBuilder builder;
    builder.add_deformable("block", quadratic_box(), rubber());
    builder.add_deformable("tough", quadratic_box(), rubber(MaterialLaw::stable_neo_hookean));
    const auto [world, state] = builder.build();
    CHECK(audit::find_inversions(world, state.x).forbidden.empty());
    const Tet10Elements& elements = world.quadratic[0].elements;
    int inverted = 0, proved = 0;
    for (int n = 0; n < 300; ++n) {
        VecX x = state.x, p(x.size());
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            x[i] += 0.012 * noise(generator);
            p[i] = 0.1 * noise(generator);
        }
        const bool turned = !audit::find_inversions(world, x).forbidden.empty();
        const double bound = inversion_step_bound(elements, x, p);
        CHECK(turned == (bound == 0.0));
        if (turned) {
            ++inverted;
            continue;
        }
        ++proved;
        for (std::size_t e = 0; e < elements.size(); ++e) {
            const Tet10& nodes = elements.vertices[e];
            CHECK(audit::certify_tet10(audit::positions(nodes, x), audit::positions(nodes, VecX(x + bound * p))) ==
                  audit::MoveVerdict::separate);
        }
    }
    CHECK(inverted > 20);
    CHECK(proved > 20);
    VecX flipped = state.x;
    for (Eigen::Index i = 0; i < flipped.size(); i += 3) flipped[i] *= -1.0;
    CHECK(audit::find_inversions(world, flipped).forbidden.size() == 6);
    CHECK(audit::find_inversions(world, flipped).allowed.size() == 6);
    const auto whole = audit::certify_tet10(audit::positions(elements.vertices[0], state.x),
                                            audit::positions(elements.vertices[0], flipped));
    CHECK(whole == audit::MoveVerdict::not_excluded);
    // A proof does not care where the body is.
    VecX far = state.x;
    far.array() += 1e6;
    CHECK(audit::find_inversions(world, far).forbidden.empty());
}
