#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/collision/candidates.hpp"

#include "collision/ccd_generator.hpp"
#include "collision/reference.hpp"
#include "collision/stencils.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <set>

using namespace stiction;
using namespace stiction::testing;

namespace {

using Pair = std::array<Index, 2>;

struct Soup {
    CollisionSurface surface;
    BodyPairTable table;
    VecX x;
};

// Loose triangles, edges and points of `bodies` bodies in the unit cube, some primitives sharing vertices.
Soup random_soup(Random& random, int triangles, int edges, int points, Index bodies) {
    std::vector<Triangle> t;
    std::vector<Edge> e;
    std::vector<Index> p;
    std::vector<Index> body;
    std::vector<Vec3> x;
    const auto add_vertex = [&](Index b, const Vec3& where) {
        body.push_back(b);
        x.push_back(where);
        return static_cast<Index>(x.size() - 1);
    };
    for (int i = 0; i < triangles; ++i) {
        const Index b = random.integer(0, bodies - 1);
        const Vec3 c = random.vector(1.0);
        const Index v0 = add_vertex(b, c), v1 = add_vertex(b, c + random.vector(0.2)),
                    v2 = add_vertex(b, c + random.vector(0.2));
        t.push_back({v0, v1, v2});
        if (random.chance(0.5)) t.push_back({v2, v1, add_vertex(b, c + random.vector(0.2))});
        if (random.chance(0.1)) e.push_back({v0, v1});  // doubles an edge of the triangle
    }
    for (int i = 0; i < edges; ++i) {
        const Index b = random.integer(0, bodies - 1);
        const Vec3 c = random.vector(1.0);
        const Index v0 = add_vertex(b, c), v1 = add_vertex(b, c + random.vector(0.3));
        e.push_back({v1, v0});
        if (random.chance(0.3)) e.push_back({v1, add_vertex(b, c + random.vector(0.3))});
    }
    for (int i = 0; i < points; ++i) p.push_back(add_vertex(random.integer(0, bodies - 1), random.vector(1.0)));
    add_vertex(0, Vec3::Zero());  // an inner vertex: does not collide
    Soup soup;
    soup.surface = make_collision_surface(t, e, p, body);
    soup.table = BodyPairTable(bodies);
    soup.x.resize(3 * static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) soup.x.segment<3>(3 * static_cast<Eigen::Index>(i)) = x[i];
    return soup;
}

bool share_vertex(const std::array<Index, 4>& v, PairKind kind) {
    for (int i = 0; i < first_count(kind); ++i) {
        for (int j = first_count(kind); j < vertex_count(kind); ++j) {
            if (v[static_cast<std::size_t>(i)] == v[static_cast<std::size_t>(j)]) return true;
        }
    }
    return false;
}

// Bare points and ends of bare edges.
std::vector<Index> loose_points(const CollisionSurface& s) {
    std::vector<Index> loose;
    for (const Index v : s.vertices) {
        const bool point = std::ranges::count(s.bare_points, v) > 0;
        const bool end = std::ranges::any_of(s.bare_edges, [&](Index e) {
            const Edge& edge = s.edges[static_cast<std::size_t>(e)];
            return edge[0] == v || edge[1] == v;
        });
        if (point || end) loose.push_back(v);
    }
    return loose;
}

// All allowed pairs of a kind, from the definition.
std::vector<Pair> all_pairs(const Soup& soup, PairKind kind) {
    const CollisionSurface& s = soup.surface;
    std::vector<Index> first, second;
    const auto count = [](std::size_t n) {
        std::vector<Index> ids(n);
        for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<Index>(i);
        return ids;
    };
    if (kind == PairKind::point_triangle) first = s.vertices, second = count(s.triangles.size());
    if (kind == PairKind::edge_edge) first = second = count(s.edges.size());
    if (kind == PairKind::point_edge) first = loose_points(s), second = s.bare_edges;
    if (kind == PairKind::point_point) first = second = s.bare_points;
    std::vector<Pair> pairs;
    for (const Index i : first) {
        for (const Index j : second) {
            if ((kind == PairKind::edge_edge || kind == PairKind::point_point) && i >= j) continue;
            const auto v = stencil_vertices(s, kind, {i, j});
            if (share_vertex(v, kind)) continue;
            const Index a = s.body_of_vertex[static_cast<std::size_t>(v[0])];
            const Index b = s.body_of_vertex[static_cast<std::size_t>(v[static_cast<std::size_t>(first_count(kind))])];
            if (soup.table.allowed(a, b)) pairs.push_back({i, j});
        }
    }
    return pairs;
}

// How near the boxes of two bodies have to come, from the definition.
double pair_reach(const BodyReaches& reaches, double radius, Index body_a, Index body_b) {
    const auto a = static_cast<std::size_t>(body_a), b = static_cast<std::size_t>(body_b);
    double reach = radius;
    if (!reaches.share.empty()) reach *= std::min({1.0, reaches.share[a], reaches.share[b]});
    return reaches.offset.empty() ? reach : reach + reaches.offset[a] + reaches.offset[b];
}

std::vector<Pair> boxes_overlap(const Soup& soup, PairKind kind, const VecX& x0, const VecX& x1, double radius,
                                const BodyReaches& reaches = {}) {
    std::vector<Pair> found;
    for (const Pair& pair : all_pairs(soup, kind)) {
        const auto v = stencil_vertices(soup.surface, kind, pair);
        Box a, b;
        for (int k = 0; k < vertex_count(kind); ++k) {
            Box& box = k < first_count(kind) ? a : b;
            for (const VecX* x : {&x0, &x1}) box.add(Vec3(x->segment<3>(3 * v[static_cast<std::size_t>(k)])));
        }
        const auto& body = soup.surface.body_of_vertex;
        const auto first = static_cast<std::size_t>(v[0]),
                   second = static_cast<std::size_t>(v[static_cast<std::size_t>(first_count(kind))]);
        a.inflate(pair_reach(reaches, radius, body[first], body[second]));
        if (a.overlaps(b)) found.push_back(pair);
    }
    return found;
}

std::set<Pair> closer_than(const Soup& soup, PairKind kind, const VecX& x, double radius) {
    std::set<Pair> found;
    for (const Pair& pair : all_pairs(soup, kind)) {
        std::array<Vec3, 4> y{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        gather_stencil(stencil_vertices(soup.surface, kind, pair), x, y.data());
        if (double(reference_distance(kind, widen(y))) < radius) found.insert(pair);
    }
    return found;
}

VecX random_move(Random& random, const VecX& x, double size) {
    VecX y = x;
    for (Eigen::Index i = 0; i < y.size(); ++i) y[i] += random.real(-size, size);
    return y;
}

}  // namespace

TEST_CASE("collision surface: unique edges, bare primitives, vertices") {
    const std::vector<Triangle> triangles = {{0, 1, 2}, {2, 1, 3}};
    const std::vector<Edge> edges = {{3, 1}, {5, 4}, {4, 5}};
    const std::vector<Index> points = {7, 2, 4, 7, 6};
    const CollisionSurface s = make_collision_surface(triangles, edges, points, std::vector<Index>(9, 0));
    CHECK(s.edges == std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {4, 5}});
    CHECK(s.bare_edges == std::vector<Index>{5});
    CHECK(s.bare_points == std::vector<Index>{6, 7});
    CHECK(s.loose_points == loose_points(s));
    CHECK(s.vertices == std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7});
    const std::vector<Edge> beyond = {{0, 9}};
    const std::vector<Triangle> folded = {{0, 1, 0}};
    CHECK_THROWS_AS(make_collision_surface({}, beyond, {}, std::vector<Index>(9, 0)), InternalError);
    CHECK_THROWS_AS(make_collision_surface(folded, {}, {}, std::vector<Index>(9, 0)), InternalError);
}

TEST_CASE("body pair table is symmetric") {
    BodyPairTable table(3);
    CHECK(table.allowed(1, 1));
    table.set(0, 2, false);
    CHECK_FALSE(table.allowed(0, 2));
    CHECK_FALSE(table.allowed(2, 0));
    CHECK(table.allowed(0, 1));
    table.set(2, 0, true);
    CHECK(table.allowed(0, 2));
}

namespace {

/// What a query from a node on finds, ascending.
std::vector<Index> found(const Bvh& tree, const Box& box, std::int32_t first) {
    std::vector<Index> items;
    tree.query(
        box, first, [](Index) { return false; }, [&](Index item) { items.push_back(item); });
    std::sort(items.begin(), items.end());
    return items;
}

std::vector<Index> items_overlapping(const Bvh& tree, const Box& box) {
    return found(tree, box, 0);
}

/// Pairs (i, j), i from the first tree and j from the second, whose boxes overlap, sorted.
std::vector<Pair> pairs_between(const Bvh& tree, const Bvh& other) {
    std::vector<Pair> pairs;
    for (const std::int32_t leaf : tree.leaves()) {
        const Bvh::Node& node = tree.nodes()[static_cast<std::size_t>(leaf)];
        for (const Index j : found(other, node.box, 0)) pairs.push_back({node.item, j});
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

/// Pairs i < j of items whose boxes overlap, sorted: each leaf asks those behind it.
std::vector<Pair> pairs_within(const Bvh& tree) {
    std::vector<Pair> pairs;
    for (const std::int32_t leaf : tree.leaves()) {
        const Bvh::Node& node = tree.nodes()[static_cast<std::size_t>(leaf)];
        for (const Index j : found(tree, node.box, leaf + 1))
            pairs.push_back({std::min(node.item, j), std::max(node.item, j)});
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

}  // namespace

TEST_CASE("tree queries agree with testing every box, also after refits") {
    const std::uint64_t seed = 31;
    INFO("seed ", seed);
    Random random(seed);
    for (const int n : {0, 1, 2, 3, 17, 300}) {
        const auto random_boxes = [&](int count) {
            std::vector<Box> boxes(static_cast<std::size_t>(count));
            for (Box& box : boxes) {
                const Vec3 c = random.vector(1.0);
                box.add(c);
                box.add(Vec3(c + random.vector(0.2)));
            }
            return boxes;
        };
        std::vector<Box> boxes = random_boxes(n);
        if (n > 10) boxes[3] = boxes[4];  // ties
        const std::vector<Box> others = random_boxes(50);
        Bvh tree, other_tree;
        tree.build(boxes);
        other_tree.build(others);
        for (int round = 0; round < 3; ++round) {
            std::vector<Pair> self, across;
            for (std::size_t i = 0; i < boxes.size(); ++i) {
                for (std::size_t j = i + 1; j < boxes.size(); ++j) {
                    if (boxes[i].overlaps(boxes[j])) self.push_back({static_cast<Index>(i), static_cast<Index>(j)});
                }
                for (std::size_t j = 0; j < others.size(); ++j) {
                    if (boxes[i].overlaps(others[j])) across.push_back({static_cast<Index>(i), static_cast<Index>(j)});
                }
            }
            CHECK(pairs_within(tree) == self);
            CHECK(pairs_between(tree, other_tree) == across);
            for (const Box& box : others) {
                std::vector<Index> hit;
                for (std::size_t i = 0; i < boxes.size(); ++i) {
                    if (boxes[i].overlaps(box)) hit.push_back(static_cast<Index>(i));
                }
                CHECK(items_overlapping(tree, box) == hit);
            }
            boxes = random_boxes(n);
            tree.refit(boxes);
        }
    }
}

TEST_CASE("candidates agree with testing every pair, while moving") {
    const std::uint64_t seed = 32;
    INFO("seed ", seed);
    Random random(seed);
    for (int trial = 0; trial < 4; ++trial) {
        Soup soup = random_soup(random, 60, 30, 30, 3);
        if (trial % 2 == 1) {
            soup.table.set(0, 0, false);
            soup.table.set(1, 2, false);
        }
        BroadPhase broad_phase;
        broad_phase.build(soup.surface, soup.table, soup.x);
        VecX x = soup.x;
        for (int step = 0; step < 4; ++step) {
            const double radius = step == 0 ? 0.0 : random.real(0.0, 0.3);
            const VecX next = random_move(random, x, 0.1);
            for (const PairKind kind : all_kinds) {
                CHECK(broad_phase.find(x, radius).pairs(kind) == boxes_overlap(soup, kind, x, x, radius));
                CHECK(broad_phase.find_swept(x, next, radius).pairs(kind) ==
                      boxes_overlap(soup, kind, x, next, radius));
                const auto& list = broad_phase.find(x, radius).pairs(kind);
                const std::set<Pair> near = closer_than(soup, kind, x, radius);
                CHECK(std::includes(list.begin(), list.end(), near.begin(), near.end()));
            }
            x = next;
        }
    }
}

TEST_CASE("pairs of small bodies are found up to their share of the radius, and thick ones farther out") {
    const std::uint64_t seed = 33;
    INFO("seed ", seed);
    Random random(seed);
    const double none = std::numeric_limits<double>::infinity();  // an obstacle leaves it to the other body
    std::size_t found = 0, whole = 0;
    for (int trial = 0; trial < 6; ++trial) {
        const Soup soup = random_soup(random, 60, 30, 30, 4);
        BodyReaches reaches;
        if (trial != 1) reaches.share = {1.0, random.real(0.01, 0.3), none, random.real(0.3, 1.0)};
        if (trial != 2) reaches.offset = {0.0, random.real(0.0, 0.05), 0.01, 0.0};
        BroadPhase broad_phase;
        broad_phase.build(soup.surface, soup.table, soup.x);
        broad_phase.scale(reaches);
        VecX x = soup.x;
        for (int step = 0; step < 3; ++step) {
            const double radius = random.real(0.1, 0.4);
            const VecX next = random_move(random, x, 0.1);
            for (const PairKind kind : all_kinds) {
                const auto expected = boxes_overlap(soup, kind, x, next, radius, reaches);
                CHECK(broad_phase.find_swept(x, next, radius).pairs(kind) == expected);
                found += expected.size();
                whole += boxes_overlap(soup, kind, x, next, radius).size();
            }
            x = next;
        }
    }
    CHECK(found > 1000);
    CHECK(found < whole);
    BroadPhase broad_phase;
    const Soup soup = random_soup(random, 5, 5, 5, 3);
    broad_phase.build(soup.surface, soup.table, soup.x);
    CHECK_THROWS_AS(broad_phase.scale({{1.0}, {}}), InternalError);
}

TEST_CASE("where only some vertices have moved, pairs of the others stay and theirs are those of every pair") {
    const std::uint64_t seed = 34;
    INFO("seed ", seed);
    Random random(seed);
    std::size_t kept = 0, found = 0;
    for (int trial = 0; trial < 6; ++trial) {
        Soup soup = random_soup(random, 60, 30, 30, 3);
        if (trial % 2 == 1) soup.table.set(1, 2, false);
        BroadPhase broad_phase;
        broad_phase.build(soup.surface, soup.table, soup.x);
        const VecX moved = random_move(random, soup.x, 0.2), further = random_move(random, moved, 0.2);
        VecX x = soup.x, next = soup.x;
        std::vector<char> moving(soup.surface.body_of_vertex.size(), 0);
        for (std::size_t v = 0; v < moving.size(); ++v) {
            if (trial == 0 || !random.chance(0.15)) continue;  // in the first trial none moves
            moving[v] = 1;
            x.segment<3>(3 * static_cast<Eigen::Index>(v)) = moved.segment<3>(3 * static_cast<Eigen::Index>(v));
            next.segment<3>(3 * static_cast<Eigen::Index>(v)) = further.segment<3>(3 * static_cast<Eigen::Index>(v));
        }
        const double wide = 0.15, radius = 0.1;  // kept pairs are those of the wide search
        for (const PairKind kind : all_kinds) {
            std::vector<Pair> expected;
            const auto moves = [&](const Pair& pair) {
                return std::ranges::any_of(stencil_vertices(soup.surface, kind, pair),
                                           [&](Index v) { return v >= 0 && moving[static_cast<std::size_t>(v)] != 0; });
            };
            for (const Pair& pair : broad_phase.find(soup.x, wide).pairs(kind)) {
                if (!moves(pair)) expected.push_back(pair);
            }
            kept += expected.size();
            for (const Pair& pair : boxes_overlap(soup, kind, x, next, radius)) {
                if (moves(pair)) expected.push_back(pair), ++found;
            }
            std::ranges::sort(expected);
            CHECK(broad_phase.find_swept(x, next, radius, moving).pairs(kind) == expected);
            CHECK(broad_phase.find_swept(x, next, radius).pairs(kind) == boxes_overlap(soup, kind, x, next, radius));
        }
    }
    CHECK(kept > 1000);
    CHECK(found > 1000);
    Soup soup = random_soup(random, 5, 5, 5, 3);
    BroadPhase broad_phase;
    broad_phase.build(soup.surface, soup.table, soup.x);
    CHECK_THROWS_AS(broad_phase.find_swept(soup.x, soup.x, 0.1, std::vector<char>(1, 1)), InternalError);
}

TEST_CASE("trees are rebuilt when motion makes them worse") {
    Random random(33);
    constexpr Index count = 300;  // loose triangles
    std::vector<Triangle> triangles;
    VecX x(9 * count);
    for (Index t = 0; t < count; ++t) {
        triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
        const Vec3 c = random.vector(1.0);
        for (int k = 0; k < 3; ++k) x.segment<3>(9 * t + 3 * k) = c + random.vector(0.05);
    }
    const Soup soup{make_collision_surface(triangles, {}, {}, std::vector<Index>(3 * count, 0)), BodyPairTable(1), x};
    BroadPhase broad_phase;
    broad_phase.build(soup.surface, soup.table, x);
    broad_phase.find(x, 0.01);
    broad_phase.find(random_move(random, x, 0.001), 0.01);
    CHECK(broad_phase.rebuilds() == 0);
    CHECK(broad_phase.refits() > 0);
    VecX mixed(9 * count);  // triangles change places: 7 and 300 have no common factor
    for (Index t = 0; t < count; ++t) mixed.segment<9>(9 * t) = x.segment<9>(9 * ((7 * t) % count));
    broad_phase.find(mixed, 0.01);
    CHECK(broad_phase.rebuilds() == 2);  // triangles and edges
    for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
        CHECK(broad_phase.candidates().pairs(kind) == boxes_overlap(soup, kind, mixed, mixed, 0.01));
    }
}

TEST_CASE("same candidates for any number of threads") {
    Random random(34);
    const Soup soup = random_soup(random, 2000, 500, 500, 4);
    Candidates results[3];
    for (int threads = 1; threads <= 3; ++threads) {
        set_thread_count(threads);
        BroadPhase broad_phase;
        broad_phase.build(soup.surface, soup.table, soup.x);
        results[threads - 1] = broad_phase.find(soup.x, 0.05);
    }
    set_thread_count(0);
    CHECK(results[0].size() > 1000);
    for (const PairKind kind : all_kinds) {
        CHECK(std::is_sorted(results[0].pairs(kind).begin(), results[0].pairs(kind).end()));
        CHECK(results[0].pairs(kind) == results[1].pairs(kind));
        CHECK(results[0].pairs(kind) == results[2].pairs(kind));
    }
}
