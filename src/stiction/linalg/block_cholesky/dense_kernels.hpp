// The dense kernels of BLAS and LAPACK that the sparse Cholesky factorisation stands on: column-major, lower triangles,
// in double or single precision.
#pragma once

#include <cstddef>
#include <type_traits>

namespace stiction::block_cholesky {

/// L L^T = A in place, n x n.
/// @return n when that worked, else the column whose pivot is not positive; columns before it hold L
template <class Number>
std::ptrdiff_t factor_in_place(std::ptrdiff_t n, Number* a, std::ptrdiff_t stride);

/// P L U = A in place, n x n, with row exchanges; zero pivots are left in U.
/// @param pivots  row j was exchanged with row pivots[j] - 1
template <class Number>
void factor_general_in_place(std::ptrdiff_t n, Number* a, std::ptrdiff_t stride, int* pivots);

/// B = B U^-1; U is n x n, B is m x n.
template <class Number>
void solve_right_upper(std::ptrdiff_t m, std::ptrdiff_t n, const Number* u, std::ptrdiff_t u_stride, Number* b,
                       std::ptrdiff_t b_stride);

/// B = B L^-T, L with a unit diagonal; L is n x n, B is m x n.
template <class Number>
void solve_right_unit_transposed(std::ptrdiff_t m, std::ptrdiff_t n, const Number* l, std::ptrdiff_t l_stride,
                                 Number* b, std::ptrdiff_t b_stride);

/// B = B L^-T; L is n x n, B is m x n.
template <class Number>
void solve_right_transposed(std::ptrdiff_t m, std::ptrdiff_t n, const Number* l, std::ptrdiff_t l_stride, Number* b,
                            std::ptrdiff_t b_stride);

/// Lower triangle of C = beta C - A A^T; C is n x n, A is n x k. With beta = 0, C is written only.
template <class Number>
void subtract_square(std::ptrdiff_t n, std::ptrdiff_t k, const Number* a, std::ptrdiff_t a_stride,
                     std::type_identity_t<Number> beta, Number* c, std::ptrdiff_t c_stride);

/// C = beta C - A B^T; C is m x n, A is m x k, B is n x k. With beta = 0, C is written only.
template <class Number>
void subtract_product(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, const Number* a, std::ptrdiff_t a_stride,
                      const Number* b, std::ptrdiff_t b_stride, std::type_identity_t<Number> beta, Number* c,
                      std::ptrdiff_t c_stride);

/// x = L^-1 x, n entries.
template <class Number>
void solve_lower(std::ptrdiff_t n, const Number* l, std::ptrdiff_t stride, Number* x);

/// x = L^-T x, n entries.
template <class Number>
void solve_lower_transposed(std::ptrdiff_t n, const Number* l, std::ptrdiff_t stride, Number* x);

/// x = L^-1 x, L with a unit diagonal, n entries.
template <class Number>
void solve_unit_lower(std::ptrdiff_t n, const Number* l, std::ptrdiff_t stride, Number* x);

/// x = U^-1 x, n entries.
template <class Number>
void solve_upper(std::ptrdiff_t n, const Number* u, std::ptrdiff_t stride, Number* x);

/// y = y - A x; A is m x n.
template <class Number>
void subtract_times(std::ptrdiff_t m, std::ptrdiff_t n, const Number* a, std::ptrdiff_t stride, const Number* x,
                    Number* y);

/// y = y - A^T x; A is m x n.
template <class Number>
void subtract_transposed_times(std::ptrdiff_t m, std::ptrdiff_t n, const Number* a, std::ptrdiff_t stride,
                               const Number* x, Number* y);

}  // namespace stiction::block_cholesky
