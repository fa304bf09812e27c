// Orders of PolyFEM's elements: of all bodies, or by volume id; what they collide with; boundary conditions on edges.
#include "scene/import/polyfem_testing.hpp"
#include "support/compare.hpp"

using namespace polyfem_testing;
using namespace stiction::test;

namespace {

const std::string two_bodies =
    "[" + body_of("cube.msh", R"(, "volume_selection": 1)") + ", " +
    body_of("cube.msh", R"(, "volume_selection": 2, "transformation": {"translation": [0, 2, 0]})") + "]";

}  // namespace

TEST_CASE("PolyFEM orders: a number is for all bodies, which collide with four triangles a face") {
    const PolyfemFolder folder;
    const SceneSpec spec = folder.import(scene_of(two_bodies, R"("space": {"discr_order": 2}, )"));
    REQUIRE(spec.bodies.size() == 2);
    for (const BodySpec& body : spec.bodies) {
        CHECK(body.order == 2);
        CHECK(body.proxy_subdivisions == 2);
    }
    const World world = compile_world(spec).first;
    CHECK(world.surface.triangles.size() == 2 * 12 * 4);
    CHECK(world.quadratic.size() == 1);
}

TEST_CASE("PolyFEM orders: a list by volume id, others are 1") {
    const PolyfemFolder folder;
    const World world = folder.world(scene_of(two_bodies, R"("space": {"discr_order": [{"id": 2, "order": 2}]}, )"));
    CHECK_FALSE(world.bodies[0].is_quadratic());
    CHECK(world.bodies[1].is_quadratic());
    CHECK(world.elastic[0].elements.size() == 6);
    CHECK(world.quadratic[0].elements.size() == 6);
}

TEST_CASE("PolyFEM orders: boundaries that are tessellated anew are 81 triangles a face") {
    const PolyfemFolder folder;
    const auto with = [](const std::string& mesh) {
        return scene_of(
            body_of("cube.msh"),
            R"("space": {"discr_order": 2}, "contact": {"enabled": true, "collision_mesh": )" + mesh + "}, ");
    };
    CHECK(folder.world(with(R"({"max_edge_length": 0.1})")).surface.triangles.size() == 12 * 81);
    CHECK(folder.world(with(R"({"max_edge_length": 0.1, "tessellation_type": "regular"})")).surface.triangles.size() ==
          12 * 81);
    CHECK(folder.error(with(R"({"max_edge_length": 0.1, "tessellation_type": "irregular"})"))
              .find("contact.collision_mesh") != std::string::npos);
}

TEST_CASE("PolyFEM orders: a condition on a side holds the nodes of its edges") {
    const PolyfemFolder folder;
    const World world = folder.world(scene_of(
        body_of("cube.msh", R"(, "surface_selection": {"id": 7, "axis": "-x", "position": -0.499})"),
        R"("space": {"discr_order": 2}, "boundary_conditions": {"dirichlet_boundary": {"id": 7, "value": [0, 0, 0]}}, )"));
    REQUIRE(world.motions.size() == 1);
    CHECK(world.motions[0].vertices.size() == 4 + 5);
    for (const Index v : world.motions[0].vertices) CHECK(world.initial_positions[3 * v] == relative(-0.5, 1e-12));
}
