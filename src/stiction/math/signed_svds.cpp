#include "stiction/math/signed_svds.hpp"

#include "stiction/math/pack.hpp"

#include <algorithm>

namespace stiction {
using namespace simd;

namespace {

constexpr std::size_t lanes = Pack::size;

/// 3x3, column by column.
struct PackMatrix {
    Pack entries[9];
    STICTION_INLINE Pack* column(int j) { return entries + 3 * j; }
    STICTION_INLINE const Pack* column(int j) const { return entries + 3 * j; }
};

STICTION_INLINE Pack dot3(const Pack* a, const Pack* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// 1 with the sign of each lane.
STICTION_INLINE Pack sign(const Pack& a) {
    using Integers = std::int64_t __attribute__((vector_size(lanes * sizeof(std::int64_t))));
    constexpr std::int64_t one = 0x3FF0000000000000;
    return Pack(reinterpret_cast<Pack::Lanes>((reinterpret_cast<Integers>(a.lanes) & std::int64_t{INT64_MIN}) | one));
}

/// detail::orthogonalise_columns() of each lane. Lanes whose columns are orthogonal keep their values, and their bits
/// as far as there is no -0. @return 1 in lanes that turned, 0 in the others
STICTION_INLINE Pack orthogonalise(PackMatrix& A, PackMatrix& V, int p, int q) {
    constexpr double tolerance = 4.0 * std::numeric_limits<double>::epsilon();
    const Pack one(1.0), zero(0.0);
    const Pack alpha = dot3(A.column(p), A.column(p)), beta = dot3(A.column(q), A.column(q));
    const Pack gamma = dot3(A.column(p), A.column(q));
    const Pack negligible = Pack(tolerance * tolerance) * alpha * beta, coupling = gamma * gamma;
    const Pack zeta = (beta - alpha) / (Pack(2.0) * gamma);
    const Pack turn = sign(zeta) / (absolute(zeta) + root(one + zeta * zeta));
    const Pack tangent = where_less(negligible, coupling, turn, zero);
    const Pack cosine = one / root(one + tangent * tangent), sine = cosine * tangent;
    for (PackMatrix* matrix : {&A, &V}) {
        Pack *const first = matrix->column(p), *const second = matrix->column(q);
        for (int i = 0; i < 3; ++i) {
            const Pack value = first[i];
            first[i] = cosine * value - sine * second[i];
            second[i] = sine * value + cosine * second[i];
        }
    }
    return where_less(negligible, coupling, one, zero);
}

/// detail::exchange_columns() in lanes where column q is longer than column p.
STICTION_INLINE void sort_columns(PackMatrix& A, PackMatrix& V, Pack* squared_norms, int p, int q) {
    const Pack norm_p = squared_norms[p], norm_q = squared_norms[q];
    squared_norms[p] = where_less(norm_p, norm_q, norm_q, norm_p);
    squared_norms[q] = where_less(norm_p, norm_q, norm_p, norm_q);
    for (PackMatrix* matrix : {&A, &V}) {
        Pack *const first = matrix->column(p), *const second = matrix->column(q);
        for (int i = 0; i < 3; ++i) {
            const Pack value = first[i];
            first[i] = where_less(norm_p, norm_q, second[i], value);
            second[i] = where_less(norm_p, norm_q, -value, second[i]);
        }
    }
}

/// What detail::normalise_columns() does. @return its measure of how flat the columns are
STICTION_INLINE Pack normalise(const PackMatrix& A, PackMatrix& U, Pack* s) {
    const Pack *const a = A.column(0), *const b = A.column(1);
    Pack *const u = U.column(0), *const v = U.column(1), *const w = U.column(2);
    const Pack longest = root(dot3(a, a));
    for (int i = 0; i < 3; ++i) u[i] = a[i] / longest;
    const Pack along = dot3(u, b);
    for (int i = 0; i < 3; ++i) v[i] = b[i] - along * u[i];
    const Pack middle = root(dot3(v, v));
    for (int i = 0; i < 3; ++i) v[i] = v[i] / middle;
    for (int i = 0; i < 3; ++i) w[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    s[0] = longest;
    s[1] = dot3(v, b);
    s[2] = dot3(w, A.column(2));
    return middle / larger(longest, Pack(1.0));
}

/// Several packs take turns, so that their divisions and roots overlap.
constexpr std::size_t packs_at_once = 4;

/// A = U diag(s) V^T of `count` packs; A is lost.
struct PackSvds {
    PackMatrix A[packs_at_once], U[packs_at_once], V[packs_at_once];
    Pack s[packs_at_once][3];
    Pack across[packs_at_once];  ///< see normalise()

    STICTION_INLINE void decompose(std::size_t count) {
        for (std::size_t p = 0; p < count; ++p) {
            for (int i = 0; i < 9; ++i) V[p].entries[i] = Pack(i % 4 == 0 ? 1.0 : 0.0);
        }
        constexpr int max_sweeps = 20;
        for (int sweep = 0; sweep < max_sweeps; ++sweep) {
            Pack turned(0.0);
            for (std::size_t p = 0; p < count; ++p) turned = turned + orthogonalise(A[p], V[p], 0, 1);
            for (std::size_t p = 0; p < count; ++p) turned = turned + orthogonalise(A[p], V[p], 0, 2);
            for (std::size_t p = 0; p < count; ++p) turned = turned + orthogonalise(A[p], V[p], 1, 2);
            if (largest(turned) == 0.0) break;
        }
        for (std::size_t p = 0; p < count; ++p) {
            Pack squared_norms[3];
            for (int j = 0; j < 3; ++j) squared_norms[j] = dot3(A[p].column(j), A[p].column(j));
            sort_columns(A[p], V[p], squared_norms, 0, 1);
            sort_columns(A[p], V[p], squared_norms, 0, 2);
            sort_columns(A[p], V[p], squared_norms, 1, 2);
            across[p] = normalise(A[p], U[p], s[p]);
        }
    }
};

/// Finite, and signed_svd() does not scale it.
bool is_ordinary(const Mat3& F) {
    const double size = F.cwiseAbs().maxCoeff();
    return std::isfinite(F.sum()) && size >= detail::smallest_unscaled && size <= detail::largest_unscaled;
}

/// Loads up to four matrices, the identity in place of those that are left to signed_svd().
STICTION_INLINE void load(const Mat3* F, std::size_t count, PackMatrix& A, bool* ordinary) {
    static const Mat3 identity = Mat3::Identity();
    const double* in[lanes];
    for (std::size_t k = 0; k < lanes; ++k) {
        ordinary[k] = k < count && is_ordinary(F[k]);
        in[k] = ordinary[k] ? F[k].data() : identity.data();
    }
    load_lanes(in, 9, A.entries);
    // No -0: its sign would depend on how many sweeps the other lanes take.
    for (Pack& entry : A.entries) entry = entry + Pack(0.0);
}

STICTION_INLINE void store(const Mat3* F, std::size_t count, const PackSvds& svds, std::size_t p, const bool* ordinary,
                           SignedSvd* out) {
    SignedSvd results[lanes];
    double *left[lanes], *right[lanes], *stretches[lanes];
    for (std::size_t k = 0; k < lanes; ++k) {
        left[k] = results[k].U.data();
        right[k] = results[k].V.data();
        stretches[k] = results[k].s.data();
    }
    store_lanes(svds.U[p].entries, 9, left);
    store_lanes(svds.V[p].entries, 9, right);
    store_lanes(svds.s[p], 3, stretches);
    for (std::size_t k = 0; k < count; ++k)
        out[k] = ordinary[k] && svds.across[p][k] > detail::flattest ? results[k] : signed_svd(F[k]);
}

}  // namespace

STICTION_WIDE void signed_svds(const Mat3* F, std::size_t count, SignedSvd* out) {
    PackSvds svds;
    bool ordinary[packs_at_once][lanes];
    for (std::size_t begin = 0; begin < count; begin += packs_at_once * lanes) {
        std::size_t packs = 0;
        for (std::size_t first = begin; first < count && packs < packs_at_once; first += lanes, ++packs)
            load(F + first, std::min(lanes, count - first), svds.A[packs], ordinary[packs]);
        svds.decompose(packs);
        for (std::size_t p = 0, first = begin; p < packs; ++p, first += lanes)
            store(F + first, std::min(lanes, count - first), svds, p, ordinary[p], out + first);
    }
}

}  // namespace stiction
