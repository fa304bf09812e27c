// How a step or a run ended, as plain data.
#pragma once

#include <string>

namespace stiction {

/// Every way in which a step can end. Anything but `converged` names its cause beside it.
enum class Status {
    converged,               ///< the stopping test of the method holds
    friction_not_converged,  ///< lagged friction reached its iteration limit before its own test; the step is still
                             ///< certified
    not_converged,           ///< done, but the stopping test of the method does not hold: the motion is no solution
    substepped,              ///< done, but in smaller pieces than asked for
    iteration_limit,         ///< the cap on iterations was reached
    line_search_stalled,     ///< no decrease could be found along the search direction
    targets_not_reached,     ///< driven vertices miss their targets, or a certified step cannot end early
    linear_solve_failed,     ///< the system could not be factorised
    infeasible_start,        ///< the step started in intersection or with an inverted element
    diverged,                ///< vertices left the scene within the step
    not_supported,           ///< the step met something that the options of the method rule out
    interrupted,             ///< given up because it was asked for (StepWatch), which says nothing about the step
};

/// The name of a status as it appears in steps.csv and report.json.
inline const char* to_string(Status status) {
    switch (status) {
        case Status::converged: return "converged";
        case Status::friction_not_converged: return "friction_not_converged";
        case Status::not_converged: return "not_converged";
        case Status::substepped: return "substepped";
        case Status::iteration_limit: return "iteration_limit";
        case Status::line_search_stalled: return "line_search_stalled";
        case Status::targets_not_reached: return "targets_not_reached";
        case Status::linear_solve_failed: return "linear_solve_failed";
        case Status::infeasible_start: return "infeasible_start";
        case Status::diverged: return "diverged";
        case Status::not_supported: return "not_supported";
        case Status::interrupted: return "interrupted";
    }
    return "unknown";
}

/// True when the proposed state may be taken: the step was completed to its end time.
inline bool is_accepted(Status status) {
    return status == Status::converged || status == Status::friction_not_converged || status == Status::not_converged ||
           status == Status::substepped;
}

}  // namespace stiction
