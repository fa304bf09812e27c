// The product of a matrix of 3x3 blocks with a vector, for any storage of the blocks. Internal to linalg/.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/block_pattern.hpp"

namespace stiction {

/// y = A x, both of size 3 nodes; y must not be x. Parallel over rows, each summed in column order.
/// @param add_product  add_product(row, e, part, sum): sum += A(row, column) part for entry e of the pattern's rows,
/// where part is the piece of x that belongs to the column
template <class AddProduct>
void multiply_rows(const BlockPattern& pattern, const VecX& x, VecX& y, const AddProduct& add_product) {
    STICTION_CHECK(x.size() == 3 * pattern.nodes && &x != &y,
                   "multiply: vector of another size than the matrix, or x is y");
    y.resize(x.size());
    parallel_for(static_cast<std::size_t>(pattern.nodes), [&](std::size_t row) {
        Vec3 sum = Vec3::Zero();
        for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e) {
            const auto part = x.segment<3>(3 * static_cast<Eigen::Index>(pattern.row_entries[e].column));
            add_product(row, e, part, sum);
        }
        y.segment<3>(3 * static_cast<Eigen::Index>(row)) = sum;
    });
}

}  // namespace stiction
