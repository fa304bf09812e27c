#include "stiction/linalg/supernodal/kernels.hpp"

#include "stiction/math/pack.hpp"

namespace stiction::supernodal {
using namespace simd;

namespace {

static_assert(row_size == Pack::size);

STICTION_INLINE Pack load(const double* rows, Index row) {
    Pack result;
    std::memcpy(&result.lanes, rows + row_size * static_cast<std::size_t>(row), sizeof(Pack::Lanes));
    return result;
}

STICTION_INLINE void store(const Pack& from, double* rows, Index row) {
    std::memcpy(rows + row_size * static_cast<std::size_t>(row), &from.lanes, sizeof(Pack::Lanes));
}

/// Forward substitution with `Columns` columns from j on; `block` points to the first of them.
template <int Columns>
STICTION_INLINE void eliminate_forward(const double* block, Index j, Index width, Index front, double* own,
                                       const Index* below, double* rows) {
    Pack x[Columns];
    for (int c = 0; c < Columns; ++c) x[c] = load(own, j + c);
    for (int c = 0; c < Columns; ++c) {
        const double* column = block + c * front + j;
        x[c] = x[c] / Pack(column[c]);
        for (int r = c + 1; r < Columns; ++r) x[r] = x[r] - Pack(column[r]) * x[c];
        store(x[c], own, j + c);
    }
    const auto subtract_from = [&](double* target, Index row, Index i) {
        Pack sum = load(target, row);
        for (int c = 0; c < Columns; ++c) sum = sum - Pack(block[c * front + i]) * x[c];
        store(sum, target, row);
    };
    for (Index i = j + Columns; i < width; ++i) subtract_from(own, i, i);
    for (Index i = width; i < front; ++i) subtract_from(rows, below[i - width], i);
}

/// Backward substitution with `Columns` columns from j on.
template <int Columns>
STICTION_INLINE void eliminate_backward(const double* block, Index j, Index width, Index front, double* own,
                                        const Index* below, const double* rows) {
    Pack sums[Columns];
    for (Pack& sum : sums) sum = Pack(0.0);
    for (Index i = j + Columns; i < width; ++i) {
        const Pack x = load(own, i);
        for (int c = 0; c < Columns; ++c) sums[c] = sums[c] + Pack(block[c * front + i]) * x;
    }
    for (Index i = width; i < front; ++i) {
        const Pack x = load(rows, below[i - width]);
        for (int c = 0; c < Columns; ++c) sums[c] = sums[c] + Pack(block[c * front + i]) * x;
    }
    Pack x[Columns];
    for (int c = Columns; c-- > 0;) {
        const double* column = block + c * front + j;
        x[c] = load(own, j + c) - sums[c];
        for (int r = c + 1; r < Columns; ++r) x[c] = x[c] - Pack(column[r]) * x[r];
        x[c] = x[c] / Pack(column[c]);
        store(x[c], own, j + c);
    }
}

}  // namespace

STICTION_WIDE void substitute_forward(const double* block, Index width, Index front, double* own, const Index* below,
                                      double* rows) {
    // Eight columns at a time load and store each row half as often as four.
    Index j = 0;
    for (; j + 8 <= width; j += 8, block += 8 * front) eliminate_forward<8>(block, j, width, front, own, below, rows);
    for (; j + 4 <= width; j += 4, block += 4 * front) eliminate_forward<4>(block, j, width, front, own, below, rows);
    for (; j < width; ++j, block += front) eliminate_forward<1>(block, j, width, front, own, below, rows);
}

STICTION_WIDE void substitute_backward(const double* block, Index width, Index front, double* own, const Index* below,
                                       const double* rows) {
    block += static_cast<std::size_t>(width) * static_cast<std::size_t>(front);
    Index j = width;
    for (; j % 4 != 0; --j) eliminate_backward<1>(block -= front, j - 1, width, front, own, below, rows);
    if (j % 8 != 0) {
        eliminate_backward<4>(block -= 4 * front, j - 4, width, front, own, below, rows);
        j -= 4;
    }
    for (; j > 0; j -= 8) eliminate_backward<8>(block -= 8 * front, j - 8, width, front, own, below, rows);
}

}  // namespace stiction::supernodal
