#include "stiction/methods/local_global/contact/row_product.hpp"

#include <cstring>

// Uses AVX2 where the machine has it. Contraction is off, so the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STICTION_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define STICTION_WIDE
#endif

namespace stiction::local_global {
namespace {

constexpr std::size_t row_lanes = 4, in_flight = 2;  // sums that do not wait for each other

using RowLanes = double __attribute__((vector_size(row_lanes * sizeof(double))));

}  // namespace

STICTION_WIDE Vec3 row_product(const double* row, const double* x, const double* y, const double* z,
                               std::size_t count) {
    const double* const columns[3] = {x, y, z};
    RowLanes sums[in_flight][3] = {};
    std::size_t d = 0;
    for (; d + in_flight * row_lanes <= count; d += in_flight * row_lanes) {
        for (std::size_t s = 0; s < in_flight; ++s) {
            RowLanes entries, numbers;
            std::memcpy(&entries, row + d + s * row_lanes, sizeof(entries));
            for (std::size_t k = 0; k < 3; ++k) {
                std::memcpy(&numbers, columns[k] + d + s * row_lanes, sizeof(numbers));
                sums[s][k] += entries * numbers;
            }
        }
    }
    double out[3];
    for (std::size_t k = 0; k < 3; ++k) {
        const RowLanes both = sums[0][k] + sums[1][k];
        out[k] = (both[0] + both[1]) + (both[2] + both[3]);
        for (std::size_t rest = d; rest < count; ++rest) out[k] += row[rest] * columns[k][rest];
    }
    return {out[0], out[1], out[2]};
}

}  // namespace stiction::local_global

#undef STICTION_WIDE
