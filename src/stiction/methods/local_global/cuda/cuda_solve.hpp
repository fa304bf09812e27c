// The iterations on a GPU. Defined in builds with CUDA alone (STICTION_WITH_CUDA).
#pragma once

#include "stiction/methods/local_global/element_arrays.hpp"
#include "stiction/methods/local_global/step_solver.hpp"

#include <memory>
#include <string>

namespace stiction::local_global {

/// Why CUDA finds no GPU, as a clause; empty if it finds one.
std::string missing_cuda_device();
/// Name of the GPU that CUDA uses; empty if there is none.
std::string cuda_device_name();
/// DeviceSolve on that GPU. Throws InternalError where there is none.
std::unique_ptr<StepSolver> make_cuda_solve(const ElementArrays& elements, const Objective& objective,
                                            const ContactSolverOptions& options);

}  // namespace stiction::local_global
