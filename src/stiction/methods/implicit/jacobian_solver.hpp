// Linear systems of Newton's method on the momentum balance, by sparse LU or by BiCGSTAB.
#pragma once

#include "stiction/dynamics/hessian_assembly.hpp"
#include "stiction/linalg/general_block_system.hpp"
#include "stiction/linalg/low_rank_update.hpp"
#include "stiction/methods/implicit/options.hpp"

namespace stiction::implicit {

/// J p = -r for a Jacobian that is not symmetric. `direct` is a sparse LU; `iterative` BiCGSTAB on the same matrix,
/// preconditioned by the Cholesky factor of its symmetric part with projected Hessians and lagged friction, which takes
/// half the operations. Terms of rank one that the assembly holds count, exactly, in both. Vectors are stacked over all
/// vertices.
class JacobianSolver {
public:
    /// @param solver  `direct` or `iterative`
    void begin(LinearSolver solver) {
        solver_ = solver;
        failure_.clear();
    }
    /// Goes on with LU until the next begin(), counted as a rescue.
    void rescue() {
        solver_ = LinearSolver::direct;
        ++rescues_;
    }
    LinearSolver solver() const { return solver_; }

    /// First half of a set-up, iterative only: factors what `assembly` holds, a positive definite stand-in for the
    /// Jacobian.
    /// @return false when it is not positive definite
    bool precondition(HessianAssembly& assembly);
    /// Second half: takes the symmetric part from `assembly`; add() the rest, then finish().
    void take_symmetric(const HessianAssembly& assembly);
    void add(Index row, Index column, const Mat3& block) { jacobian_.add(row, column, block); }
    /// @return false when a factorisation failed
    bool finish();

    /// |r| over the unknowns: the norm that BiCGSTAB stops on. The reactions of driven vertices and obstacles, which
    /// never vanish, are no part of it.
    double residual_norm(const HessianAssembly& assembly, const VecX& r) const;
    /// p with |r + J p| <= sigma |r| in residual_norm(). The LU does not use sigma: it leaves an error of 1e-9 of p.
    /// @return false when p is not finite, or could not be had by iterations, nor by an LU
    bool solve(const HessianAssembly& assembly, const VecX& r, double sigma, VecX& p);
    /// The same for another residual after solve(), without another factorisation: BiCGSTAB does not fall back to an
    /// LU. An LU leaves an error of measure_accuracy times p; one that took over from BiCGSTAB and is too inexact for
    /// that is made again in double precision.
    /// @return false when p is not finite, or could not be had by iterations
    bool solve_again(const HessianAssembly& assembly, const VecX& r, double sigma, VecX& p);
    /// A length of a residual that does not depend on how its rows are scaled: of J^-1 r, or of the stand-in's M^-1 r;
    /// infinite if not finite.
    /// @param accuracy  part of it that may be wrong, with the LU
    double measure(const VecX& r, HessianAssembly& assembly, double accuracy = 0.0);
    /// measure() of the residual of the last solve() or solve_again().
    double measure_of_solved(const VecX& r, HessianAssembly& assembly);

    /// Part of a measure() that may be wrong where steps are accepted by it.
    static constexpr double measure_accuracy = 1e-4;

    int rescues() const { return rescues_; }  ///< systems that BiCGSTAB gave up and LU solved
    /// LU factorisations for which single precision did not suffice.
    int double_factors() const { return jacobian_.statistics().rescues; }
    const std::string& failure() const { return failure_; }

private:
    LinearSolver solver_ = LinearSolver::direct;
    bool factorize();
    /// Makes p of a solution in unknowns, and keeps its length. @return whether p is finite
    bool take_solution(const HessianAssembly& assembly, const VecX& x, VecX& p);
    /// BiCGSTAB from x = 0. @return whether it converged
    bool iterate(const VecX& b, double sigma, VecX& x) const;
    /// x = J^-1 b with the last LU, in unknowns.
    void apply_inverse(double accuracy, const VecX& b, VecX& x);

    GeneralBlockSystem jacobian_;
    bool has_lu_ = false;     ///< of the present Jacobian
    LowRankUpdate rank_one_;  ///< dense terms beside the sparse matrix, e.g. of volumes
    HessianAssembly* preconditioner_ = nullptr;
    int rescues_ = 0;
    double solved_length_ = 0.0;  ///< of the unknowns' step
    std::string failure_;
};

}  // namespace stiction::implicit
