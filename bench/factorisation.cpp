// Times the sparse factorisation on linear elasticity: implicit Euler matrix M / h^2 + K of a unit cube of n^3 nodes,
// Kuhn-divided.
//   factorisation [--repeat R] [N...]     nodes along an edge, default 17 27 (5K and 20K nodes)
#include "stiction/base/timer.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/element_scatter.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <numeric>
#include <string>

using namespace stiction;

namespace {

struct Cube {
    std::vector<Vec3> nodes;
    std::vector<Tet> tets;
};

Cube kuhn_cube(Index n) {
    Cube cube;
    const auto number = [n](const std::array<Index, 3>& at) { return at[0] + n * (at[1] + n * at[2]); };
    const std::array<std::array<std::size_t, 3>, 6> paths{
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    for (Index z = 0; z < n; ++z) {
        for (Index y = 0; y < n; ++y) {
            for (Index x = 0; x < n; ++x) {
                cube.nodes.push_back(Vec3(x, y, z) / (n - 1));
                if (x + 1 == n || y + 1 == n || z + 1 == n) continue;
                for (const auto& path : paths) {  // a tet is a monotone walk along the cell's edges
                    std::array<Index, 3> at{x, y, z};
                    Tet tet{number(at), 0, 0, 0};
                    for (std::size_t k = 0; k < 3; ++k) {
                        ++at[path[k]];
                        tet[k + 1] = number(at);
                    }
                    cube.tets.push_back(tet);
                }
            }
        }
    }
    return cube;
}

/// Stiffness of a linear tet: block (a, b) = V (lambda g_a g_b^T + mu g_b g_a^T + mu g_a . g_b I), g the gradients of
/// the shape functions.
Mat12 stiffness(const Cube& cube, const Tet& tet, double lambda, double mu) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k) {
        edges.col(k) = cube.nodes[tet[k + 1]] - cube.nodes[tet[0]];
    }
    const double volume = std::abs(edges.determinant()) / 6;
    Eigen::Matrix<double, 3, 4> gradients;
    gradients.rightCols<3>() = edges.inverse().transpose();
    gradients.col(0) = -gradients.rightCols<3>().rowwise().sum();
    Mat12 k;
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            const Vec3 ga = gradients.col(a), gb = gradients.col(b);
            k.block<3, 3>(3 * a, 3 * b) =
                volume * (lambda * ga * gb.transpose() + mu * gb * ga.transpose() + mu * ga.dot(gb) * Mat3::Identity());
        }
    }
    return k;
}

void run(Index n, int repeats) {
    constexpr double youngs_modulus = 1e5, poisson_ratio = 0.4, density = 1000.0, h = 0.01;
    const double mu = youngs_modulus / (2 * (1 + poisson_ratio));
    const double lambda = youngs_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
    const Cube cube = kuhn_cube(n);
    std::vector<Mat12> hessians;
    for (const Tet& tet : cube.tets) hessians.push_back(stiffness(cube, tet, lambda, mu));

    BlockSystem system;
    const auto timed = [](const auto& body) {
        const double start = now_seconds();
        body();
        return 1e3 * (now_seconds() - start);
    };
    ElementScatter scatter;
    const double pattern_ms = timed([&] {
        system.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
        scatter = ElementScatter(system.pattern(), cube.tets);
    });
    const double assemble_ms = timed([&] { scatter.add(hessians, 1.0, system); });
    const double node_mass = density / 24.0 / static_cast<double>((n - 1) * (n - 1) * (n - 1));  // of one tet's share
    for (const Tet& tet : cube.tets) {
        for (const Index node : tet) system.add_diagonal(node, node_mass / (h * h) * Mat3::Identity());
    }

    const VecX b = VecX::LinSpaced(3 * system.nodes(), -1.0, 1.0);
    VecX x, y;
    std::uint64_t first_hash = 0;
    double factor_ms = 0.0, solve_ms = 0.0, multiply_ms = 0.0, residual = 0.0;
    bool same = true;
    for (int r = 0; r < repeats; ++r) {
        const FactorStatistics before = system.statistics();
        if (!system.factorize()) {
            fmt::print("{}^3: {}\n", n, system.failure());
            return;
        }
        system.solve(b, x);
        const double factor = system.statistics().factor_ms - before.factor_ms,
                     solve = system.statistics().solve_ms - before.solve_ms;
        const double multiply = timed([&] { system.multiply(x, y); });
        factor_ms = r == 0 ? factor : std::min(factor_ms, factor);
        solve_ms = r == 0 ? solve : std::min(solve_ms, solve);
        multiply_ms = r == 0 ? multiply : std::min(multiply_ms, multiply);
        residual = (b - y).norm() / b.norm();
        const std::uint64_t hash = std::accumulate(
            x.begin(), x.end(), std::uint64_t{14695981039346656037u}, [](std::uint64_t sum, double value) {
                return (sum ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211u;
            });
        if (r == 0) first_hash = hash;
        same = same && hash == first_hash;
    }
    const FactorStatistics& statistics = system.statistics();
    fmt::print(
        "{:>3}^3 = {:>6} nodes, {:>7} tets, L {:.1f}M entries: pattern {:.1f}, assemble {:.1f}, analyse {:.0f}, factor "
        "{:.0f}, solve {:.1f}, "
        "multiply {:.1f} ms (best of {}); residual {:.1e}; bits {:016x}{}\n",
        n, system.nodes(), cube.tets.size(), 1e-6 * statistics.nonzeros, pattern_ms, assemble_ms, statistics.analyze_ms,
        factor_ms, solve_ms, multiply_ms, repeats, residual, first_hash, same ? "" : " DIFFER BETWEEN REPEATS");
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<Index> sizes;
    int repeats = 3;
    for (int k = 1; k < argc; ++k) {
        if (std::string(argv[k]) == "--repeat" && k + 1 < argc) {
            repeats = std::max(1, std::atoi(argv[++k]));
        } else if (const int n = std::atoi(argv[k]); n >= 2) {
            sizes.push_back(n);
        } else {
            fmt::print(stderr, "usage: factorisation [--repeat R] [N...]   (N >= 2 nodes along an edge)\n");
            return 1;
        }
    }
    if (sizes.empty()) sizes = {17, 27};
    use_one_blas_thread();
    const BlasInfo blas = loaded_blas();
    fmt::print("{}\n{} ({} thread)\n{}", factorisation_name(), blas.name, blas.threads,
               blas_warning().empty() ? "" : blas_warning() + "\n");
    for (const Index n : sizes) run(n, repeats);
    return 0;
}
