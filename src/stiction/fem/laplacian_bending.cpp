#include "stiction/fem/laplacian_bending.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction {
namespace {

/// What meets at an undirected edge: its number of triangles, and half the sum of the cotangents opposite to it.
struct EdgeWeight {
    int triangles = 0;
    double half_cotangents = 0.0;
};

double checked_twice_area(const std::vector<Vec3>& rest, const Triangle& triangle, std::size_t index,
                          std::string_view source) {
    for (const Index vertex : triangle) {
        if (vertex < 0 || static_cast<std::size_t>(vertex) >= rest.size()) {
            throw InputError(source, fmt::format("triangle {}", index), fmt::format("vertex {}", vertex),
                             fmt::format("a vertex index in [0, {})", rest.size()));
        }
    }
    const Vec3 a = rest[triangle[1]] - rest[triangle[0]], b = rest[triangle[2]] - rest[triangle[0]];
    const double twice_area = a.cross(b).norm(), longest = std::max({a.norm(), b.norm(), (b - a).norm()});
    if (!(twice_area > 1e-12 * longest * longest) || !std::isfinite(twice_area)) {
        throw InputError(source, fmt::format("triangle {}", index),
                         fmt::format("degenerate, area {:.6g} m^2", 0.5 * twice_area), "a triangle of positive area");
    }
    return twice_area;
}

}  // namespace

void append_laplacian_bending(LaplacianBending& elements, const std::vector<Vec3>& rest,
                              const std::vector<Triangle>& triangles, double bending_stiffness, Index vertex_offset,
                              std::string_view source) {
    if (!(bending_stiffness > 0.0) || !std::isfinite(bending_stiffness)) {
        throw InputError(source, "bending stiffness", fmt::format("{:.6g} N m", bending_stiffness),
                         "a finite stiffness > 0");
    }
    std::vector<std::map<Index, EdgeWeight>> edges(rest.size());  // of every vertex, by the other end
    std::vector<double> area(rest.size(), 0.0);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const double twice_area = checked_twice_area(rest, triangles[t], t, source);
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const Index apex = triangles[t][corner], i = triangles[t][(corner + 1) % 3],
                        j = triangles[t][(corner + 2) % 3];
            const double half_cotangent = 0.5 * (rest[i] - rest[apex]).dot(rest[j] - rest[apex]) / twice_area;
            for (EdgeWeight* edge : {&edges[i][j], &edges[j][i]}) {
                ++edge->triangles;
                edge->half_cotangents += half_cotangent;
            }
            area[apex] += twice_area / 6.0;
        }
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const bool is_inner =
            std::all_of(edges[i].begin(), edges[i].end(), [](const auto& edge) { return edge.second.triangles == 2; });
        if (edges[i].empty() || !is_inner) continue;
        const std::size_t centre = elements.coefficients.size();
        elements.vertices.push_back(static_cast<Index>(i) + vertex_offset);
        elements.coefficients.push_back(0.0);
        for (const auto& [j, edge] : edges[i]) {
            elements.vertices.push_back(j + vertex_offset);
            elements.coefficients.push_back(edge.half_cotangents);
            elements.coefficients[centre] -= edge.half_cotangents;
        }
        elements.begin.push_back(elements.vertices.size());
        elements.stiffness.push_back(bending_stiffness / area[i]);
    }
}

double laplacian_bending_energy(const LaplacianBending& elements, const VecX& x) {
    const auto energy = [&](std::size_t k) {
        const Vec3 centre = x.segment<3>(3 * elements.vertices[elements.begin[k]]);
        Vec3 laplacian = Vec3::Zero();
        for (std::size_t e = elements.begin[k] + 1; e < elements.begin[k + 1]; ++e) {
            laplacian += elements.coefficients[e] * (x.segment<3>(3 * elements.vertices[e]) - centre);
        }
        return 0.5 * elements.stiffness[k] * laplacian.squaredNorm();
    };
    return parallel_sum(elements.size(), CompensatedSum(), energy).value();
}

Eigen::SparseMatrix<double> laplacian_bending_matrix(const LaplacianBending& elements, Index vertex_count) {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < elements.size(); ++k) {
        for (std::size_t a = elements.begin[k]; a < elements.begin[k + 1]; ++a) {
            for (std::size_t b = elements.begin[k]; b < elements.begin[k + 1]; ++b) {
                entries.emplace_back(elements.vertices[a], elements.vertices[b],
                                     elements.stiffness[k] * (elements.coefficients[a] * elements.coefficients[b]));
            }
        }
    }
    Eigen::SparseMatrix<double> matrix(vertex_count, vertex_count);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

std::size_t append_as_edges(const LaplacianBending& elements, Index vertex_count, IsometricBending& edges) {
    const Eigen::SparseMatrix<double> matrix = laplacian_bending_matrix(elements, vertex_count);
    const std::size_t before = edges.size();
    for (Eigen::Index j = 0; j < matrix.outerSize(); ++j) {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
            if (entry.row() <= j || entry.value() == 0.0) continue;
            edges.vertices.push_back({static_cast<Index>(j), static_cast<Index>(entry.row()), -1, -1});
            edges.coefficients.emplace_back(-1.0, 1.0, 0.0, 0.0);
            edges.stiffness.push_back(-entry.value());
        }
    }
    return edges.size() - before;
}

}  // namespace stiction
