#include "stiction/dynamics/barrier/stiffness.hpp"

#include "stiction/contact/barrier.hpp"

#include <algorithm>

namespace stiction {

StiffnessBounds stiffness_bounds(double mean_mass, double diagonal, double dhat) {
    // With a large dhat the reference distance would leave the barrier's support; keep it inside.
    const double s0 = std::min(1e-16 * diagonal * diagonal, 0.25 * dhat * dhat);
    const double lower = 1e11 * mean_mass / (4.0 * s0 * barrier(s0, dhat * dhat).second);
    return {lower, 100.0 * lower};
}

double balanced_stiffness(const VecX& barrier_gradient, const VecX& rest_gradient, const StiffnessBounds& bounds) {
    const double squared = barrier_gradient.squaredNorm();
    if (squared == 0.0) return bounds.lower;
    return std::clamp(-barrier_gradient.dot(rest_gradient) / squared, bounds.lower, bounds.upper);
}

bool StiffnessGuard::shrinking(const ContactSet& contacts) {
    std::map<std::array<Index, 4>, double> present;
    bool result = false;
    for (const Contact& contact : contacts.contacts) {
        if (contact.squared_gap() >= tiny_squared_) continue;
        present[contact.vertices] = contact.squared_gap();
        const auto before = last_.find(contact.vertices);
        result = result || (before != last_.end() && contact.squared_gap() < before->second);
    }
    last_ = std::move(present);
    return result;
}

}  // namespace stiction
