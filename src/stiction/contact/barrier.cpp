#include "stiction/contact/barrier.hpp"

#include <cmath>
#include <limits>

namespace stiction {

ScalarJet barrier(double s, double s_hat) {
    if (s >= s_hat) return {};
    if (!(s > 0.0))
        return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                std::numeric_limits<double>::infinity()};
    const double gap = s - s_hat;
    // log1p keeps full precision where the barrier fades out; for small s the sum in its argument would lose the digits
    // of s.
    const double log_ratio = s < 0.5 * s_hat ? std::log(s / s_hat) : std::log1p(gap / s_hat);
    const double inverse = s_hat / s;
    return {-gap * gap * log_ratio, -gap * (2.0 * log_ratio - inverse + 1.0),
            (inverse + 2.0) * inverse - 2.0 * log_ratio - 3.0};
}

ScalarJet edge_edge_mollifier(double c, double eps) {
    if (c >= eps) return {1.0, 0.0, 0.0};
    const double ratio = c / eps;
    return {ratio * (2.0 - ratio), 2.0 * (1.0 - ratio) / eps, -2.0 / (eps * eps)};
}

double edge_edge_mollifier_threshold(double rest_length_squared_1, double rest_length_squared_2) {
    return 1e-3 * rest_length_squared_1 * rest_length_squared_2;
}

double barrier_force(double squared_distance, double s_hat) {
    return -2.0 * std::sqrt(squared_distance) * barrier(squared_distance, s_hat).first;
}

double slope_over_distance(const ScalarJet& b, double s) {
    return 4.0 * s * b.second + 2.0 * b.first;
}

double barrier_chord(double gap, double force, double dhat) {
    // Halves the logarithm: gaps span ten orders of magnitude.
    constexpr int halvings = 40;
    const auto force_at = [&](double log_gap) { return barrier_force(std::exp(2.0 * log_gap), dhat * dhat); };
    const double present = barrier_force(gap * gap, dhat * dhat);
    double low = std::log(gap), high = std::log(dhat);
    if (force > present) {
        high = low;
        while (force_at(low) < force) low -= 1.0;
    }
    for (int k = 0; k < halvings; ++k) {
        const double middle = 0.5 * (low + high);
        (force_at(middle) > force ? low : high) = middle;
    }
    return (present - force) / (std::exp(0.5 * (low + high)) - gap);
}

}  // namespace stiction
