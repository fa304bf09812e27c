#include "stiction/math/psd.hpp"

#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

/// The clamp on dynamic matrices, from all eigenvectors.
Eigen::MatrixXd reference_projection(const Eigen::MatrixXd& A, double& lowest) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
    lowest = eigen.eigenvalues()[0];
    const Eigen::MatrixXd& Q = eigen.eigenvectors();
    return Q * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * Q.transpose();
}

template <int N>
void check_projection(std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    for (int n = 0; n < 50; ++n) {
        Eigen::MatrixXd A(N, N);
        for (int i = 0; i < N * N; ++i) A.data()[i] = normal(generator);
        A = (A + A.transpose()).eval();
        const double size = A.norm();
        double lowest = 0.0;
        const Eigen::MatrixXd reference = reference_projection(A, lowest);
        Eigen::Matrix<double, N, N> projected = A;
        CHECK(smallest_eigenvalue<N>(projected) == relative(lowest, 1e-13));
        project_psd<N>(projected);
        const Eigen::MatrixXd result = projected;
        CHECK((result - reference).norm() < 1e-13 * size);
        CHECK(result == result.transpose());
        CHECK(smallest_eigenvalue<N>(projected) > -1e-14 * size);

        const Eigen::MatrixXd positive = A * A + Eigen::MatrixXd::Identity(N, N);
        projected = positive;
        project_psd<N>(projected);
        CHECK(positive == Eigen::MatrixXd(projected));
    }
}

}  // namespace

TEST_CASE("project_psd clamps negative eigenvalues and leaves positive matrices alone") {
    constexpr unsigned seed = 81;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    check_projection<2>(generator);
    check_projection<3>(generator);
    check_projection<6>(generator);
    check_projection<9>(generator);
    check_projection<12>(generator);
}
