#include "stiction/contact/friction_law.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/contact/friction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stiction {
namespace {

/// s(y)/y and s'(y) of the profile alone.
double profile_over_slip(FrictionProfile profile, double y, double eps) {
    return profile == FrictionProfile::quadratic ? friction_f1_over_y(y, eps) : 1.0 / (y + eps);
}

double profile_derivative(FrictionProfile profile, double y, double eps) {
    return profile == FrictionProfile::quadratic ? friction_f1_derivative(y, eps) : eps / ((y + eps) * (y + eps));
}

double profile_potential(FrictionProfile profile, double y, double eps) {
    return profile == FrictionProfile::quadratic ? friction_f0(y, eps) : y - eps * std::log1p(y / eps);
}

/// Gauss's rule with 8 points on [-1, 1]: exact to degree 15. Only the magnitude inside a transition is integrated with
/// it.
constexpr std::array<double, 4> gauss_points{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                             0.9602898564975363};
constexpr std::array<double, 4> gauss_weights{0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                              0.1012285362903763};

}  // namespace

const std::vector<std::string>& friction_profile_names() {
    static const std::vector<std::string> names{"quadratic", "rational"};
    return names;
}

FrictionProfile friction_profile_from_name(const std::string& name) {
    return enum_from_name<FrictionProfile>(friction_profile_names(), name);
}

double FrictionLaw::coefficient(double y, double kinetic_ratio) const {
    if (!has_transition(kinetic_ratio) || y <= sticking_slip) return 1.0;
    if (y >= kinetic_slip) return kinetic_ratio;
    const double t = (y - sticking_slip) / (kinetic_slip - sticking_slip);
    return 1.0 - (1.0 - kinetic_ratio) * t * t * (3.0 - 2.0 * t);
}

double FrictionLaw::coefficient_derivative(double y, double kinetic_ratio) const {
    if (!has_transition(kinetic_ratio) || y <= sticking_slip || y >= kinetic_slip) return 0.0;
    const double width = kinetic_slip - sticking_slip, t = (y - sticking_slip) / width;
    return -(1.0 - kinetic_ratio) * 6.0 * t * (1.0 - t) / width;
}

double FrictionLaw::over_slip(double y, double kinetic_ratio) const {
    const double over = profile_over_slip(profile, y, sticking_slip);
    return has_transition(kinetic_ratio) ? coefficient(y, kinetic_ratio) * over : over;
}

double FrictionLaw::derivative(double y, double kinetic_ratio) const {
    const double slope = profile_derivative(profile, y, sticking_slip);
    if (!has_transition(kinetic_ratio)) return slope;
    return coefficient(y, kinetic_ratio) * slope +
           coefficient_derivative(y, kinetic_ratio) * y * profile_over_slip(profile, y, sticking_slip);
}

double FrictionLaw::over_slip_derivative(double y, double kinetic_ratio) const {
    if (y == 0.0) return -1.0 / (sticking_slip * sticking_slip);  // of both profiles
    return (derivative(y, kinetic_ratio) - over_slip(y, kinetic_ratio)) / y;
}

double FrictionLaw::integral(double from, double to, double kinetic_ratio) const {
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double sum = 0.0;
    for (std::size_t k = 0; k < gauss_points.size(); ++k) {
        for (const double sign : {-1.0, 1.0}) {
            const double at = middle + sign * half * gauss_points[k];
            sum += gauss_weights[k] * at * over_slip(at, kinetic_ratio);
        }
    }
    return half * sum;
}

double FrictionLaw::potential(double y, double kinetic_ratio) const {
    if (!has_transition(kinetic_ratio) || y <= sticking_slip) return profile_potential(profile, y, sticking_slip);
    double before = profile_potential(profile, sticking_slip, sticking_slip);
    // Pieces that double: the rational profile has a pole at -eps, near which one rule over a wide transition would be
    // coarse.
    const double end = std::min(y, kinetic_slip);
    for (double from = sticking_slip; from < end;) {
        const double to = std::min(2.0 * from, end);
        before += integral(from, to, kinetic_ratio);
        from = to;
    }
    if (y <= kinetic_slip) return before;
    return before + kinetic_ratio * (profile_potential(profile, y, sticking_slip) -
                                     profile_potential(profile, kinetic_slip, sticking_slip));
}

}  // namespace stiction
