// Nearest positive semidefinite matrix by eigenvalue clamping.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// Replaces a symmetric matrix by the positive semidefinite one nearest in the Frobenius norm: negative eigenvalues
/// become zero, the rest is untouched. A matrix without negative eigenvalues comes back bit for bit. Only the lower
/// triangle is read; the result is exactly symmetric where it changed. Compiled for N = 2, 3, 6, 9, 12 and 30.
template <int N>
void project_psd(Eigen::Matrix<double, N, N>& A);

extern template void project_psd<2>(Eigen::Matrix<double, 2, 2>&);
extern template void project_psd<3>(Eigen::Matrix<double, 3, 3>&);
extern template void project_psd<6>(Eigen::Matrix<double, 6, 6>&);
extern template void project_psd<9>(Eigen::Matrix<double, 9, 9>&);
extern template void project_psd<12>(Eigen::Matrix<double, 12, 12>&);
extern template void project_psd<30>(Eigen::Matrix<double, 30, 30>&);

/// Smallest eigenvalue of a symmetric matrix (lower triangle). Same sizes as project_psd.
template <int N>
double smallest_eigenvalue(const Eigen::Matrix<double, N, N>& A);

extern template double smallest_eigenvalue<2>(const Eigen::Matrix<double, 2, 2>&);
extern template double smallest_eigenvalue<3>(const Eigen::Matrix<double, 3, 3>&);
extern template double smallest_eigenvalue<6>(const Eigen::Matrix<double, 6, 6>&);
extern template double smallest_eigenvalue<9>(const Eigen::Matrix<double, 9, 9>&);
extern template double smallest_eigenvalue<12>(const Eigen::Matrix<double, 12, 12>&);
extern template double smallest_eigenvalue<30>(const Eigen::Matrix<double, 30, 30>&);

}  // namespace stiction
