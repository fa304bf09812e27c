#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

using namespace stiction;
using namespace stiction::test;

namespace {

Mesh single_tet() {
    Mesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    return mesh;
}

}  // namespace

TEST_CASE("faces of a positive tet face outwards") {
    const Mesh mesh = single_tet();
    const auto triangles = boundary_triangles(mesh.tets);
    REQUIRE(triangles.size() == 4);
    const Vec3 middle(0.25, 0.25, 0.25);
    for (const Triangle& t : triangles) {
        const Vec3 a = mesh.vertices[t[0]];
        const Vec3 normal = (mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a);
        CHECK(normal.dot(a - middle) > 0);
    }
    CHECK(enclosed_volume(mesh.vertices, triangles) == relative(1.0 / 6, 1e-14));
}

TEST_CASE("the boundary of a tet mesh against counting faces in a map") {
    const Mesh mesh = generate_box({1, 1, 1}, {3, 2, 4});
    std::map<std::set<Index>, int> count;
    for (const Tet& t : mesh.tets) {
        for (int skip = 0; skip < 4; ++skip) {
            std::set<Index> face(t.begin(), t.end());
            face.erase(t[skip]);
            ++count[face];
        }
    }
    std::size_t outer = 0;
    for (const auto& [face, n] : count) outer += n == 1;
    const auto triangles = boundary_triangles(mesh.tets);
    CHECK(triangles.size() == outer);
    CHECK(outer == 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4));
    for (const Triangle& t : triangles) CHECK(count.at({t.begin(), t.end()}) == 1);
    CHECK(boundary_triangles(mesh.tets) == triangles);

    std::set<std::pair<Index, Index>> edges;
    for (const Triangle& t : triangles)
        for (int i = 0; i < 3; ++i) edges.insert(std::minmax(t[i], t[(i + 1) % 3]));
    const auto unique = unique_edges(triangles);
    CHECK(unique.size() == edges.size());
    CHECK(std::is_sorted(unique.begin(), unique.end()));
    for (const Edge& e : unique) CHECK(edges.count({e[0], e[1]}) == 1);
}

TEST_CASE("codimensional triangles, edges and points join the surface and inner faces do not") {
    Mesh mesh = generate_box({1, 1, 1}, {1, 1, 1});
    const auto n = static_cast<Index>(mesh.vertices.size());
    for (int i = 0; i < 7; ++i) mesh.vertices.emplace_back(5 + i, i * i, 3);
    const Triangle inner{mesh.tets[0][0], mesh.tets[0][1], mesh.tets[0][3]};  // holds the diagonal
    mesh.triangles = {inner, {n, n + 1, n + 2}, {mesh.tets[0][2], mesh.tets[0][1], mesh.tets[0][0]}};
    mesh.triangle_tags = {7, 8, 9};
    mesh.edges = {{n + 3, n + 4}};
    mesh.points = {n + 6};
    CHECK(triangles_on_tets(mesh) == std::vector<bool>{true, false, true});
    const MeshSurface surface = extract_surface(mesh);
    CHECK(surface.triangles.size() == 13);
    CHECK(surface.triangles.back() == Triangle{n, n + 1, n + 2});
    CHECK(surface.tags.back() == 8);
    CHECK(std::count(surface.tags.begin(), surface.tags.end(), 9) == 1);
    CHECK(std::count(surface.tags.begin(), surface.tags.end(), 7) == 0);
    CHECK(surface.edges.size() == 18 + 3 + 1);
    CHECK(surface.vertices.size() == 8 + 3 + 2 + 1);
    const Mesh alone = surface_mesh(mesh);
    CHECK(alone.vertices.size() == 14);
    CHECK(alone.tets.empty());
    CHECK(alone.points == std::vector<Index>{13});
    CHECK(alone.triangle_tags == surface.tags);
}

TEST_CASE("inverted tets are swapped") {
    Mesh mesh = generate_ball(1, 3);
    const unsigned seed = 5;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::size_t inverted = 0;
    for (Tet& tet : mesh.tets) {
        if (random() % 3 == 0) {
            std::swap(tet[random() % 2], tet[2 + random() % 2]);
            ++inverted;
        }
    }
    CHECK(inverted > 0);
    CHECK(orient_tets(mesh) == inverted);
    CHECK(orient_tets(mesh) == 0);
    for (const Tet& tet : mesh.tets) CHECK(signed_volume(mesh, tet) > 0);
    CHECK(enclosed_volume(mesh.vertices, boundary_triangles(mesh.tets)) > 0);
}

TEST_CASE("closed surfaces with randomly turned triangles face outwards again") {
    Mesh mesh = generate_torus(2, 0.5, 0.3, Fill::surface);
    const Mesh sphere = generate_icosphere(0.3, 2);
    const auto n = static_cast<Index>(mesh.vertices.size());
    for (const Vec3& p : sphere.vertices) mesh.vertices.push_back(p + Vec3(50, 60, 70));
    for (const Triangle& t : sphere.triangles) mesh.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    const auto outward = mesh.triangles;
    const unsigned seed = 9;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::size_t turned = 0;
    for (Triangle& t : mesh.triangles) {
        if (random() % 2 == 0) continue;
        std::swap(t[1], t[2]);
        ++turned;
    }
    const OrientationRepair repair = orient_triangles(mesh);
    CHECK(repair.flipped == turned);
    CHECK(repair.components == 2);
    CHECK(repair.closed == 2);
    CHECK(repair.unorientable == 0);
    CHECK(mesh.triangles == outward);
}

TEST_CASE("open surfaces keep the side of their first triangle and a Moebius strip is reported") {
    Mesh cloth = generate_cloth(1, 1, 4, 4);
    const auto before = cloth.triangles;
    for (std::size_t t = 1; t < cloth.triangles.size(); t += 2) std::swap(cloth.triangles[t][1], cloth.triangles[t][2]);
    const OrientationRepair repair = orient_triangles(cloth);
    CHECK(cloth.triangles == before);
    CHECK(repair.closed == 0);
    CHECK(repair.components == 1);

    Mesh strip;
    const int segments = 12;
    for (int i = 0; i < segments; ++i) {
        const double turn = 2 * std::acos(-1.0) * i / segments;
        const Vec3 middle(std::cos(turn), 0, std::sin(turn));
        const Vec3 across = 0.2 * (std::cos(turn / 2) * middle + std::sin(turn / 2) * Vec3(0, 1, 0));
        strip.vertices.push_back(middle - across);
        strip.vertices.push_back(middle + across);
    }
    for (Index i = 0; i < segments; ++i) {
        const Index a = 2 * i, b = 2 * i + 1;
        const bool last = i + 1 == segments;
        const Index c = last ? 1 : a + 2, d = last ? 0 : b + 2;
        strip.triangles.push_back({a, b, c});
        strip.triangles.push_back({b, d, c});
    }
    CHECK(orient_triangles(strip).unorientable == 1);
}

TEST_CASE("watertight means every edge has an even number of triangles") {
    Mesh sphere = generate_icosphere(1, 1);
    CHECK(is_watertight(sphere.triangles));
    sphere.triangles.pop_back();
    CHECK_FALSE(is_watertight(sphere.triangles));
    CHECK_FALSE(is_watertight({}));
    CHECK_FALSE(is_watertight({{0, 1, 2}, {0, 1, 3}, {1, 0, 4}}));
}

TEST_CASE("compact drops unused vertices and keeps the order") {
    Mesh mesh;
    for (int i = 0; i < 10; ++i) mesh.vertices.emplace_back(i, 0, 0);
    mesh.triangles = {{9, 1, 4}};
    mesh.edges = {{4, 6}};
    mesh.points = {2};
    mesh.tets = {{1, 4, 6, 8}};
    const auto map = compact(mesh);
    CHECK(map == std::vector<Index>{-1, 0, 1, -1, 2, -1, 3, -1, 4, 5});
    CHECK(mesh.vertices.size() == 6);
    CHECK(mesh.vertices[3].x() == 6);
    CHECK(mesh.triangles[0] == Triangle{5, 0, 2});
    CHECK(mesh.edges[0] == Edge{2, 3});
    CHECK(mesh.points[0] == 1);
    CHECK(mesh.tets[0] == Tet{0, 2, 3, 4});
}

TEST_CASE("folded tets: pairs on the same side of a common face, in meshes whose tets are all positive") {
    Mesh mesh = generate_ball(0.5, 3);
    CHECK(folded_tets(mesh.tets) == std::pair<Index, Index>{-1, -1});
    CHECK(folded_tets(generate_torus(0.4, 0.1, 0.05).tets).first == -1);
    CHECK(folded_tets({}).first == -1);

    // A vertex inside the ball moves out through the surface: tets around it turn over, and orient_tets turns them
    // back.
    std::mt19937 random(7);
    for (int trial = 0; trial < 20; ++trial) {
        Mesh moved = mesh;
        const auto triangles = boundary_triangles(mesh.tets);
        std::set<Index> outer;
        for (const Triangle& t : triangles) outer.insert(t.begin(), t.end());
        Index inner = 0;
        do inner = static_cast<Index>(random() % mesh.vertices.size());
        while (outer.contains(inner));
        moved.vertices[static_cast<std::size_t>(inner)] = Vec3(1.3, 0.1 * trial, 0.2);
        REQUIRE(orient_tets(moved) > 0);
        const auto [a, b] = folded_tets(moved.tets);
        REQUIRE(a >= 0);
        REQUIRE(b >= 0);
        // Reference: the vertices that the two do not share lie on the same side of the plane of the three that they
        // do.
        const Tet& first = moved.tets[static_cast<std::size_t>(a)];
        const Tet& second = moved.tets[static_cast<std::size_t>(b)];
        std::vector<Vec3> shared;
        Vec3 own, other;
        for (const Index v : first) {
            if (std::count(second.begin(), second.end(), v))
                shared.push_back(moved.vertices[static_cast<std::size_t>(v)]);
            else
                own = moved.vertices[static_cast<std::size_t>(v)];
        }
        for (const Index v : second)
            if (!std::count(first.begin(), first.end(), v)) other = moved.vertices[static_cast<std::size_t>(v)];
        REQUIRE(shared.size() == 3);
        const Vec3 normal = (shared[1] - shared[0]).cross(shared[2] - shared[0]);
        CHECK(normal.dot(own - shared[0]) * normal.dot(other - shared[0]) > 0);
    }
    // Three tets at one face: two of them are on the same side.
    Mesh three = single_tet();
    three.vertices.push_back({0.3, 0.3, -1});
    three.vertices.push_back({0.2, 0.2, -2});
    three.tets.push_back({0, 2, 1, 4});
    orient_tets(three);
    CHECK(folded_tets(three.tets).first == -1);
    three.tets.push_back({0, 2, 1, 5});
    orient_tets(three);
    CHECK(folded_tets(three.tets) == std::pair<Index, Index>{1, 2});
}
