// What a step needs of a device, run on the CPU.
#include "device_checks.hpp"
#include "threaded_device.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("device: sums and largest numbers") {
    check_reductions<CpuDevice>();
}
TEST_CASE("device: solves with the sparse inverse are those of the factor") {
    check_solves<CpuDevice>();
}
TEST_CASE("device: products with the Delassus operator are those of dense matrices") {
    check_delassus<CpuDevice>();
}
TEST_CASE("device: conjugate residuals end where those of the CPU end") {
    check_conjugate_residual<CpuDevice>();
}
TEST_CASE("device: a contact solve is that of the CPU") {
    check_contact_solves<CpuDevice>();
}
TEST_CASE("device: sweeps are those of the CPU") {
    check_sweeps<CpuDevice>();
}

// Threads that share an index, as those of a GPU do.
TEST_CASE("device: with threads for lanes, solves with the sparse inverse are those of the factor") {
    check_solves<ThreadedDevice>();
}
TEST_CASE("device: with threads for lanes, conjugate residuals end where those of the CPU end") {
    check_conjugate_residual<ThreadedDevice>();
}
TEST_CASE("device: with threads for lanes, sweeps are those of the CPU") {
    check_sweeps<ThreadedDevice>();
}
TEST_CASE("device: with threads for lanes, a contact solve is that of the CPU") {
    check_contact_solves<ThreadedDevice>(4);
}
