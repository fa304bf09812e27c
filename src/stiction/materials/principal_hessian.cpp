#include "stiction/materials/principal_hessian.hpp"

#include "stiction/math/psd.hpp"

namespace stiction {
namespace {

/// Positive pivots of the symmetric 3x3 elimination. Cheaper than eigenvalues, and the common case.
bool is_positive_definite(const Mat3& A) {
    if (!(A(0, 0) > 0.0)) return false;
    const double factor1 = A(1, 0) / A(0, 0), factor2 = A(2, 0) / A(0, 0);
    const double pivot1 = A(1, 1) - factor1 * A(1, 0);
    if (!(pivot1 > 0.0)) return false;
    const double coupling = A(2, 1) - factor1 * A(2, 0);
    return A(2, 2) - factor2 * A(2, 0) - coupling * coupling / pivot1 > 0.0;
}

}  // namespace

void project_psd(PrincipalHessian& hessian) {
    if (!is_positive_definite(hessian.scaling)) project_psd<3>(hessian.scaling);
    hessian.flip = hessian.flip.cwiseMax(0.0);
    hessian.twist = hessian.twist.cwiseMax(0.0);
}

Mat9 expand(const PrincipalHessian& hessian) {
    Mat9 principal = Mat9::Zero();
    const Vec3 alpha = direct_factors(hessian), beta = crossed_factors(hessian);
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) principal(4 * k, 4 * l) = hessian.scaling(k, l);
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const int ij = i + 3 * j, ji = j + 3 * i;
        principal(ij, ij) = principal(ji, ji) = alpha[k];
        principal(ij, ji) = principal(ji, ij) = beta[k];
    }
    Mat9 axes;  // vec(U X V^T) = axes vec(X)
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) axes.block<3, 3>(3 * i, 3 * j) = hessian.V(i, j) * hessian.U;
    }
    const Mat9 half = axes * principal;
    return half * axes.transpose();
}

}  // namespace stiction
