#include "stiction/linalg/block_cholesky/dense_kernels.hpp"

// BLAS and LAPACK as Fortran exports them. The lengths of the texts come last, as gfortran passes them.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dtrsm_(const char* side, const char* uplo, const char* transposed, const char* diagonal, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b, const int* ldb, std::size_t,
            std::size_t, std::size_t, std::size_t);
void dsyrk_(const char* uplo, const char* transposed, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc, std::size_t, std::size_t);
void dgemm_(const char* transposed_a, const char* transposed_b, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc, std::size_t, std::size_t);
void dtrsv_(const char* uplo, const char* transposed, const char* diagonal, const int* n, const double* a,
            const int* lda, double* x, const int* stride, std::size_t, std::size_t, std::size_t);
void dgemv_(const char* transposed, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* x_stride, const double* beta, double* y, const int* y_stride, std::size_t);
}

namespace stiction::block_cholesky {
namespace {
constexpr double plus_one = 1.0, minus_one = -1.0;
constexpr int unit_stride = 1;

/// A front has fewer rows than a 32-bit number counts; offsets do not enter BLAS.
int blas_size(std::ptrdiff_t size) {
    return static_cast<int>(size);
}
}  // namespace

std::ptrdiff_t factor_in_place(std::ptrdiff_t n, double* a, std::ptrdiff_t stride) {
    const int size = blas_size(n), lda = blas_size(stride);
    int info = 0;
    dpotrf_("L", &size, a, &lda, &info, 1);
    return info > 0 ? info - 1 : n;
}

void solve_right_transposed(std::ptrdiff_t m, std::ptrdiff_t n, const double* l, std::ptrdiff_t l_stride, double* b,
                            std::ptrdiff_t b_stride) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(l_stride), ldb = blas_size(b_stride);
    if (rows > 0) dtrsm_("R", "L", "T", "N", &rows, &columns, &plus_one, l, &lda, b, &ldb, 1, 1, 1, 1);
}

void subtract_square(std::ptrdiff_t n, std::ptrdiff_t k, const double* a, std::ptrdiff_t a_stride, double beta,
                     double* c, std::ptrdiff_t c_stride) {
    const int size = blas_size(n), inner = blas_size(k), lda = blas_size(a_stride), ldc = blas_size(c_stride);
    if (size > 0) dsyrk_("L", "N", &size, &inner, &minus_one, a, &lda, &beta, c, &ldc, 1, 1);
}

void subtract_product(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, const double* a, std::ptrdiff_t a_stride,
                      const double* b, std::ptrdiff_t b_stride, double beta, double* c, std::ptrdiff_t c_stride) {
    const int rows = blas_size(m), columns = blas_size(n), inner = blas_size(k), lda = blas_size(a_stride),
              ldb = blas_size(b_stride), ldc = blas_size(c_stride);
    if (rows > 0 && columns > 0)
        dgemm_("N", "T", &rows, &columns, &inner, &minus_one, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

void solve_lower(std::ptrdiff_t n, const double* l, std::ptrdiff_t stride, double* x) {
    const int size = blas_size(n), lda = blas_size(stride);
    dtrsv_("L", "N", "N", &size, l, &lda, x, &unit_stride, 1, 1, 1);
}

void solve_lower_transposed(std::ptrdiff_t n, const double* l, std::ptrdiff_t stride, double* x) {
    const int size = blas_size(n), lda = blas_size(stride);
    dtrsv_("L", "T", "N", &size, l, &lda, x, &unit_stride, 1, 1, 1);
}

void subtract_times(std::ptrdiff_t m, std::ptrdiff_t n, const double* a, std::ptrdiff_t stride, const double* x,
                    double* y) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(stride);
    if (rows > 0) dgemv_("N", &rows, &columns, &minus_one, a, &lda, x, &unit_stride, &plus_one, y, &unit_stride, 1);
}

void subtract_transposed_times(std::ptrdiff_t m, std::ptrdiff_t n, const double* a, std::ptrdiff_t stride,
                               const double* x, double* y) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(stride);
    if (rows > 0) dgemv_("T", &rows, &columns, &minus_one, a, &lda, x, &unit_stride, &plus_one, y, &unit_stride, 1);
}

}  // namespace stiction::block_cholesky
