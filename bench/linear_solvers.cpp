// Direct solver, multigrid and block-Jacobi conjugate gradients on matrices of contact-rich Newton iterations
// (docs/large_scale.md).
//
//   linear_solvers blocks|sheets N [--step S] [--iterations K] [--youngs-modulus E] [--time-step H]
//       [--threads T,...] [--direct-steps] [--no-direct]
//       [--jacobi] [--variants all] [--write FILE]
//
// blocks: two cubes of about N vertices in all that slide on each other and on the ground; sheets: eight sheets on each
// other. Runs S - 1 steps of `ipc` and K Newton iterations of step S, and solves the last system with every solver.
// Prints Markdown rows. --write keeps the system: int64 nodes and slots, int32 begins of columns and rows, then
// doubles: values (slot by slot), right-hand side, positions.
#include "stiction/barrier/solve.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/linalg/krylov/truncated_cg.hpp"
#include "stiction/linalg/multigrid/multigrid.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/world_builder.hpp"

#include <CLI/CLI.hpp>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

using namespace stiction;

namespace {

struct Settings {
    std::string scene, write, variants = "multigrid";
    int vertices = 0;
    std::vector<int> threads{2};
    int step = 3, iterations = 1000;
    double tolerance = 1e-4, youngs_modulus = 1e6, h = 0.01;
    bool skip_direct = false, direct_steps = false, jacobi = false;
};

/// M = diagonal blocks.
struct BlockJacobi {
    std::vector<Mat3> inverse;
    explicit BlockJacobi(const BlockSystem& A) {
        for (Index i = 0; i < A.nodes(); ++i) inverse.push_back(A.block(i, i).inverse());
    }
    void apply(const VecX& r, VecX& z) const {
        z.resize(r.size());
        parallel_for(inverse.size(), [&](std::size_t i) {
            const auto first = 3 * static_cast<Eigen::Index>(i);
            z.segment<3>(first) = inverse[i] * r.segment<3>(first);
        });
    }
};

/// A system as Newton met it.
struct Frozen {
    const BlockSystem& system;
    VecX right, positions;
};

void write(const Frozen& frozen, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    const auto put = [&](const auto* data, std::size_t count) {
        file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(*data)));
    };
    const BlockPattern& pattern = *frozen.system.pattern();
    const std::array<std::int64_t, 2> sizes{pattern.nodes, pattern.slots()};
    put(sizes.data(), 2);
    put(pattern.column_begin.data(), pattern.column_begin.size());
    put(pattern.rows.data(), pattern.rows.size());
    put(frozen.system.values()[0].data(), 9 * frozen.system.values().size());
    put(frozen.right.data(), static_cast<std::size_t>(frozen.right.size()));
    put(frozen.positions.data(), static_cast<std::size_t>(frozen.positions.size()));
    if (!file) throw std::runtime_error("cannot write " + path);
}

double megabytes(double bytes) {
    return bytes / 1e6;
}

template <class Preconditioner>
void print_cg(const Settings& settings, const Frozen& frozen, const std::string& name, int threads, double setup,
              double bytes, const Preconditioner& M, const std::string& remark) {
    VecX x, Ax;
    const double start = now_seconds();
    const auto result =
        truncated_conjugate_gradient(frozen.system, [&](const VecX& r, VecX& z) { M.apply(r, z); }, frozen.right, x,
                                     {.tolerance = settings.tolerance, .max_iterations = 3000, .min_curvature = 0.0});
    const double seconds = now_seconds() - start;
    frozen.system.multiply(x, Ax);
    const bool indefinite = result.end == TruncatedCgResult::End::negative_curvature;
    fmt::print("| {} | {} | {}{} | {:.3f} | {:.3f} | {:.0f} | {:.1e} | {} |\n", name, threads, result.iterations,
               indefinite ? " (indefinite)" : "", setup, seconds, megabytes(bytes),
               (frozen.right - Ax).norm() / frozen.right.norm(), remark);
    std::fflush(stdout);
}

void run_multigrid(const Settings& settings, const Frozen& frozen, int threads, const MultigridOptions& options) {
    Multigrid multigrid(options);
    const double start = now_seconds();
    const bool ok = multigrid.set_up(frozen.system, frozen.positions);
    const double setup = now_seconds() - start;
    const std::string name = fmt::format("multigrid, degree {}, range {}, strength {}", options.smoother_degree,
                                         options.smoother_range, options.strength);
    if (!ok) {
        fmt::print("| {} | {} | {} |\n", name, threads, multigrid.failure());
        return;
    }
    const MultigridStatistics& costs = multigrid.statistics();
    print_cg(
        settings, frozen, name, threads, setup, costs.bytes, multigrid,
        fmt::format("levels {}, complexity {:.2f}", fmt::join(costs.level_blocks, " "), costs.operator_complexity));
}

void run_variants(const Settings& settings, const Frozen& frozen, int threads) {
    const MultigridOptions standard;
    for (const int degree : {2, 3}) {
        for (const double strength : {0.0, 0.02, 0.035, 0.05, 0.07}) {
            MultigridOptions options;
            options.smoother_degree = degree;
            options.strength = strength;
            const bool is_standard = degree == standard.smoother_degree && strength == standard.strength;
            if (is_standard || settings.variants == "all") run_multigrid(settings, frozen, threads, options);
        }
    }
}

/// With the factor alone, or with conjugate gradients around one in single precision.
void run_direct(const Settings& settings, const Frozen& frozen, int threads, Precision precision) {
    const BlockPattern& pattern = *frozen.system.pattern();
    std::vector<Edge> pairs;
    for (Index j = 0; j < pattern.nodes; ++j) {
        for (Index s = pattern.column_begin[at(j)]; s < pattern.column_begin[at(j) + 1]; ++s)
            pairs.push_back({pattern.rows[at(s)], j});
    }
    BlockSystem system;
    system.set_pattern(pattern.nodes, pairs);
    for (Index s = 0; s < pattern.slots(); ++s) system.value(s) = frozen.system.values()[at(s)];
    const char* const name = precision == Precision::full ? "direct" : "mixed";
    if (!system.factorize(precision)) {
        fmt::print("| {} | {} | {} |\n", name, threads, system.failure());
        return;
    }
    if (precision == Precision::single) {
        const struct {
            BlockSystem& system;
            void apply(const VecX& r, VecX& z) const { system.solve(r, z); }
        } factor{system};
        return print_cg(settings, frozen, name, threads, 1e-3 * system.statistics().factor_ms,
                        4 * system.statistics().nonzeros, factor, "");
    }
    VecX x, Ax;
    system.solve(frozen.right, x);
    frozen.system.multiply(x, Ax);
    const FactorStatistics& costs = system.statistics();
    fmt::print("| {} | {} | | {:.3f} | {:.3f} | {:.0f} | {:.1e} | analysis {:.3f} s, {:.1f}M entries of L |\n", name,
               threads, 1e-3 * costs.factor_ms, 1e-3 * costs.solve_ms, megabytes(8 * costs.nonzeros),
               (frozen.right - Ax).norm() / frozen.right.norm(), 1e-3 * costs.analyze_ms, 1e-6 * costs.nonzeros);
    std::fflush(stdout);
}

void solve_with_all(const Settings& settings, const Frozen& frozen) {
    fmt::print("\n{}: {} nodes, {} blocks\n\n", settings.scene, frozen.system.nodes(), frozen.system.slots());
    fmt::print(
        "| solver | threads | iterations | set-up (s) | solve (s) | MB | residual | "
        "|\n|---|---|---|---|---|---|---|---|\n");
    for (const int threads : settings.threads) {
        set_thread_count(threads);
        if (!settings.skip_direct) {
            for (const Precision precision : {Precision::full, Precision::single})
                run_direct(settings, frozen, threads, precision);
        }
        run_variants(settings, frozen, threads);
        if (settings.jacobi)
            print_cg(settings, frozen, "block Jacobi", threads, 0.0, 0.0, BlockJacobi(frozen.system), "");
    }
}

/// The nodes' positions.
VecX node_positions(const DofMap& map, const VecX& x) {
    VecX positions = VecX::Zero(3 * static_cast<Eigen::Index>(map.node_count()));
    for (Index vertex = 0; vertex < static_cast<Index>(x.size() / 3); ++vertex) {
        if (const Index node = map.node(vertex); node >= 0)
            positions.segment<3>(3 * static_cast<Eigen::Index>(node)) =
                x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
    }
    return positions;
}

Mesh moved(Mesh mesh, double degrees, const Vec3& by) {
    const Eigen::AngleAxisd turn(degrees * EIGEN_PI / 180.0, Vec3::UnitY());
    for (Vec3& x : mesh.vertices) x = turn * x + by;
    return mesh;
}

/// Two cubes.
void add_blocks(const Settings& settings, WorldBuilder& builder) {
    const int cells = static_cast<int>(std::lround(std::cbrt(settings.vertices / 1.78))) - 1,
              fewer = (9 * cells + 5) / 10;
    const BodyMaterial rubber{MaterialLaw::neo_hookean, settings.youngs_modulus, 0.4, 1000.0};
    builder.add_deformable("lower", moved(generate_box({1, 1, 1}, {cells, cells, cells}), 0.0, {0, 0.5015, 0}), rubber,
                           {0.5, -0.3, 0});
    builder.add_deformable("upper", moved(generate_box({0.8, 0.8, 0.8}, {fewer, fewer, fewer}), 20.0, {0, 1.4035, 0}),
                           rubber, {0, -0.8, 0.5});
}

/// Eight sheets, each turned against the one below.
void add_sheets(const Settings& settings, WorldBuilder& builder) {
    const int cells = static_cast<int>(std::lround(std::sqrt(settings.vertices / 8.0))) - 1;
    ShellMaterial cloth;
    cloth.youngs_modulus = settings.youngs_modulus;
    cloth.areal_density = 0.5;
    for (int k = 0; k < 8; ++k) {
        builder.add_shell(fmt::format("sheet{}", k),
                          moved(generate_cloth(1.0, 1.0, cells, cells), 7.0 * k, {0, 0.0015 + 0.002 * k, 0}), cloth,
                          {0.1 * k, -0.3 * (k + 1), 0});
    }
}

void run(const Settings& settings) {
    const double h = settings.h;
    WorldBuilder builder;
    if (settings.scene == "blocks") {
        add_blocks(settings, builder);
    } else {
        add_sheets(settings, builder);
    }
    builder.add_half_space("ground", Vec3::Zero(), Vec3::UnitY());
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    BarrierOptions options;
    options.linear_solver = settings.direct_steps ? SystemSolver::direct : SystemSolver::multigrid;
    BarrierWorkspace workspace(world, options);
    for (int step = 1;; ++step) {
        const bool is_last = step == settings.step;
        if (is_last) options.max_iterations = settings.iterations;
        const StepInput input = schedule(world, state, h);
        StageSequence stages(Integrator::backward_euler, state, input);
        StepReport report;
        BarrierSolve solve(world, stages.start(), stages.input(), options, stages.stage(), workspace, report);
        const double start = now_seconds();
        solve.run();
        fmt::print("step {}: {} iterations, {} solves, {} of CG, {} contacts, {:.1f} s, solve {:.1f} s, {}, {} {}\n",
                   step, report.iterations, report.linear_solves, workspace.assembly.newton().cg_iterations(),
                   report.contacts, now_seconds() - start, 1e-3 * report.phases_ms["solve"], report.linear_solver,
                   to_string(report.status), report.cause);
        std::fflush(stdout);
        if (is_last) {
            VecX right;
            const HessianAssembly& assembly = workspace.assembly;
            assembly.map().restrict_gradient(solve.potential().gradient(solve.x(), solve.contacts()), right);
            const Frozen frozen{assembly.system(), -right, node_positions(assembly.map(), solve.x())};
            if (!settings.write.empty()) write(frozen, settings.write);
            return solve_with_all(settings, frozen);
        }
        stages.finish(solve.x(), AdaptiveStiffness::warm_start_key, solve.warm_start());
        state = stages.end_state();
    }
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("linear solvers on the matrices of contact-rich steps");
    Settings settings;
    app.add_option("SCENE", settings.scene)->required()->check(CLI::IsMember({"blocks", "sheets"}));
    app.add_option("VERTICES", settings.vertices, "about so many")->required();
    app.add_option("--step", settings.step, "step whose system is solved, from 1");
    app.add_option("--iterations", settings.iterations, "Newton iterations of that step");
    app.add_option("--threads", settings.threads, "numbers of threads")->delimiter(',');
    app.add_option("--youngs-modulus", settings.youngs_modulus, "of all bodies (Pa)");
    app.add_option("--time-step", settings.h, "s");
    app.add_option("--tolerance", settings.tolerance, "of conjugate gradients, norm of the preconditioner");
    app.add_option("--variants", settings.variants, "`all` tries many settings of multigrid");
    app.add_option("--write", settings.write, "file that the system is written to");
    app.add_flag("--direct-steps", settings.direct_steps, "run the steps with the direct solver");
    app.add_flag("--no-direct", settings.skip_direct, "leave the direct solver out");
    app.add_flag("--jacobi", settings.jacobi, "block-Jacobi conjugate gradients too");
    CLI11_PARSE(app, argc, argv);
    run(settings);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "linear_solvers: %s\n", error.what());
    return 1;
}
