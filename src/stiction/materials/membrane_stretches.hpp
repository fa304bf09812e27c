// Deformation gradients of thin sheets and their principal stretches.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/math/svd3.hpp"

#include <Eigen/Core>

#include <limits>

namespace stiction {

/// Deformation gradient dx/dX of a sheet (3D positions over flat 2D rest coordinates), its stress, its shape gradients.
using Mat32 = Eigen::Matrix<double, 3, 2>;
/// The two principal stretches of a sheet, dimensionless, never negative: a sheet in space has no inverted state.
template <class T>
using SheetStretches = Eigen::Matrix<T, 2, 1>;
/// 2x2 matrix over any scalar: second derivatives in the stretches of a sheet.
template <class T>
using Matrix2 = Eigen::Matrix<T, 2, 2>;

/// F = U[:, 0:2] diag(s) V^T. U is a rotation whose third column is normal to the deformed sheet, V a rotation of
/// the rest plane, s[0] >= s[1] >= 0.
struct SheetSvd {
    Mat3 U;
    Mat2 V;
    Vec2 s;
};

/// Decomposition of any finite F, rank-deficient ones included (the columns of U are then completed). A second stretch
/// below 16 eps s[0] is set to zero: rounding could not tell it from a collapse. A non-finite F gives s = NaN.
STICTION_HD inline SheetSvd sheet_svd(const Mat32& F) {
    Mat3 padded = Mat3::Zero();
    padded.leftCols<2>() = F;
    const SignedSvd svd = signed_svd(padded);  // the zero column stays last, so V is block diagonal
    SheetSvd result{svd.U, svd.V.topLeftCorner<2, 2>(), svd.s.head<2>()};
    if (result.s[1] <= 16.0 * std::numeric_limits<double>::epsilon() * result.s[0]) result.s[1] = 0.0;
    return result;
}

/// s_0 s_1 - 1 for s = 1 + d, without cancellation near rest.
template <class T>
STICTION_HD T area_change(const SheetStretches<T>& d) {
    return d.sum() + d[0] * d[1];
}

}  // namespace stiction
