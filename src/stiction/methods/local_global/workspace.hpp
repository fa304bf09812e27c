// What the method keeps from step to step for one World.
#pragma once

#include "stiction/methods/local_global/certified_move.hpp"
#include "stiction/methods/local_global/constraints.hpp"
#include "stiction/methods/local_global/device/choose_device.hpp"

#include <memory>

namespace stiction::local_global {

/// Arrays of elements, factored matrices and scratch memory. No result depends on what an earlier step left here.
struct Workspace {
    Workspace(const World& world, const Options& options);

    /// The factored matrix A for the step size and the driven vertices of `input`. The last two that were made are
    /// kept, so that a step and its halves do not factorise in turn. Throws NotPositiveDefinite.
    const GlobalSystem& system(const World& world, const Options& options, const StepInput& input);

    std::shared_ptr<const char> identity;  ///< of the world
    ElementArrays elements;
    Objective objective;
    RigidMotions rigid;
    DeviceKind device;  ///< that the iterations run on
    std::unique_ptr<StepSolver> solver;
    Constraints constraints;
    CertifiedMove certified_move;
    VecX guess, prediction, end, end_velocity;
    PhaseTimers timers;
    int factorisations = 0;

private:
    std::unique_ptr<GlobalSystem> systems_[2];  ///< the one that was used last comes first
};

}  // namespace stiction::local_global
