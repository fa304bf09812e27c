// Smoothed Coulomb friction: friction over normal force as a function of slip.
#pragma once

#include <string>
#include <vector>

namespace stiction {

/// How friction grows from rest to sliding, with y the slip and eps the slip below which a contact counts as sticking.
enum class FrictionProfile {
    quadratic,  ///< s_a(y) = 2 y/eps - (y/eps)^2 below eps, then 1: once differentiable (Li et al. 2020, equation 13)
    rational,   ///< s_b(y) = y/(y + eps): smooth, reaches 1 only at infinity (Larionov et al. 2022, section 3.3)
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& friction_profile_names();
/// Throws InternalError for any other name.
FrictionProfile friction_profile_from_name(const std::string& name);

/// Friction over normal force at slip y: mu(y) s(y), divided by the static coefficient. A slip is a speed (m/s), or a
/// displacement (m) with `sticking_slip` and `kinetic_slip` times the scale s of a stage. mu(y) falls from the static
/// coefficient at sticking_slip to the kinetic one at kinetic_slip by a cubic without slope at its ends (Stribeck
/// transition).
struct FrictionLaw {
    FrictionProfile profile = FrictionProfile::quadratic;
    double sticking_slip = 0.0;  ///< eps
    double kinetic_slip = 0.0;   ///< end of the transition; at most eps: the kinetic coefficient is not used
    bool sticking_is_given = false,
         kinetic_is_given = false;  ///< the same for all pairs of bodies, whatever their size

    /// The same law for slips in units that are `factor` times as large.
    FrictionLaw scaled(double factor) const { return scaled(factor, factor); }
    /// The same with a factor of its own for the slip that sticks.
    FrictionLaw scaled(double sticking, double kinetic) const {
        return {profile, sticking * sticking_slip, kinetic * kinetic_slip, sticking_is_given, kinetic_is_given};
    }
    /// The law of a pair of bodies that has this share of the slips: those that are given stay.
    FrictionLaw of_pair(double share) const {
        FrictionLaw law = *this;
        if (!sticking_is_given) law.sticking_slip *= share;
        if (!kinetic_is_given) law.kinetic_slip *= share;
        return law;
    }

    /// f(y) / y, finite at y = 0.
    /// @param kinetic_ratio  kinetic over static coefficient, in [0, 1]
    double over_slip(double y, double kinetic_ratio) const;
    /// f'(y); negative inside the transition.
    double derivative(double y, double kinetic_ratio) const;
    /// d(f(y)/y)/dy.
    double over_slip_derivative(double y, double kinetic_ratio) const;
    /// Potential F with F' = f. The constant is that of equation 13 for the quadratic profile (F(eps) = eps), else F(0)
    /// = 0.
    double potential(double y, double kinetic_ratio) const;

private:
    /// mu(y) over the static coefficient, and its derivative.
    double coefficient(double y, double kinetic_ratio) const;
    double coefficient_derivative(double y, double kinetic_ratio) const;
    /// Of f, by Gauss's rule: for intervals no wider than their distance from -eps.
    double integral(double from, double to, double kinetic_ratio) const;
    bool has_transition(double kinetic_ratio) const { return kinetic_slip > sticking_slip && kinetic_ratio != 1.0; }
};

}  // namespace stiction
