// Frames with sheets in them: cells in the order of the bodies, and the membrane's stress on the right ones.
#include "stiction/mesh/generate.hpp"
#include "stiction/output/frame_data.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("a frame shows sheets as triangles in the order of the bodies, with the stress of plane stress") {
    Mesh tet;
    tet.vertices = {Vec3(0, 5, 0), Vec3(1, 5, 0), Vec3(0, 6, 0), Vec3(0, 5, 1)};
    tet.tets = {{0, 1, 2, 3}};
    Mesh triangle;
    triangle.vertices = {Vec3(0, -1, 0), Vec3(1, -1, 0), Vec3(0, -1, 1)};
    triangle.triangles = {{0, 2, 1}};
    ShellMaterial soft, stiff;
    soft.law = MembraneLaw::saint_venant_kirchhoff;
    soft.youngs_modulus = 1000;
    soft.poissons_ratio = 0.25;
    stiff = soft;
    stiff.law = MembraneLaw::fixed_corotated;
    stiff.youngs_modulus = 3000;
    WorldBuilder builder;
    builder.add_shell("soft", generate_cloth(1, 1, 2, 1), soft);
    builder.add_half_space("floor", {0, -2, 0}, {0, 1, 0});
    builder.add_deformable("solid", tet, {});
    builder.add_obstacle("bit", triangle);
    Mesh high = generate_cloth(1, 1, 1, 1);
    for (Vec3& x : high.vertices) x.y() += 2;
    builder.add_shell("stiff", high, stiff);
    auto [world, state] = builder.build();
    const double strain = 1e-6;
    for (const std::size_t b : {std::size_t{0}, std::size_t{4}}) {  // uniaxial stress along x in both sheets
        const Body& body = world.bodies[b];
        for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
            state.x[3 * v] *= 1 + strain;
            state.x[3 * v + 2] *= 1 - 0.25 * strain;
        }
    }
    const FrameData frame = frame_data(world, state, nullptr, {});
    REQUIRE(frame.mesh.tets.size() == 1);
    REQUIRE(frame.mesh.triangles.size() == 4 + 2 + 1 + 2);
    const std::vector<int> bodies{2, 0, 0, 0, 0, 1, 1, 3, 4, 4}, obstacles{0, 0, 0, 0, 0, 1, 1, 1, 0, 0};
    CHECK(frame.cell_body == bodies);
    CHECK(frame.cell_obstacle == obstacles);
    const std::vector<double> modulus{0, 1000, 1000, 1000, 1000, 0, 0, 0, 3000, 3000};
    REQUIRE(frame.stress.size() == modulus.size());
    for (std::size_t c = 0; c < modulus.size(); ++c) {
        Mat3 expected = Mat3::Zero();
        expected(0, 0) = modulus[c] * strain;
        CHECK((frame.stress[c] - expected).norm() < 1e-5 * 3000 * strain);
        if (modulus[c] > 0.0)
            CHECK(frame.von_mises[c] == relative(modulus[c] * strain, 1e-5));
        else
            CHECK(frame.von_mises[c] == 0.0);
    }
    CHECK(deformable_surface(world, state).triangles.size() == 4 + 4 + 2);
}

TEST_CASE("a frame shows rods as edges in the order of the bodies, with the stress along them") {
    Mesh bits;
    bits.vertices = {Vec3(0, -1, 0), Vec3(1, -1, 0), Vec3(2, -1, 0)};
    bits.edges = {{0, 1}};
    bits.points = {2};
    RodMaterial soft, stiff;
    soft.youngs_modulus = 1000;
    stiff.youngs_modulus = 3000;
    WorldBuilder builder;
    builder.add_rod("soft", generate_polyline({Vec3(0, 0, 0), Vec3(1, 0, 0)}, false, 0.5), soft);
    builder.add_shell("sheet", generate_cloth(1, 1, 1, 1), {});
    builder.add_obstacle("bits", bits);
    builder.add_rod("stiff", generate_polyline({Vec3(0, 2, 0), Vec3(1, 2, 0)}, false, 1.0), stiff);
    auto [world, state] = builder.build();
    const double strain = 1e-3;
    for (const std::size_t b : {std::size_t{0}, std::size_t{3}}) {
        const Body& body = world.bodies[b];
        for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v)
            state.x[3 * v] *= 1 + strain;
    }
    const FrameData frame = frame_data(world, state, nullptr, {});
    CHECK(frame.mesh.edges.size() == 4);
    CHECK(frame.cell_body == std::vector<int>{1, 1, 0, 0, 2, 3, 2});
    CHECK(frame.cell_obstacle == std::vector<int>{0, 0, 0, 0, 1, 0, 1});
    const std::vector<double> modulus{0, 0, 1000, 1000, 0, 3000, 0};
    REQUIRE(frame.stress.size() == modulus.size());
    for (std::size_t c = 0; c < modulus.size(); ++c) {
        Mat3 expected = Mat3::Zero();
        expected(0, 0) = modulus[c] * strain;
        CHECK((frame.stress[c] - expected).norm() < 1e-9 * 3000 * strain);
    }
}
