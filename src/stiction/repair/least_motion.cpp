#include "stiction/repair/least_motion.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::repair {

std::vector<Vec3> least_motion(const std::vector<double>& inverse_mass, const std::vector<Constraint>& constraints,
                               double tolerance) {
    std::vector<Vec3> shifts(inverse_mass.size(), Vec3::Zero());
    std::vector<double> multipliers(constraints.size(), 0.0);
    constexpr int most_sweeps = 20000;
    double change = 1.0;
    for (int sweep = 0; sweep < most_sweeps && change > tolerance; ++sweep) {
        change = 0.0;
        for (std::size_t k = 0; k < constraints.size(); ++k) {
            const Constraint& c = constraints[k];
            const auto a = static_cast<std::size_t>(c.first), b = static_cast<std::size_t>(c.second);
            const double mobility = inverse_mass[a] + inverse_mass[b];
            if (mobility == 0.0) continue;
            const double missing = c.bound - c.normal.dot(shifts[a] - shifts[b]);
            const double step = std::max(missing / mobility, -multipliers[k]);
            multipliers[k] += step;
            shifts[a] += inverse_mass[a] * step * c.normal;
            shifts[b] -= inverse_mass[b] * step * c.normal;
            change = std::max(change, std::abs(step) * mobility);
        }
    }
    return shifts;
}

}  // namespace stiction::repair
