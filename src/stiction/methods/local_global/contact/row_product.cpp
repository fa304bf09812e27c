#include "stiction/methods/local_global/contact/row_product.hpp"

#include "stiction/math/pack.hpp"

#include <cstring>

namespace stiction::local_global {
namespace {

constexpr std::size_t row_lanes = 4, in_flight = 2;  // sums that do not wait for each other

using RowLanes = double __attribute__((vector_size(row_lanes * sizeof(double))));

template <std::size_t Rows>
inline __attribute__((always_inline)) void add_some_rows(const double* const* rows, const Vec3* weights,
                                                         double* const* columns, std::size_t count) {
    std::size_t d = 0;
    for (; d + row_lanes <= count; d += row_lanes) {
        RowLanes entries[Rows];
        for (std::size_t r = 0; r < Rows; ++r) std::memcpy(&entries[r], rows[r] + d, sizeof(RowLanes));
        for (std::size_t k = 0; k < 3; ++k) {
            RowLanes sum;
            std::memcpy(&sum, columns[k] + d, sizeof(sum));
            for (std::size_t r = 0; r < Rows; ++r) sum += entries[r] * weights[r].data()[k];
            std::memcpy(columns[k] + d, &sum, sizeof(sum));
        }
    }
    for (; d < count; ++d) {
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t r = 0; r < Rows; ++r) columns[k][d] += rows[r][d] * weights[r].data()[k];
        }
    }
}

constexpr std::size_t wide_lanes = 8;
using WideLanes = double __attribute__((vector_size(wide_lanes * sizeof(double))));

/// Of gram_product(): `Width` rows of eight columns, in registers.
template <std::size_t Width>
inline __attribute__((always_inline)) void gram_piece(const double* block, std::size_t stride, std::size_t rows,
                                                      std::size_t first, std::size_t column, double* out,
                                                      std::size_t out_stride) {
    WideLanes sums[Width];
    for (std::size_t i = 0; i < Width; ++i) std::memcpy(&sums[i], out + i * out_stride + column, sizeof(sums[i]));
    for (std::size_t r = 0; r < rows; ++r) {
        const double* const row = block + r * stride;
        WideLanes entries;
        std::memcpy(&entries, row + column, sizeof(entries));
        for (std::size_t i = 0; i < Width; ++i) sums[i] += entries * row[first + i];
    }
    for (std::size_t i = 0; i < Width; ++i) std::memcpy(out + i * out_stride + column, &sums[i], sizeof(sums[i]));
}

}  // namespace

STICTION_WIDE void gram_product(const double* block, std::size_t stride, std::size_t rows, std::size_t first,
                                std::size_t width, std::size_t count, double* out, std::size_t out_stride) {
    std::size_t j = 0;
    for (; j + wide_lanes <= count; j += wide_lanes) {
        std::size_t i = 0;
        for (; i + 4 <= width; i += 4)
            gram_piece<4>(block, stride, rows, first + i, j, out + i * out_stride, out_stride);
        for (; i < width; ++i) gram_piece<1>(block, stride, rows, first + i, j, out + i * out_stride, out_stride);
    }
    for (; j < count; ++j) {
        for (std::size_t i = 0; i < width; ++i) {
            double sum = out[i * out_stride + j];
            for (std::size_t r = 0; r < rows; ++r) sum += block[r * stride + j] * block[r * stride + first + i];
            out[i * out_stride + j] = sum;
        }
    }
}

STICTION_WIDE void add_rows(const double* const* rows, const Vec3* weights, std::size_t row_count, double* x, double* y,
                            double* z, std::size_t count) {
    double* const columns[3] = {x, y, z};
    std::size_t r = 0;
    for (; r + 4 <= row_count; r += 4) add_some_rows<4>(rows + r, weights + r, columns, count);
    for (; r < row_count; ++r) add_some_rows<1>(rows + r, weights + r, columns, count);
}

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
