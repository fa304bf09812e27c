// The sparse direct factorisation behind GeneralBlockSystem.
#pragma once

#include "stiction/linalg/block_pattern.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// P A Q = L U of a matrix of 3x3 blocks whose pattern is symmetric and whose values are not. One object must not be
/// used from two threads at once; the result is a function of pattern and values only.
class Lu {
public:
    virtual ~Lu() = default;

    /// Symbolic factorisation.
    /// @param order  order[k] = node eliminated at position k, a permutation of the pattern's nodes; rows and columns
    /// are exchanged for the sake of accuracy only within what it leaves open
    /// @return false when it does not fit in memory or in the index type; failure() says which
    virtual bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) = 0;

    /// Numeric factorisation with the pattern given to analyze().
    /// @param values  finite; one 3x3 block an entry of pattern.row_entries: A(row, column)
    /// @return false when the matrix is singular to working precision (see smallest_pivot_ratio, which the smallest
    /// singular value of the matrix scaled to rows and columns of unit size is held against), or memory ran out;
    /// failure() says where
    virtual bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values) = 0;

    /// Solves A x = b with the last factor. `x` may be `b`. Allowed only after factorize() returned true.
    virtual void solve(const VecX& b, VecX& x) = 0;

    /// Entries of L and U together as counted by analyze(); exchanges may add a few.
    virtual double factor_nonzeros() const = 0;

    /// One line about what went wrong last, "" when nothing did. Nodes are counted from 0.
    const std::string& failure() const { return failure_; }

protected:
    std::string failure_;
};

/// The implementation this library was built with.
std::unique_ptr<Lu> make_lu();

/// Its name, version and licence in a few words, for reports.
std::string lu_name();

}  // namespace stiction
