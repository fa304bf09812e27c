// What the elimination of a supernode leaves to its parent: the lower triangle of a dense matrix.
#pragma once

#include "stiction/linalg/block_cholesky/symbolic.hpp"

#include <cstddef>

namespace stiction::block_cholesky {

/// Columns of a tile: large enough for BLAS to run near its peak, small enough for many threads to share a front.
inline constexpr std::ptrdiff_t tile_size = 384;
static_assert(tile_size % 3 == 0, "a node must not stand in two tiles");

/// Numbers that an UpdateMatrix of so many rows takes.
std::size_t update_size(std::ptrdiff_t rows);

/// Lower triangle of a matrix in block columns of tile_size columns, each without the rows above its diagonal tile: of
/// a large one about half the memory of the full square.
template <class Number>
class UpdateMatrix {
public:
    /// In room for size(rows) numbers, which the caller owns.
    void place(std::ptrdiff_t rows, Number* numbers) {
        rows_ = rows;
        numbers_ = numbers;
    }

    std::ptrdiff_t rows() const { return rows_; }
    /// Distance of two columns of the block column that holds `column`.
    std::ptrdiff_t stride(std::ptrdiff_t column) const { return rows_ - column / tile_size * tile_size; }
    /// Place of (row, column), row >= column / tile_size * tile_size.
    Number* at(std::ptrdiff_t row, std::ptrdiff_t column) const {
        const std::ptrdiff_t block = column / tile_size, first = block * tile_size;
        const std::ptrdiff_t before = first * rows_ - tile_size * tile_size * (block * (block - 1) / 2);
        return numbers_ + before + (column - first) * (rows_ - first) + row - first;
    }

private:
    std::ptrdiff_t rows_ = 0;
    Number* numbers_ = nullptr;
};

/// A rectangle of the front of a supernode, in nodes, and where it is stored.
template <class Number>
struct FrontPart {
    Index row_begin, row_end, column_begin, column_end;
    Number* first;  ///< upper left number
    std::ptrdiff_t stride;
};

/// Adds to the part what the child left there.
/// @param runs, end  the child's runs
template <class Number>
void add_update(const UpdateMatrix<Number>& update, const Symbolic::Run* runs, const Symbolic::Run* end,
                const FrontPart<Number>& part);

}  // namespace stiction::block_cholesky
