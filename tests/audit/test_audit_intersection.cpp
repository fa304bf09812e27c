#include "stiction/audit/simplices.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"

#include "audit/random.hpp"
#include "audit/worlds.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::testing;
using stiction::testing::audited;

namespace {

/// Do the closed hulls of A and B have a common point, other than through vertices that they share? Some basic solution
/// then says so: a combination of faces of both, without a common vertex, that is unique and not negative.
bool slow_meet_closed(const VecX& x, const Ids& A, const Ids& B) {
    for (const Ids& F : faces_of(A)) {
        for (const Ids& G : faces_of(B)) {
            if (!disjoint(F, G)) continue;
            const auto solution = unique_combination(x, F, G);
            if (solution &&
                std::all_of(solution->begin(), solution->end(), [](const Rational& r) { return r.sign() >= 0; }))
                return true;
        }
    }
    return false;
}

/// Points on a small grid, so that everything degenerate happens; some turned into general position, some nudged by
/// single bits.
Soup random_points(Dice& dice, int count) {
    Soup soup;
    for (int i = 0; i < count; ++i) soup.add(dice.grid(0, 2));
    const int shape = dice.integer(0, 3);
    const Mat3 turn = Eigen::AngleAxisd(dice.real(0, 3), dice.vector(1.0).normalized()).toRotationMatrix();
    for (Vec3& p : soup.points) {
        if (shape == 1) p = turn * p;
        if (shape == 2) p = dice.nudged(p + Vec3(1, 1, 1), 1);
    }
    return soup;
}

/// Two triangles, of bodies 0 and 1, in the plane through o with directions u and v.
Soup coplanar_triangles(const Vec3& o, const Vec3& u, const Vec3& v, const std::array<Vec2, 6>& corners) {
    Soup soup;
    for (std::size_t i = 0; i < 6; ++i) soup.add(o + corners[i][0] * u + corners[i][1] * v, i < 3 ? 0 : 1);
    soup.triangles = {{0, 1, 2}, {3, 4, 5}};
    return soup;
}

const std::array<Vec2, 6> overlapping{Vec2(0, 0), Vec2(4, 0), Vec2(0, 4), Vec2(1, 1), Vec2(5, 1), Vec2(1, 5)};
const std::array<Vec2, 6> contained{Vec2(0, 0), Vec2(8, 0), Vec2(0, 8), Vec2(1, 1), Vec2(2, 1), Vec2(1, 2)};
const std::array<Vec2, 6> identical{Vec2(0, 0), Vec2(4, 0), Vec2(0, 4), Vec2(0, 0), Vec2(4, 0), Vec2(0, 4)};
const std::array<Vec2, 6> corner_on_side{Vec2(0, 0), Vec2(4, 0), Vec2(0, 4), Vec2(2, 0), Vec2(3, -1), Vec2(1, -1)};
const std::array<Vec2, 6> disjoint_near{Vec2(0, 0), Vec2(4, 0), Vec2(0, 4), Vec2(4, 1), Vec2(4, 4), Vec2(1, 4)};
// The naive sign test sees every corner on the plane, and the boxes overlap.
const std::array<Vec2, 6> disjoint_hooked{Vec2(0, 0), Vec2(8, 0), Vec2(0, 1), Vec2(1, 1), Vec2(8, 1), Vec2(8, 3)};

}  // namespace

TEST_CASE("audit: edges and triangles against rational arithmetic, degenerate ones and common vertices included") {
    const std::uint64_t seed = 23;
    Dice dice(seed);
    int found = 0, wrong = 0;
    const int rounds = 1000;
    for (int i = 0; i < rounds; ++i) {
        const Soup soup = random_points(dice, 5);
        const VecX x = soup.x();
        const auto& p = soup.points;
        const bool meet = audit::segment_meets_triangle(p[0], p[1], p[2], p[3], p[4]);
        found += meet;
        wrong += meet != slow_meet_closed(x, {0, 1}, {2, 3, 4});
        wrong += audit::hinged_segment_meets_triangle(p[0], p[1], p[2], p[3]) != slow_meet_closed(x, {0, 1}, {0, 2, 3});
        wrong += audit::segments_meet(p[0], p[1], p[2], p[3]) != slow_meet_closed(x, {0, 1}, {2, 3});
        wrong += audit::hinged_segments_meet(p[0], p[1], p[2]) != slow_meet_closed(x, {0, 1}, {0, 2});
        wrong += audit::point_on_triangle(p[0], p[1], p[2], p[3]) != slow_meet_closed(x, {0}, {1, 2, 3});
        wrong += audit::point_on_segment(p[0], p[1], p[2]) != slow_meet_closed(x, {0}, {1, 2});
    }
    MESSAGE("seed ", seed, ": ", found, " of ", rounds, " edges meet their triangle");
    CHECK(wrong == 0);
    CHECK(found > rounds / 20);
}

TEST_CASE("audit: whole surfaces against all pairs in rational arithmetic, and against the method's own test") {
    const std::uint64_t seed = 29;
    Dice dice(seed);
    int with = 0, without = 0, wrong = 0, otherwise = 0;
    for (int i = 0; i < 60; ++i) {
        Soup soup = random_points(dice, 14);
        for (std::size_t v = 0; v < 14; ++v) soup.body[v] = v < 7 ? 0 : 1;
        // Primitives of both bodies; the fewer, the more often there is no intersection.
        const int triangles = dice.integer(0, 3);
        const auto vertex = [&](int body, std::array<Index, 3>& t) {
            do {
                for (Index& v : t) v = 7 * body + dice.integer(0, 6);
            } while (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]);
        };
        for (int k = 0; k < triangles; ++k) {
            std::array<Index, 3> t;
            vertex(k % 2, t);
            soup.triangles.push_back(t);
        }
        std::array<Index, 3> e;
        vertex(dice.integer(0, 1), e);
        soup.edges = {{e[0], e[1]}, {e[1], e[2]}};
        soup.bare = {static_cast<Index>(dice.integer(0, 13)), static_cast<Index>(dice.integer(0, 13))};
        const CollisionSurface surface = soup.surface();
        const VecX x = soup.x();
        std::vector<audit::Intersection> expected;
        using Kind = audit::IntersectionKind;
        const auto test = [&](Kind kind, Index first, const Ids& A, Index second, const Ids& B) {
            if (std::all_of(A.begin(), A.end(), [&](Index v) { return std::find(B.begin(), B.end(), v) != B.end(); }))
                return;
            if (!slow_meet_closed(x, A, B)) return;
            audit::Intersection entry{kind, first, second, {-1, -1, -1, -1, -1}};
            std::copy(A.begin(), A.end(), entry.vertices.begin());
            std::copy(B.begin(), B.end(), entry.vertices.begin() + static_cast<std::ptrdiff_t>(A.size()));
            expected.push_back(entry);
        };
        const auto edge = [&](Index k) { return ids(surface.edges[static_cast<std::size_t>(k)]); };
        const auto triangle = [&](Index k) { return ids(surface.triangles[static_cast<std::size_t>(k)]); };
        const auto edge_count = static_cast<Index>(surface.edges.size()),
                   triangle_count = static_cast<Index>(surface.triangles.size());
        for (Index k = 0; k < edge_count; ++k) {
            for (Index t = 0; t < triangle_count; ++t) test(Kind::edge_triangle, k, edge(k), t, triangle(t));
        }
        for (const Index k : surface.bare_edges) {
            for (const Index l : surface.bare_edges) {
                if (k < l) test(Kind::edge_edge, k, edge(k), l, edge(l));
            }
        }
        for (const Index v : surface.bare_points) {
            for (Index t = 0; t < triangle_count; ++t) test(Kind::point_triangle, v, {v}, t, triangle(t));
        }
        for (const Index v : surface.bare_points) {
            for (const Index k : surface.bare_edges) test(Kind::point_edge, v, {v}, k, edge(k));
        }
        for (const Index v : surface.bare_points) {
            for (const Index w : surface.bare_points) {
                if (v < w) test(Kind::point_point, v, {v}, w, {w});
            }
        }
        const auto found = audited(soup);
        (found.empty() ? without : with) += 1;
        wrong += found != expected;
        // The test that methods start from also looks at a triangle's or edge's own vertices: it may find more in
        // degenerate triangles, never less.
        otherwise += !found.empty() && soup.found().empty();
    }
    MESSAGE("seed ", seed, ": ", with, " surfaces with and ", without, " without intersections");
    CHECK(wrong == 0);
    CHECK(otherwise == 0);
    CHECK(with > 10);
    CHECK(without > 5);
}

TEST_CASE("audit: coplanar triangles: overlap and touching are found, disjoint ones are not") {
    const std::uint64_t seed = 31;
    Dice dice(seed);
    INFO("seed ", seed);
    for (int i = 0; i < 200; ++i) {
        // Planes whose points are exact: integer directions.
        Vec3 u = dice.grid(-9, 9), v = dice.grid(-9, 9);
        if (u.cross(v).squaredNorm() == 0.0) continue;
        const Vec3 o = dice.grid(-100, 100);
        for (const auto& corners : {overlapping, contained, identical, corner_on_side})
            CHECK_FALSE(audited(coplanar_triangles(o, u, v, corners)).empty());
        for (const auto& corners : {disjoint_near, disjoint_hooked})
            CHECK(audited(coplanar_triangles(o, u, v, corners)).empty());
    }
}

TEST_CASE("audit: a vertex through a face by 1e-12 of the size, on it, and above it") {
    for (const double size : {1.0, 1e-3, 1e3}) {
        WorldBuilder builder;
        const Index box = builder.add_deformable("box", generate_box({size, size, size}, {2, 2, 2}), {});
        const Index tet = builder.add_deformable(
            "tet",
            [&] {
                Mesh mesh;
                mesh.vertices = {{0.1, 0, 0.2}, {0.35, 1, -0.05}, {-0.15, 1, -0.05}, {0.1, 1, 0.45}};
                for (Vec3& p : mesh.vertices) p = size * p + Vec3(0, 0.5 * size, 0);
                mesh.tets = {{0, 1, 2, 3}};
                return mesh;
            }(),
            {});
        const Index apex = builder.first_vertex(tet);
        auto [world, state] = builder.build();
        const auto at_height = [&](double height) {
            VecX x = state.x;
            x[3 * apex + 1] = 0.5 * size + height * size;
            return audit::audit_state(world, x);
        };
        CHECK(at_height(1e-12).ok());
        CHECK_FALSE(at_height(0.0).ok());
        const auto report = at_height(-1e-12);
        CHECK(report.intersections.size() == 3);  // the three edges at the vertex
        CHECK(report.inverted.empty());
        const auto lines = audit::messages(world, report, state.x, 2);
        REQUIRE(lines.size() == 3);
        CHECK(lines[0].find("body 'tet' edge (0, ") == 0);
        CHECK(lines[0].find(") crosses body 'box' triangle ") != std::string::npos);
        CHECK(lines[2] == "... and 1 more");
        CHECK(box == 0);
    }
}

TEST_CASE("audit: triangles that share a vertex or an edge") {
    Soup hinge;  // two triangles on the edge (0, 1), the second one open by some angle
    hinge.add({0, 0, 0});
    hinge.add({2, 0, 0});
    hinge.add({0, 2, 0});
    hinge.add({1, -2, 0});
    hinge.triangles = {{0, 1, 2}, {1, 0, 3}};
    const auto with = [](Soup soup, Index v, const Vec3& p) {
        soup.points[static_cast<std::size_t>(v)] = p;
        return soup;
    };
    CHECK(audited(hinge).empty());  // coplanar neighbours
    CHECK(audited(with(hinge, 3, {1, -2, 5})).empty());
    CHECK(audited(with(hinge, 3, {1, 1, 1e-300})).empty());   // folded, but not quite
    CHECK_FALSE(audited(with(hinge, 3, {1, 1, 0})).empty());  // folded flat onto the other
    CHECK_FALSE(audited(with(hinge, 3, {0, 2, 0})).empty());  // and onto its last vertex
    CHECK_FALSE(audited(with(hinge, 3, {5, 5, 0})).empty());
    Soup fan;  // two triangles at the vertex 0
    fan.add({0, 0, 0});
    fan.add({2, 0, 0});
    fan.add({0, 2, 0});
    fan.add({-1, -1, 1});
    fan.add({-1, -1, -1});
    fan.triangles = {{0, 1, 2}, {0, 3, 4}};
    CHECK(audited(fan).empty());
    CHECK_FALSE(audited(with(with(fan, 3, {0.5, 0.5, 1}), 4, {0.5, 0.5, -1})).empty());  // the far edge goes through
    CHECK_FALSE(audited(with(with(fan, 3, {3, 3, 0}), 4, {3, 4, 0})).empty());  // a side in the plane runs through
    CHECK(audited(with(with(fan, 3, {-3, 3, 0}), 4, {-3, 4, 0})).empty());      // coplanar, beside it
    CHECK_FALSE(audited(with(fan, 3, {1, 0, 0})).empty());                      // along a side
    CHECK(audited(with(fan, 3, {-1, 0, 0})).empty());
}

TEST_CASE("audit: disabled pairs, half-spaces, inverted tets, positions that are not finite") {
    WorldBuilder builder;
    const Index low = builder.add_deformable("low", generate_box({1, 1, 1}, {2, 2, 2}), {});
    const Index high = builder.add_deformable("high", moved(generate_box({1, 1, 1}, {2, 2, 2}), {0.05, 1.5, 0.1}), {});
    BodyMaterial soft;
    soft.law = MaterialLaw::fixed_corotated;
    const Index jelly = builder.add_deformable("jelly", moved(generate_ball(0.4, 2), {3, 1, 0}), soft);
    BodyMaterial extrapolated;
    extrapolated.extrapolate_below = 0.7;
    const Index paste = builder.add_deformable("paste", moved(generate_ball(0.4, 2), {5, 1, 0}), extrapolated);
    builder.add_half_space("ground", {0, -0.5, 0}, {0, 1, 0});
    builder.add_obstacle("wall", moved(generate_box({0.1, 4, 4}, {1, 2, 2}, Fill::surface), {-2, 0, 0}));
    builder.add_obstacle("other wall", moved(generate_box({0.1, 4, 4}, {1, 2, 2}, Fill::surface), {-2.05, 0.01, 0}));
    const Index first = builder.first_vertex(high), jelly_first = builder.first_vertex(jelly);
    CHECK(low == 0);
    auto [world, state] = builder.build();
    // 'low' stands on the ground exactly.
    const auto start = audit::audit_state(world, state.x);
    CHECK(start.half_spaces.size() == 9);
    CHECK(start.half_spaces[0].touching);
    CHECK(start.intersections.empty());  // walls stand in each other, which no one asks
    VecX x = state.x;
    for (Index v = 0; v < first; ++v) x[3 * v + 1] += 1e-12;
    CHECK(audit::audit_state(world, x).ok());

    VecX sunk = x;
    for (Index v = first; v < jelly_first; ++v) sunk[3 * v + 1] -= 0.6;
    CHECK_FALSE(audit::audit_state(world, sunk).intersections.empty());
    World apart = world;
    apart.contact_pairs.set(0, 1, false);
    CHECK(audit::audit_state(apart, sunk).ok());
    sunk = x;
    sunk[1] = -0.75;
    const auto below = audit::audit_state(world, sunk);
    REQUIRE(below.half_spaces.size() == 1);
    CHECK(audit::messages(world, below, sunk).front() == "body 'low' vertex 0 is 0.25 m behind half-space 'ground'");

    // An inner vertex of 'jelly' pulled through its neighbours: information only. The same in 'high': a fault.
    const auto pulled = [&](Index vertex, const Vec3& by) {
        VecX y = x;
        y.segment<3>(3 * vertex) += by;
        return audit::audit_state(world, y);
    };
    const auto inner = [&](Index body) {
        const Body& b = world.bodies[static_cast<std::size_t>(body)];
        for (Index v = b.first_vertex; v < b.first_vertex + b.vertex_count(); ++v) {
            if (!std::binary_search(world.surface.vertices.begin(), world.surface.vertices.end(), v)) return v;
        }
        return Index{-1};
    };
    const auto jelly_report = pulled(inner(jelly), {0.5, 0, 0});
    CHECK(jelly_report.ok());
    CHECK_FALSE(jelly_report.inverted_allowed.empty());
    const auto paste_report = pulled(inner(paste), {0.5, 0, 0});  // its law has no barrier any more
    CHECK(paste_report.ok());
    CHECK(paste_report.inverted_allowed.front().body == paste);
    const auto high_report = pulled(inner(high), {0.6, 0, 0});
    CHECK(high_report.intersections.empty());
    CHECK_FALSE(high_report.ok());
    CHECK(high_report.inverted.front().body == high);
    const std::string line = audit::messages(world, high_report, x).front();
    CHECK(line.find("body 'high' tet ") == 0);
    CHECK(line.find(" is inverted") != std::string::npos);
    const auto flat = pulled(inner(high), {0.5, 0, 0});  // onto the surface
    CHECK(std::any_of(flat.inverted.begin(), flat.inverted.end(),
                      [](const audit::InvertedTet& tet) { return tet.flat; }));

    x[3 * first] = std::numeric_limits<double>::quiet_NaN();
    const auto broken = audit::audit_state(world, x);
    CHECK_FALSE(broken.ok());
    CHECK(audit::messages(world, broken, x) == std::vector<std::string>{"body 'high' vertex 0 is not finite"});
    CHECK_THROWS_AS(audit::find_intersections(world, x), InternalError);
    CHECK_THROWS_AS(audit::audit_state(world, VecX::Zero(3)), InternalError);
}

TEST_CASE("audit: 20 thousand nodes, clean, and with one vertex through; the same for any number of threads") {
    WorldBuilder builder;
    builder.add_deformable("ball", generate_ball(0.5, ball_shells_for_vertices(10000)), {});
    const Mesh box = generate_box({1, 1, 1}, {20, 20, 20});
    builder.add_deformable("box", moved(box, {0, -1.0 - 1e-6, 0}), {});
    auto [world, state] = builder.build();
    double start = now_seconds();
    const auto clean = audit::audit_state(world, state.x);
    const double seconds = now_seconds() - start;
    MESSAGE(world.vertex_count(), " vertices, ", world.surface.triangles.size(), " triangles: ", 1e3 * seconds, " ms");
    CHECK(clean.ok());
    VecX x = state.x;
    for (Index v = 0; v < world.bodies[1].first_vertex; ++v) x[3 * v + 1] -= 0.1;
    start = now_seconds();
    const auto pressed = audit::audit_state(world, x);
    MESSAGE(pressed.intersections.size(), " intersections: ", 1e3 * (now_seconds() - start), " ms");
    CHECK(pressed.intersections.size() > 20);
    set_thread_count(1);
    const auto again = audit::audit_state(world, x);
    set_thread_count(0);
    CHECK(again.intersections == pressed.intersections);
}
