#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace stiction;
using namespace stiction::test;

namespace {

const double pi = std::acos(-1.0);

/// What every generated solid promises; returns the facts for more.
MeshInfo check_solid(const Mesh& mesh, int euler_characteristic, double least_angle) {
    const MeshInfo info = inspect(mesh);
    CHECK(info.sound());
    CHECK(info.watertight);
    CHECK(info.misoriented_edges == 0);
    CHECK(info.nonmanifold_edges == 0);
    CHECK(info.components == 1);
    CHECK(info.used_vertices == info.vertices);
    CHECK(info.duplicate_vertices == 0);
    CHECK(info.min_dihedral > least_angle);
    CHECK(static_cast<int>(info.surface_vertices) - static_cast<int>(info.surface_edges) +
              static_cast<int>(info.surface_triangles) ==
          euler_characteristic);
    // tets that overlapped would not add up to what their surface encloses
    CHECK(enclosed_volume(mesh.vertices, boundary_triangles(mesh.tets)) == relative(info.volume, 1e-12));
    return info;
}

void check_surface_of(const Mesh& surface, const Mesh& solid) {
    const MeshInfo info = inspect(surface);
    CHECK(info.tets == 0);
    CHECK(info.watertight);
    CHECK(info.used_vertices == info.vertices);
    CHECK(info.surface_triangles == boundary_triangles(solid.tets).size());
    CHECK(info.volume == relative(inspect(solid).volume, 1e-12));
}

}  // namespace

TEST_CASE("box: exact volume and size, centred, point-symmetric") {
    const Mesh mesh = generate_box({1, 2, 4}, {2, 3, 5});
    CHECK(mesh.vertices.size() == 3 * 4 * 6);
    CHECK(mesh.tets.size() == 6 * 2 * 3 * 5);
    const MeshInfo info = check_solid(mesh, 2, 25);
    CHECK(info.volume == relative(8, 1e-14));
    CHECK(info.area == relative(2 * (2 + 4 + 8), 1e-14));
    CHECK(info.lower == Vec3(-0.5, -1, -2));
    CHECK(info.upper == Vec3(0.5, 1, 2));
    std::set<std::array<double, 3>> places;
    for (const Vec3& p : mesh.vertices) places.insert({p.x() + 0.0, p.y() + 0.0, p.z() + 0.0});
    for (const Vec3& p : mesh.vertices) CHECK(places.count({0.0 - p.x(), 0.0 - p.y(), 0.0 - p.z()}) == 1);
    CHECK(check_solid(generate_box({1, 1, 1}, {1, 1, 1}), 2, 44.9).tets == 6);
    check_surface_of(generate_box({1, 2, 4}, {2, 3, 5}, Fill::surface), mesh);
}

TEST_CASE("box with alternating diagonals: the same vertices and volume, and its own mirror image along every axis") {
    const Mesh mesh = generate_box({1, 2, 4}, {2, 4, 6}, Fill::solid, Diagonals::alternating);
    CHECK(mesh.vertices == generate_box({1, 2, 4}, {2, 4, 6}).vertices);
    CHECK(mesh.tets.size() == 6 * 2 * 4 * 6);
    CHECK(check_solid(mesh, 2, 25).volume == relative(8, 1e-14));
    const auto tets = [&](int mirrored) {
        std::set<std::set<std::array<double, 3>>> found;
        for (const Tet& tet : mesh.tets) {
            std::set<std::array<double, 3>> corners;
            for (const Index v : tet) {
                std::array<double, 3> at{};
                for (int axis = 0; axis < 3; ++axis)
                    at[static_cast<std::size_t>(axis)] =
                        (axis == mirrored ? -1.0 : 1.0) * mesh.vertices[static_cast<std::size_t>(v)][axis] + 0.0;
                corners.insert(at);
            }
            found.insert(corners);
        }
        return found;
    };
    for (int axis = 0; axis < 3; ++axis) CHECK(tets(axis) == tets(-1));
    // Odd numbers of cells have no cell on the other side to mirror, but fit together as well.
    check_solid(generate_box({1, 2, 4}, {3, 5, 11}, Fill::solid, Diagonals::alternating), 2, 25);
    check_surface_of(generate_box({1, 2, 4}, {2, 3, 5}, Fill::surface, Diagonals::alternating),
                     generate_box({1, 2, 4}, {2, 3, 5}, Fill::solid, Diagonals::alternating));
}

TEST_CASE("rod lies along x") {
    const Mesh mesh = generate_rod(2, 0.1, 40, 2);
    const MeshInfo info = check_solid(mesh, 2, 44.9);
    CHECK(info.upper == Vec3(1, 0.05, 0.05));
    CHECK(info.volume == relative(0.02, 1e-13));
    check_surface_of(generate_rod(2, 0.1, 40, 2, Fill::surface), mesh);
}

TEST_CASE("ball: well-shaped at about 500, 2000 and 8000 vertices, volume converging at second order") {
    const double exact = 4 * pi / 3 * 8;
    double last_error = 0;
    int last_shells = 0;
    for (const int wanted : {55, 500, 2000, 8000}) {
        const int shells = ball_shells_for_vertices(wanted);
        const Mesh mesh = generate_ball(2, shells);
        const MeshInfo info = check_solid(mesh, 2, 35);
        MESSAGE("ball of " << info.vertices << " vertices, " << info.tets << " tets: min dihedral " << info.min_dihedral
                           << ", volume error " << 1 - info.volume / exact);
        CHECK(std::abs(static_cast<double>(info.vertices) - wanted) <= 0.25 * wanted);
        CHECK(info.tets == 20 * static_cast<std::size_t>(shells * shells * shells));
        for (const Index v : extract_surface(mesh).vertices) CHECK(mesh.vertices[v].norm() == relative(2, 4e-16));
        const double error = 1 - info.volume / exact;
        CHECK(error > 0);
        if (last_shells > 0) {
            const double order = std::log(last_error / error) / std::log(static_cast<double>(shells) / last_shells);
            CHECK(order > 1.8);
        }
        last_error = error;
        last_shells = shells;
    }
    CHECK(generate_ball(1, 3).vertices.size() == 147);
    CHECK(ball_shells_for_edge_length(1, 0.26) == 4);
    check_surface_of(generate_ball(1, 4, Fill::surface), generate_ball(1, 4));
}

TEST_CASE("cylinder: mantle on the circle, flat ends, volume converging") {
    double last_error = 1;
    for (const double edge_length : {0.5, 0.25, 0.125}) {
        const Mesh mesh = generate_cylinder(1, 3, edge_length);
        const MeshInfo info = check_solid(mesh, 2, 30);
        MESSAGE("cylinder of " << info.vertices << " vertices: min dihedral " << info.min_dihedral);
        for (const Index v : extract_surface(mesh).vertices) {
            const Vec3& p = mesh.vertices[v];
            const double distance = std::hypot(p.x(), p.z());
            CHECK((std::abs(distance - 1) < 1e-15 || (distance < 1 && std::abs(p.y()) == 1.5)));
        }
        const double error = 1 - info.volume / (3 * pi);
        CHECK(error > 0);
        CHECK(error < 0.3 * last_error);
        last_error = error;
    }
    check_surface_of(generate_cylinder(1, 3, 0.5, Fill::surface), generate_cylinder(1, 3, 0.5));
}

TEST_CASE("torus: a hole, vertices on the torus, volume converging") {
    double last_error = 1;
    for (const double edge_length : {0.4, 0.2, 0.1}) {
        const Mesh mesh = generate_torus(1.5, 0.4, edge_length);
        const MeshInfo info = check_solid(mesh, 0, 25);
        MESSAGE("torus of " << info.vertices << " vertices: min dihedral " << info.min_dihedral);
        for (const Index v : extract_surface(mesh).vertices) {
            const Vec3& p = mesh.vertices[v];
            CHECK(std::hypot(std::hypot(p.x(), p.z()) - 1.5, p.y()) == relative(0.4, 2e-15));
        }
        const double error = 1 - info.volume / (2 * pi * pi * 1.5 * 0.16);
        CHECK(error > 0);
        CHECK(error < 0.32 * last_error);
        last_error = error;
    }
    check_solid(generate_torus(1, 0.9, 0.5), 0, 5);
    check_surface_of(generate_torus(1.5, 0.4, 0.4, Fill::surface), generate_torus(1.5, 0.4, 0.4));
}

TEST_CASE("ring: counts, corners on the torus, exact volume") {
    const Mesh mesh = generate_ring(0.4, 0.1, 18, 4);
    CHECK(mesh.vertices.size() == 72);
    CHECK(mesh.tets.size() == 108);
    CHECK(extract_surface(mesh).triangles.size() == 144);
    for (const Vec3& p : mesh.vertices) {
        CHECK(std::hypot(std::hypot(p.x(), p.z()) - 0.4, p.y()) == relative(0.1, 2e-15));
        CHECK(std::abs(p.y()) == relative(0.1 * std::sqrt(0.5), 2e-15));  // sides parallel to the axis
    }
    for (const int segments : {3, 9, 18, 36}) {
        for (const int sides : {3, 4, 5, 8}) {
            const Mesh ring = generate_ring(1.5, 0.4, segments, sides);
            const MeshInfo info = check_solid(ring, 0, segments == 3 ? 1 : 3);
            CHECK(ring.vertices.size() == static_cast<std::size_t>(segments * sides));
            CHECK(ring.tets.size() == static_cast<std::size_t>(3 * segments * (sides - 2)));
            CHECK(extract_surface(ring).triangles.size() == static_cast<std::size_t>(2 * segments * sides));
            // Points move along chords: a segment is the integral of r sin(angle between its ends) over the polygon,
            // whose centroid is at r = 1.5.
            const double area = 0.5 * sides * 0.16 * std::sin(2 * pi / sides);
            CHECK(info.volume == relative(area * 1.5 * segments * std::sin(2 * pi / segments), 1e-12));
        }
    }
    check_solid(generate_ring(1, 0.9, 3, 3), 0, 1);
    check_surface_of(generate_ring(1.5, 0.4, 18, 4, Fill::surface), generate_ring(1.5, 0.4, 18, 4));
}

TEST_CASE("cloth: flat, facing up") {
    const Mesh mesh = generate_cloth(2, 3, 5, 4);
    const MeshInfo info = inspect(mesh);
    CHECK(info.sound());
    CHECK(info.vertices == 30);
    CHECK(info.triangles == 40);
    CHECK(info.boundary_edges == 18);
    CHECK(info.misoriented_edges == 0);
    CHECK(info.area == relative(6, 1e-14));
    for (const Triangle& t : mesh.triangles) {
        const Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
        CHECK((b - a).cross(c - a).y() > 0);
        CHECK(a.y() == 0);
    }
}

TEST_CASE("icosphere: on the sphere, outwards, volume converging") {
    double last_error = 1;
    for (int s = 0; s <= 4; ++s) {
        const Mesh mesh = generate_icosphere(3, s);
        const MeshInfo info = inspect(mesh);
        CHECK(info.vertices == 10 * (std::size_t{1} << (2 * s)) + 2);
        CHECK(info.watertight);
        CHECK(info.misoriented_edges == 0);
        CHECK(info.surface_vertices + info.surface_triangles - info.surface_edges == 2);
        for (const Vec3& p : mesh.vertices) CHECK(p.norm() == relative(3, 1e-15));
        const double error = 1 - info.volume / (36 * pi);
        CHECK(error > 0);
        CHECK(error < (s == 0 ? 0.4 : 0.37 * last_error));
        last_error = error;
    }
}

TEST_CASE("the same arguments give the same bits") {
    const Mesh a = generate_ball(0.3, 5), b = generate_ball(0.3, 5);
    CHECK(a.vertices == b.vertices);
    CHECK(a.tets == b.tets);
}

TEST_CASE("bad arguments are InputErrors that name them") {
    const auto message = [](const auto& make) -> std::string {
        try {
            make();
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message([] { generate_box({1, 0, 1}, {1, 1, 1}); }) == "size: 0: expected a length above 0 m");
    CHECK(message([] { generate_box({1, 1, 1}, {1, 0, 1}); }) == "cells: 0: expected at least 1");
    CHECK(message([] {
              generate_box({1, 1, 1}, {100000, 100000, 100000});
          }) == "cells: about 1e+15 vertices: expected a mesh of at most 10 million vertices");
    CHECK(message([] { generate_ball(std::nan(""), 3); }) == "radius: nan: expected a length above 0 m");
    CHECK(message([] { generate_ball(1, 100000); }).find("shells: about") == 0);
    CHECK(message([] { generate_cylinder(1, 1, 1e-300); }).find("edge_length: about") == 0);
    CHECK(message([] { generate_torus(1, 2, 0.1); }) == "minor_radius: 2: expected less than major_radius = 1");
    CHECK(message([] { generate_ring(1, 1, 18, 4); }) == "minor_radius: 1: expected less than major_radius = 1");
    CHECK(message([] { generate_ring(1, 0.2, 2, 4); }) == "segments: 2: expected at least 3");
    CHECK(message([] { generate_ring(1, 0.2, 18, 2); }) == "sides: 2: expected at least 3");
    CHECK(message([] { generate_ring(1, 0.2, 18, 9); }) == "sides: 9: expected at most 8");
    CHECK(message([] { generate_icosphere(1, 40); }).find("subdivisions: about") == 0);
    CHECK(message([] { generate_cloth(1, 1, 1, -4); }) == "cells_z: -4: expected at least 1");
}

TEST_CASE("generate: polylines are split into equal edges, each stretch by itself, and may be closed") {
    const std::vector<Vec3> corners{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0.5, 0)};
    const Mesh open = generate_polyline(corners, false, 0.3);
    REQUIRE(open.vertices.size() == 3 + 2 + 1);
    CHECK(open.edges == std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
    CHECK(open.vertices[3] == corners[1]);
    CHECK(open.vertices[5] == corners[2]);
    CHECK((open.vertices[1] - Vec3(1.0 / 3.0, 0, 0)).norm() < 1e-15);
    CHECK(inspect(open).sound());
    const Mesh closed = generate_polyline(corners, true, 10.0);
    CHECK(closed.vertices == corners);
    CHECK(closed.edges == std::vector<Edge>{{0, 1}, {1, 2}, {2, 0}});
    CHECK_THROWS_AS(generate_polyline({corners[0]}, false, 0.1), InputError);
    CHECK_THROWS_AS(generate_polyline({corners[0], corners[1]}, true, 0.1), InputError);
    CHECK_THROWS_AS(generate_polyline({corners[0], corners[0]}, false, 0.1), InputError);
    CHECK_THROWS_AS(generate_polyline(corners, false, 0.0), InputError);
    CHECK_THROWS_AS(generate_polyline(corners, false, 1e-12), InputError);
}
