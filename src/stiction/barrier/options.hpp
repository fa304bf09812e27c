// Options of a barrier solve: those of the method `ipc`, and of the lagged solve that `implicit` starts from.
#pragma once

#include "stiction/barrier/region.hpp"
#include "stiction/barrier/stiffness.hpp"
#include "stiction/contact/friction_law.hpp"
#include "stiction/dynamics/hessian_assembly.hpp"
#include "stiction/world/world.hpp"

namespace stiction {

/// What the barriers of contacts are multiplied by.
enum class BarrierWeights {
    none,  ///< the number of pairs that reduce to the contact, as Li et al. 2020 publish it
    area,  ///< areas that the pairs stand for (ContactWeights): the stiffness is a pressure
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& barrier_weights_names();
/// Throws InternalError for any other name.
BarrierWeights barrier_weights_from_name(const std::string& name);
/// Unit of the barrier stiffness.
const char* barrier_stiffness_unit(BarrierWeights weights);

/// Lengths written "relative" are fractions of World::length (l), velocities of l per second. Smaller bodies have
/// their share of them, a pair that of its smaller body; lengths and velocities that are given hold for all.
struct BarrierOptions {
    /// Distance below which the barrier acts (m); 0 means dhat_relative * l.
    double dhat = 0.0;
    double dhat_relative = 1e-3;
    /// Speed below which friction counts as sticking (m/s); 0 means friction_velocity_relative * l.
    double friction_velocity = 0.0;
    double friction_velocity_relative = 1e-3;
    /// How friction grows from rest to that speed.
    FrictionProfile friction_profile = FrictionProfile::quadratic;
    /// Speed from which the kinetic coefficient holds, where it differs from the static one (m/s); 0 means 10 times the
    /// friction velocity.
    double kinetic_velocity = 0.0;
    /// Newton stops when |p|_inf / h falls below this (m/s); 0 means velocity_tolerance_relative * l.
    double velocity_tolerance = 0.0;
    double velocity_tolerance_relative = 1e-2;
    /// In contact it goes on while a coordinate's unbalanced force is more than this part of the largest force; 0
    /// leaves that out, as published.
    double balance_tolerance = 0.015;
    /// In contact with friction the tolerance is at most this times the friction velocity; 0 means no such cap.
    double friction_tolerance_factor = 0.1;
    /// Solves with refreshed lagged friction in a step; 0 means until equation 17 holds (at most
    /// max_friction_iterations).
    int friction_iterations = 1;
    int max_friction_iterations = 100;
    /// Newton iterations of one solve before the step gives up.
    int max_iterations = 1000;
    BarrierWeights barrier_weights = BarrierWeights::none;
    /// Barrier stiffness: contact energy is barrier_stiffness * b, in J/m^4 (the paper's kappa is h^2 times this), or
    /// times weight * b, in Pa; 0 means adaptive.
    double barrier_stiffness = 0.0;
    /// How the adaptive stiffness is chosen.
    StiffnessRule stiffness_rule = StiffnessRule::load;
    /// Multiplies both bounds of the adaptive stiffness.
    double barrier_stiffness_scale = 1.0;
    /// How Newton's linear systems are solved.
    SystemSolver linear_solver = SystemSolver::automatic;
    /// Fraction of a gap that CCD keeps on every move.
    double ccd_slack = 0.1;
    /// Iterations of one Newton solve after which its directions are refined with the unprojected Hessian in any case,
    /// see RefinementRule; not a key of scenes.
    int refine_after = 30;
    /// A solve that ends with at most this part of its tolerated imbalance is confirmed by refined directions, where
    /// projected ones are known to be too short: Confirmation. Further away those mostly
    /// lead to other equilibria. 0: never; not a key of scenes.
    double confirmed_part = 0.4;
    /// Solves after the first in which friction of a static stage may settle, see StaticStage::settle(); not a key of
    /// scenes.
    int static_solves = 20;
    /// When a solve goes on in a part of the scene alone, see RegionSolve; not a key of scenes.
    RegionOptions region = {};
};

/// Absolute values of the options for the largest body of a world.
struct BarrierLimits {
    double dhat = 0.0;                ///< m
    double friction_velocity = 0.0;   ///< m/s
    double velocity_tolerance = 0.0;  ///< m/s
    double kinetic_velocity = 0.0;    ///< m/s
};

/// Relative values are multiplied by the world's length, where no absolute ones are given.
BarrierLimits resolve_limits(const BarrierOptions& options, const World& world);

/// Friction as a function of sliding speed (m/s).
FrictionLaw friction_law(const BarrierOptions& options, const BarrierLimits& limits);

}  // namespace stiction
