// Times the sparse Cholesky factorisations on linear elasticity: implicit Euler matrix M / h^2 + K of a Kuhn-divided
// grid of about N nodes, a cube, a bar (8 times as long as wide) or a mat (4 nodes thick). `factorisation --help` lists
// the options. Prints the rows of a table.
#ifdef STICTION_WITH_CHOLMOD
#include "cholmod_cholesky.hpp"
#endif
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/ordering.hpp"

#include <CLI/CLI.hpp>
#include <Eigen/LU>
#include <fmt/format.h>
#include <malloc.h>

#include <bit>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>

using namespace stiction;

namespace {

struct Grid {
    std::vector<Vec3> nodes;  // unit distances
    std::vector<Tet> tets;
};

Grid kuhn_grid(const std::array<Index, 3>& size) {
    Grid grid;
    const auto number = [&](const std::array<Index, 3>& at) { return at[0] + size[0] * (at[1] + size[1] * at[2]); };
    const std::array<std::array<std::size_t, 3>, 6> paths{
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    for (Index z = 0; z < size[2]; ++z) {
        for (Index y = 0; y < size[1]; ++y) {
            for (Index x = 0; x < size[0]; ++x) {
                grid.nodes.push_back(Vec3(x, y, z));
                if (x + 1 == size[0] || y + 1 == size[1] || z + 1 == size[2]) continue;
                for (const auto& path : paths) {  // a tet is a monotone walk along the cell's edges
                    std::array<Index, 3> at{x, y, z};
                    Tet tet{number(at), 0, 0, 0};
                    for (std::size_t k = 0; k < 3; ++k) {
                        ++at[path[k]];
                        tet[k + 1] = number(at);
                    }
                    grid.tets.push_back(tet);
                }
            }
        }
    }
    return grid;
}

Grid make_grid(const std::string& shape, double nodes) {
    const auto rounded = [](double value) { return std::max(Index{2}, static_cast<Index>(std::lround(value))); };
    if (shape == "cube") {
        const Index n = rounded(std::cbrt(nodes));
        return kuhn_grid({n, n, n});
    }
    if (shape == "bar") {
        const Index n = rounded(std::cbrt(nodes / 8));
        return kuhn_grid({n, n, 8 * n});
    }
    const Index n = rounded(std::sqrt(nodes / 4));
    return kuhn_grid({n, n, 4});
}

/// Stiffness of a linear tet: block (a, b) = V (lambda g_a g_b^T + mu g_b g_a^T + mu g_a . g_b I), g the gradients of
/// the shape functions.
Mat12 stiffness(const Grid& grid, const Tet& tet, double lambda, double mu) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k) {
        edges.col(k) = grid.nodes[tet[k + 1]] - grid.nodes[tet[0]];
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

/// M / h^2 + K of a body of nodes 1 cm apart.
void assemble(const Grid& grid, BlockSystem& system) {
    constexpr double youngs_modulus = 1e5, poisson_ratio = 0.4, density = 1000.0, h = 0.01, spacing = 0.01;
    const double mu = youngs_modulus / (2 * (1 + poisson_ratio));
    const double lambda = youngs_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
    std::vector<Mat12> hessians;
    for (const Tet& tet : grid.tets) hessians.push_back(spacing * stiffness(grid, tet, lambda, mu));
    system.set_pattern(static_cast<Index>(grid.nodes.size()), element_pairs(grid.tets));
    ElementScatter(system.pattern(), grid.tets).add(hessians, 1.0, system);
    const double node_mass = density / 24.0 * spacing * spacing * spacing;  // of one tet's share
    for (const Tet& tet : grid.tets) {
        for (const Index node : tet) system.add_diagonal(node, node_mass / (h * h) * Mat3::Identity());
    }
}

/// "VmRSS" (now) or "VmHWM" (the most so far) in MiB; 0 where the system does not tell.
double resident_mib(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name)) return std::stod(line.substr(name.size() + 1)) / 1024;
    }
    return 0.0;
}

void forget_peak() {
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
}

std::uint64_t hash_of(const VecX& x) {
    return std::accumulate(
        x.begin(), x.end(), std::uint64_t{14695981039346656037u},
        [](std::uint64_t sum, double value) { return (sum ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211u; });
}

double milliseconds(const auto& body) {
    const double start = now_seconds();
    body();
    return 1e3 * (now_seconds() - start);
}

struct Code {
    std::string name;
    std::function<std::unique_ptr<SparseFactor>()> make = [] { return make_cholesky(); };
    Precision precision = Precision::full;
};

/// By the names of the command line.
std::map<std::string, Code> all_codes() {
    std::map<std::string, Code> codes{
        {"own", {.name = "multifrontal Cholesky (Apache-2.0), METIS ordering"}},
        {"single", {.name = "the same in single precision", .precision = Precision::single}}};
#ifdef STICTION_WITH_CHOLMOD
    codes["cholmod"] = {.name = cholmod_name(), .make = make_cholmod_cholesky};
#endif
    return codes;
}

/// One row: the best of `repeats` of each time, the most memory at any time beyond what the matrix takes.
void run(const BlockSystem& system, const std::vector<Index>& order, const Code& code, const std::string& label,
         int repeats) {
    forget_peak();
    const double before = resident_mib("VmRSS");
    const auto factor = code.make();
    const VecX b = VecX::LinSpaced(3 * system.nodes(), -1.0, 1.0);
    VecX x, y;
    double analyze = 1e300, factorize = 1e300, processor = 1e300, solve = 1e300;
    for (int r = 0; r < repeats; ++r) {
        bool works = true;
        if (r == 0)
            analyze = std::min(analyze, milliseconds([&] { works = factor->analyze(*system.pattern(), order); }));
        const std::clock_t start = std::clock();
        if (works)
            factorize = std::min(factorize, milliseconds([&] {
                                     works = factor->factorize(*system.pattern(), system.values(), code.precision);
                                 }));
        processor = std::min(processor, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        if (!works) {
            fmt::print("{} {}\n", label, factor->failure());
            return;
        }
        solve = std::min(solve, milliseconds([&] { factor->solve(b, x); }));
    }
    const double memory = resident_mib("VmHWM") - before;
    system.multiply(x, y);
    fmt::print("{} {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} | {:.0f} | {:.1e} | {:016x} |\n", label,
               1e-6 * factor->factor_nonzeros(), analyze, factorize, processor, solve, memory,
               (b - y).norm() / b.norm(), hash_of(x));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, Code> codes = all_codes();
    std::vector<double> sizes{5000, 20000};
    std::vector<std::string> shapes{"cube"}, names{"own"};
    std::vector<int> threads{1, 2};
    int repeats = 3;
    CLI::App app{"Times sparse Cholesky factorisations on grids of linear tets"};
    app.add_option("nodes", sizes, "about how many nodes, one or several")->check(CLI::Range(8.0, 1e7));
    app.add_option("--shape", shapes, "cube, bar, mat")->delimiter(',')->check(CLI::IsMember({"cube", "bar", "mat"}));
    app.add_option("--code", names, "own, single (own in single precision), cholmod (with STICTION_BENCH_CHOLMOD)")
        ->delimiter(',')
        ->check(CLI::IsMember(codes));
    app.add_option("--threads", threads, "numbers of threads")->delimiter(',');
    app.add_option("--repeat", repeats, "the best of how many")->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    use_one_blas_thread();
    fmt::print("{}\n{}", loaded_blas().name, blas_warning().empty() ? "" : blas_warning() + "\n");
    for (const auto& name : names) fmt::print("{}: {}\n", name, codes.at(name).name);
    fmt::print(
        "| body | nodes | code | threads | L, M entries | analysis, ms | factor, ms | processor, ms | solve, ms "
        "| memory, MiB | residual | bits |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const auto& shape : shapes) {
        for (const double size : sizes) {
            BlockSystem system;
            assemble(make_grid(shape, size), system);
            const std::vector<Index> order = nested_dissection(*system.pattern());
            for (const auto& name : names) {
                for (const int count : threads) {
                    set_thread_count(count);
                    run(system, order, codes.at(name),
                        fmt::format("| {} | {} | {} | {} |", shape, system.nodes(), name, count), repeats);
                }
            }
        }
    }
    return 0;
}
