// Where a solve begins: predictions cleared of collisions, and driven motion.
#include "stiction/dynamics/driven_motion.hpp"
#include "stiction/dynamics/predicted_start.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include "support/two_balls.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double contact_distance = 1e-3;

double gap_at(PairKind kind, const std::array<Index, 4>& stencil, const VecX& x0, const VecX& step, double t) {
    Vec3 there[4];
    gather_stencil(stencil, x0 + t * step, there);
    return std::sqrt(closest_squared_distance(kind, there));
}

/// Least gap on a straight move, at 101 times, over min(gap at its start, contact_distance); of all pairs.
double least_kept(const World& world, const VecX& x, const VecX& step) {
    ContactDetection detection(world, contact_distance);
    detection.update_swept(x, x + step);
    double least = 1e300;
    for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
        for (const auto& pair : detection.candidates().pairs(kind)) {
            const auto stencil = stencil_vertices(world.surface, kind, pair);
            const double first = std::min(gap_at(kind, stencil, x, step, 0.0), contact_distance);
            for (int i = 0; i <= 100; ++i) least = std::min(least, gap_at(kind, stencil, x, step, 0.01 * i) / first);
        }
    }
    return least;
}

/// Least volume of a tet after a move, over that before it.
double least_volume(const World& world, const VecX& x, const VecX& step) {
    double least = 1e300;
    for (const Tet& tet : world.elastic[0].elements.vertices) {
        const double before = edge_matrix(tet, x).determinant();
        least = std::min(least, edge_matrix(tet, x + step).determinant() / before);
    }
    return least;
}

/// A block of 0.2 m, `cells` cells across, whose bottom is `gap` above the plane z = 0: a half-space or a box.
std::pair<World, State> block_on_plane(double gap, int cells, bool half_space, double thickness = 0.0) {
    WorldBuilder builder;
    Mesh block = generate_box({0.2, 0.2, 0.2}, {cells, cells, cells});
    double lowest = 1e300;
    for (const Vec3& vertex : block.vertices) lowest = std::min(lowest, vertex.z());
    for (Vec3& vertex : block.vertices) vertex.z() += gap - lowest;
    builder.add_deformable("block", block, {});
    if (half_space) {
        builder.add_half_space("floor", Vec3::Zero(), Vec3::UnitZ());
    } else {
        Mesh floor = generate_box({2, 2, 0.5}, {1, 1, 1});
        double top = -1e300;
        for (const Vec3& vertex : floor.vertices) top = std::max(top, vertex.z());
        for (Vec3& vertex : floor.vertices) vertex.z() -= top;
        builder.add_obstacle("floor", floor);
    }
    if (thickness > 0.0) {
        for (Index body = 0; body < builder.body_count(); ++body) builder.set_contact_thickness(body, thickness);
    }
    return builder.build();
}

PredictedStart start_of(const World& world, const State& state, const VecX& prediction) {
    ContactDetection detection(world, contact_distance);
    detection.update(state.x);
    std::vector<std::uint8_t> driven(world.body_of_vertex.size(), 0);
    for (Index v = 0; v < world.vertex_count(); ++v) driven[at(v)] = world.is_obstacle(v) ? 7 : 0;
    return predicted_start(world, detection, DofMap(driven, world.embedded), state.x, prediction, contact_distance);
}

/// The same move of all vertices that are no obstacle's.
VecX everywhere(const World& world, const Vec3& move) {
    VecX step = VecX::Zero(3 * world.vertex_count());
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v)) step.segment<3>(3 * v) = move;
    }
    return step;
}

struct Moves : MoveSink {
    std::vector<std::pair<VecX, VecX>> made;
    void accepted_move(const VecX& x0, const VecX& x1) override { made.emplace_back(x0, x1); }
};

}  // namespace

TEST_CASE("predicted start: a block that would sink into the floor slides on, and keeps half of its gap") {
    const Vec3 move(20 * contact_distance, 0.0, -10 * contact_distance);
    for (const bool half_space : {true, false}) {
        auto [world, state] = block_on_plane(0.5 * contact_distance, 6, half_space);
        const VecX prediction = everywhere(world, move);
        const PredictedStart start = start_of(world, state, prediction);
        CHECK(start.free_fraction == relative(0.5 * 0.7 / 10.0, 1e-6));
        REQUIRE(start.cleared.size() > 0);
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const bool is_bottom = !world.is_obstacle(v) && state.x[3 * v + 2] < contact_distance;
            Vec3 expected = prediction.segment<3>(3 * v);
            if (is_bottom) expected.z() = -0.25 * contact_distance;
            CHECK((start.cleared.segment<3>(3 * v) - expected).norm() < 0.02 * contact_distance);
        }
        if (!half_space) CHECK(least_kept(world, state.x, start.cleared) >= 0.3);
    }
}

TEST_CASE("predicted start: gaps are what a contact thickness leaves of distances") {
    constexpr double thickness = 3e-3;
    for (const bool half_space : {true, false}) {
        auto [world, state] = block_on_plane(thickness + 0.5 * contact_distance, 6, half_space, thickness);
        const PredictedStart start =
            start_of(world, state, everywhere(world, {0.0, 20 * contact_distance, -10 * contact_distance}));
        CHECK(start.free_fraction == relative(0.5 * 0.7 / 10.0, 1e-6));
        REQUIRE(start.cleared.size() > 0);
        for (const Index v : world.surface.vertices) {
            if (world.is_obstacle(v) || state.x[3 * v + 2] > thickness + contact_distance) continue;
            CHECK(start.cleared[3 * v + 2] == relative(-0.25 * contact_distance, 1e-6));
            CHECK(start.cleared[3 * v + 1] == relative(20 * contact_distance, 1e-6));
        }
    }
}

TEST_CASE("predicted start: free predictions are taken as they are") {
    auto [world, state] = block_on_plane(0.5 * contact_distance, 4, false);
    const VecX prediction = everywhere(world, {0.05, 0.0, 0.02});
    const PredictedStart start = start_of(world, state, prediction);
    CHECK(start.free_fraction == 1.0);
    CHECK((start.cleared.array() == prediction.array()).all());
}

TEST_CASE("predicted start: nothing is cleared where more pairs than vertices are in the way") {
    // Four blocks of one cell lie flat on a board of fine triangles.
    WorldBuilder builder;
    for (int i = 0; i < 4; ++i) {
        Mesh block = generate_box({0.2, 0.2, 0.2}, {1, 1, 1});
        for (Vec3& vertex : block.vertices) vertex += Vec3(0.3 * i - 0.45, 0, 0.1 + 0.5 * contact_distance);
        builder.add_deformable("block" + std::to_string(i), block, {});
    }
    Mesh board = generate_box({2, 2, 0.1}, {201, 201, 1});
    for (Vec3& vertex : board.vertices) vertex.z() -= 0.05;
    builder.add_obstacle("board", board);
    const auto [world, state] = builder.build();
    const PredictedStart start = start_of(world, state, everywhere(world, {0.0, 0.0, -10 * contact_distance}));
    CHECK(start.free_fraction == 0.0);
    CHECK(start.cleared.size() == 0);
    CHECK(start.ccd_queries > 32);
}

TEST_CASE("predicted start: nothing is tried where elements allow less than half of the prediction") {
    auto [world, state] = block_on_plane(0.5 * contact_distance, 4, true);
    VecX prediction = everywhere(world, Vec3::Zero());
    const Tet& tet = world.elastic[0].elements.vertices[0];
    const Vec3 across = state.x.segment<3>(3 * tet[1]) - state.x.segment<3>(3 * tet[0]);
    prediction.segment<3>(3 * tet[0]) = across;
    const double allowed = element_step_bound(world, state.x, prediction);
    CHECK(start_of(world, state, VecX(prediction * (allowed / 0.49))).ccd_queries == 0);
    CHECK(start_of(world, state, VecX(prediction * (allowed / 0.51))).ccd_queries > 0);
}

TEST_CASE("predicted start: nothing is cleared where a pair is held on both sides") {
    // A block that is driven into the floor, and a free one beside it that falls on it.
    WorldBuilder builder;
    for (int i = 0; i < 2; ++i) {
        Mesh block = generate_box({0.2, 0.2, 0.2}, {4, 4, 4});
        for (Vec3& vertex : block.vertices) vertex += Vec3(0.3 * i, 0, 0.1 + 0.5 * contact_distance);
        builder.add_deformable("block" + std::to_string(i), block, {});
    }
    builder.add_half_space("floor", Vec3::Zero(), Vec3::UnitZ());
    const auto [world, state] = builder.build();
    const VecX prediction = everywhere(world, {0.0, 0.0, -10 * contact_distance});
    ContactDetection detection(world, contact_distance);
    for (const bool held : {true, false}) {
        detection.update(state.x);
        std::vector<std::uint8_t> driven(world.body_of_vertex.size(), 0);
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (world.is_obstacle(v) || (held && world.body_of_vertex[at(v)] == 0)) driven[at(v)] = 7;
        }
        const PredictedStart start =
            predicted_start(world, detection, DofMap(driven), state.x, prediction, contact_distance);
        CHECK(start.free_fraction == relative(0.5 * 0.7 / 10.0, 1e-6));
        CHECK((start.cleared.size() == 0) == held);
    }
}

TEST_CASE("predicted start: corrections longer than four times the longest move are not made") {
    // The end of a bare edge is driven; the other is free. A point that is driven comes down near the driven end.
    for (const double place : {0.1, 0.5}) {
        WorldBuilder builder;
        Mesh rod;
        rod.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0)};
        rod.edges = {{0, 1}};
        builder.add_rod("rod", rod, {});
        Mesh point;
        point.vertices = {Vec3(place, 0, 0.5 * contact_distance)};
        point.points = {0};
        builder.add_obstacle("point", point);
        const auto [world, state] = builder.build();
        std::vector<std::uint8_t> driven{7, 0, 7};
        VecX prediction = VecX::Zero(9);
        prediction[8] = -10 * contact_distance;
        ContactDetection detection(world, contact_distance);
        detection.update(state.x);
        const PredictedStart start =
            predicted_start(world, detection, DofMap(driven), state.x, prediction, contact_distance);
        // The free end gives way by the depth over its weight: ten times, or twice.
        CHECK((start.cleared.size() > 0) == (place == 0.5));
        CHECK(start.free_fraction > 0.0);
    }
}

TEST_CASE("predicted start: balls that meet keep their momentum and some of their gaps") {
    auto [world, state] = two_balls(2 * contact_distance);
    VecX prediction = VecX::Zero(state.x.size());
    for (Index v = 0; v < world.vertex_count(); ++v)
        prediction.segment<3>(3 * v) = world.body_of_vertex[at(v)] == 0 ? Vec3(0.08, 0.01, 0) : Vec3(-0.07, 0, 0.01);
    const PredictedStart start = start_of(world, state, prediction);
    CHECK(start.free_fraction < 1.0);
    CHECK(start.free_fraction > 0.0);
    REQUIRE(start.cleared.size() > 0);
    Vec3 sum = Vec3::Zero();
    double largest = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Vec3 change = world.mass[v] * (start.cleared - prediction).segment<3>(3 * v);
        sum += change;
        largest = std::max(largest, change.norm());
    }
    CHECK(largest > 0.0);
    CHECK(sum.norm() < 1e-9 * largest);
    CHECK(least_kept(world, state.x, start.cleared) >= 0.3);
    CHECK(least_volume(world, state.x, start.cleared) > 0.2);
}

TEST_CASE("predicted start: layers that follow a stopped one keep a part of their volume") {
    // Cells of 5 mm, and a way of 8 mm: the second layer would go through the first.
    WorldBuilder builder;
    Mesh block = generate_box({0.02, 0.02, 0.05}, {4, 4, 10});
    double lowest = 1e300;
    for (const Vec3& vertex : block.vertices) lowest = std::min(lowest, vertex.z());
    for (Vec3& vertex : block.vertices) vertex.z() += 2 * contact_distance - lowest;
    builder.add_deformable("block", block, {});
    builder.add_half_space("floor", Vec3::Zero(), Vec3::UnitZ());
    const auto [world, state] = builder.build();
    const VecX prediction = everywhere(world, {0.0, 0.0, -8 * contact_distance});
    const PredictedStart start = start_of(world, state, prediction);
    CHECK(start.free_fraction == relative(1.7 / 8.0, 1e-6));
    REQUIRE(start.cleared.size() > 0);
    CHECK(least_volume(world, state.x, start.cleared) >= 0.2);
    CHECK(least_volume(world, state.x, start.cleared) < 0.6);
    for (const Index v : world.surface.vertices) {
        if (!world.is_obstacle(v)) CHECK((state.x + start.cleared)[3 * v + 2] >= 0.3 * contact_distance);
    }
}

TEST_CASE("driven motion: it starts where the potential is lower, and tells the moves that lead there") {
    // The floor turns under the block, which was turning with it: along tangents it goes into the floor.
    auto [world, state] = block_on_plane(0.3 * contact_distance, 4, false);
    StepInput input = schedule(world, state, 0.01);
    const Eigen::AngleAxisd turn(0.2, Vec3::UnitY());
    VecX prediction(state.x.size());
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Vec3 x = state.x.segment<3>(3 * v);
        prediction.segment<3>(3 * v) = 0.2 * Vec3::UnitY().cross(x);
        if (!world.is_obstacle(v)) continue;
        input.driven_axes[at(v)] = 7;
        input.target.segment<3>(3 * v) = turn * x;
    }
    for (const double difference : {-1.0, 1.0}) {
        Moves moves;
        input.moves = &moves;
        DrivenMotion driven(world, input, state.x);
        ContactDetection detection(world, contact_distance);
        detection.update(state.x);
        VecX x = state.x;
        long queries = 0;
        int compared = 0;
        VecX from, to;
        const auto compare = [&](const VecX& a, const VecX& b) {
            ++compared;
            from = a;
            to = b;
            return difference;
        };
        driven.start(detection, x, prediction, contact_distance, {}, compare, queries);
        CHECK(compared == 1);
        CHECK(queries > 0);
        CHECK((x.array() == (difference < 0.0 ? to : from).array()).all());
        REQUIRE(!moves.made.empty());
        CHECK((moves.made.front().first.array() == state.x.array()).all());
        CHECK((moves.made.back().second.array() == x.array()).all());
        for (std::size_t i = 0; i < moves.made.size(); ++i) {
            const auto& [start, end] = moves.made[i];
            if (i > 0) CHECK((start.array() == moves.made[i - 1].second.array()).all());
            CHECK(least_kept(world, start, end - start) >= 0.29);
        }
        CHECK(driven.pulling() == (difference > 0.0));
        if (difference < 0.0) CHECK(driven.driven_axes() == input.driven_axes);
        ContactDetection fresh(world, contact_distance);
        fresh.update(x);
        const ContactSet expected = fresh.contacts(x, contact_distance);
        const ContactSet contacts = detection.contacts(x, contact_distance);
        REQUIRE(contacts.contacts.size() == expected.contacts.size());
        for (std::size_t i = 0; i < expected.contacts.size(); ++i)
            CHECK(contacts.contacts[i].vertices == expected.contacts[i].vertices);
        CHECK((driven.largest_error(x) == 0.0) == (difference < 0.0));
        CHECK(moves.made.size() == (difference < 0.0 ? 1 : 2));
    }
}
