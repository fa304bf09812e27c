#include "stiction/methods/mlcp/rivals/contact_solver.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/mlcp/rivals/rivals.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

const std::vector<std::string>& contact_solver_names() {
    static const std::vector<std::string> names{"cr", "ica", "sp_active_set", "sp", "pgs"};
    return names;
}

ContactSolverKind contact_solver_from_name(const std::string& name) {
    return enum_from_name<ContactSolverKind>(contact_solver_names(), name);
}

ContactSolverReport solve_with(ContactSolverKind kind, const ContactProblem& problem,
                               const ConstraintMatrix& constraints, const ContactPreconditioner& preconditioner,
                               const ContactPreconditioner::Solve& solve, const CrOptions& options,
                               ContactSolution& solution) {
    const rivals::Task task{problem, constraints, preconditioner, solve, options};
    switch (kind) {
        case ContactSolverKind::cr:
            return {solve_contact_problem(problem, constraints, preconditioner, options, solution)};
        case ContactSolverKind::ica: return rivals::anticipate_constraints(task, solution);
        case ContactSolverKind::sp_active_set: return rivals::stagger_projections(task, false, solution);
        case ContactSolverKind::sp: return rivals::stagger_projections(task, true, solution);
        case ContactSolverKind::pgs: return rivals::sweep_delassus(task, solution);
    }
    return {};
}

namespace rivals {

double momentum_scale(const ContactProblem& problem) {
    return problem.momentum_scale > 0.0 ? problem.momentum_scale : norm(problem.rhs);
}

namespace {

/// Largest |min(gap, scaled force)|, what conjugate residuals hold their rows to: a gap that lacks d with no force is
/// d, where Fischer and Burmeister's function has 2 d.
double normal_error(const Task& task, const ContactSolution& solution) {
    double error = 0.0;
    for (std::size_t k = 0; k < task.problem.contacts.size(); ++k) {
        const double gap = relative_motion(task.problem.contacts[k], solution.v)[0],
                     force = task.preconditioner.compliance()[k][0] * solution.contacts[k].normal;
        error = std::max(error, std::abs(std::min(gap, force)));
    }
    return error;
}

}  // namespace

bool is_solution(const Task& task, const ContactSolution& solution, ContactSolverReport& report) {
    const SwitchingOptions& switching = task.options.switching;
    const double distance = switching.distance_tolerance;
    const ContactErrors errors = contact_errors(task.problem, solution, task.preconditioner.compliance());
    report.residual = errors.momentum;
    return errors.momentum <= task.options.tolerance &&
           std::max({normal_error(task, solution), errors.sticking, errors.sliding}) <= distance;
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

}  // namespace rivals
}  // namespace stiction
