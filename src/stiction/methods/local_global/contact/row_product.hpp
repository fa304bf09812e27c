// A row of a dense matrix times three columns, in SIMD.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::local_global {

/// sum_d row[d] * (x[d], y[d], z[d]) over [0, count), in lanes of fixed number and order: the bits do not depend on the
/// width of the registers.
Vec3 row_product(const double* row, const double* x, const double* y, const double* z, std::size_t count);

}  // namespace stiction::local_global
