#include "stiction/methods/implicit/options.hpp"

#include "stiction/base/enum_names.hpp"

namespace stiction::implicit {

const std::vector<std::string>& linear_solver_names() {
    static const std::vector<std::string> names{"auto", "direct", "iterative"};
    return names;
}

LinearSolver linear_solver_from_name(const std::string& name) {
    return enum_from_name<LinearSolver>(linear_solver_names(), name);
}

const std::vector<std::string>& friction_jacobian_names() {
    static const std::vector<std::string> names{"automatic", "analytic"};
    return names;
}

FrictionJacobian friction_jacobian_from_name(const std::string& name) {
    return enum_from_name<FrictionJacobian>(friction_jacobian_names(), name);
}

const std::vector<std::string>& contact_model_names() {
    static const std::vector<std::string> names{"barrier", "penalty"};
    return names;
}

ContactModel contact_model_from_name(const std::string& name) {
    return enum_from_name<ContactModel>(contact_model_names(), name);
}

LinearSolver choose_solver(LinearSolver wanted, Index nodes) {
    if (wanted != LinearSolver::automatic) return wanted;
    return nodes >= iterative_nodes ? LinearSolver::iterative : LinearSolver::direct;
}

void Options::take(const BarrierOptions& options) {
    static_cast<BarrierOptions&>(*this) = options;
    linear_solver = SystemSolver::mixed;
    balance_tolerance = 0.0;
}

double implicit_tolerance(const Options& options, double friction_velocity) {
    return options.implicit_tolerance > 0.0 ? options.implicit_tolerance : 1e-3 * friction_velocity;
}

}  // namespace stiction::implicit
