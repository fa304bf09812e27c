#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/intersection.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/topology.hpp"

#include "collision/intersection_reference.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

using namespace stiction;
using namespace stiction::testing;

namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
Vec3 random_point(Random& random) {
    return {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
}

/// Lower triangle in the plane y = 0, body 0: (-1, -1), (1, -1), (0, 1) in (x, z).
Soup floor_triangle() {
    Soup soup;
    soup.add({-1, 0, -1});
    soup.add({1, 0, -1});
    soup.add({0, 0, 1});
    soup.triangles.push_back({0, 1, 2});
    return soup;
}

/// The same with a second triangle, body 1.
Soup two_triangles(const Vec3& a, const Vec3& b, const Vec3& c) {
    Soup soup = floor_triangle();
    soup.add(a, 1);
    soup.add(b, 1);
    soup.add(c, 1);
    soup.triangles.push_back({3, 4, 5});
    return soup;
}

}  // namespace

TEST_CASE("an edge through a triangle, however shallow") {
    for (const double size : {1.0, 1e-3, 1e3}) {
        for (const double depth : {0.3, 1e-6, 1e-12, 1e-15}) {
            const auto scaled = [&](const Vec3& p) { return Vec3(size * p); };
            // A corner of an upright triangle dips below the floor triangle; mirrored, it stays above.
            const Soup through = two_triangles({0, -depth, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0}).mapped(scaled);
            const Soup above = two_triangles({0, depth, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0}).mapped(scaled);
            CHECK(through.kinds() == std::vector<Kind>{Kind::edge_triangle, Kind::edge_triangle});
            CHECK(above.kinds().empty());
        }
    }
    const Soup soup = two_triangles({0, -1e-12, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0});
    const auto found = soup.found();
    const CollisionSurface surface = soup.surface();
    REQUIRE(found.size() == 2);
    CHECK(surface.triangles[static_cast<std::size_t>(found[0].second)] == Triangle{0, 1, 2});
    CHECK(found[0].vertices == std::array<Index, 5>{3, 4, 0, 1, 2});
    CHECK(found[1].vertices == std::array<Index, 5>{3, 5, 0, 1, 2});
}

TEST_CASE("a rotated and translated shallow crossing is judged as its rounded coordinates are") {
    const std::uint64_t seed = 77;
    Random random(seed);
    INFO("seed " << seed);
    for (int trial = 0; trial < 10; ++trial) {
        const Mat3 R = Eigen::Quaterniond(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1),
                                          uniform(random, -1, 1))
                           .normalized()
                           .toRotationMatrix();
        // 1e6 away the coordinates are multiples of 2^-33: a depth of 1e-8 survives the rounding, a depth of 1e-12 may
        // not.
        for (const double depth : {1e-8, 1e-12}) {
            const auto moved = [&](const Vec3& p) { return Vec3(R * p + Vec3(1e6, -1e6, 1e6)); };
            const Soup through = two_triangles({0, -depth, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0}).mapped(moved);
            const Soup above = two_triangles({0, depth, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0}).mapped(moved);
            for (const Soup* soup : {&through, &above})
                CHECK(soup->found() == slow_intersections(soup->surface(), soup->table(), soup->x()));
            if (depth == 1e-8) {
                CHECK(through.found().size() == 2);
                CHECK(above.found().empty());
            }
        }
    }
}

TEST_CASE("coplanar triangles: overlap and touching count, disjoint ones do not") {
    const std::uint64_t seed = 5;
    Random random(seed);
    INFO("seed " << seed);
    const auto tilt = [](const Vec3& p) {
        return Vec3(p[0] + 3.0, 0.5 * p[0] + 0.25 * p[2] - 1.0, p[2] - 2.0);
    };  // exact for these
    for (const bool tilted : {false, true}) {
        CAPTURE(tilted);
        const auto place = [&](const Soup& soup) { return tilted ? soup.mapped(tilt) : soup; };
        // One inside the other: three vertices on the triangle.
        CHECK(place(two_triangles({-0.25, 0, -0.5}, {0.25, 0, -0.5}, {0, 0, 0.25})).kinds() ==
              std::vector<Kind>(3, Kind::point_triangle));
        // Star: six crossing edges.
        CHECK(place(two_triangles({-1, 0, 0.5}, {1, 0, 0.5}, {0, 0, -1.5})).kinds() ==
              std::vector<Kind>(6, Kind::edge_edge));
        // Identical: three coincident vertices.
        CHECK(place(two_triangles({-1, 0, -1}, {1, 0, -1}, {0, 0, 1})).kinds() ==
              std::vector<Kind>(3, Kind::point_point));
        // A common stretch of an edge.
        CHECK(place(two_triangles({-0.5, 0, -1}, {0.5, 0, -1}, {0, 0, -2})).kinds() ==
              std::vector<Kind>(2, Kind::point_edge));
        // Corner to corner.
        CHECK(place(two_triangles({0, 0, 1}, {-1, 0, 2}, {1, 0, 2})).kinds() == std::vector<Kind>{Kind::point_point});
        // Disjoint in one plane, boxes overlapping or not.
        CHECK(place(two_triangles({1, 0, 0}, {1, 0, 1}, {0.5, 0, 1})).kinds().empty());
        CHECK(place(two_triangles({3, 0, 0}, {4, 0, 1}, {3, 0, 1})).kinds().empty());
        // Both boundaries 1e-12 apart.
        CHECK(place(two_triangles({-0.5, 0, -1 - 0x1p-40}, {0.5, 0, -1 - 0x1p-40}, {0, 0, -2})).kinds().empty());
    }
    // A flat sheet of many triangles in a slanted plane whose coordinates do not round: no intersection.
    const Mesh cloth = generate_cloth(1.0, 1.0, 12, 12);
    Soup sheet;
    sheet.add_mesh(cloth, 0);
    CHECK(sheet.kinds().empty());
    CHECK(sheet.mapped(tilt).kinds().empty());
    // Rounded after a rotation: a sheet that bulges by an ulp still has none.
    for (int trial = 0; trial < 5; ++trial) {
        const Mat3 R = Eigen::AngleAxisd(uniform(random, 0, 6), random_point(random).normalized()).toRotationMatrix();
        CHECK(sheet.mapped([&](const Vec3& p) { return Vec3(R * p + Vec3(1e3, 0, 0)); }).kinds().empty());
    }
}

TEST_CASE("touching without crossing") {
    // Vertex on a face, on an edge, on a vertex.
    CHECK(two_triangles({0, 0, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0}).kinds() == std::vector<Kind>{Kind::point_triangle});
    CHECK(two_triangles({0, 0, -1}, {-0.2, 1, 0.1}, {0.2, 1, 0}).kinds() == std::vector<Kind>{Kind::point_edge});
    CHECK(two_triangles({0, 0, 1}, {-0.2, 1, 0.1}, {0.2, 1, 0}).kinds() == std::vector<Kind>{Kind::point_point});
    // Edge on edge, crosswise, from outside.
    CHECK(two_triangles({0, -1, -1}, {0, 1, -1}, {0, 0, -2}).kinds() == std::vector<Kind>{Kind::edge_edge});
    // An edge flat on the face: its ends are inside.
    CHECK(two_triangles({-0.2, 0, -0.5}, {0.2, 0, -0.5}, {0, 1, 0}).kinds() ==
          std::vector<Kind>(2, Kind::point_triangle));
    // An edge flat on the face from boundary to boundary: it crosses two edges.
    CHECK(two_triangles({-2, 0, 0}, {2, 0, 0}, {0, 1, 0}).kinds() == std::vector<Kind>(2, Kind::edge_edge));
    for (const double gap : {1e-9, 1e-15, 1e-300}) {
        CHECK(two_triangles({0, gap, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0}).kinds().empty());
        CHECK(two_triangles({-2, gap, 0}, {2, gap, 0}, {0, 1, 0}).kinds().empty());
    }
}

TEST_CASE("bare edges and points") {
    Soup soup = floor_triangle();
    const Index a = soup.add({0, -1, 0}, 1), b = soup.add({0, 1, 0}, 1);
    soup.edges.push_back({a, b});
    CHECK(soup.kinds() == std::vector<Kind>{Kind::edge_triangle});
    const Index p = soup.add({0, 0.5, 0}, 2);
    soup.bare.push_back(p);
    CHECK(soup.kinds() == std::vector<Kind>{Kind::point_edge, Kind::edge_triangle});
    const Index q = soup.add({0, 0.5, 0}, 3);
    soup.bare.push_back(q);
    CHECK(soup.kinds() ==
          std::vector<Kind>{Kind::point_point, Kind::point_edge, Kind::point_edge, Kind::edge_triangle});
    const Index on_face = soup.add({0.1, 0, 0.2}, 3);
    soup.bare.push_back(on_face);
    CHECK(soup.kinds() == std::vector<Kind>{Kind::point_point, Kind::point_edge, Kind::point_edge, Kind::point_triangle,
                                            Kind::edge_triangle});

    Soup rods;  // two rods cross, a third lies along the first, a fourth ends on it
    for (const Vec3& end : {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 1, 0)})
        rods.add(end, static_cast<Index>(rods.points.size()) / 2);
    rods.edges = {{0, 1}, {2, 3}};
    CHECK(rods.kinds() == std::vector<Kind>{Kind::edge_edge});
    rods.add({0.5, 0, 0}, 2);
    rods.add({2, 0, 0}, 2);
    rods.edges.push_back({4, 5});
    CHECK(rods.kinds() == std::vector<Kind>{Kind::point_edge, Kind::point_edge, Kind::edge_edge});
}

TEST_CASE("neighbours that share a vertex or an edge are tested on the rest") {
    const auto fan = [](const Vec3& c, const Vec3& d) {  // triangles (0, 1, 2) and (0, 3, 4), all of one body
        Soup soup = floor_triangle();
        soup.add(c);
        soup.add(d);
        soup.triangles.push_back({0, 3, 4});
        return soup;
    };
    CHECK(fan({-2, 0, -1}, {-1, 0, -2}).kinds().empty());                                  // flat, apart
    CHECK(fan({-2, 1, -1}, {-1, 1, -2}).kinds().empty());                                  // bent
    CHECK(fan({0, 0, 0}, {-1, 1, 0}).kinds() == std::vector<Kind>{Kind::point_triangle});  // an edge inside the face
    CHECK(fan({2, 0, 0.5}, {-1, 1, 0}).kinds() ==
          std::vector<Kind>{Kind::edge_edge});  // an edge through the opposite one
    CHECK(fan({0, 0, -1}, {-1, 1, 0}).kinds() == std::vector<Kind>{Kind::point_edge});  // an edge along an edge
    CHECK(fan({3, 0, -1}, {-1, 1, 0}).kinds() == std::vector<Kind>{Kind::point_edge});  // the same, longer
    CHECK(fan({0, 1, 0}, {0, -1, 0}).kinds() ==
          std::vector<Kind>{Kind::edge_triangle});            // the opposite edge through the face
    CHECK(fan({0, 0x1p-60, 0}, {-1, 1, 0}).kinds().empty());  // an edge just above the face

    const auto hinge = [](const Vec3& d) {  // triangles (0, 1, 2) and (1, 0, 3)
        Soup soup = floor_triangle();
        soup.add(d);
        soup.triangles.push_back({1, 0, 3});
        return soup;
    };
    CHECK(hinge({0, 0, -3}).kinds().empty());
    CHECK(hinge({0, 1e-12, 0.5}).kinds().empty());                                 // folded, almost shut
    CHECK(hinge({0, 0, 0.5}).kinds() == std::vector<Kind>{Kind::point_triangle});  // shut
    CHECK(hinge({0, 0, 1}).kinds() == std::vector<Kind>{Kind::point_point});
    CHECK(hinge({0, 0, 2}).kinds() == std::vector<Kind>{Kind::point_triangle});  // shut, the new one larger
    CHECK(hinge({2, 0, 1}).kinds() == std::vector<Kind>{Kind::edge_edge});       // shut, askew

    Soup chain;  // bare edges folded onto each other
    chain.add({0, 0, 0});
    chain.add({1, 0, 0});
    chain.add({0.5, 0, 0});
    chain.edges = {{0, 1}, {1, 2}};
    CHECK(chain.kinds() == std::vector<Kind>{Kind::point_edge});
    chain.points[2] = {2, 0, 0};
    CHECK(chain.kinds().empty());
}

TEST_CASE("primitives without extent") {
    Soup flat;  // vertex 2 on the opposite edge
    flat.add({0, 0, 0});
    flat.add({2, 0, 0});
    flat.add({1, 0, 0});
    flat.triangles.push_back({0, 1, 2});
    CHECK(flat.kinds() == std::vector<Kind>{Kind::point_edge});
    Soup soup = floor_triangle();  // a flat triangle pierces as the segment it is
    soup.add({0, -1, 0}, 1);
    soup.add({0, 1, 0}, 1);
    soup.add({0, 2, 0}, 1);
    soup.triangles.push_back({3, 4, 5});
    CHECK(soup.kinds() == std::vector<Kind>{Kind::point_edge, Kind::edge_triangle, Kind::edge_triangle});
    Soup point = floor_triangle();
    for (int i = 0; i < 2; ++i) point.add({0, 0, 0}, 1);
    point.edges.push_back({3, 4});
    CHECK(point.kinds() == std::vector<Kind>{Kind::point_point, Kind::point_triangle, Kind::point_triangle});
}

TEST_CASE("pairs that are switched off stay silent") {
    const Soup soup = two_triangles({0, -1, 0}, {-0.2, 1, 0.1}, {0.2, 1, 0});
    BodyPairTable table = soup.table();
    CHECK(find_intersections(soup.surface(), table, soup.x()).size() == 2);
    table.set(0, 0, false);
    table.set(1, 1, false);
    CHECK(find_intersections(soup.surface(), table, soup.x()).size() == 2);
    table.set(0, 1, false);
    CHECK(find_intersections(soup.surface(), table, soup.x()).empty());
}

TEST_CASE("bad arguments are refused") {
    const Soup soup = floor_triangle();
    VecX x = soup.x();
    CHECK_THROWS_AS(find_intersections(soup.surface(), soup.table(), x.head(6)), InternalError);
    CHECK_THROWS_AS(find_intersections(soup.surface(), BodyPairTable(0), x), InternalError);
    x[4] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(find_intersections(soup.surface(), soup.table(), x), InternalError);
    CHECK(find_intersections(CollisionSurface{}, BodyPairTable(0), VecX()).empty());
}

TEST_CASE("two meshes 1e-9 apart: no false alarm, moved 2e-9 closer they are found") {
    Soup near;
    near.add_mesh(generate_box({1, 1, 1}, {4, 4, 4}, Fill::surface), 0);
    const Mesh top = generate_box({1, 1, 1}, {3, 5, 4}, Fill::surface);
    Mesh above = top, below = top;
    for (Vec3& p : above.vertices) p[1] += 1.0 + 1e-9;
    for (Vec3& p : below.vertices) p[1] += 1.0 - 1e-9;
    Soup cut = near;
    near.add_mesh(above, 1);
    cut.add_mesh(below, 1);
    CHECK(near.kinds().empty());
    CHECK(!cut.kinds().empty());

    Soup balls;  // the upper one is the lower one, mirrored: vertex meets vertex
    const Mesh ball = generate_icosphere(0.5, 4);
    balls.add_mesh(ball, 0);
    Mesh mirrored = ball;
    double height = 0.0;
    for (const Vec3& p : ball.vertices) height = std::max(height, p[1]);
    for (Vec3& p : mirrored.vertices) p[1] = 2.0 * height + 1e-9 - p[1];
    balls.add_mesh(mirrored, 1);
    CHECK(balls.kinds().empty());
    for (std::size_t i = ball.vertices.size(); i < balls.points.size(); ++i) balls.points[i][1] -= 2e-9;
    CHECK(!balls.kinds().empty());
}

TEST_CASE("one mesh twice meets itself in its vertices; threads do not matter") {
    Soup soup;
    const Mesh ball = generate_icosphere(0.5, 3);
    soup.add_mesh(ball, 0);
    soup.add_mesh(ball, 1);
    CHECK(soup.kinds() == std::vector<Kind>(ball.vertices.size(), Kind::point_point));
    for (std::size_t i = ball.vertices.size(); i < soup.points.size(); ++i) soup.points[i] += Vec3(0.1, 0.03, -0.2);
    const int threads = thread_count();
    set_thread_count(1);
    const auto one = soup.found();
    set_thread_count(2);
    CHECK(soup.found() == one);
    set_thread_count(threads);
    CHECK(one.size() > 50);
    CHECK(std::all_of(one.begin(), one.end(), [](const Intersection& i) { return i.kind == Kind::edge_triangle; }));
}

TEST_CASE("the blocks of a masonry arch start close together, many of them with coplanar faces, and do not meet") {
    const std::filesystem::path folder = std::filesystem::path(STICTION_SHARED_DATA) / "ipc/input/tetMeshes/arch";
    if (!std::filesystem::exists(folder / "largeArch.01.msh")) {
        MESSAGE("skipped: no " << folder.string());
        return;
    }
    Soup arch, as_in_files;
    for (Index i = 0; i < 25; ++i) {
        Mesh block = surface_mesh(read_mesh(folder / fmt::format("largeArch.{:02}.msh", i + 1)));
        as_in_files.add_mesh(block, i);
        const double x = (i - 12) / 10.0;
        for (Vec3& p : block.vertices) p += Vec3(x, -std::abs(x), 0.0);
        arch.add_mesh(block, i);
    }
    CHECK(arch.kinds().empty());
    CHECK(arch.triangles.size() == 300);
    CHECK(!as_in_files.kinds().empty());  // the files hold them in contact; the scene moves them apart
}
