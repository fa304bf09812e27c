// A constant symmetric positive definite scalar matrix, factored once and applied to three columns at a time.
#pragma once

#include "stiction/base/types.hpp"

#include <Eigen/SparseCore>

#include <cstddef>
#include <cstdint>
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

/// Of a FactoredOperator, what solves between some unknowns need. It keeps its memory.
struct OperatorPart {
    /// Of each supernode, whether it has one of the unknowns or is an ancestor of such a one; empty where the operator
    /// has no parts.
    std::vector<std::uint8_t> touched;
    double entries = 0.0;  ///< numbers that solve_part() reads twice, as FactoredOperator::entries()
};

/// A symmetric positive definite scalar matrix A of n unknowns, factored once as P A P^T = L L^T. With S = L^-1 the
/// inverse is A^-1 = P^T S^T S P; an implementation keeps L or S. Elimination order: nested dissection of the graph of
/// A, postordered; a function of the pattern alone. One caller of solve(), of its halves and of solve_part() at
/// a time (they work in a buffer of the object); append_half_column() may be called from many threads at once.
class FactoredOperator {
public:
    virtual ~FactoredOperator() = default;

    /// Number of unknowns n.
    virtual Index size() const = 0;

    /// x = A^-1 b for n x 3 row-major arrays (one row an unknown); x may be b. Parallel, same bits for any number of
    /// threads. No allocation.
    virtual void solve(const double* right_hand_side, double* solution) const = 0;

    /// y = S P b, the first half of solve(), n x 3 row-major: row k belongs to position k of the elimination order. y
    /// must not be b. Parallel, same bits for any number of threads. No allocation.
    virtual void solve_first_half(const double* right_hand_side, double* half) const = 0;
    /// x = P^T S^T y, the second half: after solve_first_half() x = A^-1 b, with the bits of solve(). x must not be y.
    virtual void solve_second_half(const double* half, double* solution) const = 0;

    /// Sets `part` to what solves between these unknowns need; by default, to all. Throws InternalError when an unknown
    /// is out of range.
    virtual void find_part(const std::vector<Index>& unknowns, OperatorPart& part) const;
    /// As solve(), for b that is 0 at all unknowns but those of the part. x is right at those unknowns, with the bits
    /// of solve() but for the sign of zeros. At every other unknown it is right too or left as it was.
    /// @param part  set by find_part() of this operator
    virtual void solve_part(const OperatorPart& part, const double* right_hand_side, double* solution) const;

    /// Position of an unknown in the elimination order: the first row of its half column.
    virtual Index position(Index unknown) const = 0;

    /// Column S P e_j of S = L^-1 for one unknown j: rows (positions in the elimination order, ascending) and values
    /// are appended; entries that are zero may be among them. A^-1(i, j) is the dot product of columns i and j. Throws
    /// InternalError when j is out of range.
    virtual void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const = 0;

    /// Memory kept: numbers and indices of the factor or of its inverse, and what solve() works in.
    virtual std::size_t bytes() const = 0;

    /// Numbers that solve() reads twice, once each way: those stored of L or of S.
    virtual double entries() const = 0;
};

/// What a FactoredOperator keeps and works with.
enum class OperatorKind {
    /// L: solve() is a forward and a backward substitution; a half column is a substitution along a path of the
    /// elimination tree.
    triangular_solves,
    /// S: solve() is two sparse products, whose every row is independent of the others; a half column is a copy.
    /// Several times the memory and,
    /// on a CPU, the time of triangular solves: S has more entries than L, and both are read at the speed of memory.
    sparse_inverse,
    /// What needs fewer operations on a CPU: solve() by L, half columns by S. S is made when the first half column is
    /// asked for, unless it has
    /// more than `most_automatic_entries` entries; then L serves for them too. What is done depends on counts of
    /// entries alone.
    automatic,
};
inline constexpr double most_automatic_entries = 268435456.0;  // 2 GiB

/// Names of scenes, in the order of the enumerators: "triangular_solves", "sparse_inverse", "auto".
const std::vector<std::string>& operator_names();

/// Entries of L up to which it stays in double precision: 8 MB. With larger factors frames of bars take a fifth less
/// time in single precision; with smaller ones nothing is gained (bench/results/local_global_scenes.md).
inline constexpr double most_double_entries = 1048576.0;

/// Factors a matrix. Its lower triangle is read, entries that occur twice are added. Parallel, same bits for any number
/// of threads. Throws NotPositiveDefinite, and InternalError when the matrix is not square.
/// @param most_in_double  a factor with more entries is rounded to single precision off its diagonal, so that L L^T
/// differs from A by about 1e-7 of its largest entries, but not in its row sums
/// (supernodal::round_to_single_precision), unless the diagonal cannot keep these. S is the inverse of the rounded L:
/// all kinds of operators have one inverse.
std::unique_ptr<FactoredOperator> factor_operator(const Eigen::SparseMatrix<double>& matrix, OperatorKind kind,
                                                  double most_in_double = most_double_entries);
inline std::unique_ptr<FactoredOperator> factor_for_triangular_solves(const Eigen::SparseMatrix<double>& matrix) {
    return factor_operator(matrix, OperatorKind::triangular_solves);
}
inline std::unique_ptr<FactoredOperator> factor_for_sparse_inverse(const Eigen::SparseMatrix<double>& matrix) {
    return factor_operator(matrix, OperatorKind::sparse_inverse);
}

}  // namespace stiction
