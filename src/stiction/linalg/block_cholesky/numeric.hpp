// Numeric Cholesky factorisation of a matrix of 3x3 blocks: multifrontal, with BLAS, parallel.
#pragma once

#include "stiction/linalg/block_cholesky/number_pool.hpp"
#include "stiction/linalg/block_cholesky/symbolic.hpp"

#include <vector>

namespace stiction::block_cholesky {

/// What came of a factorisation.
struct Outcome {
    enum class Kind { factored, not_positive_definite, singular, out_of_memory };
    Kind kind = Kind::factored;
    std::ptrdiff_t column = -1;  ///< scalar, in elimination order: the first that failed
    double pivot = 0.0;          ///< of a singular matrix: what is left of the diagonal entry
};

/// P A P^T = L L^T (Duff and Reid, "The multifrontal solution of indefinite sparse symmetric linear", 1983). Subtrees
/// of the supernodal tree run in parallel, and tiles of fixed size inside the fronts above them: same bits for any
/// number of threads.
/// @param values  one block a slot; of a diagonal block the lower triangle is read
/// @param factor  room for symbolic.value_begin.back() numbers: the columns of the supernodes. The strictly upper
/// triangle of a supernode's own rows is not defined afterwards.
/// @param pool  of memory for what is not needed afterwards
Outcome factorize(const Symbolic& symbolic, const BlockPattern& pattern, const std::vector<Mat3>& values,
                  double* factor, NumberPool& pool);

}  // namespace stiction::block_cholesky
