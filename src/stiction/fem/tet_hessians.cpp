#include "stiction/fem/tet_hessians.hpp"

#include "stiction/math/pack.hpp"

#include <algorithm>

namespace stiction {
using namespace simd;

namespace {

constexpr std::size_t lanes = Pack::size;

/// PrincipalHessian of each lane; matrices column by column.
struct PrincipalPack {
    Pack U[9], V[9], scaling[9], alpha[3], beta[3];

    STICTION_INLINE PrincipalPack(const PrincipalHessian* hessians, const std::size_t* index) {
        const double *left[lanes], *right[lanes], *diagonal[lanes], *flips[lanes], *twists[lanes];
        for (std::size_t k = 0; k < lanes; ++k) {
            const PrincipalHessian& hessian = hessians[index[k]];
            left[k] = hessian.U.data();
            right[k] = hessian.V.data();
            diagonal[k] = hessian.scaling.data();
            flips[k] = hessian.flip.data();
            twists[k] = hessian.twist.data();
        }
        load_lanes(left, 9, U);
        load_lanes(right, 9, V);
        load_lanes(diagonal, 9, scaling);
        Pack flip[3], twist[3];
        load_lanes(flips, 3, flip);
        load_lanes(twists, 3, twist);
        for (int k = 0; k < 3; ++k) {  // direct_factors() and crossed_factors()
            alpha[k] = Pack(0.5) * (flip[k] + twist[k]);
            beta[k] = Pack(0.5) * (flip[k] - twist[k]);
        }
    }
};

/// Block (a, b) of B^T (dP/dF) B in principal axes, before the left rotation: ga and gb are shape gradients times V.
STICTION_INLINE void principal_block(const PrincipalPack& hessian, const Pack* ga, const Pack* gb, Pack* block) {
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        block[4 * k] = hessian.scaling[4 * k] * ga[k] * gb[k] + hessian.alpha[j] * ga[i] * gb[i] +
                       hessian.alpha[i] * ga[j] * gb[j];
        block[i + 3 * j] = hessian.scaling[i + 3 * j] * ga[i] * gb[j] + hessian.beta[k] * ga[j] * gb[i];
        block[j + 3 * i] = hessian.scaling[j + 3 * i] * ga[j] * gb[i] + hessian.beta[k] * ga[i] * gb[j];
    }
}

/// A B
STICTION_INLINE void product(const Pack* A, const Pack* B, Pack* out) {
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i)
            out[i + 3 * j] = A[i] * B[3 * j] + A[i + 3] * B[3 * j + 1] + A[i + 6] * B[3 * j + 2];
    }
}

/// 12x12, column by column.
struct PackHessian {
    Pack entries[144];

    STICTION_INLINE Pack& at(int row, int column) { return entries[row + 12 * column]; }

    /// Entry (i, j) of block (a, b), and its mirror image.
    STICTION_INLINE void set(int a, int b, int i, int j, const Pack& value) {
        at(3 * a + i, 3 * b + j) = value;
        at(3 * b + j, 3 * a + i) = value;
    }
    /// Of a block on the diagonal: symmetric to the last bit.
    STICTION_INLINE void set_symmetric(int a, const Pack* block) {
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i <= j; ++i) set(a, a, i, j, Pack(0.5) * (block[i + 3 * j] + block[j + 3 * i]));
        }
    }
    /// Six blocks are computed in principal axes and turned; corner 0 follows from the sum of all shape functions being
    /// one.
    STICTION_INLINE void balance_corner0() {
        for (int b = 1; b < 4; ++b) {
            for (int j = 0; j < 3; ++j) {
                for (int i = 0; i < 3; ++i)
                    set(0, b, i, j, -(at(3 + i, 3 * b + j) + at(6 + i, 3 * b + j) + at(9 + i, 3 * b + j)));
            }
        }
        Pack block[9];
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) block[i + 3 * j] = -(at(i, 3 + j) + at(i, 6 + j) + at(i, 9 + j));
        }
        set_symmetric(0, block);
    }
};

STICTION_INLINE void assemble(const PrincipalPack& hessian, const Pack* rest_inverse, const Pack& volume,
                              PackHessian& out) {
    Pack turned[9], gradients[9], U[9], U_transposed[9];  // column a of `gradients`: corner a + 1
    product(rest_inverse, hessian.V, turned);
    const Pack size = root(volume);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            gradients[i + 3 * j] = turned[j + 3 * i];
            U[i + 3 * j] = U_transposed[j + 3 * i] = size * hessian.U[i + 3 * j];
        }
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = a; b < 3; ++b) {
            Pack principal[9], half[9], block[9];
            principal_block(hessian, gradients + 3 * a, gradients + 3 * b, principal);
            product(U, principal, half);
            product(half, U_transposed, block);
            if (a == b) {
                out.set_symmetric(a + 1, block);
                continue;
            }
            for (int j = 0; j < 3; ++j) {
                for (int i = 0; i < 3; ++i) out.set(a + 1, b + 1, i, j, block[i + 3 * j]);
            }
        }
    }
    out.balance_corner0();
}

}  // namespace

STICTION_WIDE void assemble_tet_hessians(const PrincipalHessian* hessians, const Mat3* rest_inverse,
                                         const double* volume, std::size_t count, Mat12* out) {
    for (std::size_t first = 0; first < count; first += lanes) {
        std::size_t index[lanes];  // lanes beyond the end repeat the last tet and are not stored
        const double* inverses[lanes];
        Pack volumes, rest[9];
        for (std::size_t k = 0; k < lanes; ++k) {
            index[k] = std::min(first + k, count - 1);
            inverses[k] = rest_inverse[index[k]].data();
            volumes[k] = volume[index[k]];
        }
        load_lanes(inverses, 9, rest);
        PackHessian result;
        assemble(PrincipalPack(hessians, index), rest, volumes, result);
        if (first + lanes <= count) {
            double* targets[lanes];
            for (std::size_t k = 0; k < lanes; ++k) targets[k] = out[first + k].data();
            store_lanes(result.entries, 144, targets);
            continue;
        }
        for (std::size_t i = 0; i < 144; ++i) {
            for (std::size_t k = 0; first + k < count; ++k) out[first + k].data()[i] = result.entries[i][k];
        }
    }
}

}  // namespace stiction
