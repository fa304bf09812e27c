#include "stiction/materials/membrane_strain_limit.hpp"

#include <cmath>

namespace stiction {

double StrainLimit::energy(double stretch) const {
    if (stretch <= start) return 0.0;
    const double y = (stretch - start) / (limit - start);
    if (!(y < 1.0)) return std::numeric_limits<double>::infinity();
    return -stiffness * y * y * std::log1p(-y);
}

double StrainLimit::slope(double stretch) const {
    if (stretch <= start) return 0.0;
    const double width = limit - start, y = (stretch - start) / width;
    return stiffness / width * (y * y / (1.0 - y) - 2.0 * y * std::log1p(-y));
}

double StrainLimit::curvature(double stretch) const {
    if (stretch <= start) return 0.0;
    const double width = limit - start, y = (stretch - start) / width, left = 1.0 - y;
    return stiffness / (width * width) * ((4.0 * y * left + y * y) / (left * left) - 2.0 * std::log1p(-y));
}

double StrainLimit::flip(const Vec2& s) const {
    const double difference = s[0] - s[1];
    // Far apart, or with one slope zero, nothing cancels. Else the mean of the curvature between the two, which the
    // three-point Gauss rule has to full accuracy on so short an interval.
    if (s[1] <= start || difference > 1e-2 * (limit - s[0])) return (slope(s[0]) - slope(s[1])) / difference;
    const double middle = 0.5 * (s[0] + s[1]), reach = 0.5 * difference * std::sqrt(0.6);
    return (5.0 * curvature(middle - reach) + 8.0 * curvature(middle) + 5.0 * curvature(middle + reach)) / 18.0;
}

}  // namespace stiction
