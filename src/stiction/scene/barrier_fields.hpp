// Keys of the options of `ipc` and `implicit`; see spec_fields.hpp.
#pragma once

#include "stiction/methods/implicit/options.hpp"
#include "stiction/scene/field.hpp"
#include "stiction/scene/spec.hpp"

namespace stiction::scene {

template <class A>
void describe_barrier(A& a, BarrierOptions& s) {
    a.field(s.dhat,
            Field{"dhat", "m", "distance below which the barrier acts; 0 means `dhat_relative` l", at_least(0)});
    a.field(s.dhat_relative, Field{"dhat_relative", "l", "`dhat` as a fraction of l (`contact.lengths`)", above(0)});
    a.field(s.friction_velocity,
            Field{"friction_velocity", "m/s",
                  "sliding speed below which friction counts as sticking; 0 means `friction_velocity_relative` l",
                  at_least(0)});
    a.field(s.friction_velocity_relative,
            Field{"friction_velocity_relative", "l/s", "`friction_velocity` as a fraction of l per second", above(0)});
    std::string profile = friction_profile_names()[static_cast<std::size_t>(s.friction_profile)];
    a.choice(profile,
             Field{"friction_profile", "",
                   "how friction grows from rest: `quadratic` up to `friction_velocity`, or `rational`, v/(v + "
                   "`friction_velocity`)"},
             friction_profile_names());
    s.friction_profile = friction_profile_from_name(profile);
    a.field(s.kinetic_velocity,
            Field{"kinetic_velocity", "m/s",
                  "sliding speed from which `kinetic_friction` holds; 0 means 10 times the friction velocity",
                  at_least(0)});
    a.field(s.velocity_tolerance, Field{"velocity_tolerance", "m/s",
                                        "Newton stops when the largest component of its step divided by h is below "
                                        "this; 0 means `velocity_tolerance_relative` l",
                                        at_least(0)});
    a.field(s.velocity_tolerance_relative, Field{"velocity_tolerance_relative", "l/s",
                                                 "`velocity_tolerance` as a fraction of l per second", above(0)});
    a.field(
        s.friction_tolerance_factor,
        Field{"friction_tolerance_factor", "",
              "in contact with friction the tolerance is at most this times the friction velocity; 0 means no such cap",
              at_least(0)});
    a.field(s.friction_iterations,
            Field{"friction_iterations", "",
                  "solves of a step with refreshed friction forces; 0 goes on until they agree with the solution",
                  between(0, 1e6)});
    a.field(s.max_friction_iterations, Field{"max_friction_iterations", "",
                                             "cap on these solves when `friction_iterations` is 0", between(1, 1e6)});
    a.field(s.max_iterations,
            Field{"max_iterations", "", "Newton iterations of one solve before the step gives up", between(1, 1e9)});
    std::string weights = barrier_weights_names()[static_cast<std::size_t>(s.barrier_weights)];
    a.choice(weights,
             Field{"barrier_weights", "",
                   "what the barriers of contacts are multiplied by: the number of pairs (`none`), or the `area` that "
                   "they stand for, whose sum converges as meshes are refined"},
             barrier_weights_names());
    s.barrier_weights = barrier_weights_from_name(weights);
    a.field(s.barrier_stiffness,
            Field{"barrier_stiffness", "J/m^4",
                  "stiffness of the barrier (the kappa of Li et al. divided by h^2), in Pa with weights by area; 0 "
                  "adapts it",
                  at_least(0)});
    std::string rule = stiffness_rule_names()[static_cast<std::size_t>(s.stiffness_rule)];
    a.choice(rule,
             Field{"stiffness_rule", "",
                   "how the adaptive stiffness is chosen: `load`, soft, just what holds the most loaded contact open, "
                   "or `balance`, as Li et al. publish it"},
             stiffness_rule_names());
    s.stiffness_rule = stiffness_rule_from_name(rule);
    a.field(s.barrier_stiffness_scale,
            Field{"barrier_stiffness_scale", "", "factor on the bounds of the adaptive stiffness", above(0)});
    a.field(s.ccd_slack, Field{"ccd_slack", "", "fraction of a gap that every move keeps", inside(0, 1)});
}

template <class A>
void describe(A& a, ipc::Options& s) {
    describe_barrier(a, s);
    a.field(s.balance_tolerance,
            Field{"balance_tolerance", "",
                  "in contact, Newton also goes on while a coordinate's unbalanced force is more than this part of the "
                  "largest force; 0 leaves that out, as Li et al. publish it",
                  between(0, 1)});
    std::string solver = system_solver_names()[static_cast<std::size_t>(s.linear_solver)];
    a.choice(solver,
             Field{"linear_solver", "",
                   "linear systems by sparse Cholesky (`direct`) or by conjugate gradients with a preconditioner: the "
                   "Cholesky factor in single precision (`mixed`) or multigrid (`multigrid`); `auto` chooses by "
                   "counts of unknowns and predicted factor entries"},
             system_solver_names());
    s.linear_solver = system_solver_from_name(solver);
}

template <class A>
void describe(A& a, implicit::Options& s) {
    describe_barrier(a, s);
    a.field(s.implicit_tolerance, Field{"implicit_tolerance", "m/s",
                                        "Newton on the whole balance stops when the largest component of its step "
                                        "divided by h is below this; 0 means 1e-3 of the friction velocity",
                                        at_least(0)});
    a.field(s.max_implicit_iterations,
            Field{"max_implicit_iterations", "", "iterations of one such solve", between(1, 1e6)});
    std::string solver = implicit::linear_solver_names()[static_cast<std::size_t>(s.solver)];
    a.choice(solver,
             Field{"solver", "",
                   "linear systems by sparse LU (`direct`) or by BiCGSTAB with a Cholesky factor as preconditioner "
                   "(`iterative`); `auto` iterates from 3000 unknown vertices on"},
             implicit::linear_solver_names());
    s.solver = implicit::linear_solver_from_name(solver);
    std::string friction_jacobian = implicit::friction_jacobian_names()[static_cast<std::size_t>(s.friction_jacobian)];
    a.choice(friction_jacobian,
             Field{"friction_jacobian", "",
                   "derivative of friction in Newton's matrix by dual numbers (`automatic`) or by formulas "
                   "(`analytic`); they agree to rounding"},
             implicit::friction_jacobian_names());
    s.friction_jacobian = implicit::friction_jacobian_from_name(friction_jacobian);
    a.field(s.lagged_restarts, Field{"lagged_restarts", "",
                                     "how often a stalled solve starts again from friction lagged once more, before "
                                     "the step keeps lagged friction and says so",
                                     between(0, 1e6)});
    std::string contact = implicit::contact_model_names()[static_cast<std::size_t>(s.contact)];
    a.choice(contact,
             Field{"contact", "",
                   "what keeps bodies apart: the `barrier` of `ipc`, certified, or a cubic `penalty` against smooth "
                   "implicit surfaces, which lets them overlap slightly"},
             implicit::contact_model_names());
    s.contact = implicit::contact_model_from_name(contact);
    a.field(s.penalty_thickness,
            Field{"penalty_thickness", "m", "gap below which the penalty acts; 0 means `penalty_thickness_relative` l",
                  at_least(0)});
    a.field(s.penalty_thickness_relative,
            Field{"penalty_thickness_relative", "l", "`penalty_thickness` as a fraction of l", above(0)});
    a.field(s.penalty_stiffness, Field{"penalty_stiffness", "J/m^3",
                                       "stiffness that the penalty starts from; 0: holds ten times the weight of a "
                                       "mean vertex at half the thickness",
                                       at_least(0)});
    a.field(s.implicit_surface_radius_factor,
            Field{"implicit_surface_radius_factor", "",
                  "radius within which triangles shape the implicit surface, over the largest distance of a point of "
                  "the surface from its nearest sample",
                  above(1)});
    a.field(s.implicit_surface_smoothing,
            Field{"implicit_surface_smoothing", "",
                  "how much the implicit surface blends its triangles: small follows them", above(0)});
    a.field(s.implicit_surface_spacing, Field{"implicit_surface_spacing", "m",
                                              "triangles with longer edges get several samples; 0 means the longest "
                                              "edge on the surface of a deformable body",
                                              at_least(0)});
}

}  // namespace stiction::scene
