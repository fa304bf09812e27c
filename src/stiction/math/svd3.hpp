// Singular value decomposition of 3x3 matrices with rotations on both sides.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// F = U diag(s) V^T with U and V rotations (determinant +1) and s[0] >= s[1] >= |s[2]| (equal ones may come out of
/// order by a rounding error). s[2] carries the sign of det F, so an inverted F has its smallest stretch negative (the
/// convention of Irving, Teran and Fedkiw 2004).
struct SignedSvd {
    Mat3 U, V;
    Vec3 s;
};

/// Signed decomposition of any finite F; rank-deficient F included. Errors are a few eps |F| in U diag(s) V^T.
/// A non-finite F gives U = V = I and s = NaN.
SignedSvd signed_svd(const Mat3& F);

/// The rotation R that maximises tr(R^T F): U V^T of the signed decomposition.
/// Not unique where s[1] + s[2] = 0; then one of the maximisers.
Mat3 polar_rotation(const Mat3& F);

}  // namespace stiction
