// The nearest move under bounds, and the pairs that a move brings too near.
#include "stiction/dynamics/blocked_pairs.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/dynamics/nearest_move.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include "support/two_balls.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

using namespace stiction;
using namespace stiction::test;

namespace {

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

double gap_of(PairKind kind, const std::array<Index, 4>& stencil, const VecX& x0, const VecX& step, double t) {
    Vec3 there[4];
    gather_stencil(stencil, x0 + t * step, there);
    return std::sqrt(closest_squared_distance(kind, there));
}

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
            REQUIRE(nearest.add_bound(vertices[i], coefficients[i], least, 1e-13));
            nearest.sweep(3);  // multipliers are kept
        }
        nearest.sweep(100000);
        const VecX d = by_active_sets(over_nodes(map, vertices, coefficients), missing, inverse_mass);
        VecX expected;
        map.expand_step(d, expected);
        active += expected.norm() > 0.0;
        CHECK((nearest.move() - wanted - expected).norm() <= 1e-8 * (wanted.norm() + expected.norm()));
    }
    CHECK(active > 10);
}

TEST_CASE("nearest move: a bound of which less than a hundredth is free is left out") {
    auto [world, state] = two_balls(1e-3);
    std::vector<std::uint8_t> driven(world.body_of_vertex.size(), 0);
    driven[2] = 7;
    const VecX wanted = VecX::Zero(3 * world.vertex_count());
    const DofMap map(driven);
    NearestMove nearest(world, map, wanted);
    const std::array<Vec3, 4> up{Vec3::UnitZ(), 0.009 * Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero()};
    CHECK(!nearest.add_bound({2, -1, -1, -1}, up, 1.0, 0.0));
    CHECK(!nearest.add_bound({2, 1, -1, -1}, up, 1.0, 0.0));  // vertex 1 would have to move 111 m
    CHECK(nearest.bounds() == 0);
    const std::array<Vec3, 4> more{Vec3::UnitZ(), 0.02 * Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero()};
    CHECK(nearest.add_bound({2, 1, -1, -1}, more, 1.0, 0.0));
    CHECK(nearest.bounds() == 1);
    nearest.sweep(1);
    CHECK(nearest.move()[5] == relative(50.0, 1e-14));
    CHECK(nearest.move().norm() == relative(50.0, 1e-14));
}

TEST_CASE("blocked pairs: those whose gap falls too low at one of a thousand times, and no others but by a hair") {
    auto [world, state] = two_balls(1e-3);
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
                const double kept = part * std::min(gap_of(kind, stencil, state.x, step, 0.0), reach);
                double least = 1e300;
                for (int i = 0; i <= 1000; ++i) {
                    const double gap = gap_of(kind, stencil, state.x, step, 1e-3 * i);
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
            CHECK(before > 0.0);  // n points from the second feature to the first: the start is on the free side
            CHECK(pair.gap > 0.0);
        }
        const auto count_marked = [&](const std::vector<char>& marked) {
            return find_blocked_pairs(detection.scene(), detection.candidates(), state.x, state.x + step, part, reach,
                                      marked)
                .pairs.size();
        };
        std::vector<char> marked(world.body_of_vertex.size(), 0);
        CHECK(count_marked(marked) == 0);
        for (Index v = 0; v < world.vertex_count(); ++v) marked[at(v)] = world.body_of_vertex[at(v)] == 1;
        CHECK(count_marked(marked) == found.pairs.size());  // all pairs are between the balls
        all += found.pairs.size();
    }
    CHECK(all > 20);
}
