// Tube, capsule and tire.
#include "stiction/base/error.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/generate_revolved.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

const double pi = std::acos(-1.0);

double distance_from_axis(const Vec3& x) {
    return std::hypot(x.x(), x.z());
}

Vec3 twice_area(const Mesh& mesh, const Triangle& t) {
    const auto corner = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
    return (corner(1) - corner(0)).cross(corner(2) - corner(0));
}

Vec3 centroid(const Mesh& mesh, const Triangle& t) {
    Vec3 sum = Vec3::Zero();
    for (const Index v : t) sum += mesh.vertices[static_cast<std::size_t>(v)] / 3.0;
    return sum;
}

/// How often each undirected edge is there, and how often more in one direction than in the other.
std::map<Edge, std::pair<int, int>> edges_of(const std::vector<Triangle>& triangles) {
    std::map<Edge, std::pair<int, int>> result;
    for (const Triangle& t : triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = t[k], b = t[(k + 1) % 3];
            auto& [count, balance] = result[{std::min(a, b), std::max(a, b)}];
            ++count;
            balance += a < b ? 1 : -1;
        }
    }
    return result;
}

/// Smallest angle of any triangle, degrees.
double smallest_angle(const Mesh& mesh) {
    double smallest = 180;
    for (const Triangle& t : mesh.triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[k])];
            const Vec3 u = mesh.vertices[static_cast<std::size_t>(t[(k + 1) % 3])] - a,
                       v = mesh.vertices[static_cast<std::size_t>(t[(k + 2) % 3])] - a;
            smallest = std::min(smallest, std::atan2(u.cross(v).norm(), u.dot(v)) * 180 / pi);
        }
    }
    return smallest;
}

template <class Make>
std::string error_of(const Make& make) {
    try {
        make();
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("tube: rows on the circle, facing away from the axis, open at two ends") {
    for (const auto& [around, along] : {std::pair{3, 1}, std::pair{12, 5}, std::pair{38, 40}}) {
        const Mesh mesh = generate_tube(0.3, 0.8, around, along);
        CHECK(mesh.vertices.size() == static_cast<std::size_t>(around * (along + 1)));
        CHECK(mesh.triangles.size() == static_cast<std::size_t>(2 * around * along));
        CHECK(inspect(mesh).duplicate_vertices == 0);
        std::size_t low = 0, high = 0;
        for (const Vec3& x : mesh.vertices) {
            CHECK(distance_from_axis(x) == relative(0.3, 1e-15));
            low += x.y() == -0.4;
            high += x.y() == 0.4;
        }
        CHECK(low == static_cast<std::size_t>(around));
        CHECK(high == static_cast<std::size_t>(around));
        double area = 0;
        for (const Triangle& t : mesh.triangles) {
            const Vec3 normal = twice_area(mesh, t), outwards = centroid(mesh, t);
            CHECK(normal.x() * outwards.x() + normal.z() * outwards.z() > 0);
            area += 0.5 * normal.norm();
        }
        const auto edges = edges_of(mesh.triangles);
        int border = 0;
        for (const auto& [edge, count] : edges) {
            CHECK((count.first == 1 || (count.first == 2 && count.second == 0)));
            if (count.first == 1) ++border;
        }
        CHECK(border == 2 * around);
        CHECK(mesh.vertices.size() + mesh.triangles.size() == edges.size());  // Euler characteristic 0
        if (around == 38) {
            CHECK(area == relative(2 * pi * 0.3 * 0.8, 5e-3));
            CHECK(smallest_angle(mesh) > 38);
        }
    }
    CHECK(error_of([] { generate_tube(0, 1, 8, 8); }).rfind("radius: ", 0) == 0);
    CHECK(error_of([] { generate_tube(1, -1, 8, 8); }).rfind("height: ", 0) == 0);
    CHECK(error_of([] { generate_tube(1, 1, 2, 8); }).rfind("around: ", 0) == 0);
    CHECK(error_of([] { generate_tube(1, 1, 8, 0); }).rfind("along: ", 0) == 0);
    CHECK(error_of([] { generate_tube(1, 1, 100000, 100000); }).rfind("around: ", 0) == 0);
}

TEST_CASE("capsule: sound tets, skin on the capsule, volume converging at second order") {
    const double radius = 0.2, height = 0.6, exact = pi * radius * radius * (height + 4.0 / 3.0 * radius);
    double last_error = 0;
    int last = 0;
    for (const auto& [n, m] : {std::pair{1, 1}, std::pair{2, 4}, std::pair{4, 15}, std::pair{8, 12}}) {
        const Mesh mesh = generate_capsule(radius, height, n, m);
        const MeshInfo info = inspect(mesh);
        MESSAGE("capsule " << n << " x " << m << ": " << info.vertices << " vertices, " << info.tets
                           << " tets, min dihedral " << info.min_dihedral << ", volume error "
                           << 1 - info.volume / exact);
        CHECK(info.tets == static_cast<std::size_t>(18 * n * n * m + 12 * n * n * n));
        CHECK(info.sound());
        CHECK(info.watertight);
        CHECK(info.components == 1);
        CHECK(info.used_vertices == info.vertices);
        CHECK(info.duplicate_vertices == 0);
        CHECK(info.misoriented_edges == 0);
        CHECK(info.min_dihedral > 15);
        CHECK(info.surface_vertices + info.surface_triangles == info.surface_edges + 2);
        CHECK(folded_tets(mesh.tets) == std::pair<Index, Index>(-1, -1));
        const std::vector<Triangle> skin = boundary_triangles(mesh.tets);
        CHECK(enclosed_volume(mesh.vertices, skin) == relative(info.volume, 1e-12));
        for (const Triangle& t : skin) {
            for (const Index v : t) {
                Vec3 x = mesh.vertices[static_cast<std::size_t>(v)];
                x.y() -= std::clamp(x.y(), -0.5 * height, 0.5 * height);
                CHECK(x.norm() == relative(radius, 1e-14));
            }
        }
        const double error = 1 - info.volume / exact;
        CHECK(error > 0);
        if (last >= 4) CHECK(std::log(last_error / error) / std::log(static_cast<double>(n) / last) > 1.9);
        last_error = error;
        last = n;
    }
    CHECK(generate_capsule(0.1, 0.6, 4, 15).tets.size() == 5088);
    CHECK(generate_capsule(0.1, 0.6, 7, 29).tets.size() == 29694);
    CHECK(generate_capsule(1, 1, 2, 3, Fill::surface).tets.empty());
    CHECK(error_of([] { generate_capsule(0, 1, 2, 2); }).rfind("radius: ", 0) == 0);
    CHECK(error_of([] { generate_capsule(1, 0, 2, 2); }).rfind("height: ", 0) == 0);
    CHECK(error_of([] { generate_capsule(1, 1, 0, 2); }).rfind("divisions: ", 0) == 0);
    CHECK(error_of([] { generate_capsule(1, 1, 2, 0); }).rfind("layers: ", 0) == 0);
    CHECK(error_of([] { generate_capsule(1, 1, 1000, 1000); }).rfind("divisions: ", 0) == 0);
}

TEST_CASE("tire: a closed ring that faces outwards, its parts where they belong, volume converging at second order") {
    const double radius = 0.45, rim = 0.2, width = 0.4, exact = pi * (radius * radius - rim * rim) * width;
    double last_error = 0;
    for (const int factor : {1, 2, 4}) {
        const Mesh mesh = generate_tire(radius, rim, width, 24 * factor, 16 * factor);
        const std::size_t triangles = mesh.triangles.size();
        CHECK(mesh.vertices.size() * 2 == triangles);
        CHECK(mesh.triangle_tags.size() == triangles);
        CHECK(inspect(mesh).duplicate_vertices == 0);
        const auto edges = edges_of(mesh.triangles);
        for (const auto& [edge, count] : edges) CHECK(count == std::pair<int, int>(2, 0));
        CHECK(mesh.vertices.size() + triangles == edges.size());  // a torus
        std::map<int, double> area;
        for (std::size_t t = 0; t < triangles; ++t) {
            const Vec3 normal = twice_area(mesh, mesh.triangles[t]), at = centroid(mesh, mesh.triangles[t]);
            const double radial = (normal.x() * at.x() + normal.z() * at.z()) / normal.norm();
            const int part = mesh.triangle_tags[t];
            area[part] += 0.5 * normal.norm();
            CHECK(0.5 * normal.norm() > 0.1 * (2 * pi * rim / (24 * factor)) * (1.3 / (16 * factor)) / 2);
            for (const Index v : mesh.triangles[t]) {
                const Vec3& x = mesh.vertices[static_cast<std::size_t>(v)];
                if (part == tire_tread) CHECK(distance_from_axis(x) == relative(radius, 1e-13));
                if (part == tire_rim) CHECK(distance_from_axis(x) == relative(rim, 1e-13));
                if (part == tire_sidewall) CHECK(std::abs(x.y()) == relative(0.5 * width, 1e-13));
            }
            if (part == tire_tread) CHECK(radial > 0);
            if (part == tire_rim) CHECK(radial < 0);
            if (part == tire_sidewall) CHECK(normal.y() * at.y() > 0);
        }
        CHECK(area.size() == 3);
        if (factor == 4) {
            CHECK(area[tire_tread] == relative(2 * pi * radius * width, 2e-3));
            CHECK(area[tire_rim] == relative(2 * pi * rim * width, 2e-3));
            CHECK(area[tire_sidewall] == relative(2 * pi * (radius * radius - rim * rim), 2e-3));
            CHECK(smallest_angle(mesh) > 25);
        }
        const double error = 1 - enclosed_volume(mesh.vertices, mesh.triangles) / exact;
        CHECK(error > 0);
        if (factor > 1) CHECK(std::log2(last_error / error) > 1.9);
        last_error = error;
    }
    const Mesh paper = generate_tire(0.45, 0.2, 0.4, 150, 60);
    CHECK(paper.vertices.size() == 9000);
    CHECK(paper.triangles.size() == 18000);
    const Mesh least = generate_tire(1, 0.5, 0.1, 3, 4);  // rows go by length, two each for tread and rim
    CHECK(least.vertices.size() % 3 == 0);
    CHECK(enclosed_volume(least.vertices, least.triangles) > 0);
    CHECK(error_of([] { generate_tire(-1, 0.5, 1, 8, 8); }).rfind("radius: ", 0) == 0);
    CHECK(error_of([] { generate_tire(1, 1, 1, 8, 8); }).rfind("rim_radius: 1: expected less than radius", 0) == 0);
    CHECK(error_of([] { generate_tire(1, 0.5, 0, 8, 8); }).rfind("width: ", 0) == 0);
    CHECK(error_of([] { generate_tire(1, 0.5, 1, 2, 8); }).rfind("around: ", 0) == 0);
    CHECK(error_of([] { generate_tire(1, 0.5, 1, 8, 3); }).rfind("across: ", 0) == 0);
    CHECK(error_of([] { generate_tire(1, 0.5, 1, 100000, 1000); }).rfind("around: ", 0) == 0);
}
