// Where a solve begins: the nearest move under bounds, blocked pairs, predictions cleared of collisions, driven motion.
#include "stiction/dynamics/blocked_pairs.hpp"
#include "stiction/dynamics/driven_motion.hpp"
#include "stiction/dynamics/nearest_move.hpp"
#include "stiction/dynamics/predicted_start.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double contact_distance = 1e-3;

/// C over the unknowns of the map, of bounds over vertices.
Eigen::MatrixXd over_nodes(const DofMap& map, const std::vector<std::array<Index, 4>>& vertices,
                           const std::vector<std::array<Vec3, 4>>& coefficients) {
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(vertices.size()), 3 * map.node_count());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        for (std::size_t k = 0; k < 4; ++k) {
            for (const DofMap::Entry& part : map.entries(vertices[i][k])) {
                for (int axis = 0; axis < 3; ++axis) {
                    if (map.masked_axes(part.node) >> axis & 1) continue;
                    C(static_cast<Eigen::Index>(i), 3 * part.node + axis) += part.weight * coefficients[i][k][axis];
                }
            }
        }
    }
    return C;
}

/// Minimiser of d^T M d / 2 subject to C d >= b, from all active sets; C has full rank.
VecX by_active_sets(const Eigen::MatrixXd& C, const VecX& b, const VecX& inverse_mass) {
    for (unsigned active = 0; active < 1U << b.size(); ++active) {
        std::vector<Eigen::Index> rows;
        for (Eigen::Index i = 0; i < b.size(); ++i) {
            if (active >> i & 1) rows.push_back(i);
        }
        const Eigen::MatrixXd A = C(rows, Eigen::all);
        const Eigen::MatrixXd G = A * inverse_mass.asDiagonal() * A.transpose();
        const VecX multipliers = G.ldlt().solve(VecX(b(rows)));
        const VecX d = inverse_mass.asDiagonal() * (A.transpose() * multipliers);
        const bool is_feasible = ((C * d - b).array() >= -1e-9 * b.lpNorm<Eigen::Infinity>()).all();
        if (is_feasible && (multipliers.array() >= 0.0).all()) return d;
    }
    FAIL("no active set");
    return {};
}

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

std::pair<World, State> balls_apart(double gap) {
    WorldBuilder builder;
    Mesh right = generate_ball(0.5, 2);
    for (Vec3& vertex : right.vertices) vertex.x() += 1.0 + gap;
    builder.add_deformable("left", generate_ball(0.5, 2), {});
    builder.add_deformable("right", right, {});
    return builder.build();
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

TEST_CASE("nearest move: the minimiser of all active sets, with rigid, driven and partly driven vertices") {
    WorldBuilder builder;
    builder.add_deformable("soft", generate_box({1, 1, 1}, {1, 1, 1}), {});
    builder.add_rigid("rigid", generate_box({1, 1, 1}, {1, 1, 1}), 1000.0);
    const auto [world, state] = builder.build();
    std::vector<std::uint8_t> driven(world.body_of_vertex.size(), 0);
    driven[0] = 7;
    driven[3] = 2;
    const DofMap map(driven, world.embedded);
    REQUIRE(!world.embedded.empty());
    VecX inverse_mass(3 * map.node_count());
    for (Index node = 0; node < map.node_count(); ++node) {
        // The rigid cube weighs 1000 kg.
        const bool is_rigid = world.is_rigid(map.vertex(node));
        const double mass = is_rigid ? 250.0 : world.mass[map.vertex(node)];
        inverse_mass.segment<3>(3 * node).setConstant(1.0 / mass);
    }
    const unsigned seed = 31;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::uniform_int_distribution<Index> any(0, world.vertex_count() - 1);
    int active = 0;
    for (int trial = 0; trial < 20; ++trial) {
        VecX wanted(3 * world.vertex_count());
        for (double& value : wanted) value = uniform(random);
        carry(world.embedded, wanted);
        NearestMove nearest(world, map, wanted);
        std::vector<std::array<Index, 4>> vertices(4);
        std::vector<std::array<Vec3, 4>> coefficients(4);
        VecX missing(4);
        for (std::size_t i = 0; i < 4; ++i) {
            const double least = uniform(random);
            missing[static_cast<Eigen::Index>(i)] = least;
            for (std::size_t k = 0; k < 4; ++k) {
                vertices[i][k] = k == 0 ? 1 : any(random);
                for (double& value : coefficients[i][k]) value = uniform(random);
                missing[static_cast<Eigen::Index>(i)] -= coefficients[i][k].dot(wanted.segment<3>(3 * vertices[i][k]));
            }
            REQUIRE(nearest.add_bound(vertices[i], coefficients[i], least));
            nearest.sweep(0.0, 3);  // multipliers are kept
        }
        nearest.sweep(1e-13, 100000);
        const VecX d = by_active_sets(over_nodes(map, vertices, coefficients), missing, inverse_mass);
        VecX expected;
        map.expand_step(d, expected);
        active += expected.norm() > 0.0;
        CHECK((nearest.move() - wanted - expected).norm() <= 1e-8 * (wanted.norm() + expected.norm()));
    }
    CHECK(active > 10);
}

TEST_CASE("nearest move: a bound on driven vertices alone is left out") {
    auto [world, state] = block_on_plane(contact_distance, 1, true);
    std::vector<std::uint8_t> driven(world.body_of_vertex.size(), 0);
    driven[2] = 7;
    const VecX wanted = VecX::Zero(3 * world.vertex_count());
    const DofMap map(driven);
    NearestMove nearest(world, map, wanted);
    const std::array<Vec3, 4> up{Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    CHECK(!nearest.add_bound({2, -1, -1, -1}, up, 1.0));
    CHECK(nearest.add_bound({1, -1, -1, -1}, up, 1.0));
    CHECK(nearest.bounds() == 1);
    nearest.sweep(0.0, 1);
    CHECK(nearest.move()[5] == relative(1.0, 1e-14));
    CHECK(nearest.move().norm() == relative(1.0, 1e-14));
}

TEST_CASE("blocked pairs: those whose gap falls too low at one of a thousand times, and no others but by a hair") {
    auto [world, state] = balls_apart(1e-3);
    constexpr double part = 0.3, reach = 2e-3;
    const unsigned seed = 29;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::size_t all = 0;
    for (int trial = 0; trial < 5; ++trial) {
        VecX step(state.x.size());
        for (double& value : step) value = 0.01 * uniform(random);
        for (Index v = 0; v < world.vertex_count(); ++v) step[3 * v] += world.body_of_vertex[at(v)] == 0 ? 0.03 : -0.03;
        ContactDetection detection(world, reach);
        detection.update_swept(state.x, state.x + step);
        const BlockedPairs found =
            find_blocked_pairs(detection.scene(), detection.candidates(), state.x, state.x + step, part, reach);
        std::size_t surely = 0, perhaps = 0;
        double first = 1.0;
        for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
            for (const auto& pair : detection.candidates().pairs(kind)) {
                const auto stencil = stencil_vertices(world.surface, kind, pair);
                const double kept = part * std::min(gap_at(kind, stencil, state.x, step, 0.0), reach);
                double least = 1e300;
                for (int i = 0; i <= 1000; ++i) {
                    const double gap = gap_at(kind, stencil, state.x, step, 1e-3 * i);
                    if (gap < kept) first = std::min(first, 1e-3 * i);
                    least = std::min(least, gap);
                }
                surely += least < kept;
                perhaps += least < 1.01 * kept + 1e-6;
            }
        }
        CHECK(found.pairs.size() >= surely);
        CHECK(found.pairs.size() <= perhaps);
        CHECK(found.fraction <= first);
        CHECK(found.fraction > first - 2e-3);
        CHECK(found.ccd_queries == static_cast<long>(detection.candidates().size()));
        for (const BlockedPair& pair : found.pairs) {
            Vec3 sum = Vec3::Zero();
            double squared = 0.0;
            for (std::size_t k = 0; k < 4; ++k) {
                if (pair.vertices[k] < 0) continue;
                sum += pair.gradients[k];
                squared = std::max(squared, pair.gradients[k].squaredNorm());
            }
            CHECK(sum.norm() < 1e-9);
            CHECK(squared > 0.04);  // a closest point has weights that add up to 1
        }
        for (const BlockedPair& pair : found.pairs) {
            double approach = 0.0, before = -pair.offset;
            for (std::size_t k = 0; k < 4 && pair.vertices[k] >= 0; ++k) {
                approach += pair.gradients[k].dot(step.segment<3>(3 * pair.vertices[k]));
                before += pair.gradients[k].dot(state.x.segment<3>(3 * pair.vertices[k]));
            }
            CHECK(approach < 0.0);
            // Along the normal of another moment it is at least not farther than it was.
            CHECK(before > 0.0);
            CHECK(pair.gap > 0.0);
        }
        all += found.pairs.size();
    }
    CHECK(all > 20);
}

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
    Mesh board = generate_box({2, 2, 0.1}, {41, 41, 1});
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
    prediction[2] = 1.0;  // through the block
    const PredictedStart start = start_of(world, state, prediction);
    CHECK(start.free_fraction == 0.0);
    CHECK(start.cleared.size() == 0);
    CHECK(start.ccd_queries == 0);
}

TEST_CASE("predicted start: balls that meet keep their momentum and some of their gaps") {
    auto [world, state] = balls_apart(2 * contact_distance);
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
        driven.start(detection, x, prediction, contact_distance, compare, queries);
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
