#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/laplacian_bending.hpp"

#include "fem/small_sheet.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <string>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

VecX random_positions(std::mt19937_64& generator, std::size_t vertices) {
    std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
    VecX x(3 * static_cast<Eigen::Index>(vertices));
    for (double& value : x) value = coordinate(generator);
    return x;
}

double angle_at(const Vec3& apex, const Vec3& a, const Vec3& b) {
    return std::acos((a - apex).normalized().dot((b - apex).normalized()));
}

/// k_b L^T M^-1 L over inner vertices, of angles, entry by entry.
Eigen::MatrixXd dense_matrix(const SmallSheet& sheet, double bending_stiffness) {
    const auto n = static_cast<Eigen::Index>(sheet.rest.size());
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
    VecX mass = VecX::Zero(n);
    for (const Triangle& t : sheet.triangles) {
        const double area =
            0.5 * (sheet.rest[t[1]] - sheet.rest[t[0]]).cross(sheet.rest[t[2]] - sheet.rest[t[0]]).norm();
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = t[k], i = t[(k + 1) % 3], j = t[(k + 2) % 3];
            const double weight = 0.5 / std::tan(angle_at(sheet.rest[a], sheet.rest[i], sheet.rest[j]));
            L(i, j) += weight;
            L(j, i) += weight;
            L(i, i) -= weight;
            L(j, j) -= weight;
            mass[a] += area / 3.0;
        }
    }
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        if (sheet.interior[static_cast<std::size_t>(i)])
            result += bending_stiffness / mass[i] * L.row(i).transpose() * L.row(i);
    }
    return result;
}

}  // namespace

TEST_CASE("Laplacian bending: matrix and energy are those of the cotangent formula") {
    std::mt19937_64 generator(3);
    for (int n = 1; n <= 6; ++n) {
        CAPTURE(n);
        const SmallSheet sheet = irregular_sheet(n, 0.7, generator);
        LaplacianBending bending;
        append_laplacian_bending(bending, sheet.rest, sheet.triangles, 2e-3);
        CHECK(bending.size() == static_cast<std::size_t>((n - 1) * (n - 1)));
        const auto vertices = static_cast<Index>(sheet.rest.size());
        const Eigen::MatrixXd expected = dense_matrix(sheet, 2e-3);
        CHECK((Eigen::MatrixXd(laplacian_bending_matrix(bending, vertices)) - expected).norm() <=
              1e-12 * expected.norm());
        const VecX x = random_positions(generator, sheet.rest.size());
        double energy = 0.0;
        for (Eigen::Index c = 0; c < 3; ++c) {
            const VecX component = Eigen::Map<const VecX, 0, Eigen::InnerStride<3>>(x.data() + c, vertices);
            energy += 0.5 * component.dot(expected * component);
        }
        if (n == 1)  // no inner vertex bends
            CHECK(laplacian_bending_energy(bending, x) == 0.0);
        else
            CHECK(laplacian_bending_energy(bending, x) == relative(energy, 1e-12));
    }
}

TEST_CASE("Laplacian bending: nothing under affine maps, neither in its frame nor far away") {
    std::mt19937_64 generator(4);
    const SmallSheet sheet = irregular_sheet(8, 1.0, generator);
    LaplacianBending bending;
    append_laplacian_bending(bending, sheet.rest, sheet.triangles, 1.0);
    Mat3 map;
    map << 0.8, -0.3, 0.1, 0.2, 1.4, 0.3, -0.5, 0.6, 1.0;
    const VecX shape = random_positions(generator, sheet.rest.size());
    const double scale = laplacian_bending_energy(bending, shape);
    std::vector<Vec3> moved, far;
    for (const Vec3& rest : sheet.rest) moved.push_back(map * rest + Vec3(1.0, 2.0, 3.0));
    for (Index v = 0; v < static_cast<Index>(sheet.rest.size()); ++v)
        far.push_back(shape.segment<3>(3 * v) + Vec3(1024.0, -4096.0, 2048.0));
    CHECK(laplacian_bending_energy(bending, stacked(moved)) <= 1e-24 * scale);
    CHECK(laplacian_bending_energy(bending, stacked(far)) == relative(scale, 1e-10));
}

TEST_CASE("Laplacian bending: a sheet bent to a parabola stores k_b / 2 times its curvature squared per inner area") {
    const double edge = 0.1, curvature = 0.3, stiffness = 5.0;
    const SmallSheet sheet = equilateral_sheet(9, 7, edge);
    LaplacianBending bending;
    append_laplacian_bending(bending, sheet.rest, sheet.triangles, stiffness, 4);
    // Equilateral triangles: L is exact for quadratic functions, in whatever direction they curve; six thirds of
    // triangles a vertex.
    const double area = 2.0 * std::sqrt(3.0) / 4.0 * edge * edge * static_cast<double>(bending.size());
    for (const double angle : {0.0, 0.4, 1.1}) {
        std::vector<Vec3> bent(4, Vec3(7.0, 8.0, 9.0));  // four vertices of another body come first
        for (const Vec3& rest : sheet.rest) {
            const double along = rest.x() * std::cos(angle) + rest.y() * std::sin(angle);
            bent.push_back({rest.x(), rest.y(), 0.5 * curvature * along * along});
        }
        CHECK(laplacian_bending_energy(bending, stacked(bent)) ==
              relative(0.5 * stiffness * curvature * curvature * area, 1e-10));
    }
}

TEST_CASE(
    "Laplacian bending: bad meshes and stiffnesses are named, loose vertices and edges of three triangles have no "
    "term") {
    const std::vector<Vec3> rest{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    LaplacianBending bending;
    const auto message = [&](const std::vector<Triangle>& triangles, double stiffness) -> std::string {
        try {
            append_laplacian_bending(bending, rest, triangles, stiffness, 0, "sheet");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message({{0, 1, 2}, {0, 1, 3}}, 1.0).find("sheet: triangle 1: degenerate") == 0);
    CHECK(message({{0, 1, 4}}, 1.0).find("sheet: triangle 0: vertex 4") == 0);
    for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL})
        CHECK(message({{0, 1, 2}}, bad).find("sheet: bending stiffness") == 0);
    CHECK(bending.size() == 0);
    // A closed tetrahedron has inner vertices only; a fin on one of its edges takes two of them, and adds a boundary
    // vertex.
    const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 2, 2}, {5, 5, 5}};
    std::vector<Triangle> triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    append_laplacian_bending(bending, corners, triangles, 1.0);
    CHECK(bending.size() == 4);
    LaplacianBending with_fin;
    triangles.push_back({1, 2, 4});
    append_laplacian_bending(with_fin, corners, triangles, 1.0);
    CHECK(with_fin.size() == 2);
}

TEST_CASE("Laplacian bending: as a sum over pairs of vertices it is the same energy, with the same derivatives") {
    std::mt19937_64 generator(6);
    for (int n = 2; n <= 6; ++n) {
        CAPTURE(n);
        const SmallSheet sheet = irregular_sheet(n, 0.7, generator);
        const auto vertices = static_cast<Index>(sheet.rest.size());
        LaplacianBending bending;
        append_laplacian_bending(bending, sheet.rest, sheet.triangles, 2e-3, 5);
        IsometricBending pairs;
        // Of a sheet before; its terms stay.
        pairs.vertices.push_back({0, 1, 2, 3});
        pairs.coefficients.emplace_back(1.0, 1.0, -1.0, -1.0);
        pairs.stiffness.push_back(0.0);
        const std::size_t count = append_as_edges(bending, vertices + 5, pairs);
        CHECK(pairs.size() == count + 1);
        const VecX x = random_positions(generator, sheet.rest.size() + 5);
        const Eigen::MatrixXd matrix = laplacian_bending_matrix(bending, vertices + 5);
        CHECK(isometric_energy(pairs, x) == relative(laplacian_bending_energy(bending, x), 1e-12));
        std::vector<Vec12> gradients;
        isometric_gradients(pairs, x, gradients);
        std::vector<Mat12> hessians;
        isometric_hessians(pairs, hessians);
        VecX gradient = VecX::Zero(x.size());
        Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(vertices + 5, vertices + 5);
        for (std::size_t h = 0; h < pairs.size(); ++h) {
            for (int a = 0; a < 4; ++a) {
                const Index v = pairs.vertices[h][static_cast<std::size_t>(a)];
                if (v < 0) {
                    CHECK(gradients[h].segment<3>(3 * a).isZero(0.0));
                    CHECK(hessians[h].middleRows<3>(3 * a).isZero(0.0));
                    continue;
                }
                gradient.segment<3>(3 * v) += gradients[h].segment<3>(3 * a);
                for (int b = 0; b < 4; ++b) {
                    const Index w = pairs.vertices[h][static_cast<std::size_t>(b)];
                    if (w >= 0) hessian(v, w) += hessians[h](3 * a, 3 * b);
                }
            }
        }
        VecX expected(x.size());
        for (int axis = 0; axis < 3; ++axis) {
            const Eigen::Map<const VecX, 0, Eigen::InnerStride<3>> component(x.data() + axis, vertices + 5);
            Eigen::Map<VecX, 0, Eigen::InnerStride<3>>(expected.data() + axis, vertices + 5) = matrix * component;
        }
        CHECK((gradient - expected).norm() <= 1e-12 * expected.norm());
        CHECK((hessian - matrix).norm() <= 1e-13 * matrix.norm());
    }
}

TEST_CASE("Laplacian bending: same bits for any number of threads") {
    std::mt19937_64 generator(6);
    const SmallSheet sheet = irregular_sheet(40, 1.0, generator);
    LaplacianBending bending;
    append_laplacian_bending(bending, sheet.rest, sheet.triangles, 1.0);
    const VecX x = random_positions(generator, sheet.rest.size());
    const auto energy_on = [&](int threads) {
        set_thread_count(threads);
        const double energy = laplacian_bending_energy(bending, x);
        set_thread_count(0);
        return std::bit_cast<std::uint64_t>(energy);
    };
    CHECK(energy_on(1) == energy_on(2));
    CHECK(energy_on(1) == energy_on(5));
}
