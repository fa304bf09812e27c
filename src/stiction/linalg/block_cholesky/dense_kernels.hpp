// The dense kernels of BLAS and LAPACK that the sparse Cholesky factorisation stands on: column-major, lower triangles.
#pragma once

#include <cstddef>

namespace stiction::block_cholesky {

/// L L^T = A in place, n x n.
/// @return n when that worked, else the column whose pivot is not positive; columns before it hold L
std::ptrdiff_t factor_in_place(std::ptrdiff_t n, double* a, std::ptrdiff_t stride);

/// B = B L^-T; L is n x n, B is m x n.
void solve_right_transposed(std::ptrdiff_t m, std::ptrdiff_t n, const double* l, std::ptrdiff_t l_stride, double* b,
                            std::ptrdiff_t b_stride);

/// Lower triangle of C = beta C - A A^T; C is n x n, A is n x k. With beta = 0, C is written only.
void subtract_square(std::ptrdiff_t n, std::ptrdiff_t k, const double* a, std::ptrdiff_t a_stride, double beta,
                     double* c, std::ptrdiff_t c_stride);

/// C = beta C - A B^T; C is m x n, A is m x k, B is n x k. With beta = 0, C is written only.
void subtract_product(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, const double* a, std::ptrdiff_t a_stride,
                      const double* b, std::ptrdiff_t b_stride, double beta, double* c, std::ptrdiff_t c_stride);

/// x = L^-1 x, n entries.
void solve_lower(std::ptrdiff_t n, const double* l, std::ptrdiff_t stride, double* x);

/// x = L^-T x, n entries.
void solve_lower_transposed(std::ptrdiff_t n, const double* l, std::ptrdiff_t stride, double* x);

/// y = y - A x; A is m x n.
void subtract_times(std::ptrdiff_t m, std::ptrdiff_t n, const double* a, std::ptrdiff_t stride, const double* x,
                    double* y);

/// y = y - A^T x; A is m x n.
void subtract_transposed_times(std::ptrdiff_t m, std::ptrdiff_t n, const double* a, std::ptrdiff_t stride,
                               const double* x, double* y);

}  // namespace stiction::block_cholesky
