#include "stiction/methods/local_global/workspace.hpp"

#include <utility>

namespace stiction::local_global {

Workspace::Workspace(const World& world, const Options& options)
    : identity(world.identity),
      elements(world, options.extrapolate_below),
      objective(world, elements),
      solve(objective, options),
      constraints(world, options),
      certified_move(world, contact_thickness(options, world.diagonal)) {}

const GlobalSystem& Workspace::system(const World& world, const Options& options, const StepInput& input) {
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    std::swap(systems_[0], systems_[1]);
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    systems_[0] = std::make_unique<GlobalSystem>(world, elements, objective, options, input.h, input.driven_axes);
    ++factorisations;
    return *systems_[0];
}

}  // namespace stiction::local_global
