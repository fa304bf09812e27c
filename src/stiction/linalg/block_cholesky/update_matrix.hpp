// What the elimination of a supernode leaves to its parent: the lower triangle of a dense matrix.
#pragma once

#include "stiction/linalg/block_cholesky/symbolic.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace stiction::block_cholesky {

/// Columns of a tile: large enough for BLAS to run near its peak, small enough for many threads to share a front.
inline constexpr std::ptrdiff_t tile_size = 192;
static_assert(tile_size % 3 == 0, "a node must not stand in two tiles");

struct FreeMemory {
    void operator()(double* memory) const { std::free(memory); }
};
using Numbers = std::unique_ptr<double[], FreeMemory>;

/// Memory for `size` numbers, not initialised, on a cache line of its own; null when there is none.
Numbers allocate_numbers(std::size_t size);

/// Lower triangle of a matrix in block columns of tile_size columns, each without the rows above its diagonal tile:
/// about half the memory of the full square.
class UpdateMatrix {
public:
    /// Not initialised.
    /// @return false when memory ran out
    bool allocate(std::ptrdiff_t rows);
    void free() { numbers_.reset(); }

    std::ptrdiff_t rows() const { return rows_; }
    /// Distance of two columns of the block column that holds `column`.
    std::ptrdiff_t stride(std::ptrdiff_t column) const { return rows_ - column / tile_size * tile_size; }
    /// Place of (row, column), row >= column / tile_size * tile_size.
    double* at(std::ptrdiff_t row, std::ptrdiff_t column) const {
        const std::ptrdiff_t block = column / tile_size, first = block * tile_size;
        const std::ptrdiff_t before = first * rows_ - tile_size * tile_size * (block * (block - 1) / 2);
        return numbers_.get() + before + (column - first) * (rows_ - first) + row - first;
    }

private:
    std::ptrdiff_t rows_ = 0;
    Numbers numbers_;
};

/// A rectangle of the front of a supernode, in nodes, and where it is stored.
struct FrontPart {
    Index row_begin, row_end, column_begin, column_end;
    double* first;  ///< upper left number
    std::ptrdiff_t stride;
};

/// Adds to the part what the child left there.
/// @param runs, end  the child's runs
void add_update(const UpdateMatrix& update, const Symbolic::Run* runs, const Symbolic::Run* end, const FrontPart& part);

}  // namespace stiction::block_cholesky
