// Keys of the options of `mlcp`; see spec_fields.hpp.
#pragma once

#include "stiction/methods/mlcp/options.hpp"
#include "stiction/scene/kinetic_fields.hpp"

namespace stiction::scene {

template <class A>
void describe(A& a, mlcp::Options& s) {
    a.field(s.tolerance, Field{"tolerance", "",
                               "what is left of the balance of momentum, as a fraction of |b|, or of a hundred times "
                               "what changes in the step where that is less",
                               between(1e-14, 1e-2)});
    a.field(
        s.distance_tolerance,
        Field{"distance_tolerance", "m",
              "gaps of touching pairs end between zero and this, and smaller changes of a contact are postponed; 0 "
              "means `distance_tolerance_relative` l, but at short steps at most that times h / 0.5 ms, and 6 g h^2",
              at_least(0)});
    a.field(s.distance_tolerance_relative,
            Field{"distance_tolerance_relative", "l", "`distance_tolerance` as a fraction of l", above(0)});
    std::string solver = mlcp::solver_choice(s.solver);
    a.choice(solver,
             Field{"solver", "",
                   "of the contact problems: conjugate residuals (`cr`), Newton's method on the "
                   "`augmented_lagrangian`, the second where the first is slow or all bodies are rigid (`auto`), or "
                   "what the paper measures against: constraint anticipation (`ica`), staggered projections (`sp`, "
                   "`sp_active_set`), Gauss-Seidel on the Delassus operator (`pgs`)"},
             mlcp::solver_choices());
    s.solver = mlcp::solver_from_choice(solver);
    a.field(s.factorise_after, Field{"factorise_after", "",
                                     "iterations of a solve after which the augmented Lagrangian takes over (`auto`; "
                                     "for every 500 nodes where velocities are its unknowns; of a step with at most 64 "
                                     "contacts, a quarter with at most 32), or `cr` goes on with a Cholesky factor of "
                                     "A as its preconditioner; 0: never",
                                     between(0, 1e6)});
    a.field(
        s.fallback_iterations,
        Field{"fallback_iterations", "",
              "iterations of constraint anticipation that help a solve of `cr` that does not come to an end; 0: none",
              between(0, 1e6)});
    std::string preconditioner = mlcp::preconditioner_names()[static_cast<std::size_t>(s.preconditioner)];
    a.choice(preconditioner,
             Field{"preconditioner", "",
                   "of the conjugate residuals: without coupling (`diagonal`), the block inverse with diagonals "
                   "(`full`), with 3x3 blocks (`block`), or with a Cholesky factor (`factorised`)"},
             mlcp::preconditioner_names());
    s.preconditioner = mlcp::preconditioner_from_name(preconditioner);
    std::string acceptance = mlcp::acceptance_names()[static_cast<std::size_t>(s.acceptance)];
    a.choice(
        acceptance,
        Field{"acceptance", "",
              "when `cr` accepts the contacts of a solution: friction is the projection of Coulomb's law to within "
              "the tolerance (`strict`), or the published tests find nothing to change (`published`)"},
        mlcp::acceptance_names());
    s.acceptance = mlcp::acceptance_from_name(acceptance);
    std::string friction_update = mlcp::friction_update_names()[static_cast<std::size_t>(s.friction_update)];
    a.choice(
        friction_update,
        Field{"friction_update", "",
              "of contacts in `cr`: Coulomb's law of each one is solved while iterating (`exact`), friction is turned "
              "and accelerated (`newton`), it follows the published moving average (`published`), or it "
              "has a pyramid in place of the cone, as a rival to measure (`pyramid`)"},
        mlcp::friction_update_names());
    s.friction_update = mlcp::friction_update_from_name(friction_update);
    describe_kinetic_velocity(a, s);
    a.field(s.max_iterations,
            Field{"max_iterations", "", "iterations of conjugate residuals in one solve", between(1, 1e9)});
    a.field(s.max_step_iterations,
            Field{"max_step_iterations", "",
                  "iterations of all solves of a step together, those that helped included, before the step gives up",
                  between(1, 1e9)});
    a.field(s.max_linearisations,
            Field{"max_linearisations", "", "solves of a step, with contacts added and linearised anew between them",
                  between(1, 1e6)});
    std::string elasticity = mlcp::elasticity_model_names()[static_cast<std::size_t>(s.elasticity)];
    a.choice(elasticity,
             Field{"elasticity", "",
                   "elastic forces `linearised` once, at the start of the step, or `nonlinear`: balanced at its end"},
             mlcp::elasticity_model_names());
    s.elasticity = mlcp::elasticity_model_from_name(elasticity);
    a.field(
        s.velocity_tolerance,
        Field{"velocity_tolerance", "m/s",
              "`nonlinear` stops when velocities change by less; 0 means `velocity_tolerance_relative` l per second",
              at_least(0)});
    a.field(s.velocity_tolerance_relative, Field{"velocity_tolerance_relative", "l/s",
                                                 "`velocity_tolerance` as a fraction of l per second", above(0)});
    a.field(s.max_newton_iterations,
            Field{"max_newton_iterations", "",
                  "iterations of Newton's method on elasticity in a step, with `nonlinear`", between(1, 1e6)});
}

}  // namespace stiction::scene
