// Numeric factorisation of a matrix of 3x3 blocks, Cholesky or LU: multifrontal, with BLAS, parallel.
#pragma once

#include "stiction/linalg/block_cholesky/memory_pool.hpp"
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

/// P A P^T = L L^T in the precision of `Number` (Duff and Reid, "The multifrontal solution of indefinite sparse
/// symmetric linear", 1983). Subtrees of the supernodal tree run in parallel, and tiles of fixed size inside the fronts
/// above them: same bits for any number of threads.
/// @param values  one block a slot; of a diagonal block the lower triangle is read
/// @param factor  room for symbolic.value_begin.back() numbers: the columns of the supernodes. The strictly upper
/// triangle of a supernode's own rows is not defined afterwards.
/// @param pool  of memory for what is not needed afterwards
template <class Number>
Outcome factorize(const Symbolic& symbolic, const BlockPattern& pattern, const std::vector<Mat3>& values,
                  Number* factor, MemoryPool& pool);

/// For each slot (i, j), i >= j, of a pattern: the numbers of (i, j) and of (j, i) in its row_entries.
struct SlotEntries {
    std::vector<Index> lower, upper;
};
SlotEntries slot_entries(const BlockPattern& pattern);

/// P A P^T = L U for values without symmetry on a symmetric pattern. Rows are exchanged within the pivots of a
/// supernode only, so that the pattern is that of Cholesky: where this is not enough, pivots come out small or entries
/// large. Parallel and reproducible as factorize(), but for the square of a supernode, which one thread factors.
/// @param symbolic  of the pattern
/// @param values  one block an entry of pattern.row_entries, scaled to entries of unit size: smaller pivots than the
/// rounding of `Number` count as zero
/// @param factor  room for 2 symbolic.value_begin.back() numbers: L below and U on the supernodes' own squares, then
/// U^T
/// @param pivots  room for 3 nodes numbers: exchanges of rows, as LAPACK gives them, supernode by supernode
template <class Number>
Outcome factorize_general(const Symbolic& symbolic, const SlotEntries& entries, const std::vector<Mat3>& values,
                          Number* factor, int* pivots, MemoryPool& pool);

}  // namespace stiction::block_cholesky
