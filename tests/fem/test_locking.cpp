// Small bending of beams, against the table of docs/physics/elasticity.md: linear tets lock, quadratic ones do not.
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/quadratic_shape.hpp"
#include "stiction/fem/tet10_elasticity.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <doctest/doctest.h>

#include <map>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A grid of cells, each of six tets around its diagonal, over [0, 1]^3 mapped to a shape.
template <class Shape>
Mesh grid(const std::array<int, 3>& cells, const Shape& shape) {
    Mesh mesh;
    const auto [nx, ny, nz] = cells;
    const auto id = [&, ny = ny, nz = nz](const std::array<int, 3>& c) {
        return static_cast<Index>((c[0] * (ny + 1) + c[1]) * (nz + 1) + c[2]);
    };
    for (int i = 0; i <= nx; ++i)
        for (int j = 0; j <= ny; ++j)
            for (int k = 0; k <= nz; ++k)
                mesh.vertices.push_back(shape(Vec3(double(i) / nx, double(j) / ny, double(k) / nz)));
    constexpr std::size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 0; i < nx; ++i) {
        for (int j = 0; j < ny; ++j) {
            for (int k = 0; k < nz; ++k) {
                for (std::size_t n = 0; n < 6; ++n) {
                    std::array<int, 3> corner{i, j, k};
                    Tet tet{id(corner)};
                    for (std::size_t step = 0; step < 3; ++step) {
                        ++corner[orders[n][step]];
                        tet[step + 1] = id(corner);
                    }
                    if (n == 1 || n == 2 || n == 5) std::swap(tet[2], tet[3]);
                    mesh.tets.push_back(tet);
                }
            }
        }
    }
    return mesh;
}

struct Problem {
    Mesh mesh;
    std::vector<char> held;  ///< of every coordinate
    VecX load;
};

/// u of K u = load with the elastic Hessian at rest, small strains.
template <class Elements, class Element, class Matrix>
VecX solve(const Problem& problem, const std::vector<Element>& tets, double nu) {
    Elements elements;
    append_tets(elements, problem.mesh.vertices, tets, lame_parameters(1.0, nu));
    VecX x(3 * static_cast<Eigen::Index>(problem.mesh.vertices.size()));
    for (std::size_t v = 0; v < problem.mesh.vertices.size(); ++v)
        x.segment<3>(3 * static_cast<Eigen::Index>(v)) = problem.mesh.vertices[v];
    std::vector<Matrix> local;
    element_hessians(elements, x, false, local);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t e = 0; e < tets.size(); ++e) {
        for (std::size_t a = 0; a < 3 * tets[e].size(); ++a) {
            for (std::size_t b = 0; b < 3 * tets[e].size(); ++b) {
                const auto row = 3 * tets[e][a / 3] + static_cast<Index>(a % 3),
                           column = 3 * tets[e][b / 3] + static_cast<Index>(b % 3);
                if (row < column || problem.held[at(row)] || problem.held[at(column)]) continue;
                entries.emplace_back(row, column, local[e](static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
            }
        }
    }
    VecX load = problem.load;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        if (!problem.held[static_cast<std::size_t>(i)]) continue;
        entries.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
        load[i] = 0.0;
    }
    Eigen::SparseMatrix<double> K(x.size(), x.size());
    K.setFromTriplets(entries.begin(), entries.end());
    return Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower>(K).solve(load);
}

VecX solve(const Problem& problem, double nu) {
    if (problem.mesh.mid_nodes.empty()) return solve<TetElements, Tet, Mat12>(problem, problem.mesh.tets, nu);
    std::vector<Tet10> tets;
    for (std::size_t t = 0; t < problem.mesh.tets.size(); ++t) tets.push_back(tet10(problem.mesh, t));
    return solve<Tet10Elements, Tet10, Mat30>(problem, tets, nu);
}

/// The traction on faces whose corners all pass `loaded`, as each order of elements carries it.
template <class Loaded>
VecX traction(const Mesh& mesh, const Vec3& per_area, const Loaded& loaded) {
    VecX load = VecX::Zero(3 * static_cast<Eigen::Index>(mesh.vertices.size()));
    const auto middles = middles_of_edges(mesh);
    for (const Triangle& face : boundary_triangles(mesh.tets)) {
        const Vec3 &a = mesh.vertices[at(face[0])], &b = mesh.vertices[at(face[1])], &c = mesh.vertices[at(face[2])];
        if (!loaded(a) || !loaded(b) || !loaded(c)) continue;
        const Vec3 third = 0.5 * (b - a).cross(c - a).norm() / 3.0 * per_area;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax(face[k], face[(k + 1) % 3]);
            const Index node = middles.empty() ? face[k] : middles.at({low, high});
            load.segment<3>(3 * node) += third;
        }
    }
    return load;
}

/// A beam 8 x 1 x 1 clamped at x = 0, pulled down at its end: mean deflection there.
double cantilever(int order, int high, double nu) {
    Problem problem;
    problem.mesh = grid({8 * high, high, high}, [](const Vec3& u) { return Vec3(8.0 * u[0], u[1], u[2]); });
    if (order == 2) add_mid_nodes(problem.mesh);
    for (const Vec3& vertex : problem.mesh.vertices) problem.held.insert(problem.held.end(), 3, vertex[0] == 0.0);
    problem.load = traction(problem.mesh, Vec3(0.0, 1e-3, 0.0), [](const Vec3& x) { return x[0] == 8.0; });
    return solve(problem, nu).dot(problem.load) / 1e-3;
}

/// Cook's membrane in plane strain, a slab one cell thick: deflection of the upper corner.
double cook(int order, int cells, double nu) {
    Problem problem;
    problem.mesh = grid({cells, cells, 1}, [&](const Vec3& u) {
        const double x = 48.0 * u[0], low = 44.0 * u[0], high = 44.0 + 16.0 * u[0];
        return Vec3(x, low + u[1] * (high - low), 48.0 / cells * u[2]);
    });
    if (order == 2) add_mid_nodes(problem.mesh);
    for (const Vec3& vertex : problem.mesh.vertices) {
        problem.held.insert(problem.held.end(), 2, vertex[0] == 0.0);
        problem.held.push_back(true);
    }
    problem.load = traction(problem.mesh, Vec3(0.0, 1.0 / 16.0, 0.0), [](const Vec3& x) { return x[0] == 48.0; });
    const VecX u = solve(problem, nu);
    for (std::size_t v = 0; v < problem.mesh.vertices.size(); ++v)
        if ((problem.mesh.vertices[v] - Vec3(48.0, 60.0, 0.0)).norm() < 1e-9)
            return u[3 * static_cast<Eigen::Index>(v) + 1];
    return 0.0;
}

/// A displacement of third degree, its gradient, and the force per volume that holds it.
struct Smooth {
    LameParameters lame;
    static Vec3 value(const Vec3& x) {
        return {x[0] * x[0] * x[1] + x[2] * x[2] * x[2], x[1] * x[1] * x[2] - x[0] * x[1] * x[2], x[0] * x[2] * x[2]};
    }
    static Mat3 gradient(const Vec3& x) {
        return (Mat3() << 2.0 * x[0] * x[1], x[0] * x[0], 3.0 * x[2] * x[2],               //
                -x[1] * x[2], 2.0 * x[1] * x[2] - x[0] * x[2], x[1] * x[1] - x[0] * x[1],  //
                x[2] * x[2], 0.0, 2.0 * x[0] * x[2])
            .finished();
    }
    /// -(mu laplacian u + (lambda + mu) grad div u); div u = 2 x y + 2 y z + x z.
    Vec3 force(const Vec3& x) const {
        const Vec3 laplacian(2.0 * x[1] + 6.0 * x[2], 2.0 * x[2], 2.0 * x[0]);
        const Vec3 slope(2.0 * x[1] + x[2], 2.0 * x[0] + 2.0 * x[2], 2.0 * x[1] + x[0]);
        return -(lame.mu * laplacian + (lame.lambda + lame.mu) * slope);
    }
};

/// Errors of the displacement (root of its squared integral) and of the strain energy (the energy of the error).
std::pair<double, double> smooth_errors(int cells, double nu) {
    const Smooth smooth{lame_parameters(1.0, nu)};
    Problem problem;
    problem.mesh = grid({cells, cells, cells}, [](const Vec3& u) { return u; });
    add_mid_nodes(problem.mesh);
    VecX exact(3 * static_cast<Eigen::Index>(problem.mesh.vertices.size()));
    for (std::size_t v = 0; v < problem.mesh.vertices.size(); ++v) {
        const Vec3& x = problem.mesh.vertices[v];
        const bool outer = x.minCoeff() == 0.0 || x.maxCoeff() == 1.0;
        problem.held.insert(problem.held.end(), 3, outer);
        exact.segment<3>(3 * static_cast<Eigen::Index>(v)) = outer ? Smooth::value(x) : Vec3::Zero();
    }
    Tet10Elements elements;
    std::vector<Tet10> tets;
    for (std::size_t t = 0; t < problem.mesh.tets.size(); ++t) tets.push_back(tet10(problem.mesh, t));
    append_tets(elements, problem.mesh.vertices, tets, smooth.lame);
    const auto at_points = [&](const auto& visit) {  // visit(element, its point, place, volume)
        for (std::size_t e = 0; e < tets.size(); ++e) {
            NodePositions nodes;
            for (int a = 0; a < 10; ++a) nodes.col(a) = problem.mesh.vertices[at(tets[e][static_cast<std::size_t>(a)])];
            const Mat3 jacobian = nodes * quadratic_gradients({0.25, 0.25, 0.25, 0.25}).transpose();
            for (const auto& [point, weight] : mass_points()) {
                const auto shapes = quadratic_shapes(point);
                const Vec3 place = nodes * Eigen::Map<const Eigen::Matrix<double, 10, 1>>(shapes.data());
                const Tet10Elements::Gradients slopes = jacobian.inverse().transpose() * quadratic_gradients(point);
                visit(tets[e], shapes, slopes, place, weight * elements.volume[e]);
            }
        }
    };
    problem.load = VecX::Zero(exact.size());
    at_points([&](const Tet10& nodes, const auto& shapes, const auto&, const Vec3& place, double volume) {
        for (std::size_t a = 0; a < 10; ++a)
            problem.load.segment<3>(3 * nodes[a]) += volume * shapes[a] * smooth.force(place);
    });
    VecX rest(exact.size());
    for (std::size_t v = 0; v < problem.mesh.vertices.size(); ++v)
        rest.segment<3>(3 * static_cast<Eigen::Index>(v)) = problem.mesh.vertices[v];
    std::vector<Mat30> local;
    element_hessians(elements, rest, false, local);
    for (std::size_t e = 0; e < tets.size(); ++e) {  // the held values, on the other side
        for (std::size_t a = 0; a < 10; ++a)
            for (std::size_t b = 0; b < 10; ++b)
                problem.load.segment<3>(3 * tets[e][a]) -=
                    local[e].block<3, 3>(3 * static_cast<int>(a), 3 * static_cast<int>(b)) *
                    exact.segment<3>(3 * tets[e][b]);
    }
    const VecX u = solve(problem, nu) + exact;
    double displacement = 0.0, energy = 0.0;
    at_points([&](const Tet10& nodes, const auto& shapes, const auto& slopes, const Vec3& place, double volume) {
        Vec3 value = -Smooth::value(place);
        Mat3 gradient = -Smooth::gradient(place);
        for (std::size_t a = 0; a < 10; ++a) {
            value += shapes[a] * u.segment<3>(3 * nodes[a]);
            gradient += u.segment<3>(3 * nodes[a]) * slopes.col(static_cast<int>(a)).transpose();
        }
        const Mat3 strain = 0.5 * (gradient + gradient.transpose());
        displacement += volume * value.squaredNorm();
        energy += volume *
                  (smooth.lame.mu * strain.squaredNorm() + 0.5 * smooth.lame.lambda * strain.trace() * strain.trace());
    });
    return {std::sqrt(displacement), energy};
}

}  // namespace

TEST_CASE("locking: the bend of a cantilever against the converged one, linear and quadratic") {
    // Of 8 x 1 x 1, four linear cells high or two quadratic ones: 2400 unknowns each. The converged deflection is that
    // of quadratic tets with four cells, which itself is short by about 0.4 % at nu 0.499.
    const std::map<double, std::array<double, 2>> table{
        {0.3, {0.793, 0.996}}, {0.45, {0.609, 0.985}}, {0.49, {0.297, 0.972}}, {0.499, {0.060, 0.964}}};
    for (const auto& [nu, expected] : table) {
        CAPTURE(nu);
        const double converged = cantilever(2, 4, nu);
        CHECK(std::abs(cantilever(1, 4, nu) / converged - expected[0]) < 0.005);
        const double quadratic = cantilever(2, 2, nu) / converged;
        CHECK(std::abs(quadratic / expected[1] - 1.0) < 0.01);
        CHECK(quadratic > 0.96);
    }
}

TEST_CASE("locking: Cook's membrane in plane strain against the converged deflection") {
    // 16 x 16 linear cells or 8 x 8 quadratic ones, a slab one cell thick; converged: 32 x 32 quadratic ones.
    const std::map<double, std::array<double, 2>> table{
        {0.3, {0.879, 0.987}}, {0.45, {0.777, 0.975}}, {0.49, {0.560, 0.959}}, {0.499, {0.336, 0.939}}};
    for (const auto& [nu, expected] : table) {
        CAPTURE(nu);
        const double converged = cook(2, 32, nu);
        CHECK(std::abs(cook(1, 16, nu) / converged - expected[0]) < 0.005);
        CHECK(std::abs(cook(2, 8, nu) / converged / expected[1] - 1.0) < 0.01);
    }
}

TEST_CASE("quadratic tets converge: displacement with the third power of the size, energy with the fourth") {
    for (const double nu : {0.3, 0.49}) {
        CAPTURE(nu);
        const auto [displacement, energy] = smooth_errors(4, nu);
        const auto [finer, finer_energy] = smooth_errors(8, nu);
        CHECK(std::log2(displacement / finer) == relative(3.0, 0.07));
        CHECK(std::log2(energy / finer_energy) == relative(4.0, 0.05));
    }
}
