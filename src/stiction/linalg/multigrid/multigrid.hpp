// Smoothed-aggregation multigrid for matrices of 3x3 blocks that come from elastic bodies in contact.
#pragma once

#include "stiction/linalg/block_system.hpp"
#include "stiction/linalg/multigrid/block_rows.hpp"

#include <Eigen/Cholesky>

#include <string>
#include <vector>

namespace stiction {

struct MultigridOptions {
    /// Blocks couple strongly when |A_ij| > this sqrt(|A_ii| |A_jj|), Frobenius norms.
    double strength = 0.05;
    /// Degree of the Chebyshev polynomial of a smoothing.
    int smoother_degree = 2;
    /// The smoother damps eigenvalues from the largest one divided by this.
    double smoother_range = 12.0;
    /// Coarsening stops at so many blocks.
    Index coarsest_blocks = 150;
    /// Coarse levels with more blocks a row, on average, keep the tentative prolongation. A smoothed one reaches nearly
    /// every aggregate there: its products cost more than the rest of the set-up, and hardly save iterations.
    std::size_t longest_smoothed_row = 50;
    /// Coarse levels whose smoothed prolongation would have more blocks a row, on average, keep the tentative one, too:
    /// where thin parts branch, the next matrix would be nearly full.
    std::size_t longest_prolongation_row = 12;
};

/// What a set-up came to.
struct MultigridStatistics {
    std::vector<Index> level_blocks;   ///< block rows of every level, the finest first
    double operator_complexity = 0.0;  ///< stored scalars of all levels over those of the finest
    double bytes = 0.0;                ///< matrices and prolongations
};

/// One level: a matrix of N x N blocks, its smoother, and its transfer to the next coarser one.
template <int N>
struct MultigridLevel {
    using Block = Eigen::Matrix<double, N, N>;
    BlockRows<N, N> matrix;
    std::vector<Block> inverse_diagonal;
    double largest_eigenvalue = 0.0;  ///< upper estimate of that of D^-1 A, D the diagonal blocks
    BlockRows<N, 6> prolongation;
    BlockRows<6, N> restriction;                ///< the transpose
    mutable VecX residual, direction, product;  ///< scratch of a cycle
};

/// A symmetric positive definite approximation M of a symmetric positive definite A, for conjugate gradients: a V-cycle
/// of smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996) whose coarse spaces hold the rigid-body modes,
/// smoothed by Chebyshev polynomials of the block-Jacobi iteration (Adams, Brezina, Hu, Tuminaro, J. Comput. Phys. 188,
/// 2003). Stiff directions that a
/// node has to itself (half-spaces, prescribed coordinates) leave the coarse spaces. M is a function of matrix and
/// positions alone: the same bits for any number of threads.
class Multigrid {
public:
    explicit Multigrid(const MultigridOptions& options = {}) : options_(options) {}

    /// Makes the hierarchy of the system's present values.
    /// @param positions  of the nodes (m), 3 nodes entries: rigid rotations are about their mean
    /// @return false when a diagonal block or the coarsest matrix is not positive definite: see
    /// failure(). True does not prove that A is positive definite: conjugate gradients find out.
    bool set_up(const BlockSystem& system, const VecX& positions);
    const std::string& failure() const { return failure_; }

    /// z = M^-1 r, both of size 3 nodes; z must not be r. Not thread safe: scratch is shared.
    void apply(const VecX& r, VecX& z) const;

    const MultigridStatistics& statistics() const { return statistics_; }
    /// For tests: the finest level and the coarser ones.
    const MultigridLevel<3>& fine() const { return fine_; }
    const std::vector<MultigridLevel<6>>& coarse() const { return coarse_; }

private:
    bool set_up_coarsest();
    void count_costs();
    template <int N>
    void cycle_level(const MultigridLevel<N>& level, std::size_t next, const VecX& r, VecX& z) const;
    void cycle_coarse(std::size_t level, const VecX& r, VecX& z) const;

    MultigridOptions options_;
    MultigridLevel<3> fine_;
    std::vector<MultigridLevel<6>> coarse_;  ///< the last one is solved by Cholesky where it is small
    Eigen::LLT<Eigen::MatrixXd> coarsest_;
    bool solves_coarsest_ = false;
    std::string failure_;
    MultigridStatistics statistics_;
};

}  // namespace stiction
