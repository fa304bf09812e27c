// Uniform refinement: volumes, areas, conforming faces, tags and numbers of vertices.
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/refine.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

double volume_of(const std::vector<Vec3>& x, const Tet& t) {
    const Vec3 a = x[static_cast<std::size_t>(t[0])];
    return (x[static_cast<std::size_t>(t[1])] - a)
               .cross(x[static_cast<std::size_t>(t[2])] - a)
               .dot(x[static_cast<std::size_t>(t[3])] - a) /
           6.0;
}

}  // namespace

TEST_CASE("refined tets: an eighth of their tet each, in its place, with its tag") {
    constexpr unsigned seed = 5;
    INFO("seed ", seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> jitter(-0.05, 0.05);
    Mesh coarse = generate_box({1, 1, 1}, {2, 3, 2});
    for (Vec3& x : coarse.vertices) x += Vec3(jitter(random), jitter(random), jitter(random));
    for (std::size_t t = 0; t < coarse.tets.size(); ++t) coarse.tet_tags.push_back(static_cast<int>(t) % 5);
    coarse.further_tet_tags = {{0, 7}, {3, 7}};
    const Mesh fine = refined(coarse);
    CHECK(fine.further_tet_tags.size() == 16);
    for (const FurtherTag& further : fine.further_tet_tags) {
        CHECK((further.element / 8 == 0 || further.element / 8 == 3));
        CHECK(further.tag == 7);
    }
    REQUIRE(fine.tets.size() == 8 * coarse.tets.size());
    REQUIRE(fine.tet_tags.size() == fine.tets.size());
    for (std::size_t t = 0; t < fine.tets.size(); ++t) {
        CHECK(volume_of(fine.vertices, fine.tets[t]) ==
              relative(volume_of(coarse.vertices, coarse.tets[t / 8]) / 8, 1e-9));
        CHECK(fine.tet_tags[t] == coarse.tet_tags[t / 8]);
    }
    CHECK(std::equal(coarse.vertices.begin(), coarse.vertices.end(), fine.vertices.begin()));
    // Every edge has one midpoint, and no face has more than two tets: the fine mesh fits together as the coarse one.
    std::vector<Edge> edges;
    for (const Tet& t : coarse.tets) {
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < a; ++b) edges.push_back({std::min(t[a], t[b]), std::max(t[a], t[b])});
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    CHECK(fine.vertices.size() == coarse.vertices.size() + edges.size());
    const auto outer = boundary_triangles(coarse.tets), inner = boundary_triangles(fine.tets);
    CHECK(inner.size() == 4 * outer.size());
    CHECK(enclosed_volume(fine.vertices, inner) == relative(enclosed_volume(coarse.vertices, outer), 1e-12));
    CHECK(inspect(fine).sound());
    CHECK(inspect(fine).watertight);
}

TEST_CASE("refined tets of a regular tet keep their shape: the shortest diagonal of the octahedron is taken") {
    Mesh mesh;
    mesh.vertices = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    mesh.tets = {{0, 2, 1, 3}};
    if (volume_of(mesh.vertices, mesh.tets[0]) < 0) std::swap(mesh.tets[0][0], mesh.tets[0][1]);
    for (const Index first : {0, 1, 2, 3}) {
        // Flattened along one direction the three diagonals differ.
        Mesh flat = mesh;
        for (Vec3& x : flat.vertices)
            x += 0.8 * x.dot(mesh.vertices[static_cast<std::size_t>(first)]) * Vec3(0.1, 0.5, 0.2);
        const Mesh fine = refined(flat);
        const auto middle = [&](int a, int b) { return Vec3(0.5 * (flat.vertices[a] + flat.vertices[b])); };
        const double shortest = std::min({(middle(0, 1) - middle(2, 3)).norm(), (middle(0, 2) - middle(1, 3)).norm(),
                                          (middle(0, 3) - middle(1, 2)).norm()});
        const Tet& around = fine.tets[4];
        CHECK((fine.vertices[static_cast<std::size_t>(around[0])] - fine.vertices[static_cast<std::size_t>(around[1])])
                  .norm() == relative(shortest, 1e-12));
    }
    double worst = 180.0;
    Mesh fine = refined(mesh, 4);
    for (const Tet& t : fine.tets) worst = std::min(worst, min_dihedral_degrees(fine.vertices, t));
    CHECK(worst > 44.9);  // a quarter of a regular octahedron has 45 degrees; other diagonals get worse each time
}

TEST_CASE("refined triangles and edges: area, length, orientation and tags") {
    Mesh mesh = generate_icosphere(0.5, 1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) mesh.triangle_tags.push_back(static_cast<int>(t));
    const auto first = static_cast<Index>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), {Vec3(2, 0, 0), Vec3(3, 0, 0), Vec3(3, 1, 0), Vec3(5, 5, 5)});
    mesh.edges = {{first, first + 1}, {first + 1, first + 2}};
    mesh.points = {first + 3};
    const MeshInfo coarse = inspect(mesh);
    const Mesh fine = refined(mesh, 2);
    const MeshInfo info = inspect(fine);
    CHECK(info.triangles == 16 * coarse.triangles);
    CHECK(info.area == relative(coarse.area, 1e-12));
    CHECK(info.misoriented_edges == 0);
    CHECK(info.watertight);
    CHECK(fine.edges.size() == 8);
    CHECK(fine.points == mesh.points);
    for (std::size_t t = 0; t < fine.triangles.size(); ++t) CHECK(fine.triangle_tags[t] == static_cast<int>(t / 16));
    double length = 0.0;
    for (const Edge& e : fine.edges)
        length +=
            (fine.vertices[static_cast<std::size_t>(e[0])] - fine.vertices[static_cast<std::size_t>(e[1])]).norm();
    CHECK(length == relative(2.0, 1e-14));
    CHECK(refined(mesh, 0).vertices == mesh.vertices);
}
