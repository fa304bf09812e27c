// Every part of a step on a GPU against the CPU.
#include "stiction/base/cuda/cuda_device.hpp"

#include "methods/local_global/device_evaluations.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("cuda: sums and largest numbers, the same bits twice") {
    check_reductions<CudaDevice>();
}
TEST_CASE("cuda: solves with the sparse inverse") {
    check_solves<CudaDevice>();
}
TEST_CASE("cuda: products with the Delassus operator") {
    check_delassus<CudaDevice>();
}
TEST_CASE("cuda: conjugate residuals") {
    check_conjugate_residual<CudaDevice>();
}
TEST_CASE("cuda: sweeps over contacts") {
    check_sweeps<CudaDevice>();
}
TEST_CASE("cuda: contact solves") {
    check_contact_solves<CudaDevice>();
}
TEST_CASE("cuda: energies and gradients of every law") {
    for (const bool consistent_mass : {false, true}) check_evaluations<CudaDevice>(consistent_mass);
}
