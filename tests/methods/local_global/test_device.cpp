// Steps whose iterations run by the algorithm for a GPU, on the CPU, against those of the CPU.
#include "device_evaluations.hpp"
#include "device_frames.hpp"

#include "stiction/base/cpu_device.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/generate.hpp"

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

TEST_CASE("device: energies and gradients of every law are those of the objective") {
    for (const bool consistent_mass : {false, true}) check_evaluations<CpuDevice>(consistent_mass);
}

TEST_CASE("device: frames of bodies in contact are those of the CPU") {
    check_bodies_in_contact(DeviceKind::emulated);
}

TEST_CASE("device: frames of cloth with hinges in contact are those of the CPU") {
    check_cloth_in_contact(DeviceKind::emulated);
}

TEST_CASE("device: frames with attachments and a cable are those of the CPU") {
    check_attachments_and_cable(DeviceKind::emulated);
}

TEST_CASE("device: frames whose step size changes, with vertices that are driven for a while") {
    check_changing_steps(DeviceKind::emulated);
}

TEST_CASE("device: the same bits from run to run and for any number of threads") {
    const Scene scene = two_cubes_on_a_slope();
    const int before = thread_count();
    std::vector<VecX> ends;
    for (const int threads : {1, 2, 2}) {
        set_thread_count(threads);
        LocalGlobal method(on(DeviceKind::emulated));
        ends.push_back(run_steps(method, scene.world, scene.state, 0.01, 12).x);
    }
    set_thread_count(before);
    CHECK(ends[0] == ends[1]);
    CHECK(ends[1] == ends[2]);
}

TEST_CASE("device: what runs on the CPU only is refused by name, and 'auto' takes the CPU") {
    const Scene scene = two_cubes_on_a_slope();
    const auto complaint = [&](const World& world, const local_global::Options& options) {
        try {
            LocalGlobal(options).check(world);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(complaint(scene.world, on(DeviceKind::emulated)).empty());
    std::vector<std::pair<std::string, local_global::Options>> refused(5, {"", on(DeviceKind::emulated)});
    refused[0].first = "local_global.global_step";
    refused[0].second.global_step = GlobalStep::lbfgs;
    refused[1].first = "local_global.indicators";
    refused[1].second.contact.indicators = IndicatorUse::as_printed;
    refused[2].first = "local_global.complementarity_scale";
    refused[2].second.contact.scale = ComplementarityScale::mass_inverse;
    refused[3].first = "local_global.delassus";
    refused[3].second.contact.delassus = DelassusKind::applied;
    refused[4].first = "local_global.factors";
    refused[4].second.factors = OperatorKind::triangular_solves;
    for (auto& [path, options] : refused) {
        const std::string named = path, said = complaint(scene.world, options);
        CAPTURE(named);
        CHECK(said.find(path) != std::string::npos);
        CHECK(said.find("'emulated'") != std::string::npos);
        options.device = DeviceKind::automatic;
        CHECK(complaint(scene.world, options).empty());
        CHECK(chosen_device(scene.world, options) == DeviceKind::cpu);
    }
    WorldBuilder builder;
    const Mesh cube = generate_box({0.1, 0.1, 0.1}, {1, 1, 1});
    builder.add_deformable("plain", cube, {MaterialLaw::arap, 1e5, 0.3, 1000});
    builder.add_deformable("damped", translated(cube, {0.5, 0, 0}), {MaterialLaw::arap, 1e5, 0.3, 1000, 0.1});
    const auto [world, state] = builder.build();
    CHECK(complaint(world, on(DeviceKind::emulated)).find("'damped'") != std::string::npos);
    if (missing_gpu().empty()) return;
    const std::string said = complaint(scene.world, on(DeviceKind::cuda));
    CHECK(said.find("local_global.device") != std::string::npos);
    CHECK(said.find(missing_gpu()) != std::string::npos);
}
