// Comparison of analytic derivatives with finite differences: every law and every energy term is run through this.
#pragma once

#include "stiction/base/types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stiction {

/// What check_derivatives() found; all three are relative and about 1e-8 or less when the derivatives are right.
struct DerivativeCheck {
    /// max |g - g_fd| over max(|g|, |g_fd|, 1e-3 |H| scale), g_fd from differences of the value. The last term gives a
    /// size to compare with at stationary points.
    double gradient_error = 0.0;
    double hessian_error = 0.0;      ///< max |H - H_fd| over max(|H|, |H_fd|), H_fd from differences of the gradient
    double hessian_asymmetry = 0.0;  ///< max |H - H^T| over max |H|
};

namespace detail {

/// Largest entry of |a - b| over the largest of the magnitudes and `floor`; infinite if an entry is not finite.
template <class A, class B>
double relative_difference(const A& a, const B& b, double floor) {
    const double difference = (a - b).cwiseAbs().maxCoeff();
    if (!a.allFinite() || !b.allFinite()) return std::numeric_limits<double>::infinity();
    if (difference == 0.0) return 0.0;
    return difference / std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(), floor});
}

}  // namespace detail

/// Compares gradient(x) with central differences of value(x), and hessian(x) with central differences of gradient(x).
/// Each is done with the steps scale * {1e-3, ..., 1e-7}; the step with the smallest error as a whole counts.
/// @param value     double(const VecX&)
/// @param gradient  VecX(const VecX&), as long as x
/// @param hessian   dense matrix(const VecX&), n x n; unprojected
/// @param x         the point; the energy must be finite within 1e-3 scale of it
/// @param scale     characteristic length of x (element size, gap, ...): steps are relative to it
template <class Value, class Gradient, class Hessian>
DerivativeCheck check_derivatives(const Value& value, const Gradient& gradient, const Hessian& hessian, const VecX& x,
                                  double scale = 1.0) {
    constexpr std::array<double, 5> relative_steps = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
    const VecX g = gradient(x);
    const Eigen::MatrixXd H = hessian(x);
    const double hessian_size = H.cwiseAbs().maxCoeff();

    DerivativeCheck result;
    result.gradient_error = std::numeric_limits<double>::infinity();
    result.hessian_error = std::numeric_limits<double>::infinity();
    result.hessian_asymmetry = hessian_size > 0.0 ? (H - H.transpose()).cwiseAbs().maxCoeff() / hessian_size : 0.0;
    for (const double relative_step : relative_steps) {
        VecX g_fd(x.size());
        Eigen::MatrixXd H_fd(x.size(), x.size());
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            VecX forward = x, backward = x;
            forward[i] += relative_step * scale;
            backward[i] -= relative_step * scale;
            const double width = forward[i] - backward[i];  // as rounded
            g_fd[i] = (value(forward) - value(backward)) / width;
            H_fd.col(i) = (VecX(gradient(forward)) - VecX(gradient(backward))) / width;
        }
        result.gradient_error =
            std::min(result.gradient_error, detail::relative_difference(g, g_fd, 1e-3 * hessian_size * scale));
        result.hessian_error = std::min(result.hessian_error, detail::relative_difference(H, H_fd, 0.0));
    }
    return result;
}

}  // namespace stiction
