// How multigrid levels are made: near-null modes, tentative and smoothed prolongation. Internal to multigrid/.
#pragma once

#include "stiction/linalg/multigrid/aggregation.hpp"
#include "stiction/linalg/multigrid/block_rows.hpp"

#include <vector>

namespace stiction {

/// Near-null modes of a level: row block i holds the values of the six modes at block i.
template <int N>
using Modes = std::vector<Eigen::Matrix<double, N, 6>>;

/// The rigid motions of nodes at these positions: three translations, and three rotations about their mean, in units of
/// the largest distance from it.
Modes<3> rigid_modes(const VecX& positions);

/// Couplings with |A_ij| > threshold sqrt(|A_ii| |A_jj|), Frobenius norms; strengths are these ratios.
template <int N>
StrengthGraph strength_graph(const BlockRows<N, N>& A, double threshold);

/// One block a row: what reproduces `modes` from the coarse modes, with orthonormal columns in each aggregate.
/// Directions that an aggregate has not enough nodes for become zero columns.
template <int N>
BlockRows<N, 6> tentative_prolongation(const Modes<N>& modes, const Aggregates& aggregates, Modes<6>& coarse_modes);

/// (I - omega D^-1 A) T.
template <int N>
BlockRows<N, 6> smoothed_prolongation(const BlockRows<N, N>& A,
                                      const std::vector<Eigen::Matrix<double, N, N>>& inverse_diagonal, double omega,
                                      const BlockRows<N, 6>& T);

extern template StrengthGraph strength_graph(const BlockRows<3, 3>&, double);
extern template StrengthGraph strength_graph(const BlockRows<6, 6>&, double);
extern template BlockRows<3, 6> tentative_prolongation(const Modes<3>&, const Aggregates&, Modes<6>&);
extern template BlockRows<6, 6> tentative_prolongation(const Modes<6>&, const Aggregates&, Modes<6>&);
extern template BlockRows<3, 6> smoothed_prolongation(const BlockRows<3, 3>&, const std::vector<Mat3>&, double,
                                                      const BlockRows<3, 6>&);
extern template BlockRows<6, 6> smoothed_prolongation(const BlockRows<6, 6>&,
                                                      const std::vector<Eigen::Matrix<double, 6, 6>>&, double,
                                                      const BlockRows<6, 6>&);

}  // namespace stiction
