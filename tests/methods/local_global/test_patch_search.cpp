// Pairs of primitives of two patches against all pairs of the surface, looked at one by one.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/patch_search.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace stiction;
using namespace stiction::local_global;

namespace {

using Pair = std::array<Index, 2>;

/// A cloth, a box, and an obstacle of bare edges and points through both.
std::pair<World, State> bodies_of_all_primitives() {
    WorldBuilder builder;
    ShellMaterial cloth;
    cloth.bending = BendingModel::none;
    builder.add_shell("cloth", generate_cloth(0.2, 0.2, 12, 12), cloth);
    builder.add_deformable("box", generate_box({0.1, 0.1, 0.1}, {4, 4, 4}), {MaterialLaw::arap, 1e5, 0.4, 1000});
    Mesh bare;
    for (const double height : {0.0, 0.004}) {
        for (int k = 0; k < 12; ++k)
            bare.vertices.push_back(Vec3(0.007 * k - 0.05, 0.004 * k + height, 0.007 * (k % 3)));
    }
    for (Index k = 0; k < 11; ++k) bare.edges.push_back({k, k + 1});
    for (Index k = 12; k < 24; ++k) bare.points.push_back(k);
    builder.add_obstacle("wire", bare);
    return builder.build();
}

template <std::size_t N>
Box box_of(const std::array<Index, N>& vertices, const VecX& x0, const VecX& x1) {
    Box box;
    for (const Index v : vertices) {
        box.add(Vec3(x0.segment<3>(3 * v)));
        box.add(Vec3(x1.segment<3>(3 * v)));
    }
    return box;
}

double distance(const Box& a, const Box& b) {
    return (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0.0).norm();
}

/// All pairs of a kind whose boxes are within `cutoff` (m), and their distances.
std::vector<std::pair<Pair, double>> all_pairs(const CollisionSurface& surface, PairKind kind, const VecX& x0,
                                               const VecX& x1, double cutoff) {
    std::vector<std::pair<Pair, double>> result;
    const auto look = [&](const auto& first, const auto& second, const Pair& pair) {
        for (const Index v : first) {
            if (std::find(second.begin(), second.end(), v) != second.end()) return;
        }
        const double apart = distance(box_of(first, x0, x1), box_of(second, x0, x1));
        if (apart <= cutoff) result.push_back({pair, apart});
    };
    const auto count = [](const auto& list) { return static_cast<Index>(list.size()); };
    if (kind == PairKind::point_triangle) {
        for (const Index v : surface.vertices) {
            for (Index t = 0; t < count(surface.triangles); ++t)
                look(std::array<Index, 1>{v}, surface.triangles[at(t)], {v, t});
        }
    } else if (kind == PairKind::edge_edge) {
        for (Index e = 0; e < count(surface.edges); ++e) {
            for (Index f = e + 1; f < count(surface.edges); ++f)
                look(surface.edges[at(e)], surface.edges[at(f)], {e, f});
        }
    } else {
        for (const Index v : kind == PairKind::point_edge ? surface.loose_points : surface.bare_points) {
            if (kind == PairKind::point_edge) {
                for (const Index e : surface.bare_edges) look(std::array<Index, 1>{v}, surface.edges[at(e)], {v, e});
            } else {
                for (const Index w : surface.bare_points) {
                    if (v < w) look(std::array<Index, 1>{v}, std::array<Index, 1>{w}, {v, w});
                }
            }
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

TEST_CASE("local_global: every primitive of the surface belongs to one patch") {
    const auto [world, state] = bodies_of_all_primitives();
    const auto patches = surface_patches(world, 16);
    std::size_t points = 0, edges = 0, triangles = 0, bare_edges = 0, bare_points = 0;
    for (const PatchPrimitives& primitives : primitives_of_patches(world.surface, patches)) {
        points += primitives.points.size();
        edges += primitives.edges.size();
        triangles += primitives.triangles.size();
        bare_edges += primitives.bare_edges.size();
        bare_points += primitives.bare_points.size();
    }
    CHECK(points == world.surface.vertices.size());
    CHECK(edges == world.surface.edges.size());
    CHECK(triangles == world.surface.triangles.size());
    CHECK(bare_edges == 11);
    CHECK(bare_points == 12);
}

TEST_CASE("local_global: the pairs of all patches are all pairs of the surface, each once, with their distances") {
    const auto [world, state] = bodies_of_all_primitives();
    const CollisionSurface& surface = world.surface;
    const auto patches = surface_patches(world, 16);
    const auto primitives = primitives_of_patches(surface, patches);
    CHECK(patches.size() > 15);
    for (const unsigned seed : {31u, 32u}) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(-0.01, 0.01);
        VecX x0 = state.x, x1 = state.x;
        for (double& x : x0) x += uniform(random);
        for (double& x : x1) x += uniform(random);
        PrimitiveExtents extents(surface);
        extents.measure(x0, x1);
        PatchSearch search;
        PairList list;
        for (const bool swept : {false, true}) {
            CAPTURE(swept);
            const double cutoff = 0.02;
            const VecX& end = swept ? x1 : x0;
            std::vector<Box> boxes(patches.size());
            for (std::size_t p = 0; p < patches.size(); ++p) {
                for (const Index v : patches[p].with_ring) boxes[p].add(box_of(std::array<Index, 1>{v}, x0, end));
            }
            std::array<std::vector<std::pair<Pair, double>>, 4> found;
            for (std::size_t p = 0; p < patches.size(); ++p) {
                for (std::size_t q = p; q < patches.size(); ++q) {
                    const PatchSearch::Side a{primitives[p], boxes[p]}, b{primitives[q], boxes[q]};
                    if (swept) {
                        search.find_swept(surface, a, b, p == q, x0, x1, cutoff, list);
                    } else {
                        search.find(surface, a, b, p == q, extents, cutoff, list);
                    }
                    REQUIRE(list.bounds.size() == list.pairs.size());
                    for (std::size_t kind = 0; kind < 4; ++kind) {
                        for (std::size_t i = list.begin[kind]; i < list.begin[kind + 1]; ++i)
                            found[kind].push_back({list.pairs[i], static_cast<double>(list.bounds[i])});
                    }
                }
            }
            for (std::size_t kind = 0; kind < 4; ++kind) {
                CAPTURE(kind);
                const auto expected = all_pairs(surface, pair_kinds[kind], x0, end, cutoff);
                std::sort(found[kind].begin(), found[kind].end());
                CHECK(expected.size() > 5);
                REQUIRE(found[kind].size() == expected.size());
                double lowest = 0.0;
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    CHECK(found[kind][i].first == expected[i].first);
                    CHECK(found[kind][i].second <= expected[i].second);
                    lowest = std::max(lowest, (expected[i].second - found[kind][i].second) / cutoff);
                }
                CHECK(lowest < 2e-6);  // what single precision and its margin take away
            }
        }
    }
}
