// Options of the method `local_global`.
#pragma once

#include "stiction/methods/local_global/contact/contact_solver.hpp"

#include <string>
#include <vector>

namespace stiction {

/// What is done with the global system in an iteration.
enum class GlobalStep {
    complete,   ///< solved with its factors
    lbfgs,      ///< the same, as the initial matrix of L-BFGS (Liu, Bouaziz and Kavan 2017)
    jacobi,     ///< one damped Jacobi iteration: an "incomplete" step, for comparison
    chebyshev,  ///< the same with Chebyshev's acceleration (Wang 2015)
};
/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& global_step_names();
/// Throws InternalError for any other name.
GlobalStep global_step_from_name(const std::string& name);

struct LocalGlobalOptions {
    /// Iterations of local and global step in a time step, at most.
    int iterations = 5;
    /// Iterations end when positions change by less than this speed (m/s); 0: never earlier than `iterations`.
    double tolerance = 0.0;
    GlobalStep global_step = GlobalStep::complete;
    /// Corrections that L-BFGS remembers.
    int history = 5;
    /// Volume ratio below which barrier laws are continued within a step (materials/extrapolated.hpp), where the material says nothing itself.
    double extrapolate_below = 0.05;
    /// Distance that touching surfaces keep, beside their contact thickness (m); 0 means thickness_relative * l.
    double thickness = 0.0;
    double thickness_relative = 1e-3;
    /// Of the contact solver, which runs once in each iteration.
    ContactSolverOptions contact;
};

/// Distance that touching surfaces keep in a world of this size (m).
double contact_thickness(const LocalGlobalOptions& options, double diagonal);

}  // namespace stiction
