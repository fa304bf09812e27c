#include "stiction/math/psd.hpp"

#include <Eigen/Eigenvalues>

namespace stiction {

template <int N>
void project_psd(Eigen::Matrix<double, N, N>& A) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, N, N>> eigen(A);
    // Taking the negative part away rather than rebuilding from the positive one keeps the bits of what was fine.
    Eigen::Matrix<double, N, N> negative = Eigen::Matrix<double, N, N>::Zero();
    bool changed = false;
    for (int i = 0; i < N && eigen.eigenvalues()[i] < 0.0; ++i) {
        const auto v = eigen.eigenvectors().col(i);
        negative.noalias() += (eigen.eigenvalues()[i] * v) * v.transpose();
        changed = true;
    }
    if (!changed) return;
    for (int j = 0; j < N; ++j) {
        for (int i = j; i < N; ++i) {
            A(i, j) -= 0.5 * (negative(i, j) + negative(j, i));
            A(j, i) = A(i, j);
        }
    }
}

template <int N>
double smallest_eigenvalue(const Eigen::Matrix<double, N, N>& A) {
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, N, N>>(A, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

template void project_psd<2>(Eigen::Matrix<double, 2, 2>&);
template void project_psd<3>(Eigen::Matrix<double, 3, 3>&);
template void project_psd<6>(Eigen::Matrix<double, 6, 6>&);
template void project_psd<9>(Eigen::Matrix<double, 9, 9>&);
template void project_psd<12>(Eigen::Matrix<double, 12, 12>&);
template void project_psd<30>(Eigen::Matrix<double, 30, 30>&);
template double smallest_eigenvalue<2>(const Eigen::Matrix<double, 2, 2>&);
template double smallest_eigenvalue<3>(const Eigen::Matrix<double, 3, 3>&);
template double smallest_eigenvalue<6>(const Eigen::Matrix<double, 6, 6>&);
template double smallest_eigenvalue<9>(const Eigen::Matrix<double, 9, 9>&);
template double smallest_eigenvalue<12>(const Eigen::Matrix<double, 12, 12>&);
template double smallest_eigenvalue<30>(const Eigen::Matrix<double, 30, 30>&);

}  // namespace stiction
