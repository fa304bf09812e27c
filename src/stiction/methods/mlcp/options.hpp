// Options of the method `mlcp`.
#pragma once

#include "stiction/methods/mlcp/preconditioner.hpp"
#include "stiction/methods/mlcp/rivals/contact_solver.hpp"

#include <string>
#include <vector>

namespace stiction {

/// How elasticity enters a step.
enum class ElasticityModel {
    linearised,  ///< once, at the start of the step (Verschoor and Jalba 2019)
    nonlinear,   ///< again and again nearer to the end of the step, with a line search, until it balances there
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& elasticity_model_names();
/// Throws InternalError for any other name.
ElasticityModel elasticity_model_from_name(const std::string& name);

struct MlcpOptions {
    /// eps_1 (-): the momentum's residual, over |b|, or over a hundred times what changes in the step where that is
    /// less.
    double tolerance = 5e-5;
    /// eps_2 (m): gaps of touching pairs end between 0 and this, smaller changes of a contact are postponed; 0 means
    /// distance_tolerance_relative * l, but at short steps no more than that times h / 0.5 ms, nor than 6 g h^2.
    double distance_tolerance = 0.0;
    double distance_tolerance_relative = 5e-6;  ///< as a fraction of l, the diagonal of the deformable bodies
    /// What solves the contact problems: conjugate residuals, or a method that they are measured against.
    ContactSolverKind solver = ContactSolverKind::cr;
    /// Of the conjugate residuals (section 3.4).
    MlcpPreconditioner preconditioner = MlcpPreconditioner::full;
    /// Iterations of constraint anticipation that help a solve of conjugate residuals that does not come to an end; 0:
    /// none.
    int fallback_iterations = 1000;
    /// Iterations of conjugate residuals after which a solve that has not converged goes on with a Cholesky factor of A
    /// as its preconditioner; 0: never.
    int factorise_after = 1000;
    /// Speed past each other at the start of a step from which the kinetic coefficient holds, where it differs from the
    /// static one (m/s); 0 means kinetic_velocity_relative * l per second.
    double kinetic_velocity = 0.0;
    double kinetic_velocity_relative = 1e-2;  ///< as a fraction of l per second
    /// Iterations of conjugate residuals in one solve.
    int max_iterations = 10000;
    /// Iterations of all solves of a step together, those of what helps included; beyond them the step ends with a
    /// status.
    int max_step_iterations = 30000;
    /// Solves of a step, with contacts added and linearised anew between them.
    int max_linearisations = 60;
    /// Once a step, or until it balances.
    ElasticityModel elasticity = ElasticityModel::linearised;
    /// `nonlinear` stops when velocities change by less than this (m/s); 0 means velocity_tolerance_relative * l per
    /// second.
    double velocity_tolerance = 0.0;
    double velocity_tolerance_relative = 1e-3;  ///< as a fraction of l per second
    /// Iterations of Newton's method on elasticity in a step; those that add or turn contacts count for
    /// max_linearisations.
    int max_newton_iterations = 30;
};

/// Tolerances in metres and m/s for a world.
struct MlcpLimits {
    double distance;  ///< eps_2
    bool given;       ///< eps_2 is what the scene says, at any step size
    double velocity;  ///< of `nonlinear`
    double kinetic_velocity;

    /// Of a step of h seconds where things fall with `gravity` (m/s^2): what tolerances let contacts move in a step is
    /// a speed, which must not grow as steps get shorter.
    MlcpLimits for_step(double h, double gravity) const;
};
/// The limits of options in a world with this diagonal (m).
MlcpLimits resolve_limits(const MlcpOptions& options, double diagonal);

}  // namespace stiction
