#include "stiction/mesh/curved_volume.hpp"

#include "stiction/mesh/topology.hpp"

#include <Eigen/LU>

#include <cmath>
#include <span>

namespace stiction {
namespace {

struct TetPoint {
    std::array<double, 4> coordinates;  // barycentric
    double weight;                      // all together 1/6, the volume of the reference tet
};

/// Position and Jacobian of the map from the reference tet at a point.
struct MapPoint {
    Vec3 position = Vec3::Zero();
    Mat3 jacobian = Mat3::Zero();
};

Vec3 gradient(std::size_t coordinate) {
    return coordinate == 0 ? Vec3(-Vec3::Ones()) : Vec3(Vec3::Unit(static_cast<int>(coordinate) - 1));
}

MapPoint map_at(const TetNodes& nodes, const std::array<double, 4>& l) {
    MapPoint result;
    for (std::size_t a = 0; a < 4; ++a) {
        result.position += l[a] * (2.0 * l[a] - 1.0) * nodes[a];
        result.jacobian += (4.0 * l[a] - 1.0) * nodes[a] * gradient(a).transpose();
    }
    for (std::size_t k = 0; k < 6; ++k) {
        const auto [a, b] = mid_node_edges[k];
        result.position += 4.0 * l[a] * l[b] * nodes[4 + k];
        result.jacobian += 4.0 * nodes[4 + k] * (l[a] * gradient(b) + l[b] * gradient(a)).transpose();
    }
    return result;
}

/// Exact for cubics, as det J is (Zienkiewicz and Taylor, The finite element method, tetrahedra of order 3).
const std::array<TetPoint, 5>& cubic_points() {
    static const std::array<TetPoint, 5> points = [] {
        std::array<TetPoint, 5> result;
        result[4] = {{0.25, 0.25, 0.25, 0.25}, -2.0 / 15.0};
        for (std::size_t own = 0; own < 4; ++own) {
            result[own] = {{1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0}, 3.0 / 40.0};
            result[own].coordinates[own] = 0.5;
        }
        return result;
    }();
    return points;
}

/// Exact for degree 7, which X X^T det J has: Gauss's rule of five points, exact for degree 9, in each direction of a
/// cube that is squeezed to the tet, which adds up to two degrees.
const std::array<TetPoint, 125>& moment_points() {
    static const std::array<TetPoint, 125> points = [] {
        std::array<std::array<double, 2>, 5> rule;  // place in (0, 1) and weight
        rule[0] = {0.5, 64.0 / 225.0};
        const double root = std::sqrt(10.0 / 7.0), part = 13.0 * std::sqrt(70.0);
        for (std::size_t k = 0; k < 2; ++k) {
            const double sign = k == 0 ? 1.0 : -1.0, place = std::sqrt(5.0 - sign * 2.0 * root) / 6.0,
                         weight = (322.0 + sign * part) / 1800.0;
            rule[1 + 2 * k] = {0.5 - place, weight};
            rule[2 + 2 * k] = {0.5 + place, weight};
        }
        std::array<TetPoint, 125> result;
        std::size_t next = 0;
        for (const auto& [u, weight_u] : rule) {
            for (const auto& [v, weight_v] : rule) {
                for (const auto& [w, weight_w] : rule) {
                    const double x = u, y = v * (1.0 - u), z = w * (1.0 - u) * (1.0 - v);
                    result[next++] = {{1.0 - x - y - z, x, y, z},
                                      weight_u * weight_v * weight_w * (1.0 - u) * (1.0 - u) * (1.0 - v)};
                }
            }
        }
        return result;
    }();
    return points;
}

/// Nodes seen from the first one, so that a tet far from the origin loses no digits.
TetNodes seen_from_first(TetNodes nodes) {
    const Vec3 origin = nodes[0];
    for (Vec3& node : nodes) node -= origin;
    return nodes;
}

}  // namespace

TetNodes tet_nodes(const Mesh& mesh, std::size_t t) {
    const Tet10 ids = tet10(mesh, t);
    TetNodes nodes;
    for (std::size_t a = 0; a < nodes.size(); ++a) nodes[a] = mesh.vertices[at(ids[a])];
    return nodes;
}

double curved_volume(const TetNodes& nodes) {
    const TetNodes near = seen_from_first(nodes);
    double volume = 0.0;
    for (const TetPoint& point : cubic_points())
        volume += point.weight * map_at(near, point.coordinates).jacobian.determinant();
    return volume;
}

CurvedIntegrals curved_integrals(const TetNodes& nodes) {
    CurvedIntegrals sum;
    for (const TetPoint& point : moment_points()) {
        const MapPoint map = map_at(nodes, point.coordinates);
        const double volume = point.weight * map.jacobian.determinant();
        sum.volume += volume;
        sum.first += volume * map.position;
        sum.second += volume * map.position * map.position.transpose();
    }
    return sum;
}

double tets_volume(const Mesh& mesh) {
    double volume = 0.0;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        volume += mesh.mid_nodes.empty() ? signed_volume(mesh, mesh.tets[t]) : curved_volume(tet_nodes(mesh, t));
    return volume;
}

/// Tets with straight edges from a common point to the triangles: their inner faces cancel.
double enclosed_volume(const std::vector<Vec3>& vertices, const std::vector<Triangle6>& triangles) {
    if (triangles.empty()) return 0.0;
    const Vec3 origin = vertices[at(triangles[0][0])];
    double volume = 0.0;
    for (const Triangle6& t : triangles) {
        const auto from_origin = [&](std::size_t k) -> Vec3 { return vertices[at(t[k])] - origin; };
        const Vec3 a = from_origin(0), b = from_origin(1), c = from_origin(2);
        volume += curved_volume(
            {Vec3::Zero(), a, b, c, 0.5 * a, from_origin(3), 0.5 * b, 0.5 * c, from_origin(5), from_origin(4)});
    }
    return volume;
}

}  // namespace stiction
