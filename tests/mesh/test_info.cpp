#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/outward.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <random>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("dihedral angles of known tets, and against face normals") {
    const std::vector<Vec3> regular{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    CHECK(min_dihedral_degrees(regular, {0, 1, 2, 3}) == relative(std::acos(1.0 / 3) * 180 / std::acos(-1.0), 1e-13));
    const std::vector<Vec3> corner{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CHECK(min_dihedral_degrees(corner, {3, 1, 0, 2}) ==
          relative(std::atan(std::sqrt(2.0)) * 180 / std::acos(-1.0), 1e-13));
    const std::vector<Vec3> flat{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    CHECK(min_dihedral_degrees(flat, {0, 1, 2, 3}) == within(0, 1e-13));

    const unsigned seed = 3;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 100; ++i) {
        Mesh mesh;
        for (int k = 0; k < 4; ++k) mesh.vertices.emplace_back(normal(random), normal(random), normal(random));
        mesh.tets = {{0, 1, 2, 3}};
        orient_tets(mesh);
        std::vector<Vec3> normals;
        for (const Triangle& t : boundary_triangles(mesh.tets)) {
            const Vec3 a = mesh.vertices[t[0]];
            normals.push_back((mesh.vertices[t[1]] - a).cross(mesh.vertices[t[2]] - a).normalized());
        }
        double smallest = 180;
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < a; ++b)
                smallest = std::min(smallest, 180 - std::acos(normals[a].dot(normals[b])) * 180 / std::acos(-1.0));
        CHECK(min_dihedral_degrees(mesh.vertices, mesh.tets[0]) == relative(smallest, 1e-6));
    }
}

TEST_CASE("every defect is counted") {
    Mesh mesh;
    mesh.vertices = {{0, 0, 0},    {1, 0, 0}, {0, 1, 0},      {0, 0, 1},  // a tet
                     {1, 1, 0},                                           // flat with 0, 1, 2
                     {5, 0, 0},    {6, 0, 0}, {7, 0, 0},      {5, 1, 0},  // triangles
                     {-0.0, 0, 0},                                        // again vertex 0
                     {9, 9, 9},    {9, 9, 9}, {100, 100, 100}};  // an edge without length, a vertex nothing uses
    mesh.tets = {{0, 2, 1, 3}, {0, 1, 2, 4}};
    mesh.triangles = {{5, 6, 8}, {5, 6, 7}, {8, 5, 6}};
    mesh.edges = {{10, 11}};
    mesh.points = {9, 9};
    mesh.triangle_tags = {3, 3, 4};
    mesh.tet_tags = {1, 2};
    const MeshInfo info = inspect(mesh);
    CHECK_FALSE(info.sound());
    CHECK(info.vertices == 13);
    CHECK(info.used_vertices == 12);
    CHECK(info.inverted_tets == 1);
    CHECK(info.degenerate_tets == 1);
    CHECK(info.degenerate_triangles == 1);
    CHECK(info.degenerate_edges == 1);
    CHECK(info.duplicate_vertices == 2);
    CHECK(info.duplicate_elements == 2);
    CHECK(info.components == 4);
    CHECK(info.nonmanifold_edges == 1);  // 5-6 has three triangles
    CHECK(info.boundary_edges == 2);     // 5-7 and 6-7; 5-8 and 6-8 have two
    CHECK_FALSE(info.watertight);
    CHECK(info.upper == Vec3(9, 9, 9));
    CHECK(info.min_edge == 0);
    CHECK(info.min_dihedral == within(0, 1e-13));
    CHECK(info.surface_ids == std::map<int, std::size_t>{{0, 6}, {3, 2}, {4, 1}});
    CHECK(info.region_ids == std::map<int, std::size_t>{{1, 1}, {2, 1}});
    const std::string text = to_text(info);
    for (const char* line : {"! inverted tets", "! degenerate tets", "! non-manifold edges", "! duplicate vertices",
                             "1 not used by any element", "surface id 3", "region id 2"}) {
        CHECK(text.find(line) != std::string::npos);
    }
}

TEST_CASE("measures do not depend on where the mesh is, defects not on its size") {
    for (const double scale : {1e-6, 1.0, 1e6}) {
        Mesh mesh = generate_ball(1, 3);
        for (Vec3& p : mesh.vertices) p = scale * p;
        const MeshInfo info = inspect(mesh);
        CHECK(info.sound());
        CHECK(info.volume == relative(std::pow(scale, 3) * 3.941, 1e-3));
    }
    const MeshInfo box = inspect(generate_box({3, 3, 3}, {3, 3, 3}, Fill::surface));
    CHECK(box.volume == relative(27, 1e-13));
    CHECK(box.area == relative(54, 1e-13));
    CHECK(box.min_angle == relative(45, 1e-13));
    CHECK(box.min_edge == relative(1, 1e-13));
    CHECK(box.max_edge == relative(std::sqrt(2.0), 1e-13));
    CHECK(to_text(box).find("!") == std::string::npos);
}

TEST_CASE("corners that differ in the last bits are counted, and told with a remedy") {
    Mesh soup;
    const Mesh box = generate_box({1, 1, 1}, {1, 1, 1}, Fill::surface);
    for (const Triangle& t : box.triangles) {
        const Index first = static_cast<Index>(soup.vertices.size());
        for (const Index v : t) soup.vertices.push_back(box.vertices[v] * (1 + 1e-8 * soup.vertices.size()));
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    const MeshInfo info = inspect(soup);
    CHECK(info.near_vertices == soup.vertices.size() - box.vertices.size());
    CHECK(to_text(info).find("! near vertices         28, each within") != std::string::npos);
    CHECK(inspect(box).near_vertices == 0);
    CHECK(inspect(generate_ball(1, 3)).near_vertices == 0);
}

TEST_CASE("a closed surface whose triangles face inwards is told") {
    Mesh box = generate_box({1, 1, 1}, {1, 1, 1}, Fill::surface);
    CHECK(inspect(box).inward_parts == 0);
    for (Triangle& t : box.triangles) std::swap(t[0], t[1]);
    CHECK(inspect(box).inward_parts == 1);
    CHECK(to_text(inspect(box)).find("! inside out") != std::string::npos);
}

TEST_CASE("every mesh of the shared data can be read") {
    const std::filesystem::path data(STICTION_SHARED_DATA);
    if (!std::filesystem::exists(data)) {
        MESSAGE("skipped: no shared data beside the repository");
        return;
    }
    std::size_t files = 0;
    std::size_t with_ids = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
        const auto extension = entry.path().extension();
        if (extension != ".msh" && extension != ".obj" && extension != ".seg") continue;
        CAPTURE(entry.path().string());
        const Mesh mesh = read_mesh(entry.path());
        const MeshInfo info = inspect(mesh);
        CHECK(info.used_vertices == info.vertices);
        CHECK(info.sound());
        CHECK(info.duplicate_vertices == 0);
        if (extension == ".msh") {
            CHECK(info.tets > 0);
            CHECK(info.watertight);
            CHECK(info.volume > 0);
            for (const bool on_tet : triangles_on_tets(mesh)) CHECK(on_tet);
        }
        ++files;
        with_ids += !info.surface_ids.empty();
    }
    CHECK(files == 111);
    CHECK(with_ids == 2);
}

TEST_CASE("parts that face inwards are told and turned; the walls of cavities stay") {
    const auto part = [](double size, double x) {
        Mesh box = generate_box(Vec3::Constant(size), {1, 1, 1}, Fill::surface);
        for (Vec3& p : box.vertices) p.x() += x;
        return box;
    };
    const auto together = [](const std::vector<std::pair<Mesh, bool>>& parts) {
        Mesh all;
        for (const auto& [mesh, turned] : parts) {
            const Index first = static_cast<Index>(all.vertices.size());
            all.vertices.insert(all.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
            for (Triangle t : mesh.triangles) {
                for (Index& v : t) v += first;
                if (turned) std::swap(t[1], t[2]);
                all.triangles.push_back(t);
            }
        }
        return all;
    };
    const auto volume_when_turned = [](Mesh mesh) {
        turn_outwards(mesh.vertices, mesh.triangles);
        CHECK(inspect(mesh).inward_parts == 0);
        return enclosed_volume(mesh.vertices, mesh.triangles);
    };
    // side by side: the volume of all is above 0, and the small one faces inwards
    const Mesh beside = together({{part(2, 0), false}, {part(1, 3), true}});
    CHECK(to_text(inspect(beside)).find("the triangles of 1 of 2 closed parts face inwards") != std::string::npos);
    CHECK(volume_when_turned(beside) == relative(9.0, 1e-14));
    // a cavity faces into itself, whichever way round the whole is
    CHECK(inspect(together({{part(2, 0), false}, {part(1, 0), true}})).inward_parts == 0);
    const Mesh hollow = together({{part(1, 0), false}, {part(2, 0), true}, {part(1, 5), false}});
    CHECK(inspect(hollow).inward_parts == 1);
    CHECK(volume_when_turned(hollow) == relative(8.0, 1e-14));
    // an island in the cavity goes with them
    const Mesh island = together({{part(3, 0), true}, {part(2, 0), false}, {part(1, 0), true}});
    CHECK(volume_when_turned(island) == relative(27.0 - 8.0 + 1.0, 1e-14));
}
