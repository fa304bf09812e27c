#include "stiction/linalg/supernodal/kernels.hpp"

#include <cstring>

// Uses AVX2 where the machine has it. Contraction is off, so the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STICTION_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define STICTION_WIDE
#endif
#define STICTION_INLINE inline __attribute__((always_inline))

namespace stiction::supernodal {
namespace {

constexpr Index quad = 4;

/// Four numbers. Results do not depend on the width of the registers.
using Quad = double __attribute__((vector_size(quad * sizeof(double))));

STICTION_INLINE void load(Quad& to, const double* from) {
    std::memcpy(&to, from, sizeof(Quad));
}

/// Forward substitution with `Columns` columns from j on; `block` points to the first of them.
template <int Columns>
STICTION_INLINE void eliminate_forward(const double* block, Index j, Index front, double* values) {
    double own[3][Columns];
    for (int k = 0; k < 3; ++k) {
        double* const x = values + k * front + j;
        for (int c = 0; c < Columns; ++c) {
            const double* column = block + c * front + j;
            x[c] /= column[c];
            for (int r = c + 1; r < Columns; ++r) x[r] -= column[r] * x[c];
            own[k][c] = x[c];
        }
    }
    Index i = j + Columns;
    for (; i + quad <= front; i += quad) {
        Quad entries[Columns];
        for (int c = 0; c < Columns; ++c) load(entries[c], block + c * front + i);
        for (int k = 0; k < 3; ++k) {
            double* const target = values + k * front + i;
            Quad sum;
            load(sum, target);
            for (int c = 0; c < Columns; ++c) sum -= entries[c] * own[k][c];
            std::memcpy(target, &sum, sizeof(Quad));
        }
    }
    for (; i < front; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < Columns; ++c) values[k * front + i] -= block[c * front + i] * own[k][c];
        }
    }
}

/// Backward substitution with `Columns` columns from j on, sums in four lanes.
template <int Columns>
STICTION_INLINE void eliminate_backward(const double* block, Index j, Index front, double* values) {
    Quad sums[3][Columns];
    for (auto& row : sums) {
        for (Quad& sum : row) sum = Quad{};
    }
    Index i = j + Columns;
    for (; i + quad <= front; i += quad) {
        Quad x, y, z;
        load(x, values + i);
        load(y, values + front + i);
        load(z, values + 2 * front + i);
        for (int c = 0; c < Columns; ++c) {
            Quad entries;
            load(entries, block + c * front + i);
            sums[0][c] += entries * x;
            sums[1][c] += entries * y;
            sums[2][c] += entries * z;
        }
    }
    for (; i < front; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < Columns; ++c) sums[k][c][0] += block[c * front + i] * values[k * front + i];
        }
    }
    for (int k = 0; k < 3; ++k) {
        double* const x = values + k * front + j;
        for (int c = Columns; c-- > 0;) {
            const double* column = block + c * front + j;
            const Quad& sum = sums[k][c];
            double value = x[c] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
            for (int r = c + 1; r < Columns; ++r) value -= column[r] * x[r];
            x[c] = value / column[c];
        }
    }
}

}  // namespace

STICTION_WIDE void substitute_forward(const double* block, Index width, Index front, double* values) {
    Index j = 0;
    for (; j + 4 <= width; j += 4, block += 4 * front) eliminate_forward<4>(block, j, front, values);
    for (; j < width; ++j, block += front) eliminate_forward<1>(block, j, front, values);
}

STICTION_WIDE void substitute_backward(const double* block, Index width, Index front, double* values) {
    block += static_cast<std::size_t>(width) * static_cast<std::size_t>(front);
    Index j = width;
    for (; j % 4 != 0; --j) eliminate_backward<1>(block -= front, j - 1, front, values);
    for (; j > 0; j -= 4) eliminate_backward<4>(block -= 4 * front, j - 4, front, values);
}

}  // namespace stiction::supernodal

#undef STICTION_WIDE
#undef STICTION_INLINE
