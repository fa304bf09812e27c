// The sparse direct factorisation behind BlockSystem. One implementation is chosen when the library is configured.
#pragma once

#include "stiction/linalg/block_pattern.hpp"

#include <memory>
#include <string>

namespace stiction {

/// A = L L^T of a symmetric positive definite matrix of 3x3 blocks. Not thread safe; the result is a function of
/// pattern and values only.
class Cholesky {
public:
    virtual ~Cholesky() = default;

    /// Symbolic factorisation.
    /// @param order  order[k] = node eliminated at position k, a permutation of the pattern's nodes
    /// @return false when it does not fit in memory or in the index type; failure() says which
    virtual bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) = 0;

    /// Numeric factorisation with the pattern given to analyze().
    /// @param values  one 3x3 block a slot, A(row, column) with row >= column; of a diagonal block the lower triangle
    /// is read
    /// @return false when the matrix is not positive definite to working precision; failure() says where
    virtual bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values) = 0;

    /// Solves A x = b with the last factor. `x` may be `b`. Allowed only after factorize() returned true.
    virtual void solve(const VecX& b, VecX& x) = 0;

    /// Entries of L counted after analyze().
    virtual double factor_nonzeros() const = 0;

    /// One line about what went wrong last, "" when nothing did. Nodes are counted from 0.
    const std::string& failure() const { return failure_; }

protected:
    std::string failure_;
};

/// A pivot below this fraction of its diagonal entry has lost all its digits: the matrix counts as singular. (Where
/// pivots cannot be seen, the smallest eigenvalue of the matrix scaled to a unit diagonal is held against it, which is
/// never the larger.)
inline constexpr double smallest_pivot_ratio = 8 * 2.220446049250313e-16;

/// The implementation this library was configured with.
std::unique_ptr<Cholesky> make_cholesky();

/// Its name, version and licence in a few words, for reports.
std::string factorisation_name();

}  // namespace stiction
