#include "stiction/base/cuda/cuda_device.hpp"
#include "stiction/methods/local_global/cuda/cuda_solve.hpp"
#include "stiction/methods/local_global/device/device_solve.hpp"

namespace stiction::local_global {

std::string missing_cuda_device() {
    return CudaDevice::missing();
}

std::string cuda_device_name() {
    return CudaDevice::name();
}

std::unique_ptr<StepSolver> make_cuda_solve(const ElementArrays& elements, const Objective& objective,
                                            const ContactSolverOptions& options) {
    return std::make_unique<DeviceSolve<CudaDevice>>(elements, objective, options);
}

}  // namespace stiction::local_global
