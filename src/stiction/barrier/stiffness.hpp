// Adaptive barrier stiffness. It is balanced at the start of a solve and doubled while a tiny gap shrinks.
#pragma once

#include "stiction/contact/contact_set.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace stiction {

/// How the stiffness is chosen at the start of a solve.
enum class StiffnessRule {
    balance,  ///< balanced_stiffness(), as Li et al. 2020 publish it
    load,     ///< soft: just what holds the most loaded contact of the last step open
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& stiffness_rule_names();
/// Throws InternalError for any other name.
StiffnessRule stiffness_rule_from_name(const std::string& name);

/// Bounds of the stiffness (J/m^4 in the objective that carries s^2 Psi).
struct StiffnessBounds {
    /// balance: 1e11 m_mean / (4 s0 b''(s0)), s0 = (1e-8 l)^2 or less (Li et al. 2020, supplement). load: 60 m_mean /
    /// (4 s b''(s)), s = (dhat / 2)^2: at half of dhat, one contact is 60 times as stiff as the inertia of a mean
    /// vertex. Both agree to 1 % at dhat = 1e-3 l.
    double lower = 0.0;
    double upper = 0.0;  ///< 100 times the lower bound of `balance`; load: at least 100 times that of the load
};

/// @param mean_mass mean nodal mass (kg)   @param diagonal l (m)   @param dhat activation distance (m)
StiffnessBounds stiffness_bounds(StiffnessRule rule, double mean_mass, double diagonal, double dhat);

/// Stiffness that best balances the barrier's gradient g_c (per unit stiffness) against the rest g_E: -(g_c . g_E) /
/// |g_c|^2, clamped to the bounds; the lower bound when nothing touches. Both leave out what is prescribed.
double balanced_stiffness(const VecX& barrier_gradient, const VecX& rest_gradient, const StiffnessBounds& bounds);

/// Watches pairs that are closer than a length, of which each pair of bodies has its share, from one iteration to the
/// next.
class StiffnessGuard {
public:
    /// @param length  of the largest pair (m)
    explicit StiffnessGuard(double length) : tiny_squared_(length * length) {}
    /// Remembers the tiny pairs of this set and tells whether one of the last set is still tiny and has come closer.
    bool shrinking(const ContactSet& contacts);

private:
    /// Whether with a half-space, kind and vertices: a point and a triangle may have the vertices of two edges.
    using Key = std::tuple<bool, PairKind, std::array<Index, 4>>;

    double tiny_squared_;
    std::map<Key, double> last_;
};

}  // namespace stiction
