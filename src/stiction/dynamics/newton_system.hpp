// The linear system of a Newton iteration, and how it is solved.
#pragma once

#include "stiction/linalg/block_system.hpp"
#include "stiction/linalg/low_rank_update.hpp"
#include "stiction/linalg/multigrid/multigrid.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace stiction {

/// How a NewtonSystem is solved.
enum class SystemSolver {
    automatic,  ///< multigrid where the factor of the elements alone would cost more, else mixed
    direct,     ///< sparse Cholesky
    mixed,      ///< conjugate gradients with a sparse Cholesky factor in single precision; `direct` for few nodes
    multigrid,  ///< conjugate gradients with a Multigrid as preconditioner
};

/// Names of scenes, in the order of the enumerators; `auto` is the first.
const std::vector<std::string>& system_solver_names();
/// Throws InternalError for any other name.
SystemSolver system_solver_from_name(const std::string& name);

/// What a solver is chosen by.
struct SystemSize {
    Index nodes = 0;
    /// Work of a factor of the elements alone, beside a product with the matrix; asked for where it decides.
    std::function<double()> factor_work = {};
};

/// A sparse symmetric matrix with rank-one terms, and its solution: by a factor in double or single precision, or by
/// conjugate gradients with a multigrid cycle. Where a solver fails that is not exact, a safer one takes over.
class NewtonSystem {
public:
    BlockSystem& sparse() { return sparse_; }
    const BlockSystem& sparse() const { return sparse_; }
    LowRankUpdate& rank_one() { return rank_one_; }
    const LowRankUpdate& rank_one() const { return rank_one_; }

    /// Takes a solver, direct at first. `automatic` looks at counts alone.
    /// @param max_cg_iterations  of one solve by multigrid, after which a factor takes over; `automatic` makes it fewer
    ///                           where the factor would take less time
    void choose(SystemSolver wanted, const SystemSize& size, int max_cg_iterations);
    /// `direct`, `mixed` or `multigrid`.
    SystemSolver solver() const { return solver_; }
    /// Whether this solver was given up since choose(), because conjugate gradients reached their iteration limit or
    /// the matrix was positive definite in double precision alone.
    bool gave_up(SystemSolver solver) const { return gave_up_[static_cast<std::size_t>(solver)]; }
    /// Is called before each factorisation of the sparse part, to give it an elimination order.
    void set_order(std::function<void()> order) { order_ = std::move(order); }
    /// Positions of the nodes (m) that multigrid makes its rigid-body modes from at the next factorisation.
    void set_positions(VecX x) { node_positions_ = std::move(x); }
    /// Iterations of all solves by conjugate gradients so far.
    long cg_iterations() const { return cg_iterations_; }

    /// x = A^-1 b; false when A is not positive definite. Conjugate gradients leave an error of `cg_tolerance` of x,
    /// both in the norm of the preconditioner. At their iteration limit a factor takes over from multigrid, double
    /// precision from single.
    bool solve(const VecX& b, VecX& x);
    /// Factors the present values, or makes their multigrid hierarchy; false when they are not positive definite. In
    /// single precision that is for the direct solver to say.
    bool factorize();
    /// z = A^-1 r with the last factor, in its precision, or one multigrid cycle.
    void apply_factor(const VecX& r, VecX& z);
    /// The x that minimises x . A x / 2 - b . x for the present values of A, which need not be positive definite, by a
    /// few conjugate gradients preconditioned with the factor of the last solve(). With a factor they begin at 0. With
    /// multigrid they begin along x, the solution of that solve with the same b: where A curves too little along it, it
    /// is the result.
    void refine(const VecX& b, VecX& x);
    /// Why the last solve() failed.
    const std::string& failure() const;

private:
    bool uses_multigrid() const { return solver_ == SystemSolver::multigrid; }
    bool factorize_sparse();
    bool factorize_rank_one();
    /// Goes on with a slower and safer solver until choose(), and factors with it. Where that one fails, too, it is the
    /// matrix, and the solver stays.
    bool fall_back();
    /// @return whether it converged
    bool solve_by_cg(const VecX& b, VecX& x);
    /// The inverse of the sparse part, or its approximation.
    void apply_sparse(const VecX& b, VecX& x);

    BlockSystem sparse_;
    LowRankUpdate rank_one_, factored_rank_one_;  ///< of the matrix, and of its last factor
    std::function<void()> order_;
    SystemSolver solver_ = SystemSolver::direct;         ///< the present one
    SystemSolver factor_solver_ = SystemSolver::direct;  ///< `mixed` or `direct`, for this number of nodes
    std::array<bool, 4> gave_up_{};                      ///< by solver
    int max_cg_iterations_ = 0;
    Multigrid multigrid_;
    VecX node_positions_;
    long cg_iterations_ = 0;
    std::string cg_failure_;
};

}  // namespace stiction
