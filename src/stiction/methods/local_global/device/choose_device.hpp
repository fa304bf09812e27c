// Where the iterations of the method run.
#pragma once

#include "stiction/methods/local_global/options.hpp"
#include "stiction/methods/local_global/rigid_motions.hpp"
#include "stiction/methods/local_global/step_solver.hpp"

#include <memory>
#include <string>

namespace stiction::local_global {

/// Why there is no GPU to compute on, as a clause ("this build has no CUDA"); empty if there is one.
std::string missing_gpu();

/// Throws InputError where options.device is `cuda` and there is no GPU or the build has no CUDA, and where it is
/// `cuda` or `emulated` and world or options have something that runs on the CPU only.
void check_device(const World& world, const Options& options);

/// What the iterations run on: options.device, with `automatic` resolved. `automatic` is the GPU where check_device()
/// would let `cuda` pass, and the CPU elsewhere.
DeviceKind chosen_device(const World& world, const Options& options);

/// The solver of the steps on that device. Arguments may be kept by reference.
/// @param device  not `automatic`
std::unique_ptr<StepSolver> make_step_solver(DeviceKind device, const ElementArrays& elements, Objective& objective,
                                             const RigidMotions& rigid, const Options& options);

}  // namespace stiction::local_global
