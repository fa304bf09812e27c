#include "stiction/linalg/block_cholesky/dense_kernels.hpp"

// BLAS and LAPACK as Fortran exports them. The lengths of the texts come last, as gfortran passes them.
#define STICTION_DECLARE_BLAS(Number, prefix)                                                                          \
    void prefix##potrf_(const char* uplo, const int* n, Number* a, const int* lda, int* info, std::size_t);            \
    void prefix##getrf_(const int* m, const int* n, Number* a, const int* lda, int* pivots, int* info);                \
    void prefix##trsm_(const char* side, const char* uplo, const char* transposed, const char* diagonal, const int* m, \
                       const int* n, const Number* alpha, const Number* a, const int* lda, Number* b, const int* ldb,  \
                       std::size_t, std::size_t, std::size_t, std::size_t);                                            \
    void prefix##syrk_(const char* uplo, const char* transposed, const int* n, const int* k, const Number* alpha,      \
                       const Number* a, const int* lda, const Number* beta, Number* c, const int* ldc, std::size_t,    \
                       std::size_t);                                                                                   \
    void prefix##gemm_(const char* transposed_a, const char* transposed_b, const int* m, const int* n, const int* k,   \
                       const Number* alpha, const Number* a, const int* lda, const Number* b, const int* ldb,          \
                       const Number* beta, Number* c, const int* ldc, std::size_t, std::size_t);                       \
    void prefix##trsv_(const char* uplo, const char* transposed, const char* diagonal, const int* n, const Number* a,  \
                       const int* lda, Number* x, const int* stride, std::size_t, std::size_t, std::size_t);           \
    void prefix##gemv_(const char* transposed, const int* m, const int* n, const Number* alpha, const Number* a,       \
                       const int* lda, const Number* x, const int* x_stride, const Number* beta, Number* y,            \
                       const int* y_stride, std::size_t);
extern "C" {
STICTION_DECLARE_BLAS(double, d)
STICTION_DECLARE_BLAS(float, s)
}
#undef STICTION_DECLARE_BLAS

namespace stiction::block_cholesky {
namespace {
template <class Number>
constexpr Number plus_one = 1;
template <class Number>
constexpr Number minus_one = -1;
constexpr int unit_stride = 1;

/// The routines of one precision.
template <class Number>
struct Blas;

template <>
struct Blas<double> {
    static constexpr auto potrf = dpotrf_;
    static constexpr auto getrf = dgetrf_;
    static constexpr auto trsm = dtrsm_;
    static constexpr auto syrk = dsyrk_;
    static constexpr auto gemm = dgemm_;
    static constexpr auto trsv = dtrsv_;
    static constexpr auto gemv = dgemv_;
};

template <>
struct Blas<float> {
    static constexpr auto potrf = spotrf_;
    static constexpr auto getrf = sgetrf_;
    static constexpr auto trsm = strsm_;
    static constexpr auto syrk = ssyrk_;
    static constexpr auto gemm = sgemm_;
    static constexpr auto trsv = strsv_;
    static constexpr auto gemv = sgemv_;
};

/// A front has fewer rows than a 32-bit number counts; offsets do not enter BLAS.
int blas_size(std::ptrdiff_t size) {
    return static_cast<int>(size);
}
}  // namespace

template <class Number>
std::ptrdiff_t factor_in_place(std::ptrdiff_t n, Number* a, std::ptrdiff_t stride) {
    const int size = blas_size(n), lda = blas_size(stride);
    int info = 0;
    Blas<Number>::potrf("L", &size, a, &lda, &info, 1);
    return info > 0 ? info - 1 : n;
}

template <class Number>
void solve_right_transposed(std::ptrdiff_t m, std::ptrdiff_t n, const Number* l, std::ptrdiff_t l_stride, Number* b,
                            std::ptrdiff_t b_stride) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(l_stride), ldb = blas_size(b_stride);
    if (rows > 0)
        Blas<Number>::trsm("R", "L", "T", "N", &rows, &columns, &plus_one<Number>, l, &lda, b, &ldb, 1, 1, 1, 1);
}

template <class Number>
void factor_general_in_place(std::ptrdiff_t n, Number* a, std::ptrdiff_t stride, int* pivots) {
    const int size = blas_size(n), lda = blas_size(stride);
    int info = 0;
    Blas<Number>::getrf(&size, &size, a, &lda, pivots, &info);
}

template <class Number>
void solve_right_upper(std::ptrdiff_t m, std::ptrdiff_t n, const Number* u, std::ptrdiff_t u_stride, Number* b,
                       std::ptrdiff_t b_stride) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(u_stride), ldb = blas_size(b_stride);
    if (rows > 0)
        Blas<Number>::trsm("R", "U", "N", "N", &rows, &columns, &plus_one<Number>, u, &lda, b, &ldb, 1, 1, 1, 1);
}

template <class Number>
void solve_right_unit_transposed(std::ptrdiff_t m, std::ptrdiff_t n, const Number* l, std::ptrdiff_t l_stride,
                                 Number* b, std::ptrdiff_t b_stride) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(l_stride), ldb = blas_size(b_stride);
    if (rows > 0)
        Blas<Number>::trsm("R", "L", "T", "U", &rows, &columns, &plus_one<Number>, l, &lda, b, &ldb, 1, 1, 1, 1);
}

template <class Number>
void subtract_square(std::ptrdiff_t n, std::ptrdiff_t k, const Number* a, std::ptrdiff_t a_stride,
                     std::type_identity_t<Number> beta, Number* c, std::ptrdiff_t c_stride) {
    const int size = blas_size(n), inner = blas_size(k), lda = blas_size(a_stride), ldc = blas_size(c_stride);
    if (size > 0) Blas<Number>::syrk("L", "N", &size, &inner, &minus_one<Number>, a, &lda, &beta, c, &ldc, 1, 1);
}

template <class Number>
void subtract_product(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k, const Number* a, std::ptrdiff_t a_stride,
                      const Number* b, std::ptrdiff_t b_stride, std::type_identity_t<Number> beta, Number* c,
                      std::ptrdiff_t c_stride) {
    const int rows = blas_size(m), columns = blas_size(n), inner = blas_size(k), lda = blas_size(a_stride),
              ldb = blas_size(b_stride), ldc = blas_size(c_stride);
    if (rows == 0 || columns == 0) return;
    Blas<Number>::gemm("N", "T", &rows, &columns, &inner, &minus_one<Number>, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

template <class Number>
void solve_lower(std::ptrdiff_t n, const Number* l, std::ptrdiff_t stride, Number* x) {
    const int size = blas_size(n), lda = blas_size(stride);
    Blas<Number>::trsv("L", "N", "N", &size, l, &lda, x, &unit_stride, 1, 1, 1);
}

template <class Number>
void solve_lower_transposed(std::ptrdiff_t n, const Number* l, std::ptrdiff_t stride, Number* x) {
    const int size = blas_size(n), lda = blas_size(stride);
    Blas<Number>::trsv("L", "T", "N", &size, l, &lda, x, &unit_stride, 1, 1, 1);
}

template <class Number>
void solve_unit_lower(std::ptrdiff_t n, const Number* l, std::ptrdiff_t stride, Number* x) {
    const int size = blas_size(n), lda = blas_size(stride);
    Blas<Number>::trsv("L", "N", "U", &size, l, &lda, x, &unit_stride, 1, 1, 1);
}

template <class Number>
void solve_upper(std::ptrdiff_t n, const Number* u, std::ptrdiff_t stride, Number* x) {
    const int size = blas_size(n), lda = blas_size(stride);
    Blas<Number>::trsv("U", "N", "N", &size, u, &lda, x, &unit_stride, 1, 1, 1);
}

template <class Number>
void subtract_times(std::ptrdiff_t m, std::ptrdiff_t n, const Number* a, std::ptrdiff_t stride, const Number* x,
                    Number* y) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(stride);
    if (rows == 0) return;
    Blas<Number>::gemv("N", &rows, &columns, &minus_one<Number>, a, &lda, x, &unit_stride, &plus_one<Number>, y,
                       &unit_stride, 1);
}

template <class Number>
void subtract_transposed_times(std::ptrdiff_t m, std::ptrdiff_t n, const Number* a, std::ptrdiff_t stride,
                               const Number* x, Number* y) {
    const int rows = blas_size(m), columns = blas_size(n), lda = blas_size(stride);
    if (rows == 0) return;
    Blas<Number>::gemv("T", &rows, &columns, &minus_one<Number>, a, &lda, x, &unit_stride, &plus_one<Number>, y,
                       &unit_stride, 1);
}

#define STICTION_INSTANTIATE(Number)                                                                                  \
    template void factor_general_in_place(std::ptrdiff_t, Number*, std::ptrdiff_t, int*);                             \
    template void solve_right_upper(std::ptrdiff_t, std::ptrdiff_t, const Number*, std::ptrdiff_t, Number*,           \
                                    std::ptrdiff_t);                                                                  \
    template void solve_right_unit_transposed(std::ptrdiff_t, std::ptrdiff_t, const Number*, std::ptrdiff_t, Number*, \
                                              std::ptrdiff_t);                                                        \
    template void solve_unit_lower(std::ptrdiff_t, const Number*, std::ptrdiff_t, Number*);                           \
    template void solve_upper(std::ptrdiff_t, const Number*, std::ptrdiff_t, Number*);                                \
    template std::ptrdiff_t factor_in_place(std::ptrdiff_t, Number*, std::ptrdiff_t);                                 \
    template void solve_right_transposed(std::ptrdiff_t, std::ptrdiff_t, const Number*, std::ptrdiff_t, Number*,      \
                                         std::ptrdiff_t);                                                             \
    template void subtract_square(std::ptrdiff_t, std::ptrdiff_t, const Number*, std::ptrdiff_t, Number, Number*,     \
                                  std::ptrdiff_t);                                                                    \
    template void subtract_product(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, const Number*, std::ptrdiff_t,     \
                                   const Number*, std::ptrdiff_t, Number, Number*, std::ptrdiff_t);                   \
    template void solve_lower(std::ptrdiff_t, const Number*, std::ptrdiff_t, Number*);                                \
    template void solve_lower_transposed(std::ptrdiff_t, const Number*, std::ptrdiff_t, Number*);                     \
    template void subtract_times(std::ptrdiff_t, std::ptrdiff_t, const Number*, std::ptrdiff_t, const Number*,        \
                                 Number*);                                                                            \
    template void subtract_transposed_times(std::ptrdiff_t, std::ptrdiff_t, const Number*, std::ptrdiff_t,            \
                                            const Number*, Number*);
STICTION_INSTANTIATE(double)
STICTION_INSTANTIATE(float)
#undef STICTION_INSTANTIATE

}  // namespace stiction::block_cholesky
