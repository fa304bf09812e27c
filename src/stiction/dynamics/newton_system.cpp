#include "stiction/dynamics/newton_system.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/linalg/krylov/truncated_cg.hpp"
#include "stiction/linalg/rank_one_product.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

/// Conjugate gradients end at this part of the step, in the norm of the preconditioner, which is close to that of the
/// energy: the decrease of the quadratic model falls short by its square.
constexpr double cg_tolerance = 1e-4;
/// A factor in single precision usually takes one iteration. As many as this take longer than a factor in double.
constexpr int most_mixed_iterations = 8;
/// `mixed` keeps to double precision below so many nodes: a factor is quick there.
constexpr Index min_mixed_nodes = 500;

/// A cycle is a rougher inverse than a factor: as good a direction takes more iterations.
constexpr TruncatedCgOptions refinement_by_multigrid{.tolerance = 0.01, .max_iterations = 60};

/// `automatic` keeps to a factor below so many nodes: there it wins or both are fast.
constexpr Index min_multigrid_nodes = 4000;
/// ... and where the factor's work beside a product with A is less than this. Below `large_nodes` levels and threads
/// count for more than operations: it takes more work there, by the square.
constexpr double min_factor_work = 900.0, large_nodes = 12000.0;
/// A factor takes about as long as multigrid's set-up and an iteration for each so much of its work.
constexpr double work_an_iteration = 36.0;
/// Iterations left at least, and at most, to a solve that `automatic` gave to multigrid.
constexpr double fewest_iterations = 25.0, most_iterations = 500.0;

}  // namespace

const std::vector<std::string>& system_solver_names() {
    static const std::vector<std::string> names{"auto", "direct", "mixed", "multigrid"};
    return names;
}

SystemSolver system_solver_from_name(const std::string& name) {
    return enum_from_name<SystemSolver>(system_solver_names(), name);
}

void NewtonSystem::choose(SystemSolver wanted, const SystemSize& size, int max_cg_iterations) {
    gave_up_ = {};
    max_cg_iterations_ = max_cg_iterations;
    factor_solver_ = size.nodes < min_mixed_nodes ? SystemSolver::direct : SystemSolver::mixed;
    solver_ = wanted == SystemSolver::mixed ? factor_solver_ : wanted;
    if (wanted != SystemSolver::automatic) return;
    const double work = size.nodes < min_multigrid_nodes ? 0.0 : size.factor_work();
    const double small = std::max(1.0, large_nodes / std::max<Index>(size.nodes, 1));
    solver_ = work > small * small * min_factor_work ? SystemSolver::multigrid : factor_solver_;
    // Where the system is so ill conditioned that the factor costs less, the factor takes over.
    const double iterations = std::clamp(work / work_an_iteration, fewest_iterations, most_iterations);
    max_cg_iterations_ = std::min(max_cg_iterations, static_cast<int>(iterations));
}

bool NewtonSystem::solve(const VecX& b, VecX& x) {
    if (!factorize()) return false;
    while (solver_ != SystemSolver::direct && !solve_by_cg(b, x)) {
        if (!cg_failure_.empty() || !fall_back()) return false;
    }
    if (solver_ == SystemSolver::direct) apply_factor(b, x);
    return true;
}

bool NewtonSystem::solve_by_cg(const VecX& b, VecX& x) {
    const TruncatedCgResult result = truncated_conjugate_gradient(
        RankOneProduct<BlockSystem>{sparse_, rank_one_}, [&](const VecX& r, VecX& z) { apply_factor(r, z); }, b, x,
        {.tolerance = cg_tolerance,
         .max_iterations = uses_multigrid() ? max_cg_iterations_ : most_mixed_iterations,
         .min_curvature = 0.0});
    cg_iterations_ += result.iterations;
    // Whether the matrix is positive definite can be told with a hierarchy, but not in single precision.
    if (result.end == TruncatedCgResult::End::negative_curvature && uses_multigrid())
        cg_failure_ = fmt::format("negative curvature in conjugate gradients, iteration {}", result.iterations);
    return result.end == TruncatedCgResult::End::converged;
}

bool NewtonSystem::fall_back() {
    const SystemSolver before = solver_;
    solver_ = uses_multigrid() ? factor_solver_ : SystemSolver::direct;
    const bool is_factored = factorize();
    if (is_factored) {
        gave_up_[static_cast<std::size_t>(before)] = true;
    } else {
        solver_ = before;
    }
    return is_factored;
}

const std::string& NewtonSystem::failure() const {
    if (uses_multigrid() && !multigrid_.failure().empty()) return multigrid_.failure();
    if (uses_multigrid() && !cg_failure_.empty()) return cg_failure_;
    return sparse_.failure().empty() ? factored_rank_one_.failure() : sparse_.failure();
}

bool NewtonSystem::factorize() {
    if (factorize_sparse() && factorize_rank_one()) return true;
    return solver_ == SystemSolver::mixed && fall_back();
}

bool NewtonSystem::factorize_sparse() {
    cg_failure_.clear();
    if (uses_multigrid()) return multigrid_.set_up(sparse_, node_positions_);
    if (order_) order_();
    return sparse_.factorize(solver_ == SystemSolver::mixed ? Precision::single : Precision::full);
}

bool NewtonSystem::factorize_rank_one() {
    factored_rank_one_ = rank_one_;
    return factored_rank_one_.factorize([&](const VecX& b, VecX& x) { apply_sparse(b, x); });
}

void NewtonSystem::apply_sparse(const VecX& b, VecX& x) {
    if (uses_multigrid()) {
        multigrid_.apply(b, x);
    } else {
        sparse_.solve(b, x);
    }
}

void NewtonSystem::apply_factor(const VecX& r, VecX& z) {
    factored_rank_one_.solve([&](const VecX& b, VecX& x) { apply_sparse(b, x); }, r, z);
}

void NewtonSystem::refine(const VecX& b, VecX& x) {
    // One cycle is no solve: the first direction of its own would be worse than the step that is there.
    const VecX solved = x;
    truncated_conjugate_gradient(
        RankOneProduct<BlockSystem>{sparse_, rank_one_}, [&](const VecX& r, VecX& z) { apply_factor(r, z); }, b, x,
        uses_multigrid() ? refinement_by_multigrid : TruncatedCgOptions{}, uses_multigrid() ? &solved : nullptr);
}

}  // namespace stiction
