// The conjugate residual method for symmetric positive semidefinite systems.
#pragma once

#include "stiction/base/types.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace stiction::local_global {

/// M y = b by conjugate residuals, M scaled by its diagonal on both sides. Allocates only for a larger system.
class ConjugateResidual {
public:
    /// @param scale    one over the root of M's diagonal; 0 leaves a row and its unknown out (y = 0 there)
    /// @param product  product(in, out): out = M in
    /// @param b        the right-hand side on entry, the residual b - M y of the scaled system on return
    /// @param y        the solution; starts from 0
    /// @return number of iterations: fewer than `iterations` where the residual fell below `tolerance` times the first,
    /// or where the rest of it is outside the range of M
    template <class Product>
    int solve(const std::vector<double>& scale, const Product& product, int iterations, double tolerance,
              std::vector<double>& b, std::vector<double>& y) {
        const std::size_t n = b.size();
        for (auto* list : {&direction_, &image_, &residual_image_, &scaled_}) list->resize(n);
        y.assign(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) b[i] *= scale[i];
        const auto multiply = [&](const std::vector<double>& in, std::vector<double>& out) {
            for (std::size_t i = 0; i < n; ++i) scaled_[i] = scale[i] * in[i];
            product(scaled_.data(), out.data());
            for (std::size_t i = 0; i < n; ++i) out[i] *= scale[i];
        };
        const double first = dot(b, b);
        int made = 0;
        if (first > 0.0 && iterations > 0) {
            multiply(b, residual_image_);
            direction_ = b;
            image_ = residual_image_;
            double curvature = dot(b, residual_image_);
            while (made < iterations) {
                const double square = dot(image_, image_);
                if (!(curvature > smallest_curvature * dot(b, b)) || !(square > 0.0)) break;
                const double step = curvature / square;
                for (std::size_t i = 0; i < n; ++i) {
                    y[i] += step * direction_[i];
                    b[i] -= step * image_[i];
                }
                ++made;
                if (made == iterations || dot(b, b) <= tolerance * tolerance * first) break;
                multiply(b, residual_image_);
                const double next = dot(b, residual_image_), beta = next / curvature;
                curvature = next;
                for (std::size_t i = 0; i < n; ++i) {
                    direction_[i] = b[i] + beta * direction_[i];
                    image_[i] = residual_image_[i] + beta * image_[i];
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) y[i] *= scale[i];
        return made;
    }

private:
    /// Limit of r . M r over r . r of the scaled system. Below it the residual r is outside the range of a singular M.
    static constexpr double smallest_curvature = 1e-12;

    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    }

    std::vector<double> direction_, image_, residual_image_, scaled_;
};

}  // namespace stiction::local_global
