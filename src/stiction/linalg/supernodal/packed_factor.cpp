#include "stiction/linalg/supernodal/packed_factor.hpp"

#include "stiction/math/pack.hpp"

#include <algorithm>

namespace stiction::supernodal {
using namespace simd;

namespace {

constexpr Index panel_columns = PackedFactor::panel_width, lanes = PackedFactor::tile_rows;
static_assert(lanes == Pack::size);

constexpr Index whole_tiles(Index rows) {
    return PackedFactor::whole_tiles(rows);
}
constexpr Index triangle_size(Index columns) {
    return PackedFactor::triangle_size(columns);
}
constexpr Index place_in_triangle(Index columns, Index column, Index below) {
    return PackedFactor::place_in_triangle(columns, column, below);
}
constexpr std::size_t panel_size(Index columns, Index first, Index front) {
    return PackedFactor::panel_size(columns, first, front);
}

/// Forward substitution with the panel of `Columns` columns from j on; `panel` points to its numbers.
template <Index Columns, class Value>
STICTION_INLINE void eliminate_forward(const Value* panel, const double* diagonal, Index j, Index rows, double* front) {
    const Index stride = PackedFactor::stride(rows), end = whole_tiles(rows - j - Columns);
    double x[3][Columns];
    for (Index k = 0; k < 3; ++k) std::copy_n(front + k * stride + j, Columns, x[k]);
    for (Index c = 0; c < Columns; ++c) {
        for (Index k = 0; k < 3; ++k) x[k][c] /= diagonal[j + c];
        for (Index r = c + 1; r < Columns; ++r) {
            const double entry = panel[place_in_triangle(Columns, c, r - c)];
            for (Index k = 0; k < 3; ++k) x[k][r] -= entry * x[k][c];
        }
    }
    for (Index k = 0; k < 3; ++k) std::copy_n(x[k], Columns, front + k * stride + j);
    Pack own[3][Columns];
    for (Index k = 0; k < 3; ++k) {
        for (Index c = 0; c < Columns; ++c) own[k][c] = Pack(x[k][c]);
    }
    double* const below = front + j + Columns;
    const Value* tile = panel + triangle_size(Columns);
    for (Index i = 0; i < end; i += lanes) {
        Pack a = Pack::load(below + i), b = Pack::load(below + stride + i), d = Pack::load(below + 2 * stride + i);
        for (Index c = 0; c < Columns; ++c, tile += lanes) {
            const Pack entries = Pack::load(tile);
            a = a - entries * own[0][c];
            b = b - entries * own[1][c];
            d = d - entries * own[2][c];
        }
        a.store(below + i);
        b.store(below + stride + i);
        d.store(below + 2 * stride + i);
    }
}

/// Backward substitution with the same panel.
template <Index Columns, class Value>
STICTION_INLINE void eliminate_backward(const Value* panel, const double* diagonal, Index j, Index rows,
                                        double* front) {
    const Index stride = PackedFactor::stride(rows), end = whole_tiles(rows - j - Columns);
    const double* const below = front + j + Columns;
    Pack sums[3][Columns];
    for (auto& of_column : sums) {
        for (Pack& sum : of_column) sum = Pack(0.0);
    }
    const Value* tile = panel + triangle_size(Columns) + Columns * end;
    // Downward, as the panels are taken: memory is then read as one stream.
    for (Index i = end - lanes; i >= 0; i -= lanes) {
        const Pack a = Pack::load(below + i), b = Pack::load(below + stride + i),
                   d = Pack::load(below + 2 * stride + i);
        tile -= Columns * lanes;
        for (Index c = 0; c < Columns; ++c) {
            const Pack entries = Pack::load(tile + lanes * c);
            sums[0][c] = sums[0][c] + entries * a;
            sums[1][c] = sums[1][c] + entries * b;
            sums[2][c] = sums[2][c] + entries * d;
        }
    }
    for (Index k = 0; k < 3; ++k) {
        double* const x = front + k * stride + j;
        for (Index c = Columns; c-- > 0;) {
            const Pack& sum = sums[k][c];
            double value = x[c] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
            for (Index r = c + 1; r < Columns; ++r) value -= panel[place_in_triangle(Columns, c, r - c)] * x[r];
            x[c] = value / diagonal[j + c];
        }
    }
}

/// @param values  of the supernode
template <class Value>
STICTION_INLINE void forward(const Value* values, const double* diagonal, Index width, Index rows, double* front) {
    Index j = 0;
    for (; j + panel_columns <= width; j += panel_columns) {
        eliminate_forward<panel_columns>(values, diagonal, j, rows, front);
        values += panel_size(panel_columns, j, rows);
    }
    switch (width - j) {
        case 3: return eliminate_forward<3>(values, diagonal, j, rows, front);
        case 2: return eliminate_forward<2>(values, diagonal, j, rows, front);
        case 1: return eliminate_forward<1>(values, diagonal, j, rows, front);
        default: return;
    }
}

/// @param end  behind the values of the supernode
template <class Value>
STICTION_INLINE void backward(const Value* end, const double* diagonal, Index width, Index rows, double* front) {
    Index j = width / panel_columns * panel_columns;
    if (j < width) end -= panel_size(width - j, j, rows);
    switch (width - j) {
        case 3: eliminate_backward<3>(end, diagonal, j, rows, front); break;
        case 2: eliminate_backward<2>(end, diagonal, j, rows, front); break;
        case 1: eliminate_backward<1>(end, diagonal, j, rows, front); break;
        default: break;
    }
    while (j > 0) {
        j -= panel_columns;
        end -= panel_size(panel_columns, j, rows);
        eliminate_backward<panel_columns>(end, diagonal, j, rows, front);
    }
}

STICTION_WIDE void forward_single(const float* values, const double* diagonal, Index width, Index rows, double* front) {
    forward(values, diagonal, width, rows, front);
}
STICTION_WIDE void forward_double(const double* values, const double* diagonal, Index width, Index rows,
                                  double* front) {
    forward(values, diagonal, width, rows, front);
}
STICTION_WIDE void backward_single(const float* end, const double* diagonal, Index width, Index rows, double* front) {
    backward(end, diagonal, width, rows, front);
}
STICTION_WIDE void backward_double(const double* end, const double* diagonal, Index width, Index rows, double* front) {
    backward(end, diagonal, width, rows, front);
}

bool fits_single_precision(const Factor& factor) {
    const Pattern& pattern = factor.pattern;
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        const double* column = factor.block(s);
        const Index front = pattern.front(s);
        for (Index j = 0; j < pattern.width(s); ++j, column += front) {
            for (Index i = j + 1; i < front; ++i) {
                if (static_cast<double>(static_cast<float>(column[i])) != column[i]) return false;
            }
        }
    }
    return true;
}

}  // namespace

PackedFactor::PackedFactor(const Factor& factor) {
    const Pattern& pattern = factor.pattern;
    begin_.assign(1, 0);
    diagonal_.resize(static_cast<std::size_t>(pattern.unknowns));
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        const Index width = pattern.width(s), front = pattern.front(s), last = width / panel_width * panel_width;
        begin_.push_back(begin_.back() + panels_before(last, front) +
                         (last < width ? panel_size(width - last, last, front) : 0));
        for (Index j = 0; j < width; ++j)
            diagonal_[static_cast<std::size_t>(pattern.column_begin[s] + j)] =
                factor.block(s)[static_cast<std::size_t>(j) * static_cast<std::size_t>(front + 1)];
    }
    if (fits_single_precision(factor)) {
        pack(factor, single_);
    } else {
        pack(factor, double_);
    }
}

template <class Value>
void PackedFactor::pack(const Factor& factor, AlignedArray<Value>& values) {
    const Pattern& pattern = factor.pattern;
    values.assign(begin_.back(), Value(0));
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        const auto front = static_cast<std::size_t>(pattern.front(s));
        const double* column = factor.block(s);
        for (Index j = 0; j < pattern.width(s); ++j, column += front) {
            for_each_place(pattern.width(s), pattern.front(s), j, [&](std::size_t place, Index row) {
                values[begin_[s] + place] = static_cast<Value>(column[row]);
            });
        }
    }
}

Factor PackedFactor::unpack(const Pattern& pattern) const {
    Factor factor{pattern, std::vector<double>(pattern.value_begin.back(), 0.0)};
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        const auto front = static_cast<std::size_t>(pattern.front(s));
        double* column = factor.values.data() + pattern.value_begin[s];
        for (Index j = 0; j < pattern.width(s); ++j, column += front) {
            column[j] = diagonal(pattern.column_begin[s] + j);
            below_diagonal(pattern, s, j, [&](Index row, double entry) { column[row] = entry; });
        }
    }
    return factor;
}

void PackedFactor::substitute_forward(const Pattern& pattern, std::size_t s, double* front) const {
    const double* const diagonal = diagonal_.data() + pattern.column_begin[s];
    if (single_.empty())
        return forward_double(double_.data() + begin_[s], diagonal, pattern.width(s), pattern.front(s), front);
    forward_single(single_.data() + begin_[s], diagonal, pattern.width(s), pattern.front(s), front);
}

void PackedFactor::substitute_backward(const Pattern& pattern, std::size_t s, double* front) const {
    const double* const diagonal = diagonal_.data() + pattern.column_begin[s];
    if (single_.empty())
        return backward_double(double_.data() + begin_[s + 1], diagonal, pattern.width(s), pattern.front(s), front);
    backward_single(single_.data() + begin_[s + 1], diagonal, pattern.width(s), pattern.front(s), front);
}

std::size_t PackedFactor::bytes() const {
    return array_bytes(begin_) + array_bytes(diagonal_) + sizeof(float) * single_.size() +
           sizeof(double) * double_.size();
}

}  // namespace stiction::supernodal
