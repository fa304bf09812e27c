// A constant symmetric positive definite scalar matrix, factored once and applied to three columns at a time.
#pragma once

#include "stiction/base/types.hpp"

#include <Eigen/SparseCore>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stiction {

/// The matrix to be factored is not positive definite to working precision, or has an entry that is not finite.
class NotPositiveDefinite : public std::runtime_error {
public:
    /// @param unknown  row of the matrix at which it showed, counted from 0
    NotPositiveDefinite(Index unknown, const std::string& message) : std::runtime_error(message), unknown_(unknown) {}
    Index unknown() const { return unknown_; }

private:
    Index unknown_;
};

/// A symmetric positive definite scalar matrix A of n unknowns, factored once as P A P^T = L L^T. With S = L^-1 the inverse is
/// A^-1 = P^T S^T S P; an implementation keeps L or S. Elimination order: nested dissection of the graph of A, postordered; a function of
/// the pattern alone. One caller of solve() at a time (it works in a buffer of the object); append_half_column() may be called from many
/// threads at once.
class FactoredOperator {
public:
    virtual ~FactoredOperator() = default;

    /// Number of unknowns n.
    virtual Index size() const = 0;

    /// x = A^-1 b for n x 3 row-major arrays (one row an unknown); x may be b. Parallel, same bits for any number of threads. No allocation.
    virtual void solve(const double* right_hand_side, double* solution) const = 0;

    /// Column S P e_j of S = L^-1 for one unknown j: rows (positions in the elimination order, ascending) and values are appended; entries
    /// that are zero may be among them. A^-1(i, j) is the dot product of columns i and j. Throws InternalError when j is out of range.
    virtual void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const = 0;

    /// Memory kept: numbers and indices of the factor or of its inverse, and what solve() works in.
    virtual std::size_t bytes() const = 0;
};

/// Keeps L; solve() is a forward and a backward substitution. The lower triangle of `matrix` is read, entries that occur twice are added.
/// Throws NotPositiveDefinite, and InternalError when the matrix is not square.
std::unique_ptr<FactoredOperator> factor_for_triangular_solves(const Eigen::SparseMatrix<double>& matrix);

/// Keeps S; solve() is two sparse products, whose every row is independent of the others. More memory and, on a CPU, more time than
/// triangular solves. Arguments and errors as above.
std::unique_ptr<FactoredOperator> factor_for_sparse_inverse(const Eigen::SparseMatrix<double>& matrix);

}  // namespace stiction
