// The sparse direct factorisations behind BlockSystem (Cholesky) and GeneralBlockSystem (LU).
#pragma once

#include "stiction/linalg/block_pattern.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// In what a factor is computed and kept.
enum class Precision {
    full,    ///< double
    single,  ///< half the memory and about half the time; solves are good as a preconditioner
};

/// A factorisation of a matrix of 3x3 blocks whose pattern is symmetric. One object must not be used from two threads
/// at once; the result is a function of pattern and values only.
class SparseFactor {
public:
    virtual ~SparseFactor() = default;

    /// Symbolic factorisation.
    /// @param order  order[k] = node eliminated at position k, a permutation of the pattern's nodes. An LU
    /// factorisation exchanges rows and columns for accuracy within what the order leaves open.
    /// @return false when it does not fit in memory or in the index type; failure() says which
    virtual bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) = 0;

    /// Numeric factorisation with the pattern given to analyze().
    /// @param values  finite; one 3x3 block a slot for Cholesky (A(row, column) with row >= column, of a diagonal block
    /// the lower triangle is read), one an entry of pattern.row_entries for LU
    /// @param precision  codes without single precision take the full one
    /// @return false when the matrix is not positive definite (Cholesky) or singular (LU) to working precision, see
    /// smallest_pivot_ratio, or memory ran out; failure() says where
    virtual bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision precision) = 0;

    /// Solves A x = b with the last factor. `x` may be `b`. Allowed only after factorize() returned true.
    virtual void solve(const VecX& b, VecX& x) = 0;
    /// The same to about `accuracy` of the length of x, where a code that refines can end earlier by that.
    virtual void solve_to(double /*accuracy*/, const VecX& b, VecX& x) { solve(b, x); }

    /// Entries of L, or of L and U together, counted by analyze(); the exchanges of an LU factorisation may add a few.
    virtual double factor_nonzeros() const = 0;

    /// How often another code had to factor since the object was made, because its own way did not suffice.
    virtual int rescues() const { return 0; }

    /// One line about what went wrong last, "" when nothing did. Nodes are counted from 0.
    const std::string& failure() const { return failure_; }

protected:
    std::string failure_;
};

/// A pivot below this fraction of its diagonal entry has lost all its digits: the matrix counts as singular. MUMPS does
/// not show its pivots. There the smallest singular value of the matrix, scaled to rows and columns of unit size, is
/// compared with it: no pivot is smaller than that.
inline constexpr double smallest_pivot_ratio = 8 * 2.220446049250313e-16;

/// "node 3, component y" of scalar row 10.
inline std::string scalar_row_name(Index scalar) {
    return "node " + std::to_string(scalar / 3) + ", component " + "xyz"[scalar % 3];
}

/// A = L L^T of a symmetric positive definite matrix: multifrontal, parallel (linalg/block_cholesky).
std::unique_ptr<SparseFactor> make_cholesky();

/// The code that makes an LU factor.
enum class LuCode {
    own,    ///< linalg/block_cholesky: multifrontal, parallel, in single precision with refinement; MUMPS rescues
    mumps,  ///< one thread
};

/// P A Q = L U of a matrix whose values are not symmetric.
std::unique_ptr<SparseFactor> make_lu(LuCode code = LuCode::own);

}  // namespace stiction
