#include "stiction/methods/mlcp/solvers/projected_gauss_seidel.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/methods/mlcp/solvers/coulomb_contact.hpp"
#include "stiction/methods/mlcp/solvers/delassus.hpp"

#include <algorithm>

namespace stiction::mlcp {
namespace {

/// v = A^-1 (b + L^T f).
void set_velocities(const SolverTask& task, const VecX& f, ContactSolution& solution, SolverReport& report) {
    ++report.products;
    VecX momentum = task.problem.rhs;
    task.constraints.add_transposed(f, momentum);
    task.solve(momentum, solution.v);
    take_forces(task.problem, f, solution);
}

}  // namespace

SolverReport solve_with_gauss_seidel(const SolverTask& task, ContactSolution& solution) {
    STICTION_CHECK(task.solve, "the Delassus operator needs a factor of A");
    constexpr int sweeps_between_checks = 5;
    SolverReport report;
    const std::size_t count = task.problem.contacts.size();
    VecX f = cone_forces(task.problem, solution);
    const double start = now_seconds();
    DelassusOperator delassus(*task.problem.matrix, task.problem.contacts, task.solve);
    report.setup_seconds = now_seconds() - start;
    VecX unforced;
    task.solve(task.problem.rhs, unforced);
    ++report.products;
    std::vector<Vec3> free(count);
    std::vector<CoulombContact> laws(count);
    for (std::size_t k = 0; k < count; ++k) {
        free[k] = relative_motion(task.problem.contacts[k], unforced);
        laws[k] = CoulombContact(delassus.diagonal(k), task.problem.contacts[k].friction,
                                 task.problem.contacts[k].kinetic_ratio);
        delassus.set(k, f.segment<3>(3 * static_cast<Eigen::Index>(k)));
    }
    set_velocities(task, f, solution, report);
    if (is_solution(task, solution, report)) report.end = SolverEnd::converged;
    int unchecked = 0;
    while (report.end != SolverEnd::converged && report.iterations < task.options.max_iterations) {
        if (task.options.interrupted(report.iterations, report.residual)) {
            report.end = SolverEnd::interrupted;
            break;
        }
        ++report.iterations;
        ++report.products;
        ++unchecked;
        double change = 0.0;
        for (std::size_t k = 0; k < count; ++k) {
            const auto at = 3 * static_cast<Eigen::Index>(k);
            const Vec3 old = f.segment<3>(at);
            const Vec3 now = laws[k].solve(free[k] + delassus.motion(k) - laws[k].response() * old);
            f.segment<3>(at) = now;
            delassus.set(k, now);
            change = std::max(change, (laws[k].response() * (now - old)).norm() / task.problem.contacts[k].share);
        }
        const bool last = report.iterations == task.options.max_iterations;
        if (!last && (change > task.options.distance_tolerance || unchecked < sweeps_between_checks)) continue;
        unchecked = 0;
        set_velocities(task, f, solution, report);
        if (is_solution(task, solution, report)) report.end = SolverEnd::converged;
        if (!solution.v.allFinite()) {
            report.end = SolverEnd::breakdown;
            break;
        }
    }
    return report;
}

}  // namespace stiction::mlcp
