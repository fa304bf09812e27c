#include "stiction/methods/mlcp/solvers/contact_solver.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/methods/mlcp/solvers/augmented_lagrangian.hpp"
#include "stiction/methods/mlcp/solvers/constraint_anticipation.hpp"
#include "stiction/methods/mlcp/solvers/cr_solver.hpp"
#include "stiction/methods/mlcp/solvers/projected_gauss_seidel.hpp"
#include "stiction/methods/mlcp/solvers/staggered_projections.hpp"

namespace stiction::mlcp {

const std::vector<std::string>& solver_names() {
    static const std::vector<std::string> names{"cr", "ica", "sp_active_set", "sp", "pgs", "augmented_lagrangian"};
    return names;
}

SolverKind solver_from_name(const std::string& name) {
    return enum_from_name<SolverKind>(solver_names(), name);
}

SolverReport solve_with(SolverKind kind, const SolverTask& task, ContactSolution& solution) {
    switch (kind) {
        case SolverKind::cr: return solve_with_conjugate_residuals(task, solution);
        case SolverKind::ica: return solve_with_constraint_anticipation(task, solution);
        case SolverKind::sp_active_set:
            return solve_with_staggered_projections(task, SwitchContacts::at_convergence, solution);
        case SolverKind::sp: return solve_with_staggered_projections(task, SwitchContacts::while_iterating, solution);
        case SolverKind::pgs: return solve_with_gauss_seidel(task, solution);
        case SolverKind::augmented_lagrangian: return solve_with_augmented_lagrangian(task, solution);
    }
    return {};
}

}  // namespace stiction::mlcp
