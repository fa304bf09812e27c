// Close pairs of a step against all pairs of primitives, looked at one by one.
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/local_global/step_candidates.hpp"
#include "stiction/methods/local_global/surface_patches.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace stiction;
using namespace stiction::local_global;
using stiction::test::relative;

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

/// How many of the pairs are missing: their closest features at x are not among those found.
std::size_t missing(const World& world, PairKind kind, const std::vector<std::array<Index, 2>>& pairs, const VecX& x,
                    const std::vector<ClosePair>& found) {
    return static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), [&](const auto& pair) {
        const auto stencil = stencil_vertices(world.surface, kind, pair);
        Vec3 points[4];
        gather_stencil(stencil, x, points);
        const ClosestFeature feature = classify(kind, points);
        ContactKey key;
        key.kind = feature.kind;
        for (std::size_t k = 0; k < 4 && feature.local[k] >= 0; ++k)
            key.vertices[k] = stencil[static_cast<std::size_t>(feature.local[k])];
        sort_features(key);
        return std::none_of(found.begin(), found.end(), [&](const ClosePair& close) { return close.key == key; });
    }));
}

/// Smallest distance of two primitives that are within `distance` (m), from all pairs; infinity where none are.
double smallest_distance(const World& world, const VecX& x, double distance) {
    double smallest = std::numeric_limits<double>::infinity();
    for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
        for (const auto& pair : near_pairs(world, kind, x, distance)) {
            Vec3 points[4];
            gather_stencil(stencil_vertices(world.surface, kind, pair), x, points);
            smallest = std::min(smallest, std::sqrt(closest_squared_distance(kind, points)));
        }
    }
    return smallest;
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

std::pair<World, State> one_cloth() {
    WorldBuilder builder;
    ShellMaterial material;
    material.bending = BendingModel::none;
    builder.add_shell("cloth", generate_cloth(0.4, 0.4, 40, 40), material);
    return builder.build();
}

/// Two sheets of cells of five thicknesses above each other, of one body or of two.
std::pair<World, State> two_sheets(double apart, bool one_body) {
    WorldBuilder builder;
    ShellMaterial material;
    material.bending = BendingModel::none;
    Mesh lower = generate_cloth(0.06, 0.06, 6, 6), upper = lower;
    for (Vec3& x : upper.vertices) x.y() += apart;
    if (one_body) {
        const auto count = static_cast<Index>(lower.vertices.size());
        lower.vertices.insert(lower.vertices.end(), upper.vertices.begin(), upper.vertices.end());
        for (const Triangle& t : upper.triangles) lower.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
    }
    builder.add_shell("lower", lower, material);
    if (!one_body) builder.add_shell("upper", upper, material);
    return builder.build();
}

/// Pairs of a step, and the gap at its end, against those of candidates that have seen no step before. Returns how
/// often these searched.
long check_as_alone(const World& world, StepCandidates& kept, const VecX& x, const VecX& prediction, const VecX& end) {
    StepCandidates alone(world, {world, thickness, false});
    const std::vector<ClosePair>&found = kept.find(x, prediction), &expected = alone.find(x, prediction);
    REQUIRE(found.size() == expected.size());
    CHECK(std::equal(found.begin(), found.end(), expected.begin(), [](const ClosePair& a, const ClosePair& b) {
        return a.key == b.key && a.squared_distance == b.squared_distance && a.offset == b.offset;
    }));
    CHECK(kept.smallest_gap(end) == alone.smallest_gap(end));
    return alone.searches();
}

}  // namespace

TEST_CASE(
    "local_global: every pair that is near at the start of a step or at its predicted end is found, and the gap") {
    const auto [world, state] = cloths_over_a_ball();
    std::mt19937 random(11);
    CAPTURE("seed 11");
    const double near_distance = StepCandidates::near_reach * thickness;
    for (const Vec3& way : {Vec3(0, 0, 0), Vec3(0, -0.03, 0), Vec3(0.2, 0.1, 0)}) {
        StepCandidates candidates(world, {world, thickness, false});
        const VecX start = moved(world, state.x, {0, 0, 0}, 1e-3, random),
                   prediction = moved(world, start, way, 3e-3, random);
        const VecX stopped = moved(world, start, {0, 0, 0}, 2e-3, random),
                   beyond = moved(world, prediction, 0.5 * way, 8e-3, random);
        const std::vector<ClosePair> found = candidates.find(start, prediction);
        CHECK(found.size() < world.surface.edges.size() * world.surface.edges.size() / 40);
        for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
            for (const VecX* x : {&start, &prediction}) {
                const auto near = near_pairs(world, kind, *x, near_distance);
                CHECK(near.size() > 50);
                CHECK(missing(world, kind, near, start, found) == 0);
            }
        }
        for (const VecX* end : {&prediction, &stopped, &beyond}) {
            const double expected = smallest_distance(world, *end, near_distance);
            CHECK(expected < near_distance);
            // What is beyond the motion may be near pairs that were not looked at.
            CHECK(candidates.smallest_gap(*end) >= expected);
            if (end != &beyond) CHECK(candidates.smallest_gap(*end) == expected);
        }
    }
}

TEST_CASE("local_global: what comes near off the predicted motion has the smallest gap too") {
    const double near = StepCandidates::near_reach * thickness;
    const std::uint64_t seed = 37;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const bool one_body : {true, false}) {
        CAPTURE(one_body);
        int within_reach = 0, beyond = 0;
        for (int trial = 0; trial < 150; ++trial) {
            CAPTURE(trial);
            const double apart = (2.4 + 0.6 * uniform(random)) * thickness;
            const auto [world, state] = two_sheets(apart, one_body);
            const auto moved_up = [&, &world = world](const VecX& x, const Vec3& way) {
                VecX result = x;
                for (Index v = world.vertex_count() / 2; v < world.vertex_count(); ++v) result.segment<3>(3 * v) += way;
                return result;
            };
            // The upper sheet moves, and does not end where it was predicted to.
            const Vec3 way = trial % 3 == 0 ? Vec3(0, 0, 0)
                                            : thickness * Vec3(uniform(random), 0.3 * uniform(random), uniform(random));
            const VecX prediction = moved_up(state.x, way);
            const VecX end = moved_up(prediction, {0, 0.7 * (uniform(random) - 1.0) * thickness, 0});
            const double expected = smallest_distance(world, end, near);
            StepCandidates candidates(world, {world, thickness, false});
            candidates.find(state.x, prediction);
            if (expected > near) {
                CHECK(candidates.smallest_gap(end) == std::numeric_limits<double>::infinity());
            } else {
                CHECK(candidates.smallest_gap(end) == relative(expected, 1e-12));
            }
            ++(expected > near ? beyond : within_reach);
        }
        CHECK(within_reach > 30);
        CHECK(beyond > 30);
    }
}

TEST_CASE("local_global: pairs kept from step to step are those of a search for the step alone") {
    const auto [world, state] = cloths_over_a_ball();
    for (const unsigned seed : {21u, 22u}) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        StepCandidates kept(world, {world, thickness, false});
        VecX x = moved(world, state.x, {0, 0, 0}, 1e-3, random);
        long alone_searches = 0;
        for (int step = 0; step < 40; ++step) {
            CAPTURE(step);
            // Slow, common and fast motion in turn; at last by several edges a step.
            const double size = step % 20 < 14 ? 2e-4 : 8e-3;
            const double far = step % 20 < 18 ? size : 0.08;
            const Vec3 common = step % 20 < 7 ? Vec3(0, 0, 0) : Vec3(0.01, 2e-4, -0.01);
            const Vec3 drift = far * Vec3(uniform(random), uniform(random), uniform(random));
            const VecX prediction = moved(world, x, common + drift, size, random);
            const VecX end = moved(world, x, common + 0.5 * drift, 0.5 * size, random);
            alone_searches += check_as_alone(world, kept, x, prediction, end);
            x = end;
            if (step % 20 == 19) x = moved(world, state.x, {0, 0, 0}, 1e-3, random);
        }
        MESSAGE(kept.searches() << " searches in place of " << alone_searches);
        CHECK(2 * kept.searches() < alone_searches);
    }
}

TEST_CASE("local_global: a large body far away changes neither pairs nor gaps of small ones") {
    const auto small_cloths = [](bool beside) {
        WorldBuilder builder;
        ShellMaterial cloth;
        cloth.bending = BendingModel::none;
        for (const double height : {0.0, 0.005}) {
            Mesh mesh = generate_cloth(0.2, 0.2, 8, 8);
            for (Vec3& x : mesh.vertices) x.y() += height;
            builder.add_shell(height == 0.0 ? "lower" : "upper", mesh, cloth);
        }
        if (beside) {
            Mesh mesh = generate_cloth(2.0, 2.0, 8, 8);
            for (Vec3& x : mesh.vertices) x.x() += 30.0;
            builder.add_shell("large", mesh, cloth);
        }
        return builder.build();
    };
    const auto [alone, start] = small_cloths(false);
    const auto [both, start_of_both] = small_cloths(true);
    CHECK(alone.length == relative(0.1 * both.length, 1e-12));
    StepCandidates of_alone(alone, {alone, thickness, true}), of_both(both, {both, 10.0 * thickness, true});
    std::mt19937 random(31);
    const auto own = 3 * alone.vertex_count();
    for (int trial = 0; trial < 20; ++trial) {
        const VecX x = moved(both, start_of_both.x, {0, 0, 0}, 5e-4, random),
                   prediction = moved(both, x, {0, 1e-3, 0}, 1e-3, random);
        const std::vector<ClosePair>& expected = of_alone.find(x.head(own), prediction.head(own));
        const std::vector<ClosePair>& found = of_both.find(x, prediction);
        REQUIRE(!expected.empty());
        REQUIRE(found.size() == expected.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            REQUIRE(found[k].key == expected[k].key);
            REQUIRE(found[k].squared_distance == expected[k].squared_distance);
        }
        CHECK(of_both.smallest_gap(prediction) == of_alone.smallest_gap(prediction.head(own)));
    }
}

TEST_CASE(
    "local_global: a cloth that is drawn out is not searched in every step, and its pairs are those of a search") {
    const auto [world, state] = one_cloth();
    StepCandidates kept(world, {world, thickness, false});
    const auto drawn = [&, &world = world, &state = state](int step) {
        VecX x = state.x;
        for (Index v = 0; v < world.vertex_count(); ++v) x[3 * v] *= 1.0 + 0.01 * step;
        return x;
    };
    long alone_searches = 0;
    for (int step = 0; step < 24; ++step) {
        CAPTURE(step);
        const VecX x = drawn(step), prediction = drawn(step + 1);
        alone_searches += check_as_alone(world, kept, x, prediction, prediction);
    }
    // The ends move by a fifth of an edge a step, but no two patches that are near each other do.
    MESSAGE(kept.searches() << " searches in place of " << alone_searches);
    CHECK(3 * kept.searches() < alone_searches);
}

TEST_CASE("local_global: a part of a cloth that never rests does not make the lists of the rest anew") {
    const auto [world, state] = one_cloth();
    StepCandidates kept(world, {world, thickness, false});
    const auto flapping = [&, &world = world, &state = state](int step) {
        VecX x = state.x;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (x[3 * v] > 0.1 && x[3 * v + 2] > 0.1) x[3 * v + 1] += 0.004 * std::sin(0.7 * v + 1.3 * step);
        }
        return x;
    };
    long alone_searches = 0, first = 0;
    for (int step = 0; step < 80; ++step) {
        CAPTURE(step);
        const VecX x = flapping(step), prediction = flapping(step + 1);
        alone_searches += check_as_alone(world, kept, x, prediction, prediction);
        if (step == 0) first = kept.searches();
    }
    // A corner of a sixteenth of the cloth moves.
    MESSAGE(kept.searches() << " searches in place of " << alone_searches << ", " << first << " of them in step 0");
    CHECK(kept.searches() - first < alone_searches / 5);
}

TEST_CASE("local_global: patches share out the surface, and hold all primitives of their vertices") {
    const auto [world, state] = cloths_over_a_ball();
    constexpr std::size_t most = 20;
    const std::vector<SurfacePatch> patches = surface_patches(world, most);
    std::vector<int> times(static_cast<std::size_t>(world.vertex_count()), 0);
    for (const SurfacePatch& patch : patches) {
        CHECK(patch.vertices.size() <= most);
        CHECK(2 * patch.vertices.size() >= most / 2);
        const auto holds = [](const std::vector<Index>& list, Index v) {
            return std::find(list.begin(), list.end(), v) != list.end();
        };
        for (const Index v : patch.vertices) {
            ++times[static_cast<std::size_t>(v)];
            CHECK(world.body_of_vertex[static_cast<std::size_t>(v)] == patch.body);
        }
        const auto check = [&](const auto& primitive) {
            const bool touches =
                std::any_of(primitive.begin(), primitive.end(), [&](Index v) { return holds(patch.vertices, v); });
            if (!touches) return;
            for (const Index v : primitive) CHECK(holds(patch.with_ring, v));
        };
        for (const Edge& edge : world.surface.edges) check(edge);
        for (const Triangle& triangle : world.surface.triangles) check(triangle);
    }
    for (const Index v : world.surface.vertices) CHECK(times[static_cast<std::size_t>(v)] == 1);
}

TEST_CASE("local_global: what is deep in an obstacle is among the pairs") {
    const auto [world, state] = cloths_over_a_ball();
    VecX x = state.x;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v)) x[3 * v + 1] -= 0.012;
    }
    StepCandidates candidates(world, {world, thickness, false});
    const auto near = near_pairs(world, PairKind::point_triangle, x, StepCandidates::deep_reach * thickness);
    std::vector<std::array<Index, 2>> deep;
    std::copy_if(near.begin(), near.end(), std::back_inserter(deep), [&](const auto& pair) {
        return world.is_obstacle(pair[0]) !=
               world.is_obstacle(world.surface.triangles[static_cast<std::size_t>(pair[1])][0]);
    });
    CHECK(deep.size() > 50);
    CHECK(missing(world, PairKind::point_triangle, deep, x, candidates.find(x, x)) == 0);
}

TEST_CASE("local_global: a search that finds too many pairs throws, and leaves nothing behind") {
    auto [world, state] = cloths_over_a_ball();
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    VecX apart = state.x, near = state.x;
    for (double& value : apart) value += 10.0 * uniform(random);
    for (double& value : near) value += 1e-3 * uniform(random);
    StepCandidates fresh(world, {world, thickness, false});
    const std::vector<ClosePair> expected = fresh.find(state.x, near);
    REQUIRE(!expected.empty());
    StepCandidates candidates(world, {world, thickness, false}, 40 * expected.size());
    for (int round = 0; round < 2; ++round) {
        CHECK(candidates.find(state.x, near).size() == expected.size());
        CHECK_THROWS_AS(candidates.find(state.x, apart), TooManyPairs);
    }
    const std::vector<ClosePair>& again = candidates.find(state.x, near);
    REQUIRE(again.size() == expected.size());
    for (std::size_t k = 0; k < again.size(); ++k) CHECK(again[k].key == expected[k].key);
    CHECK(candidates.smallest_gap(near) == fresh.smallest_gap(near));
}

TEST_CASE("local_global: a step in which cloth flies apart fails before it takes all memory") {
    WorldBuilder builder;
    ShellMaterial cloth;
    cloth.bending = BendingModel::none;
    builder.add_shell("cloth", generate_cloth(1.0, 1.0, 50, 50), cloth);
    auto [world, state] = builder.build();
    std::mt19937 random(6);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (double& value : state.v) value = 1e5 * uniform(random);
    LocalGlobal method(local_global::Options{});
    StepResult result;
    method.step(world, state, schedule(world, state, 0.01), result);
    CHECK(result.report.status == Status::diverged);
    CHECK(result.report.cause.find("more pairs come near each other") != std::string::npos);
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
