#include "stiction/barrier/stiffness.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/contact/barrier.hpp"

#include <algorithm>

namespace stiction {
namespace {

/// Stiffness at which the barrier's Gauss-Newton curvature at squared distance s is `curvature` (kg).
double stiffness_of_curvature(double curvature, double s, double dhat) {
    return curvature / (4.0 * s * barrier(s, dhat * dhat).second);
}

}  // namespace

const std::vector<std::string>& stiffness_rule_names() {
    static const std::vector<std::string> names{"balance", "load"};
    return names;
}

StiffnessRule stiffness_rule_from_name(const std::string& name) {
    return enum_from_name<StiffnessRule>(stiffness_rule_names(), name);
}

StiffnessBounds stiffness_bounds(StiffnessRule rule, double mean_mass, double diagonal, double dhat) {
    const double half = 0.25 * dhat * dhat;
    // With a large dhat the reference distance would leave the barrier's support; keep it inside.
    const double balance = stiffness_of_curvature(1e11 * mean_mass, std::min(1e-16 * diagonal * diagonal, half), dhat);
    if (rule == StiffnessRule::balance) return {balance, 100.0 * balance};
    const double load = stiffness_of_curvature(60.0 * mean_mass, half, dhat);
    return {std::min(load, balance), 100.0 * std::max(load, balance)};
}

double balanced_stiffness(const VecX& barrier_gradient, const VecX& rest_gradient, const StiffnessBounds& bounds) {
    const double squared = barrier_gradient.squaredNorm();
    if (squared == 0.0) return bounds.lower;
    return std::clamp(-barrier_gradient.dot(rest_gradient) / squared, bounds.lower, bounds.upper);
}

bool StiffnessGuard::shrinking(const ContactSet& contacts) {
    std::map<Key, double> present;
    bool result = false;
    for (const Contact& contact : contacts.contacts) {
        if (contact.squared_gap() >= contact.squared_reach(tiny_squared_)) continue;
        // Nearly parallel edges keep their four vertices, whichever of their features are closest.
        const PairKind pair = contact.kind == ContactKind::mollified_pair ? PairKind::edge_edge : contact.pair;
        const Key key{contact.kind == ContactKind::half_space, pair, contact.vertices};
        present[key] = contact.squared_gap();
        const auto before = last_.find(key);
        result = result || (before != last_.end() && contact.squared_gap() < before->second);
    }
    last_ = std::move(present);
    return result;
}

}  // namespace stiction
