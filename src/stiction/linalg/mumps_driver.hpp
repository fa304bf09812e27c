// MUMPS (CeCILL-C), sequential flavour: the one place that calls it. Internal to linalg/.
#pragma once

#include "stiction/base/types.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// A multifrontal factorisation of a sparse matrix of 3 n scalar rows, given as coordinates, in a given elimination
/// order: L U with threshold pivoting. Use: fill rows, columns and values, analyze(); then change values as often as
/// wanted, each time factorize() and solve(). No scaling and no refinement take place.
class MumpsDriver {
public:
    MumpsDriver();
    ~MumpsDriver();
    MumpsDriver(const MumpsDriver&) = delete;
    MumpsDriver& operator=(const MumpsDriver&) = delete;

    // Coordinates of the entries, numbered from 1.
    std::vector<int> rows, columns;
    std::vector<double> values;

    /// Symbolic factorisation of the entries in `rows` and `columns`, whose sizes stay as they are from here on.
    /// @param order  order[k] = node eliminated at position k; node i owns scalar rows 3 i .. 3 i + 2
    /// @return false when memory ran out: see failure()
    bool analyze(Index nodes, const std::vector<Index>& order);
    /// Numeric factorisation of the present values; asks for more working space as long as that is what is missing.
    /// @return false when MUMPS gave up: see failure(). Pivots of rounding error pass unseen: see
    /// start_of_inverse_iteration().
    bool factorize();
    /// x := A^-1 x, or A^-T x, with the last factor.
    void solve_in_place(VecX& x, bool transposed = false);

    /// Whether analyze() succeeded for a matrix with this number of scalar rows.
    bool has_size(Eigen::Index scalar_rows) const;
    /// Entries of the factors counted by analyze().
    double factor_nonzeros() const { return nonzeros_; }
    /// One line about what went wrong in the last analyze() or factorize(), "" when nothing did.
    const std::string& failure() const { return failure_; }

private:
    struct Instance;

    void start();
    void finish();
    void call(int job);
    bool fail(const char* stage);

    std::unique_ptr<Instance> mumps_;
    bool is_started_ = false;
    std::vector<int> position_;
    double nonzeros_ = 0.0;
    std::string failure_;
};

/// A vector without special directions, the same for every matrix of a size: entries of both signs, of sizes from 1/2
/// to 1. MUMPS does not show pivots of rounding error. Inverse iteration from this vector does: |x| / |A^-1 x| falls to
/// the smallest singular value.
VecX start_of_inverse_iteration(Eigen::Index size);
/// Value of |x| / |A^-1 x| after the first solve, above which a scaled matrix of this size counts as regular.
double surely_regular(Eigen::Index size);

}  // namespace stiction
