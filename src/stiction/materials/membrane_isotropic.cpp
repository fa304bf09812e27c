#include "stiction/materials/membrane_isotropic.hpp"

#include "stiction/math/psd.hpp"

#include <algorithm>

namespace stiction {

void project_psd(MembraneHessian& hessian) {
    Mat2& A = hessian.scaling;
    const bool positive = A(0, 0) > 0.0 && A(0, 0) * A(1, 1) > A(0, 1) * A(1, 0);
    if (!positive) project_psd<2>(A);
    hessian.flip = std::max(hessian.flip, 0.0);
    hessian.twist = std::max(hessian.twist, 0.0);
    hessian.normal = hessian.normal.cwiseMax(0.0);
}

Mat6 expand(const MembraneHessian& hessian) {
    Mat6 result;
    for (int k = 0; k < 6; ++k) {
        Mat32 dF = Mat32::Zero();
        dF(k % 3, k / 3) = 1.0;
        const Mat32 X = hessian.U.transpose() * dF * hessian.V;
        Mat32 Y;
        const Vec2 diagonal = hessian.scaling * Vec2(X(0, 0), X(1, 1));
        const double even = 0.5 * hessian.flip * (X(0, 1) + X(1, 0)), odd = 0.5 * hessian.twist * (X(0, 1) - X(1, 0));
        Y << diagonal[0], even + odd, even - odd, diagonal[1], hessian.normal[0] * X(2, 0), hessian.normal[1] * X(2, 1);
        const Mat32 dP = hessian.U * Y * hessian.V.transpose();
        for (int i = 0; i < 6; ++i) result(i, k) = dP(i % 3, i / 3);
    }
    return 0.5 * (result + result.transpose());
}

}  // namespace stiction
