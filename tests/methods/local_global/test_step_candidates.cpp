// Candidates of a step against all pairs of primitives, looked at one by one.
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/local_global/step_candidates.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace stiction;
using namespace stiction::local_global;

namespace {

constexpr double thickness = 2e-3;

/// Two cloths over each other, and a ball that does not move.
std::pair<World, State> cloths_over_a_ball() {
    WorldBuilder builder;
    ShellMaterial cloth;
    cloth.bending = BendingModel::none;
    for (const double height : {0.152, 0.157}) {
        Mesh mesh = generate_cloth(0.2, 0.2, 14, 14);
        for (Vec3& x : mesh.vertices) x.y() += height;
        builder.add_shell(height < 0.155 ? "lower" : "upper", mesh, cloth);
    }
    builder.add_obstacle("ball", generate_ball(0.15, 6));
    return builder.build();
}

/// Pairs of a kind that are within `distance` (m) at x.
std::vector<std::array<Index, 2>> near_pairs(const World& world, PairKind kind, const VecX& x, double distance) {
    const CollisionSurface& surface = world.surface;
    std::vector<std::array<Index, 2>> found;
    const auto look = [&](Index a, Index b) {
        const auto stencil = stencil_vertices(surface, kind, {a, b});
        const std::size_t first = kind == PairKind::edge_edge ? 2 : 1;
        for (std::size_t i = 0; i < first; ++i) {
            if (std::find(stencil.begin() + static_cast<std::ptrdiff_t>(first), stencil.end(), stencil[i]) !=
                stencil.end())
                return;
        }
        if (!world.contact_pairs.allowed(world.body_of_vertex[static_cast<std::size_t>(stencil[0])],
                                         world.body_of_vertex[static_cast<std::size_t>(stencil[first])]))
            return;
        Vec3 points[4];
        gather_stencil(stencil, x, points);
        if (closest_squared_distance(kind, points) <= distance * distance) found.push_back({a, b});
    };
    if (kind == PairKind::point_triangle) {
        for (const Index v : surface.vertices) {
            for (std::size_t t = 0; t < surface.triangles.size(); ++t) look(v, static_cast<Index>(t));
        }
    } else {
        for (std::size_t e = 0; e < surface.edges.size(); ++e) {
            for (std::size_t f = e + 1; f < surface.edges.size(); ++f)
                look(static_cast<Index>(e), static_cast<Index>(f));
        }
    }
    return found;
}

/// How many of the pairs are missing among candidates.
std::size_t missing(const std::vector<std::array<Index, 2>>& pairs, std::vector<std::array<Index, 2>> candidates) {
    std::sort(candidates.begin(), candidates.end());
    return static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return !std::binary_search(candidates.begin(), candidates.end(), pair);
    }));
}

VecX moved(const World& world, const VecX& x, const Vec3& way, double scatter, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-scatter, scatter);
    VecX result = x;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v))
            result.segment<3>(3 * v) += way + Vec3(uniform(random), uniform(random), uniform(random));
    }
    return result;
}

}  // namespace

TEST_CASE(
    "local_global: candidates hold every pair that is near at the start of a step or at its predicted end, and where "
    "it ends instead") {
    const auto [world, state] = cloths_over_a_ball();
    std::mt19937 random(11);
    CAPTURE("seed 11");
    for (const Vec3& way : {Vec3(0, 0, 0), Vec3(0, -0.03, 0), Vec3(0.2, 0.1, 0)}) {
        StepCandidates candidates(world, thickness);
        const VecX start = moved(world, state.x, {0, 0, 0}, 1e-3, random),
                   prediction = moved(world, start, way, 3e-3, random);
        const VecX stopped = moved(world, start, {0, 0, 0}, 2e-3, random),
                   beyond = moved(world, prediction, 0.5 * way, 8e-3, random);
        for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
            const std::size_t all = kind == PairKind::edge_edge
                                        ? world.surface.edges.size() * world.surface.edges.size() / 2
                                        : world.surface.vertices.size() * world.surface.triangles.size();
            const auto found = candidates.find(start, prediction).pairs(kind);
            CHECK(found.size() < all / 20);
            for (const VecX* x : {&start, &prediction}) {
                const auto near = near_pairs(world, kind, *x, StepCandidates::near_reach * thickness);
                CHECK(near.size() > 50);
                CHECK(missing(near, found) == 0);
            }
            for (const VecX* end : {&prediction, &stopped, &beyond}) {
                const auto near = near_pairs(world, kind, *end, StepCandidates::near_reach * thickness);
                CHECK(near.size() > 50);
                CHECK(missing(near, candidates.find_near(*end).pairs(kind)) == 0);
            }
        }
    }
}

TEST_CASE("local_global: what is deep in an obstacle is among the candidates") {
    const auto [world, state] = cloths_over_a_ball();
    VecX x = state.x;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v)) x[3 * v + 1] -= 0.012;
    }
    StepCandidates candidates(world, thickness);
    const auto near = near_pairs(world, PairKind::point_triangle, x, StepCandidates::deep_reach * thickness);
    std::vector<std::array<Index, 2>> deep;
    std::copy_if(near.begin(), near.end(), std::back_inserter(deep), [&](const auto& pair) {
        return world.is_obstacle(pair[0]) !=
               world.is_obstacle(world.surface.triangles[static_cast<std::size_t>(pair[1])][0]);
    });
    CHECK(deep.size() > 50);
    CHECK(missing(deep, candidates.find(x, x).point_triangle) == 0);
}

TEST_CASE("what moves in common is taken out of a move, and distances on the way stay") {
    const auto [world, state] = cloths_over_a_ball();
    std::mt19937 random(12);
    const Vec3 way(0.3, -0.2, 0.1);
    const VecX end = moved(world, state.x, way, 1e-3, random);
    VecX seen = end;
    remove_common_motion(world, state.x, seen);
    double largest = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Vec3 taken = (end - seen).segment<3>(3 * v);
        CHECK((taken - (end - seen).segment<3>(0)).norm() < 1e-15);
        if (!world.is_obstacle(v))
            largest = std::max(largest, (seen - state.x).segment<3>(3 * v).lpNorm<Eigen::Infinity>());
    }
    CHECK(largest < 2e-3);
}

TEST_CASE("local_global: a certified step does not depend on the steps before it") {
    auto [world, state] = cloths_over_a_ball();
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v))
            state.v.segment<3>(3 * v) =
                Vec3(0, world.body_of_vertex[static_cast<std::size_t>(v)] == 0 ? -0.5 : -2.0, 0);
    }
    local_global::Options options;
    options.certify = true;
    LocalGlobal method(options);
    long queries = 0;
    for (int step = 0; step < 8; ++step) {
        const StepInput input = schedule(world, state, 0.01);
        StepResult result, alone;
        method.step(world, state, input, result);
        LocalGlobal(options).step(world, state, input, alone);
        CHECK(result.report.ccd_queries == alone.report.ccd_queries);
        CHECK(result.state.x == alone.state.x);
        CHECK(result.state.v == alone.state.v);
        queries += result.report.ccd_queries;
        state = result.state;
    }
    CHECK(queries > 1000);
}
