#include "stiction/methods/local_global/workspace.hpp"

#include <utility>

namespace stiction::local_global {

Workspace::Workspace(const World& world, const Options& options)
    : identity(world.identity),
      elements(world, options.extrapolate_below),
      objective(world, elements),
      rigid(world),
      device(chosen_device(world, options)),
      solver(make_step_solver(device, elements, objective, rigid, options)),
      constraints(world, options),
      certified_move(world, rigid, contact_thickness(options, world.length)) {}

const GlobalSystem& Workspace::system(const World& world, const Options& options, const StepInput& input) {
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    std::swap(systems_[0], systems_[1]);
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    Options with_factors = options;
    if (device != DeviceKind::cpu) with_factors.factors = OperatorKind::sparse_inverse;
    systems_[0] = std::make_unique<GlobalSystem>(world, elements, objective, with_factors, input.h, input.driven_axes);
    ++factorisations;
    return *systems_[0];
}

}  // namespace stiction::local_global
