// Frames on a GPU against those on the CPU.
#include "methods/local_global/device_frames.hpp"

using namespace stiction::local_global;
using namespace stiction::test;

TEST_CASE("cuda: frames of bodies in contact") {
    check_bodies_in_contact(DeviceKind::cuda);
}
TEST_CASE("cuda: frames of cloth with hinges in contact") {
    check_cloth_in_contact(DeviceKind::cuda);
}
TEST_CASE("cuda: frames with attachments and a cable") {
    check_attachments_and_cable(DeviceKind::cuda);
}
TEST_CASE("cuda: frames whose step size changes, with vertices that are driven for a while") {
    check_changing_steps(DeviceKind::cuda);
}
TEST_CASE("cuda: the same bits from run to run") {
    check_bits(DeviceKind::cuda);
}
