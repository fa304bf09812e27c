// Solves with the factor of a matrix of 3x3 blocks.
#pragma once

#include "stiction/linalg/block_cholesky/symbolic.hpp"

namespace stiction::block_cholesky {

/// x = P^T L^-T L^-1 P b; x may be b. Parallel over subtrees and, above them, over rows or columns of fixed numbers:
/// same bits for any number of threads.
/// @param factor  as factorize() leaves it
/// @param fronts  scratch, 3 (nodes + rows) numbers: one for each row of each front
void solve(const Symbolic& symbolic, const double* factor, const VecX& b, VecX& x, std::vector<double>& fronts);

}  // namespace stiction::block_cholesky
