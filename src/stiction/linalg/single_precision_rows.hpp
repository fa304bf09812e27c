// The entries of a block matrix in single precision, for products that are bound by memory.
#pragma once

#include "stiction/linalg/block_system.hpp"

#include <memory>
#include <vector>

namespace stiction {

/// A symmetric matrix whose entries are rounded to single precision, both triangles row by row. Sums are in double
/// precision, so a product is that of a symmetric matrix which differs from the original by at most 6e-8 of each entry.
/// It reads half the bytes of BlockSystem::multiply.
class SinglePrecisionRows {
public:
    /// Takes the values of the system as they are now.
    void fill(const BlockSystem& system);
    /// y = A x, both of size 3 nodes; y must not be x. Same bits for any number of threads.
    void multiply(const VecX& x, VecX& y) const;

private:
    std::shared_ptr<const BlockPattern> pattern_;
    std::vector<float> entries_;  ///< nine an entry of the pattern's rows, column by column; and one more
};

}  // namespace stiction
