#include "stiction/fem/bernstein.hpp"

#include "stiction/fem/quadratic_shape.hpp"

#include <Eigen/Geometry>

namespace stiction {
namespace {

/// Shape gradients at the corners, of the reference tet.
const std::array<ReferenceGradients, 4>& corner_gradients() {
    static const std::array<ReferenceGradients, 4> gradients{
        quadratic_gradients({1, 0, 0, 0}), quadratic_gradients({0, 1, 0, 0}), quadratic_gradients({0, 0, 1, 0}),
        quadratic_gradients({0, 0, 0, 1})};
    return gradients;
}

Mat3 cross_matrix(const Vec3& w) {
    Mat3 result;
    result << 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0;
    return result;
}

}  // namespace

const std::array<std::array<std::size_t, 3>, 20>& bernstein_corners() {
    static const std::array<std::array<std::size_t, 3>, 20> corners = [] {
        std::array<std::array<std::size_t, 3>, 20> result;
        std::size_t next = 0;
        for (std::size_t k = 0; k < 4; ++k) result[next++] = {k, k, k};
        for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t l = 0; l < 4; ++l)
                if (l != k) result[next++] = {k, k, l};
        }
        for (std::size_t without = 0; without < 4; ++without)
            result[next++] = {(without + 1) % 4, (without + 2) % 4, (without + 3) % 4};
        return result;
    }();
    return corners;
}

std::array<Mat3, 4> corner_jacobians(const Eigen::Matrix<double, 3, 10>& nodes) {
    std::array<Mat3, 4> result;
    for (std::size_t k = 0; k < 4; ++k) result[k] = nodes * corner_gradients()[k].transpose();
    return result;
}

Mat3 mixed_cofactor(const Mat3& P, const Mat3& Q) {
    Mat3 result;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        result.col(i) = P.col(j).cross(Q.col(k)) + Q.col(j).cross(P.col(k));
    }
    return result;
}

double mixed_determinant(const Mat3& P, const Mat3& Q, const Mat3& R) {
    return mixed_cofactor(P, Q).cwiseProduct(R).sum() / 6.0;
}

BernsteinCoefficients determinant_coefficients(const std::array<Mat3, 4>& jacobians) {
    BernsteinCoefficients result;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto& [a, b, c] = bernstein_corners()[i];
        result[i] = mixed_determinant(jacobians[a], jacobians[b], jacobians[c]);
    }
    return result;
}

double bernstein_value(const BernsteinCoefficients& coefficients, const std::array<double, 4>& point) {
    double sum = 0.0;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        const auto& [a, b, c] = bernstein_corners()[i];
        const double orders = a == c ? 1.0 : (a == b ? 3.0 : 6.0);
        sum += orders * point[a] * point[b] * point[c] * coefficients[i];
    }
    return sum;
}

Eigen::Matrix<double, 3, 10> coefficient_gradient(const std::array<Mat3, 4>& jacobians, std::size_t coefficient) {
    const auto& corners = bernstein_corners()[coefficient];
    Eigen::Matrix<double, 3, 10> result = Eigen::Matrix<double, 3, 10>::Zero();
    for (std::size_t s = 0; s < 3; ++s) {
        const Mat3 slope = mixed_cofactor(jacobians[corners[(s + 1) % 3]], jacobians[corners[(s + 2) % 3]]) / 6.0;
        result += slope * corner_gradients()[corners[s]];
    }
    return result;
}

/// X(p g^T, q h^T) = (p x q)(g x h)^T, so the second derivative of D in two of its slots is the cross product with
/// w = J (g x h) / 6, J in the third slot.
void add_coefficient_hessian(const std::array<Mat3, 4>& jacobians, std::size_t coefficient, double factor, Mat30& out) {
    const auto& corners = bernstein_corners()[coefficient];
    for (std::size_t s = 0; s < 3; ++s) {
        for (std::size_t t = 0; t < 3; ++t) {
            if (s == t) continue;
            const Mat3& third = jacobians[corners[3 - s - t]];
            const ReferenceGradients &left = corner_gradients()[corners[s]], &right = corner_gradients()[corners[t]];
            for (int a = 0; a < 10; ++a) {
                for (int b = 0; b < 10; ++b) {
                    const Vec3 w = third * left.col(a).cross(right.col(b)) / 6.0;
                    out.block<3, 3>(3 * a, 3 * b) -= factor * cross_matrix(w);
                }
            }
        }
    }
}

}  // namespace stiction
