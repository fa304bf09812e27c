#include "stiction/mesh/generate.hpp"
#include "stiction/world/start_check.hpp"
#include "stiction/world/world_builder.hpp"

#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace stiction;
using Lines = std::vector<std::string>;

namespace {

Mesh moved(Mesh mesh, const Vec3& by) {
    for (Vec3& p : mesh.vertices) p += by;
    return mesh;
}

/// One tet standing on its vertex 0, which is the origin.
Mesh standing_tet() {
    Mesh mesh;
    mesh.vertices = {{0, 0, 0}, {0.25, 1, -0.25}, {-0.25, 1, -0.25}, {0, 1, 0.25}};
    mesh.tets = {{0, 1, 2, 3}};
    return mesh;
}

/// Two triangles in the plane y = 0 that share the edge from (-2, 0, 1) to (2, 0, 1); the origin is inside the second.
Mesh two_triangle_floor() {
    Mesh mesh;
    mesh.vertices = {{-2, 0, 1}, {2, 0, 1}, {0, 0, 4}, {0, 0, -3}};
    mesh.triangles = {{0, 1, 2}, {1, 0, 3}};
    return mesh;
}

BodyMaterial material(MaterialLaw law) {
    BodyMaterial result;
    result.law = law;
    return result;
}

struct Scene {
    World world;
    State state;
    Lines problems() const { return start_problems(world, state); }
    void move(Index vertex, const Vec3& to) { state.x.segment<3>(3 * vertex) = to; }
};

Scene finish(WorldBuilder& builder) {
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// 'far', a body elsewhere, so that no local id is a global one; 'floor'; 'ball', a tet whose lowest vertex is at
/// `lowest`.
Scene tet_on_floor(const Vec3& lowest, bool may_touch = true) {
    WorldBuilder builder;
    builder.add_deformable("far", moved(standing_tet(), {10, 0, 0}), {});
    const Index other = builder.add_obstacle("far floor", moved(two_triangle_floor(), {20, 0, 0}));
    const Index floor = builder.add_obstacle("floor", two_triangle_floor());
    const Index ball = builder.add_deformable("ball", moved(standing_tet(), lowest), {});
    CHECK(other < floor);
    if (!may_touch) builder.set_contact(floor, ball, false);
    return finish(builder);
}

}  // namespace

TEST_CASE("start check: a clean scene with gaps of 1e-9 has no problems") {
    WorldBuilder builder;
    const Index low = builder.add_deformable("low", generate_box({1, 1, 1}, {3, 3, 3}), {});
    builder.add_deformable("high", moved(generate_box({1, 1, 1}, {2, 4, 2}), {0.1, 1.0 + 1e-9, 0.2}), {});
    builder.add_deformable("ball", moved(generate_ball(0.5, 3), {2, 0, 0}), material(MaterialLaw::fixed_corotated));
    builder.add_half_space("ground", {0, -0.5 - 1e-9, 0}, {0, 1, 0});
    builder.add_obstacle("wall", moved(generate_box({0.1, 1, 1}, {1, 3, 2}, Fill::surface), {-0.55 - 1e-9, 0, 0}));
    Scene scene = finish(builder);
    CHECK(scene.problems().empty());
    // 2e-9 down, 'low' is behind the ground with its 16 lower vertices.
    for (Index v = 0; v < scene.world.bodies[static_cast<std::size_t>(low)].vertex_count(); ++v)
        scene.state.x[3 * v + 1] -= 2e-9;
    const Lines lines = scene.problems();
    CHECK(lines.size() == 16);
    for (const std::string& line : lines) {
        CHECK(line.find("body 'low' vertex ") == 0);
        CHECK(line.find("m behind half-space 'ground'") != std::string::npos);
    }
}

TEST_CASE("start check: crossings and touches are named with the ids of the bodies' meshes") {
    CHECK(tet_on_floor({0, 1e-9, 0}).problems().empty());
    CHECK(tet_on_floor({0, 0, 0}).problems() ==
          Lines{"body 'ball' vertex 0 lies on body 'floor' triangle 1 (1, 0, 3)"});
    CHECK(tet_on_floor({0, 0, 1}).problems() == Lines{"body 'ball' vertex 0 lies on body 'floor' edge (0, 1)"});
    CHECK(tet_on_floor({2, 0, 1}).problems() == Lines{"body 'floor' vertex 1 coincides with body 'ball' vertex 0"});
    CHECK(tet_on_floor({0, -1e-12, 0}).problems() ==
          Lines{"body 'ball' edge (0, 1) crosses body 'floor' triangle 1 (1, 0, 3)",
                "body 'ball' edge (0, 2) crosses body 'floor' triangle 1 (1, 0, 3)",
                "body 'ball' edge (0, 3) crosses body 'floor' triangle 1 (1, 0, 3)"});
    // Edge (1, 2) of the tet, at its top, on the floor's slanted boundary; the rest of the tet hangs outside.
    Scene scene = tet_on_floor({0, 5, 0});
    const Index ball = scene.world.bodies[3].first_vertex;
    scene.move(ball + 0, {2, 1, -3});
    scene.move(ball + 1, {0.5, 0, -1.5});
    scene.move(ball + 2, {1.5, 0, -0.5});
    scene.move(ball + 3, {3, 0.5, -3});
    const Lines lines = scene.problems();
    CHECK(std::count(lines.begin(), lines.end(), "body 'floor' edge (1, 3) touches body 'ball' edge (1, 2)") == 1);
}

TEST_CASE("start check: bodies that may not touch are not tested, obstacles among themselves neither") {
    CHECK(tet_on_floor({0, -1e-3, 0}, false).problems().empty());
    WorldBuilder builder;
    builder.add_deformable("far", moved(standing_tet(), {10, 0, 0}), {});
    builder.add_obstacle("one", two_triangle_floor());
    builder.add_obstacle("same", two_triangle_floor());
    builder.add_half_space("ground", {0, 0.5, 0}, {0, 1, 0});
    builder.set_contact(0, 3, false);
    CHECK(finish(builder).problems().empty());
}

TEST_CASE("start check: half-spaces") {
    WorldBuilder builder;
    builder.add_deformable("ball", moved(standing_tet(), {0, 2, 0}), {});
    builder.add_half_space("ground", {0, 1, 0}, {0, 2, 0});
    Scene scene = finish(builder);
    CHECK(scene.problems().empty());
    scene.move(0, {0.5, 1, 0.25});
    CHECK(scene.problems() == Lines{"body 'ball' vertex 0 is on half-space 'ground'"});
    scene.move(0, {0.5, std::nextafter(1.0, 2.0), 0.25});
    const Lines lines = scene.problems();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("body 'ball' vertex 0 and half-space 'ground' have a gap of 2.22e-16 m, which is rounding") ==
          0);
    scene.move(0, {0.5, 1.0 + 1e-11, 0.25});
    CHECK(scene.problems().empty());
    scene.move(0, {0.5, 1 - 0.0012, 0.25});
    CHECK(scene.problems() == Lines{"body 'ball' vertex 0 is 0.0012 m behind half-space 'ground'"});
}

TEST_CASE("start check: inverted and flat tets of barrier laws only") {
    WorldBuilder builder;
    builder.add_deformable("first", moved(standing_tet(), {5, 0, 0}), material(MaterialLaw::neo_hookean));
    Mesh pair = standing_tet();  // a second tet on top
    pair.vertices.push_back({0, 2, 0});
    pair.tets.push_back({1, 3, 2, 4});
    if (Mat3 m; (m << pair.vertices[3] - pair.vertices[1], pair.vertices[2] - pair.vertices[1],
                 pair.vertices[4] - pair.vertices[1])
                    .finished()
                    .determinant() < 0) {
        std::swap(pair.tets[1][1], pair.tets[1][2]);
    }
    builder.add_deformable("pair", pair, material(MaterialLaw::neo_hookean));
    builder.add_deformable("soft", moved(standing_tet(), {-5, 0, 0}), material(MaterialLaw::stable_neo_hookean));
    BodyMaterial extrapolated = material(MaterialLaw::neo_hookean);
    extrapolated.extrapolate_below = 0.7;
    builder.add_deformable("extrapolated", moved(standing_tet(), {-9, 0, 0}), extrapolated);
    Scene scene = finish(builder);
    CHECK(scene.problems().empty());
    scene.move(13, {-9, 1.2, 0});  // 'extrapolated' inside out
    CHECK(scene.problems().empty());
    const Vec3 soft_base = scene.world.initial_positions.segment<3>(3 * 9);
    scene.move(9, soft_base + Vec3(0, 1.2, 0));  // 'soft' inside out: its law does not mind
    CHECK(scene.problems().empty());
    scene.move(8, {0, 1 - 0.25, 0});  // the top of 'pair' a quarter of its height below its base: J = -0.25
    Lines lines = scene.problems();
    REQUIRE(!lines.empty());
    CHECK(lines.back() == "body 'pair' tet 1 is inverted (J = -0.25)");
    scene.move(8, {0, 1, 0});  // in the plane of its base
    lines = scene.problems();
    REQUIRE(!lines.empty());
    CHECK(lines.back() == "body 'pair' tet 1 is flat (J = 0)");
}

TEST_CASE("a volume ratio that does not go with the law is refused by the builder") {
    for (const auto& [law, volume_ratio] : {std::pair(MaterialLaw::arap, 0.7), std::pair(MaterialLaw::neo_hookean, 1.0),
                                            std::pair(MaterialLaw::neo_hookean, -0.5)}) {
        WorldBuilder builder;
        BodyMaterial wrong = material(law);
        wrong.extrapolate_below = volume_ratio;
        builder.add_deformable("ball", standing_tet(), wrong);
        CHECK_THROWS_WITH_AS(builder.build(), doctest::Contains("ball: extrapolate_below"), InputError);
    }
}

TEST_CASE("start check: vertices that are not finite come first and alone") {
    Scene scene = tet_on_floor({0, -1e-3, 0});
    scene.state.x[3 * (scene.world.bodies[3].first_vertex + 2) + 1] = std::numeric_limits<double>::quiet_NaN();
    CHECK(scene.problems() == Lines{"body 'ball' vertex 2 is not finite"});
}
