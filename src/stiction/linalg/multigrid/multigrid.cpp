#include "stiction/linalg/multigrid/multigrid.hpp"

#include "stiction/linalg/multigrid/transfer.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

/// Where coarsening stalls above this size, the coarsest level is smoothed in place of solved: a dense factor would
/// cost more than it saves.
constexpr Index most_dense_blocks = 400;

/// Both triangles of the system, row by row.
BlockRows<3, 3> full_rows(const BlockSystem& system) {
    const BlockPattern& pattern = *system.pattern();
    BlockRows<3, 3> A;
    A.rows = A.columns = pattern.nodes;
    A.begin.assign(pattern.row_begin.begin(), pattern.row_begin.end());
    A.column.resize(pattern.row_entries.size());
    A.value.resize(pattern.row_entries.size());
    parallel_for(at(A.rows), [&](std::size_t i) {
        for (std::size_t k = A.begin[i]; k < A.begin[i + 1]; ++k) {
            const auto [column, slot] = pattern.row_entries[k];
            A.column[k] = column;
            const Mat3& stored = system.values()[at(slot)];
            A.value[k] = at(column) <= i ? stored : Mat3(stored.transpose());
        }
    });
    return A;
}

/// Inverts the diagonal blocks; scalar rows of coarse blocks that hold nothing get a one first.
/// @return the first block that is not positive definite, or -1
template <int N>
Index invert_diagonal(MultigridLevel<N>& level) {
    using Block = typename MultigridLevel<N>::Block;
    BlockRows<N, N>& A = level.matrix;
    level.inverse_diagonal.resize(at(A.rows));
    std::vector<char> broken(at(A.rows), 1);
    parallel_for(at(A.rows), [&](std::size_t i) {
        for (std::size_t k = A.begin[i]; k < A.begin[i + 1]; ++k) {
            if (at(A.column[k]) != i) continue;
            for (int axis = 0; axis < N; ++axis) {
                if (N == 6 && A.value[k](axis, axis) == 0.0) A.value[k](axis, axis) = 1.0;
            }
            const Eigen::LLT<Block> factor(A.value[k]);
            broken[i] = factor.info() != Eigen::Success;
            level.inverse_diagonal[i] = factor.solve(Block::Identity());
        }
    });
    const auto found = std::find(broken.begin(), broken.end(), 1);
    return found == broken.end() ? -1 : static_cast<Index>(found - broken.begin());
}

/// y_i = D_i^-1 x_i.
template <int N>
void scale(const MultigridLevel<N>& level, const VecX& x, VecX& y) {
    y.resize(x.size());
    parallel_for(
        level.inverse_diagonal.size(),
        [&](std::size_t i) {
            const auto first = N * static_cast<Eigen::Index>(i);
            y.template segment<N>(first).noalias() = level.inverse_diagonal[i] * x.template segment<N>(first);
        },
        256);
}

/// Upper estimate of the largest eigenvalue of D^-1 A: Rayleigh quotients of a power iteration from a fixed start, and
/// a margin for what the last one falls short.
template <int N>
double estimate_largest_eigenvalue(const MultigridLevel<N>& level) {
    constexpr int iterations = 12;
    constexpr double margin = 1.15;
    const Eigen::Index size = N * static_cast<Eigen::Index>(level.matrix.rows);
    VecX x(size), Ax, scaled;
    std::uint64_t state = 1;
    for (double& entry : x) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        entry = static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
    }
    double quotient = 0.0;
    for (int k = 0; k < iterations; ++k) {
        level.matrix.multiply(x, Ax);
        scale(level, Ax, scaled);
        // x . A D^-1 A x / x . A x
        const double energy = dot(x, Ax);
        if (!(energy > 0.0)) break;
        quotient = std::max(quotient, dot(Ax, scaled) / energy);
        x = scaled / norm(scaled);
    }
    return margin * quotient;
}

/// z = q(D^-1 A) D^-1 (r - A z) + z, q the Chebyshev polynomial on [largest / range, largest] (Saad, Iterative Methods,
/// algorithm 12.1).
template <int N>
void smooth(const MultigridLevel<N>& level, int degree, double range, bool from_zero, const VecX& r, VecX& z) {
    const double upper = level.largest_eigenvalue, lower = upper / range;
    const double middle = 0.5 * (upper + lower), half = 0.5 * (upper - lower), sigma = middle / half;
    double rho = 1.0 / sigma;
    if (from_zero) {
        level.residual = r;
        scale(level, r, level.direction);
        level.direction /= middle;
        z = level.direction;
    } else {
        level.matrix.multiply(z, level.product);
        level.residual = r - level.product;
        scale(level, level.residual, level.direction);
        level.direction /= middle;
        z += level.direction;
    }
    VecX scaled;
    for (int k = 1; k < degree; ++k) {
        level.matrix.multiply(level.direction, level.product);
        level.residual -= level.product;
        scale(level, level.residual, scaled);
        const double next = 1.0 / (2.0 * sigma - rho);
        level.direction = next * rho * level.direction + (2.0 * next / half) * scaled;
        z += level.direction;
        rho = next;
    }
}

/// One sweep of the block-Jacobi iteration for A x = 0 on the modes. Prescribed coordinates and directions that stiff
/// contact holds drop out of the coarse space; where a motion costs no energy, nothing changes.
void relax(const MultigridLevel<3>& level, Modes<3>& modes) {
    const Modes<3> rigid = modes;
    parallel_for(modes.size(), [&](std::size_t i) {
        Eigen::Matrix<double, 3, 6> force = Eigen::Matrix<double, 3, 6>::Zero();
        for (std::size_t k = level.matrix.begin[i]; k < level.matrix.begin[i + 1]; ++k)
            force.noalias() += level.matrix.value[k] * rigid[at(level.matrix.column[k])];
        modes[i].noalias() -= level.inverse_diagonal[i] * force;
    });
}

/// Transfer of a level and the matrix of the next. @return false when it would be hardly smaller
template <int N>
bool coarsen(MultigridLevel<N>& level, const MultigridOptions& options, Modes<N>& modes, Modes<6>& coarse_modes,
             BlockRows<6, 6>& next) {
    const Aggregates aggregates = aggregate(strength_graph(level.matrix, options.strength));
    if (aggregates.count == 0 || 10 * static_cast<long>(aggregates.count) > 8 * static_cast<long>(level.matrix.rows))
        return false;
    level.prolongation = tentative_prolongation<N>(modes, aggregates, coarse_modes);
    const auto is_sparse = [](const auto& matrix, std::size_t longest_row) {
        return matrix.value.size() <= longest_row * at(matrix.rows);
    };
    constexpr bool is_finest = N == 3;
    if (is_finest || is_sparse(level.matrix, options.longest_smoothed_row)) {
        BlockRows<N, 6> smoothed = smoothed_prolongation<N>(level.matrix, level.inverse_diagonal,
                                                            4.0 / (3.0 * level.largest_eigenvalue), level.prolongation);
        if (is_finest || is_sparse(smoothed, options.longest_prolongation_row))
            level.prolongation = std::move(smoothed);
    }
    level.restriction = level.prolongation.transposed();
    next = product(level.restriction, product(level.matrix, level.prolongation));
    return true;
}

}  // namespace

bool Multigrid::set_up(const BlockSystem& system, const VecX& positions) {
    STICTION_CHECK(positions.size() == 3 * static_cast<Eigen::Index>(system.nodes()), "one position a node");
    failure_.clear();
    coarse_.clear();
    fine_ = {};
    fine_.matrix = full_rows(system);
    if (system.nodes() == 0) return true;
    if (const Index broken = invert_diagonal(fine_); broken >= 0) {
        failure_ = fmt::format("not positive definite at node {}", broken);
        return false;
    }
    fine_.largest_eigenvalue = estimate_largest_eigenvalue(fine_);
    if (!(fine_.largest_eigenvalue > 0.0)) {
        failure_ = "not positive definite along the start of a power iteration";
        return false;
    }
    Modes<3> modes = rigid_modes(positions);
    relax(fine_, modes);
    Modes<6> coarse_modes;
    BlockRows<6, 6> next;
    bool is_coarser = coarsen(fine_, options_, modes, coarse_modes, next);
    while (is_coarser) {
        MultigridLevel<6>& level = coarse_.emplace_back();
        level.matrix = std::move(next);
        if (const Index broken = invert_diagonal(level); broken >= 0) {
            failure_ = fmt::format("not positive definite at block {} of coarse level {}", broken, coarse_.size());
            return false;
        }
        if (level.matrix.rows <= options_.coarsest_blocks) break;
        level.largest_eigenvalue = estimate_largest_eigenvalue(level);
        Modes<6> finer_modes = std::move(coarse_modes);
        is_coarser = coarsen(level, options_, finer_modes, coarse_modes, next);
    }
    count_costs();
    return set_up_coarsest();
}

bool Multigrid::set_up_coarsest() {
    solves_coarsest_ = !coarse_.empty() && coarse_.back().matrix.rows <= most_dense_blocks;
    if (!solves_coarsest_) return true;
    const BlockRows<6, 6>& A = coarse_.back().matrix;
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(6 * A.rows, 6 * A.rows);
    for (Index i = 0; i < A.rows; ++i) {
        for (std::size_t k = A.begin[at(i)]; k < A.begin[at(i) + 1]; ++k)
            dense.block<6, 6>(6 * i, 6 * A.column[k]) = A.value[k];
    }
    coarsest_.compute(dense);
    if (coarsest_.info() == Eigen::Success) return true;
    failure_ = "the coarsest matrix is not positive definite";
    return false;
}

void Multigrid::count_costs() {
    statistics_ = {};
    const auto scalars = [](const auto& matrix) {
        return static_cast<double>(matrix.value.size() * sizeof(matrix.value[0]) / sizeof(double));
    };
    double all = scalars(fine_.matrix);
    statistics_.level_blocks = {fine_.matrix.rows};
    statistics_.bytes = fine_.matrix.bytes() + fine_.prolongation.bytes() + fine_.restriction.bytes();
    for (const MultigridLevel<6>& level : coarse_) {
        all += scalars(level.matrix);
        statistics_.level_blocks.push_back(level.matrix.rows);
        statistics_.bytes += level.matrix.bytes() + level.prolongation.bytes() + level.restriction.bytes();
    }
    statistics_.operator_complexity = all / scalars(fine_.matrix);
}

template <int N>
void Multigrid::cycle_level(const MultigridLevel<N>& level, std::size_t next, const VecX& r, VecX& z) const {
    smooth(level, options_.smoother_degree, options_.smoother_range, true, r, z);
    if (level.prolongation.columns > 0) {
        VecX coarse_right, coarse_left, correction;
        level.matrix.multiply(z, level.product);
        level.residual = r - level.product;
        level.restriction.multiply(level.residual, coarse_right);
        cycle_coarse(next, coarse_right, coarse_left);
        level.prolongation.multiply(coarse_left, correction);
        z += correction;
    }
    smooth(level, options_.smoother_degree, options_.smoother_range, false, r, z);
}

void Multigrid::cycle_coarse(std::size_t level, const VecX& r, VecX& z) const {
    if (level + 1 == coarse_.size() && solves_coarsest_) {
        z = coarsest_.solve(r);
    } else {
        cycle_level(coarse_[level], level + 1, r, z);
    }
}

void Multigrid::apply(const VecX& r, VecX& z) const {
    cycle_level(fine_, 0, r, z);
}

}  // namespace stiction
