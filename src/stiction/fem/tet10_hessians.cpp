#include "stiction/fem/tet10_hessians.hpp"

#include "stiction/math/pack.hpp"

#include <algorithm>

namespace stiction {
using namespace simd;

namespace {

constexpr std::size_t lanes = Pack::size;
constexpr std::size_t blocks = 55;  // on and below the diagonal

/// Adds what one point gives to the blocks (a, b), b <= a, column by column of blocks; each 3x3 column by column.
STICTION_INLINE void add_point(const Pack* stiffness, const Pack* gradients, Pack* sums) {
    Pack* block = sums;
    for (int b = 0; b < 10; ++b) {
        Pack half[27];  // stiffness times the gradient of node b: 9 x 3
        const Pack* g = gradients + 3 * b;
        for (int i = 0; i < 27; ++i)
            half[i] = stiffness[i] * g[0] + stiffness[27 + i] * g[1] + stiffness[54 + i] * g[2];
        for (int a = b; a < 10; ++a, block += 9) {
            const Pack* h = gradients + 3 * a;
            for (int j = 0; j < 3; ++j) {
                for (int i = 0; i < 3; ++i) {
                    const Pack* entry = half + 9 * j + i;
                    block[i + 3 * j] = block[i + 3 * j] + (h[0] * entry[0] + h[1] * entry[3] + h[2] * entry[6]);
                }
            }
        }
    }
}

/// Both triangles of a matrix from its blocks.
void unfold(const double* entries, Mat30& out) {
    for (int b = 0; b < 10; ++b) {
        for (int a = b; a < 10; ++a, entries += 9) {
            for (int j = 0; j < 3; ++j) {
                for (int i = 0; i < 3; ++i) {
                    const double value = a == b ? 0.5 * (entries[i + 3 * j] + entries[j + 3 * i]) : entries[i + 3 * j];
                    out(3 * a + i, 3 * b + j) = out(3 * b + j, 3 * a + i) = value;
                }
            }
        }
    }
}

}  // namespace

STICTION_WIDE void assemble_tet10_hessians(const PointStiffness* stiffness,
                                           const std::array<Tet10Elements::Gradients, 4>* const* gradients,
                                           std::size_t count, Mat30* out) {
    for (std::size_t first = 0; first < count; first += lanes) {
        Pack sums[9 * blocks];
        for (Pack& sum : sums) sum = Pack(0.0);
        for (std::size_t q = 0; q < 4; ++q) {
            const double *slopes[lanes], *moduli[lanes];  // lanes beyond the end repeat the last element
            for (std::size_t k = 0; k < lanes; ++k) {
                const std::size_t e = std::min(first + k, count - 1);
                slopes[k] = (*gradients[e])[q].data();
                moduli[k] = stiffness[e][q].data();
            }
            Pack point_gradients[30], point_stiffness[81];
            load_lanes(slopes, 30, point_gradients);
            load_lanes(moduli, 81, point_stiffness);
            add_point(point_stiffness, point_gradients, sums);
        }
        double values[lanes][9 * blocks];
        double* targets[lanes];
        for (std::size_t k = 0; k < lanes; ++k) targets[k] = values[k];
        store_lanes(sums, 9 * blocks, targets);
        for (std::size_t k = 0; k < lanes && first + k < count; ++k) unfold(values[k], out[first + k]);
    }
}

}  // namespace stiction
