#include "stiction/methods/mlcp/solvers/solver_task.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {
namespace {

/// Largest |min(gap, S lambda)| over the share of a contact, which conjugate residuals hold their rows to. A gap of -d
/// without a force is an error of d; the Fischer-Burmeister function would be 2 d there.
double normal_error(const SolverTask& task, const ContactSolution& solution) {
    double error = 0.0;
    for (std::size_t k = 0; k < task.problem.contacts.size(); ++k) {
        const double gap = relative_motion(task.problem.contacts[k], solution.v)[0],
                     force = task.preconditioner.compliance()[k][0] * solution.contacts[k].normal;
        error = std::max(error, std::abs(std::min(gap, force)) / task.problem.contacts[k].share);
    }
    return error;
}

}  // namespace

std::string describe(SolverEnd end) {
    switch (end) {
        case SolverEnd::converged: return "converged";
        case SolverEnd::over_constrained: return "active contacts contradict each other";
        case SolverEnd::iteration_limit: return "limit of iterations";
        case SolverEnd::cycling: return "contacts keep changing between open, sticking and sliding";
        case SolverEnd::breakdown: return "the iteration broke down";
        case SolverEnd::interrupted: return "interrupted";
        case SolverEnd::stagnation: return "errors of contacts do not decrease any more";
    }
    return "unknown";
}

bool is_solution(const SolverTask& task, const ContactSolution& solution, SolverReport& report) {
    const ContactErrors errors = contact_errors(task.problem, solution, task.preconditioner.compliance());
    report.residual = errors.momentum;
    ++report.products;
    return errors.momentum <= task.options.tolerance &&
           std::max({normal_error(task, solution), errors.sticking, errors.sliding}) <= task.options.distance_tolerance;
}

VecX cone_forces(const ContactProblem& problem, const ContactSolution& solution) {
    VecX f = VecX::Zero(3 * static_cast<Eigen::Index>(problem.contacts.size()));
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const ContactUnknowns& unknowns = solution.contacts[k];
        if (unknowns.mode == ContactMode::open || unknowns.normal <= 0.0) continue;
        const double limit = problem.contacts[k].friction * unknowns.normal, size = unknowns.friction().norm();
        f[3 * static_cast<Eigen::Index>(k)] = unknowns.normal;
        f.segment<2>(3 * static_cast<Eigen::Index>(k) + 1) = -unknowns.friction() * (size > limit ? limit / size : 1.0);
    }
    return f;
}

void take_forces(const ContactProblem& problem, const VecX& f, ContactSolution& solution) {
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const auto at = 3 * static_cast<Eigen::Index>(k);
        ContactUnknowns unknowns;
        if (f[at] > 0.0) {
            const Vec2 friction = -f.segment<2>(at + 1);
            const double size = friction.norm(), limit = problem.contacts[k].friction * f[at],
                         kinetic = problem.contacts[k].kinetic_ratio * limit;
            unknowns.normal = unknowns.last_normal = f[at];
            unknowns.mode =
                limit > 0.0 && std::abs(size - kinetic) > 1e-12 * limit ? ContactMode::sticking : ContactMode::sliding;
            if (size > 0.0) unknowns.direction = friction / size;
            (unknowns.mode == ContactMode::sticking ? unknowns.sticking : unknowns.sliding) = friction;
        }
        solution.contacts[k] = unknowns;
    }
}

}  // namespace stiction::mlcp
