// Collision meshes: where their vertices hang, what the builder makes of them, and what moves with what.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/collision_mesh.hpp"
#include "stiction/world/dof_map.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

Vec3 hung_at(const EmbeddedVertex& entry, const std::vector<Vec3>& vertices) {
    Vec3 x = Vec3::Zero();
    for (const Carrier& carrier : entry.carriers()) x += carrier.weight * vertices[at(carrier.vertex)];
    return x;
}

std::string complaint(const std::function<void()>& run) {
    try {
        run();
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("collision mesh: points hang in the tet that they are in, as the slow search says") {
    constexpr unsigned seed = 31;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(-0.5, 0.5);
    const Mesh box = generate_box({1, 1, 1}, {3, 3, 3});
    std::vector<Vec3> points;
    for (int i = 0; i < 200; ++i) points.emplace_back(place(random), place(random), place(random));
    const std::vector<EmbeddedVertex> hung = hang_in_tets("body", box.vertices, box, points);
    REQUIRE(hung.size() == points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        CHECK((hung_at(hung[i], box.vertices) - points[i]).norm() < 1e-14);
        for (const Carrier& carrier : hung[i].carriers()) CHECK(carrier.weight >= 0.0);
        std::size_t inside = 0;
        bool found = false;
        for (const Tet& tet : box.tets) {
            bool all = true;
            for (std::size_t k = 0; k < 4; ++k) {  // on the side of each face that the fourth vertex is on
                Tet other = tet;
                Mesh with = box;
                with.vertices.push_back(points[i]);
                other[k] = static_cast<Index>(with.vertices.size()) - 1;
                all = all && signed_volume(with, other) > 0.0;
            }
            inside += all;
            found = found || (all && std::ranges::all_of(hung[i].carriers(), [&](const Carrier& carrier) {
                                  return std::ranges::count(tet, carrier.vertex) == 1;
                              }));
        }
        CHECK(inside == 1);
        CHECK(found);
    }
}

TEST_CASE("collision mesh: a point on a vertex hangs on that alone; one a little outside in the nearest tet") {
    const Mesh box = generate_box({1, 1, 1}, {2, 2, 2});
    const auto at_vertices = hang_in_tets("body", box.vertices, box, box.vertices);
    for (std::size_t v = 0; v < box.vertices.size(); ++v) {
        REQUIRE(at_vertices[v].carriers().size() == 1);
        CHECK(at_vertices[v].carriers()[0].vertex == static_cast<Index>(v));
        CHECK(at_vertices[v].carriers()[0].weight == 1.0);
    }
    const std::vector<Vec3> outside{Vec3(0.55, 0.1, 0.2), Vec3(-0.2, -0.53, 0.1), Vec3(0.53, 0.53, 0.53)};
    const auto hung = hang_in_tets("body", box.vertices, box, outside);
    for (std::size_t i = 0; i < outside.size(); ++i) {
        CHECK((hung_at(hung[i], box.vertices) - outside[i]).norm() < 1e-14);
        const auto [least, largest] = std::ranges::minmax(hung[i].carriers(), {}, &Carrier::weight);
        CHECK(least.weight < 0.0);
        CHECK(largest.weight < 1.5);
    }
    CHECK(complaint([&] {
              hang_in_tets("body", box.vertices, box, {Vec3(0, 0, 0), Vec3(0.6, 0, 0)});
          }) ==
          "body: collision mesh: vertex 1: more than 0.0866 m outside the tetrahedra: expected at most 0.05 of the "
          "diagonal of the body");
}

TEST_CASE("collision mesh: a vertex whose weights in a sliver would be large is refused") {
    // 1 mm high and 1 m wide: 4 mm above it is 0.3 % of the diagonal, and four more heights.
    const std::vector<Vec3> sliver{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0.3, 1e-3, 0.3)};
    Mesh mesh;
    mesh.tets = {{0, 2, 1, 3}};
    const auto at_height = [&](double y) {
        return complaint([&] { hang_in_tets("body", sliver, mesh, {Vec3(0.3, y, 0.3)}); });
    };
    CHECK(at_height(0.5e-3).empty());
    CHECK(at_height(1.9e-3).empty());
    CHECK(
        at_height(5e-3) ==
        "body: collision mesh: vertex 0: hangs in a tetrahedron with weights from -1.6 to 5: expected weights from -1 "
        "to 2");
}

TEST_CASE("collision mesh: the builder adds vertices without mass whose surface alone collides") {
    const Mesh box = generate_box({1, 1, 1}, {2, 2, 2});
    const Mesh ball = generate_icosphere(0.45, 1);
    WorldBuilder builder;
    builder.add_half_space("ground", {0, -2, 0}, {0, 1, 0});
    const Index body = builder.add_deformable("body", box, {});
    builder.set_collision_mesh(body, ball);
    builder.add_deformable("plain",
                           [&] {
                               Mesh high = box;
                               for (Vec3& x : high.vertices) x.y() += 2;
                               return high;
                           }(),
                           {});
    const auto [world, state] = builder.build();
    const Body& made = world.bodies[1];
    CHECK(made.has_collision_mesh());
    CHECK(made.first_carried == static_cast<Index>(box.vertices.size()));
    CHECK(made.vertex_count() == static_cast<Index>(box.vertices.size() + ball.vertices.size()));
    CHECK(world.carried.size() == ball.vertices.size());
    CHECK(world.surface.triangles.size() == ball.triangles.size() + boundary_triangles(box.tets).size());
    double mass = 0.0;
    for (Index v = made.first_vertex; v < made.first_vertex + made.vertex_count(); ++v) {
        CHECK(world.is_carried(v) == (world.mass[v] == 0.0));
        mass += world.mass[v];
    }
    CHECK(mass == relative(1000.0, 1e-12));
    for (std::size_t i = 0; i < ball.vertices.size(); ++i)
        CHECK((state.x.segment<3>(3 * world.carried[i].vertex) - ball.vertices[i]).norm() < 1e-14);
    CHECK_FALSE(world.is_carried(world.vertex_count() - 1));
    // Nothing drives the vertices of the collision mesh, and the map puts them on those of tets.
    const StepInput input = schedule(world, state, 0.01);
    const DofMap map(input.driven_axes, world.embedded);
    CHECK(map.node_count() == static_cast<Index>(2 * box.vertices.size()));
    for (const EmbeddedVertex& entry : world.carried) CHECK(map.entries(entry.vertex).size() <= 4);
}

TEST_CASE("collision mesh: vertices follow an affine move of those that carry them, driven or not") {
    WorldBuilder builder;
    const Mesh box = generate_box({1, 1, 1}, {2, 2, 2});
    const Index body = builder.add_deformable("body", box, {});
    builder.set_collision_mesh(body, generate_icosphere(0.45, 1));
    Motion hold;
    for (std::size_t v = 0; v < box.vertices.size(); ++v) {
        if (box.vertices[v].x() < 0.1) hold.vertices.push_back(static_cast<Index>(v));
    }
    hold.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(hold);
    const auto [world, state] = builder.build();
    const Mat3 A = (Mat3() << 1.1, 0.2, 0, -0.1, 0.9, 0.3, 0.2, 0, 1.2).finished();
    VecX moved = state.x;
    for (Index v = 0; v < world.bodies[0].first_carried; ++v) moved.segment<3>(3 * v) = A * state.x.segment<3>(3 * v);
    carry(world.carried, moved);
    for (const EmbeddedVertex& entry : world.carried)
        CHECK((moved.segment<3>(3 * entry.vertex) - A * state.x.segment<3>(3 * entry.vertex)).norm() < 1e-14);
    // Of the same move the map makes what free vertices contribute.
    const DofMap map(schedule(world, state, 0.01).driven_axes, world.embedded);
    VecX nodes(3 * map.node_count()), step;
    VecX free_move = moved - state.x;
    for (const Index v : hold.vertices) free_move.segment<3>(3 * v).setZero();
    for (Index v = 0; v < world.bodies[0].first_carried; ++v) {
        if (map.node(v) >= 0) nodes.segment<3>(3 * map.node(v)) = free_move.segment<3>(3 * v);
    }
    map.expand_step(nodes, step);
    carry(world.carried, free_move);
    CHECK((step - free_move).norm() < 1e-14);
}

TEST_CASE("collision mesh: what makes no collision mesh is refused by name") {
    const Mesh box = generate_box({1, 1, 1}, {2, 2, 2});
    const auto refusal = [&](const Mesh& surface, bool driven = false) {
        return complaint([&] {
            WorldBuilder builder;
            const Index body = builder.add_deformable("body", box, {});
            builder.set_collision_mesh(body, surface);
            Motion motion;
            motion.name = "push";
            motion.vertices = {static_cast<Index>(box.vertices.size())};
            motion.trajectory = std::make_shared<HoldTrajectory>();
            if (driven) builder.add_motion(motion);
            builder.build();
        });
    };
    const auto says = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    const Mesh ball = generate_icosphere(0.45, 1);
    CHECK(refusal(ball).empty());
    says(refusal(ball, true), "push: vertex of the collision mesh of 'body'");
    says(refusal(Mesh{}), "body: collision mesh: 0 triangles");
    says(refusal(generate_icosphere(0.9, 1)), "outside the tetrahedra");
    Mesh broken = ball;
    broken.edges.push_back({0, 1});
    says(refusal(broken), "triangles and nothing else");
    broken = ball;
    broken.triangles.push_back(broken.triangles[0]);
    says(refusal(broken), "every triangle of the collision mesh once");
}
