// The quality of elements, of deformations whose numbers are known.
#include "stiction/mesh/generate.hpp"
#include "stiction/world/element_quality.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

namespace {

ElementQuality after_stretch(const World& world, const State& state, const Vec3& stretches) {
    VecX x = state.x;
    for (Index v = 0; v < world.vertex_count(); ++v)
        x.segment<3>(3 * v) = stretches.cwiseProduct(state.x.segment<3>(3 * v));
    return worst_element(world, x);
}

}  // namespace

TEST_CASE("element quality: the volume over that at rest or its inverse, the smaller; negative inside out") {
    WorldBuilder builder;
    builder.add_rigid("other", generate_box({1, 1, 1}, {1, 1, 1}), 1000.0);
    builder.add_deformable("box", generate_box({1, 1, 1}, {1, 1, 1}), {});
    const auto [world, state] = builder.build();
    CHECK(worst_element(world, state.x).value == within(1.0, 1e-12));
    CHECK(after_stretch(world, state, {0.5, 1, 1}).value == relative(0.5, 1e-12));
    CHECK(after_stretch(world, state, {2, 1, 1}).value == relative(0.5, 1e-12));
    CHECK(after_stretch(world, state, {5, 5, 4}).value == relative(0.01, 1e-12));
    const ElementQuality mirrored = after_stretch(world, state, {1, -1, 1});
    CHECK(mirrored.value == relative(-1.0, 1e-12));
    CHECK(mirrored.body == 1);
}

TEST_CASE("element quality: the one tet that is flattened is named") {
    WorldBuilder builder;
    builder.add_deformable("box", generate_box({1, 1, 1}, {2, 2, 2}), {});
    const auto [world, state] = builder.build();
    const Index chosen = 11;
    const Tet& tet = world.bodies[0].mesh.tets[static_cast<std::size_t>(chosen)];
    VecX x = state.x;
    // A tenth of the height over the opposite side is left. Its neighbours are pulled, and none loses more.
    const Vec3 foot = (x.segment<3>(3 * tet[1]) + x.segment<3>(3 * tet[2]) + x.segment<3>(3 * tet[3])) / 3.0;
    x.segment<3>(3 * tet[0]) = foot + 0.1 * (Vec3(x.segment<3>(3 * tet[0])) - foot);
    const ElementQuality worst = worst_element(world, x);
    CHECK(worst.value <= 0.1 * (1 + 1e-12));
    double smallest = 1.0;
    Index expected = -1;
    for (std::size_t e = 0; e < world.elastic[0].elements.size(); ++e) {
        const double ratio = deformation_gradient(world.elastic[0].elements, e, x).determinant();
        CHECK(ratio < 5.0);
        if (ratio < smallest) {
            smallest = ratio;
            expected = world.elastic[0].body_element[e];
        }
    }
    CHECK(worst.value == relative(smallest, 1e-12));
    CHECK(worst.element == expected);
    CHECK(worst.body == 0);
}

TEST_CASE("element quality: triangles lose area, edges of rods length; both can be drawn out") {
    WorldBuilder sheet, rod;
    sheet.add_shell("cloth", generate_cloth(1, 1, 2, 2), {});
    Mesh wire;
    wire.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    wire.edges = {{0, 1}, {1, 2}};
    rod.add_rod("wire", wire, {});
    const auto [cloth, cloth_state] = sheet.build();
    const auto [line, line_state] = rod.build();
    CHECK(after_stretch(cloth, cloth_state, {0.25, 1, 0.25}).value == relative(0.0625, 1e-12));
    CHECK(after_stretch(cloth, cloth_state, {3, 3, 3}).value == relative(1.0 / 9.0, 1e-12));
    CHECK(after_stretch(line, line_state, {0.2, 1, 1}).value == relative(0.2, 1e-12));
    VecX x = line_state.x;
    x[6] = 5.0;
    const ElementQuality drawn = worst_element(line, x);
    CHECK(drawn.value == relative(0.25, 1e-12));
    CHECK(drawn.element == 1);
}
