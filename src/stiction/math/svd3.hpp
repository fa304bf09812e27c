// Singular value decomposition of 3x3 matrices with rotations on both sides.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/base/types.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiction {

/// F = U diag(s) V^T with U and V rotations (determinant +1) and s[0] >= s[1] >= |s[2]| (equal ones may come out of
/// order by a rounding error). s[2] carries the sign of det F, so an inverted F has its smallest stretch negative (the
/// convention of Irving, Teran and Fedkiw 2004).
struct SignedSvd {
    Mat3 U, V;
    Vec3 s;
};

namespace detail {

/// Matrices whose largest entry is outside are scaled: fourth powers of entries must neither overflow nor underflow.
inline constexpr double smallest_unscaled = 1e-70, largest_unscaled = 1e70;
/// A second column is taken for one of length zero where what it has across the first is less than this part of the
/// first, or of one: squares of smaller ones underflow.
inline constexpr double flattest = 1e-140;

/// Turns columns p and q of A (and of V) until they are orthogonal; false if they already are.
STICTION_HD inline bool orthogonalise_columns(Mat3& A, Mat3& V, int p, int q) {
    constexpr double tolerance = 4.0 * std::numeric_limits<double>::epsilon();
    const double alpha = A.col(p).squaredNorm();
    const double beta = A.col(q).squaredNorm();
    const double gamma = A.col(p).dot(A.col(q));
    if (gamma * gamma <= tolerance * tolerance * alpha * beta) return false;
    const double zeta = (beta - alpha) / (2.0 * gamma);
    const double tangent = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
    const double cosine = 1.0 / std::sqrt(1.0 + tangent * tangent);
    const double sine = cosine * tangent;
    for (Mat3* matrix : {&A, &V}) {
        const Vec3 column = matrix->col(p);
        matrix->col(p) = cosine * column - sine * matrix->col(q);
        matrix->col(q) = sine * column + cosine * matrix->col(q);
    }
    return true;
}

/// Exchanges two columns and turns one round, which keeps determinants.
STICTION_HD inline void exchange_columns(Mat3& A, Mat3& V, Vec3& squared_norms, int p, int q) {
    std::swap(squared_norms[p], squared_norms[q]);
    for (Mat3* matrix : {&A, &V}) {
        const Vec3 column = matrix->col(p);
        matrix->col(p) = matrix->col(q);
        matrix->col(q) = -column;
    }
}

/// Left factor and stretches from orthogonal columns sorted by decreasing length. The third left vector is the cross
/// product of the others, so the sign of the determinant ends up in s[2] by itself.
STICTION_HD inline void normalise_columns(const Mat3& A, SignedSvd& result) {
    const double longest = A.col(0).norm();
    if (longest == 0.0) {
        result.U.setIdentity();
        result.s.setZero();
        return;
    }
    const Vec3 u0 = A.col(0) / longest;
    Vec3 u1 = A.col(1) - u0.dot(A.col(1)) * u0;
    const double middle = u1.norm();
    u1 = middle > flattest * std::max(longest, 1.0) ? Vec3(u1 / middle) : u0.unitOrthogonal();
    result.U.col(0) = u0;
    result.U.col(1) = u1;
    result.U.col(2) = u0.cross(u1);
    result.s = Vec3(longest, u1.dot(A.col(1)), result.U.col(2).dot(A.col(2)));
}

}  // namespace detail

/// Signed decomposition of any finite F; rank-deficient F included. Errors are a few eps |F| in U diag(s) V^T.
/// A non-finite F gives U = V = I and s = NaN.
STICTION_HD inline SignedSvd signed_svd(const Mat3& F) {
    // One-sided Jacobi (Hestenes 1958): works on F itself, not on F^T F, so small stretches keep their accuracy.
    SignedSvd result;
    result.V.setIdentity();
    const double largest = F.cwiseAbs().maxCoeff();
    if (!std::isfinite(F.sum()) || !std::isfinite(largest)) {
        result.U.setIdentity();
        result.s.setConstant(std::numeric_limits<double>::quiet_NaN());
        return result;
    }
    const bool is_small = largest < detail::smallest_unscaled && largest > 0.0;
    const double scale = is_small || largest > detail::largest_unscaled ? largest : 1.0;
    Mat3 A = scale == 1.0 ? F : Mat3(F / scale);
    constexpr int max_sweeps = 20;  // quadratic convergence: four or five in practice
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        const bool turned01 = detail::orthogonalise_columns(A, result.V, 0, 1);
        const bool turned02 = detail::orthogonalise_columns(A, result.V, 0, 2);
        const bool turned12 = detail::orthogonalise_columns(A, result.V, 1, 2);
        if (!turned01 && !turned02 && !turned12) break;
    }
    Vec3 squared_norms = A.colwise().squaredNorm();
    if (squared_norms[0] < squared_norms[1]) detail::exchange_columns(A, result.V, squared_norms, 0, 1);
    if (squared_norms[0] < squared_norms[2]) detail::exchange_columns(A, result.V, squared_norms, 0, 2);
    if (squared_norms[1] < squared_norms[2]) detail::exchange_columns(A, result.V, squared_norms, 1, 2);
    detail::normalise_columns(A, result);
    result.s *= scale;
    return result;
}

/// The rotation R that maximises tr(R^T F): U V^T of the signed decomposition.
/// Not unique where s[1] + s[2] = 0; then one of the maximisers.
STICTION_HD inline Mat3 polar_rotation(const Mat3& F) {
    const SignedSvd svd = signed_svd(F);
    return svd.U * svd.V.transpose();
}

}  // namespace stiction
