// Small triangle meshes for tests of shells.
#pragma once

#include "stiction/fem/triangle_elements.hpp"

#include "fem/small_mesh.hpp"

#include <cmath>
#include <random>

namespace stiction::testing {

struct SmallSheet {
    std::vector<Vec3> rest;
    std::vector<Triangle> triangles;
    std::vector<bool> interior;
};

/// A flat square in the xy plane, n x n cells with diagonals at random, interior nodes moved at random.
inline SmallSheet irregular_sheet(int n, double size, std::mt19937_64& generator) {
    std::uniform_real_distribution<double> jitter(-0.2, 0.2);
    SmallSheet sheet;
    const auto id = [&](int i, int j) { return static_cast<Index>(i * (n + 1) + j); };
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            const bool inside = i > 0 && i < n && j > 0 && j < n;
            Vec3 position(i, j, 0);
            if (inside) position += Vec3(jitter(generator), jitter(generator), 0);
            sheet.rest.push_back(size / n * position);
            sheet.interior.push_back(inside);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const Index a = id(i, j), b = id(i + 1, j), c = id(i + 1, j + 1), d = id(i, j + 1);
            if (generator() % 2 == 0) {
                sheet.triangles.insert(sheet.triangles.end(), {Triangle{a, b, c}, Triangle{a, c, d}});
            } else {
                sheet.triangles.insert(sheet.triangles.end(), {Triangle{a, b, d}, Triangle{b, c, d}});
            }
        }
    }
    return sheet;
}

/// Rows of equilateral triangles in the xy plane filling a parallelogram of columns x rows cells of two.
inline SmallSheet equilateral_sheet(int columns, int rows, double edge) {
    SmallSheet sheet;
    const auto id = [&](int i, int j) { return static_cast<Index>(j * (columns + 1) + i); };
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
            sheet.rest.push_back(edge * Vec3(i + 0.5 * j, 0.5 * std::sqrt(3.0) * j, 0.0));
            sheet.interior.push_back(i > 0 && i < columns && j > 0 && j < rows);
        }
    }
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            sheet.triangles.push_back({id(i, j), id(i + 1, j), id(i, j + 1)});
            sheet.triangles.push_back({id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)});
        }
    }
    return sheet;
}

/// Sum of element vectors at vertices, the plain loop.
template <class Elements, class Vector>
VecX summed(const std::vector<Elements>& elements, const std::vector<Vector>& local, Eigen::Index size) {
    VecX g = VecX::Zero(size);
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (std::size_t a = 0; a < elements[e].size(); ++a) {
            g.segment<3>(3 * elements[e][a]) += local[e].template segment<3>(3 * static_cast<Eigen::Index>(a));
        }
    }
    return g;
}

/// Sum of element matrices, the plain loop.
template <class Elements, class Matrix>
Eigen::MatrixXd summed_matrix(const std::vector<Elements>& elements, const std::vector<Matrix>& local,
                              Eigen::Index size) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (std::size_t a = 0; a < elements[e].size(); ++a) {
            for (std::size_t b = 0; b < elements[e].size(); ++b) {
                H.block<3, 3>(3 * elements[e][a], 3 * elements[e][b]) +=
                    local[e].template block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b));
            }
        }
    }
    return H;
}

/// Resultant force and torque about the origin of a stacked force vector.
inline std::pair<Vec3, Vec3> resultant(const VecX& force, const VecX& x) {
    Vec3 total = Vec3::Zero(), torque = Vec3::Zero();
    for (Eigen::Index v = 0; v < x.size() / 3; ++v) {
        const Vec3 f = force.segment<3>(3 * v), position = x.segment<3>(3 * v);
        total += f;
        torque += position.cross(f);
    }
    return {total, torque};
}

}  // namespace stiction::testing
