// The numbers of a Cholesky factor in the order in which substitutions read them.
#pragma once

#include "stiction/linalg/supernodal/factor.hpp"

#include <tbb/cache_aligned_allocator.h>

namespace stiction::supernodal {

template <class Value>
using AlignedArray = std::vector<Value, tbb::cache_aligned_allocator<Value>>;

/// L in panels of `panel_width` columns (fewer in the last one of a supernode). A panel has the entries below the
/// diagonal of its own rows, column by column, then tiles of `tile_rows` rows of the front below, in each tile column
/// by column: a substitution reads one stream, upward or downward. The numbers off the diagonal are in single precision
/// where that loses nothing, else all are in double.
class PackedFactor {
public:
    static constexpr Index panel_width = 4, tile_rows = 4;

    PackedFactor() = default;
    explicit PackedFactor(const Factor& factor);

    /// Numbers between the columns of a front of `rows` rows: there is room for the last tile of any panel.
    static constexpr Index stride(Index rows) { return (rows + 2 * tile_rows - 1) / tile_rows * tile_rows; }

    /// Forward substitution with one supernode on three columns: of its own rows L_own^-1 x_own, of those below
    /// x_below - L_below x_own.
    /// @param front  its front, three columns that are stride(pattern.front(s)) apart; zero behind the last row
    void substitute_forward(const Pattern& pattern, std::size_t s, double* front) const;
    /// Backward substitution: of its own rows L_own^-T (x_own - L_below^T x_below); those below stay.
    void substitute_backward(const Pattern& pattern, std::size_t s, double* front) const;

    double diagonal(Index position) const { return diagonal_[static_cast<std::size_t>(position)]; }
    /// Calls visit(row, entry) for the entries below the diagonal in a column of a supernode, row by row of its front.
    template <class Visit>
    void below_diagonal(const Pattern& pattern, std::size_t s, Index column, const Visit& visit) const {
        for_each_place(pattern.width(s), pattern.front(s), column,
                       [&](std::size_t place, Index row) { visit(row, value(begin_[s] + place)); });
    }
    /// The same numbers as arrays of fronts.
    Factor unpack(const Pattern& pattern) const;

    bool single_precision() const { return !single_.empty(); }
    std::size_t bytes() const;

    static constexpr Index whole_tiles(Index rows) { return (rows + tile_rows - 1) / tile_rows * tile_rows; }
    /// Numbers of a panel before its tiles: the entries below its diagonal, and zeros up to the next tile.
    static constexpr Index triangle_size(Index columns) { return whole_tiles(columns * (columns - 1) / 2); }
    /// Where the entry (column + below, column) is among them.
    static constexpr Index place_in_triangle(Index columns, Index column, Index below) {
        return column * (2 * columns - column - 1) / 2 + below - 1;
    }
    /// Numbers of the panel whose first column is `first`.
    static constexpr std::size_t panel_size(Index columns, Index first, Index front) {
        return static_cast<std::size_t>(triangle_size(columns) + columns * whole_tiles(front - first - columns));
    }
    /// Numbers of all panels before it; `first` is a multiple of panel_width.
    static constexpr std::size_t panels_before(Index first, Index front) {
        const auto panels = static_cast<std::size_t>(first / panel_width), rows = static_cast<std::size_t>(front);
        const std::size_t tiles = (rows + tile_rows - 1) / tile_rows;
        // Each panel has a tile fewer than the one before.
        return panels * static_cast<std::size_t>(triangle_size(panel_width)) +
               panel_width * tile_rows * (panels * tiles - panels * (panels + 1) / 2);
    }

private:
    /// Calls visit(place, row) for the entries below the diagonal in a column.
    template <class Visit>
    static void for_each_place(Index width, Index front, Index column, const Visit& visit) {
        const Index j = column / panel_width * panel_width, columns = width - j < panel_width ? width - j : panel_width,
                    c = column - j;
        const std::size_t panel = panels_before(j, front);
        for (Index row = column + 1; row < j + columns; ++row)
            visit(panel + static_cast<std::size_t>(place_in_triangle(columns, c, row - column)), row);
        for (Index i = 0; i < front - j - columns; ++i) {
            const Index place = i / tile_rows * tile_rows * columns + tile_rows * c + i % tile_rows;
            visit(panel + static_cast<std::size_t>(triangle_size(columns) + place), j + columns + i);
        }
    }
    double value(std::size_t place) const {
        return single_.empty() ? double_[place] : static_cast<double>(single_[place]);
    }
    template <class Value>
    void pack(const Factor& factor, AlignedArray<Value>& values);

    std::vector<std::size_t> begin_;  ///< of a supernode, in single_ or double_; one more than supernodes
    AlignedArray<float> single_;
    AlignedArray<double> double_;
    std::vector<double> diagonal_;  ///< of every position
};

}  // namespace stiction::supernodal
