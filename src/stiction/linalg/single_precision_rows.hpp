// The entries of a block matrix in single precision, for products that are bound by memory.
#pragma once

#include "stiction/linalg/block_system.hpp"

#include <memory>
#include <vector>

namespace stiction {

/// A symmetric matrix whose entries are rounded to single precision. Sums are in double precision, so a product is that
/// of a symmetric matrix which differs from the original by at most 6e-8 of each entry. Rows form blocks, each the work
/// of one thread. An entry between two rows of a block is kept once, any other in both rows: a product reads about a
/// quarter of the bytes of BlockSystem::multiply.
class SinglePrecisionRows {
public:
    /// Takes the values of the system as they are now.
    void fill(const BlockSystem& system);
    /// y = A x, both of size 3 nodes; y must not be x. Same bits for any number of threads.
    void multiply(const VecX& x, VecX& y) const;

private:
    /// Entries of a row: those before `shared` are entries of the row `column` as well, transposed.
    struct Row {
        Index begin = 0, shared = 0;
    };
    void arrange();
    void multiply_block(Index first, Index last, const double* x, double* y) const;

    std::shared_ptr<const BlockPattern> pattern_;
    std::vector<Row> rows_;                ///< and one more
    std::vector<Index> columns_;           ///< of the entries that are kept, row by row
    std::vector<Index> slots_;             ///< of the same entries in the system
    std::vector<Eigen::Matrix3f> values_;  ///< of the same entries
};

}  // namespace stiction
