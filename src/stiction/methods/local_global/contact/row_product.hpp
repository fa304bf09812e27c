// Dense products in SIMD: rows of a matrix times three columns, a matrix times its own transpose.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::local_global {

/// sum_d row[d] * (x[d], y[d], z[d]) over [0, count), in lanes of fixed number and order: the bits do not depend on the
/// width of the registers.
Vec3 row_product(const double* row, const double* x, const double* y, const double* z, std::size_t count);

/// (x, y, z)[d] += sum_r rows[r][d] * weights[r] over d in [0, count), in the order of r.
void add_rows(const double* const* rows, const Vec3* weights, std::size_t row_count, double* x, double* y, double* z,
              std::size_t count);

/// out[i * out_stride + j] += sum_r block[r * stride + first + i] * block[r * stride + j] over r in [0, rows), in this
/// order, for i in [0, width) and j in [0, count).
void gram_product(const double* block, std::size_t stride, std::size_t rows, std::size_t first, std::size_t width,
                  std::size_t count, double* out, std::size_t out_stride);

}  // namespace stiction::local_global
