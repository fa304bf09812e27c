#include "stiction/materials/extrapolated.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

double ray_exit(const Vec3& d, double volume_ratio) {
    const auto at = [&](double t) -> Vec3 { return Vec3::Ones() + t * d; };
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 3; ++i) {
        if (d[i] <= -1.0) high = std::min(high, -1.0 / d[i]);  // this stretch vanishes there, the product with it
    }
    // Newton's method on the product within the bracket of its only crossing; halves the bracket where it leaves it or
    // stops converging.
    double t = 0.5 * high, last_step = high;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const Vec3 s = at(t);
        const double excess = s.prod() - volume_ratio;
        (excess >= 0.0 ? low : high) = t;
        double next = t - excess / d.dot(stretch_cofactor(s));
        if (!(low < next && next < high && std::abs(next - t) <= 0.5 * last_step)) next = 0.5 * (low + high);
        last_step = std::abs(next - t);
        t = next;
        if (last_step <= 2e-16 * t) break;
    }
    for (double back = 1e-16; !(at(t).minCoeff() > 0.0 && at(t).prod() >= volume_ratio); back *= 2.0) t *= 1.0 - back;
    return t;
}

}  // namespace stiction
