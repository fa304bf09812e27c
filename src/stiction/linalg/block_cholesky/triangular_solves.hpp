// Solves with the factor of a matrix of 3x3 blocks.
#pragma once

#include "stiction/linalg/block_cholesky/symbolic.hpp"

namespace stiction::block_cholesky {

/// x = P^T L^-T L^-1 P b in the precision of `Number`; x may be b. Parallel over subtrees and, above them, over rows or
/// columns of fixed numbers: same bits for any number of threads.
/// @param factor  as factorize() leaves it
/// @param fronts  scratch, 3 (nodes + rows) numbers: one for each row of each front
template <class Number>
void solve(const Symbolic& symbolic, const Number* factor, const VecX& b, VecX& x, std::vector<Number>& fronts);

/// x = A^-1 b with the factor and the pivots of factorize_general(), else the same.
template <class Number>
void solve_general(const Symbolic& symbolic, const Number* factor, const int* pivots, const VecX& b, VecX& x,
                   std::vector<Number>& fronts);

}  // namespace stiction::block_cholesky
