// Options of the method `mlcp`.
#pragma once

#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/methods/mlcp/solvers/contact_solver.hpp"

#include <optional>
#include <string>
#include <vector>

namespace stiction::mlcp {

/// How elasticity enters a step.
enum class ElasticityModel {
    linearised,  ///< once, at the start of the step (Verschoor and Jalba 2019)
    nonlinear,   ///< by Newton's method with a line search, until forces balance at the end of the step
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& elasticity_model_names();
/// Throws InternalError for any other name.
ElasticityModel elasticity_model_from_name(const std::string& name);

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& acceptance_names();
/// Throws InternalError for any other name.
Acceptance acceptance_from_name(const std::string& name);

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& friction_update_names();
/// Throws InternalError for any other name.
FrictionUpdate friction_update_from_name(const std::string& name);

/// "auto" or the name of a solver.
std::string solver_choice(const std::optional<SolverKind>& solver);
/// Throws InternalError for a name that is none of solver_choices().
std::optional<SolverKind> solver_from_choice(const std::string& name);
/// Names of scenes: "auto" and those of the solvers.
const std::vector<std::string>& solver_choices();

/// l is the length of a body (Body::contact_length), of a pair that of its smaller one. What is given in metres holds
/// for all.
struct Options {
    /// eps_1 (-): residual of the momentum balance, relative to |b|, or to a hundred times the change of momentum in
    /// the step where that is less.
    double tolerance = 5e-5;
    /// eps_2 (m): gaps of closed contacts end in (0, eps_2); changes of a contact that move less are postponed. 0:
    /// distance_tolerance_relative * l, at most 6 g h^2, and in proportion to h below 0.5 ms.
    double distance_tolerance = 0.0;
    double distance_tolerance_relative = 5e-6;  ///< fraction of l
    /// Solver of the contact problems. Empty, `auto` in scenes: conjugate residuals, and the augmented Lagrangian where
    /// they take more than `factorise_after` iterations, or where all bodies are rigid.
    std::optional<SolverKind> solver;
    /// Of conjugate residuals (section 3.4).
    PreconditionerKind preconditioner = PreconditionerKind::full;
    /// When conjugate residuals accept the contacts of a solution. `published`: also, residuals are relative to |b|,
    /// and the rows are solved to eps_2.
    Acceptance acceptance = Acceptance::strict;
    /// Of sliding contacts, in conjugate residuals. `pyramid`: `auto` means `cr`.
    FrictionUpdate friction_update = FrictionUpdate::exact;
    Variants variants;  ///< of conjugate residuals, for bench/mlcp/table.cpp
    /// Most iterations of constraint anticipation in a solve where conjugate residuals do not converge; 0: none.
    int fallback_iterations = 1000;
    /// Iterations after which the augmented Lagrangian takes over (`auto`), of a solve, with at most 64 contacts of a
    /// step, with at most 32 a quarter of them; or after which a solve of conjugate residuals goes on with a Cholesky
    /// factor of A as the preconditioner (`cr`); 0: never.
    int factorise_after = 500;
    /// Sliding speed at the start of a step from which the kinetic coefficient holds, where it differs from the static
    /// one (m/s); 0: kinetic_velocity_relative * l per second.
    double kinetic_velocity = 0.0;
    double kinetic_velocity_relative = 1e-2;  ///< fraction of l per second
    /// Iterations of conjugate residuals in one solve.
    int max_iterations = 10000;
    /// Iterations of all solves of a step together, those of fallbacks included.
    int max_step_iterations = 30000;
    /// Solves of a step, with constraints added or linearised again between them.
    int max_linearisations = 60;
    ElasticityModel elasticity = ElasticityModel::linearised;
    /// Change of velocities at which `nonlinear` stops (m/s); 0: velocity_tolerance_relative * l per second.
    double velocity_tolerance = 0.0;
    double velocity_tolerance_relative = 1e-3;  ///< fraction of l per second
    /// Newton iterations of a step. Those that change constraints count for max_linearisations instead.
    int max_newton_iterations = 30;
};

/// Tolerances of a world in metres and m/s: those of its largest body. Smaller ones have a share of what is not given,
/// and a pair of bodies that of its smaller one.
struct Limits {
    double distance;  ///< eps_2
    bool given;       ///< eps_2 is set by the scene, and holds at any step size
    double velocity;  ///< of `nonlinear`
    bool velocity_given;
    double kinetic_velocity;
    bool kinetic_given;
    /// Of every body, what it has of l, and of eps_2 in a step; infinite for obstacles. Empty: all have the whole.
    std::vector<double> length_share, distance_share;

    /// The limits of a step of h seconds under `gravity` (m/s^2). eps_2 / h is a speed; a default eps_2 shrinks with h,
    /// so that this speed does not grow.
    Limits for_step(double h, double gravity) const;
    /// Gap (m) below which pairs of the largest bodies are constraints from the start of a step.
    double touching() const { return 4.0 * distance; }
    /// What a pair of bodies has of eps_2.
    double share(Index body_a, Index body_b) const { return smaller(distance_share, body_a, body_b); }
    double kinetic_velocity_of(Index body_a, Index body_b) const {
        return kinetic_given ? kinetic_velocity : smaller(length_share, body_a, body_b) * kinetic_velocity;
    }
    /// Of every body, what it has of `velocity`; as length_share.
    const std::vector<double>& velocity_share() const;
    /// For contacts within eps_2, or a multiple of it.
    PairScales scales() const { return {.length_share = distance_share, .strength = {}}; }

private:
    static double smaller(const std::vector<double>& share, Index body_a, Index body_b);
};
/// The limits of options for bodies of this length (m).
Limits resolve_limits(const Options& options, double length);
Limits resolve_limits(const Options& options, const World& world);

}  // namespace stiction::mlcp
