#include "stiction/methods/local_global/device/choose_device.hpp"

#include "stiction/base/cpu_device.hpp"
#include "stiction/base/error.hpp"
#include "stiction/methods/local_global/device/device_solve.hpp"
#include "stiction/methods/local_global/solve.hpp"

#include <algorithm>
#include <optional>

#ifdef STICTION_WITH_CUDA
#include "stiction/methods/local_global/cuda/cuda_solve.hpp"
#endif

namespace stiction::local_global {
namespace {

/// An option or a part of the world that keeps the iterations on the CPU.
struct Obstruction {
    std::string path, value, expected;
};

template <class Choice>
std::string chosen(const std::vector<std::string>& names, Choice choice) {
    return names[static_cast<std::size_t>(choice)];
}

std::optional<Obstruction> obstruction_in(const Options& options) {
    if (options.global_step != GlobalStep::complete)
        return Obstruction{"local_global.global_step", chosen(global_step_names(), options.global_step), "'complete'"};
    if (options.contact.indicators != IndicatorUse::newton)
        return Obstruction{"local_global.indicators", chosen(indicator_use_names(), options.contact.indicators),
                           "'newton'"};
    if (options.contact.scale != ComplementarityScale::system_inverse)
        return Obstruction{"local_global.complementarity_scale",
                           chosen(complementarity_scale_names(), options.contact.scale), "'system_inverse'"};
    if (options.contact.delassus == DelassusKind::applied)
        return Obstruction{"local_global.delassus", "applied", "'auto' or 'formed'"};
    if (options.factors == OperatorKind::triangular_solves)
        return Obstruction{"local_global.factors", "triangular_solves", "'auto' or 'sparse_inverse'"};
    return {};
}

std::optional<Obstruction> obstruction_in(const World& world) {
    for (const RigidBody& rigid : world.rigid_bodies) {
        const Body& body = world.bodies[static_cast<std::size_t>(rigid.body)];
        return Obstruction{"body '" + body.name + "'", "a rigid body", "deformable bodies and obstacles"};
    }
    for (const FilledRegion& filling : world.fillings) {
        const Body& body = world.bodies[static_cast<std::size_t>(filling.body)];
        return Obstruction{"body '" + body.name + "'", "a filling", "none"};
    }
    for (const Motion& motion : world.motions) {
        const bool of_obstacles = std::all_of(motion.vertices.begin(), motion.vertices.end(),
                                              [&](Index vertex) { return world.is_obstacle(vertex); });
        if (motion.axes == 7 || of_obstacles) continue;
        return Obstruction{"motion '" + motion.name + "'", "a motion along some axes", "all three axes"};
    }
    for (const ElasticGroup& group : world.elastic) {
        for (std::size_t e = 0; e < group.damping.size(); ++e) {
            if (group.damping[e].alpha == 0.0 && group.damping[e].beta == 0.0) continue;
            const Body& body = world.bodies[static_cast<std::size_t>(group.body[e])];
            return Obstruction{"body '" + body.name + "' material", "Rayleigh damping", "none"};
        }
    }
    return {};
}

std::optional<Obstruction> obstruction(const World& world, const Options& options) {
    if (auto found = obstruction_in(options)) return found;
    return obstruction_in(world);
}

}  // namespace

std::string missing_gpu() {
#ifdef STICTION_WITH_CUDA
    return missing_cuda_device();
#else
    return "this build has no CUDA";
#endif
}

void check_device(const World& world, const Options& options) {
    if (options.device == DeviceKind::cpu || options.device == DeviceKind::automatic) return;
    const std::string missing = options.device == DeviceKind::cuda ? missing_gpu() : "";
    if (!missing.empty()) throw InputError({}, "local_global.device", "cuda", "'cpu' or 'auto', for " + missing);
    if (const auto found = obstruction(world, options))
        throw InputError(
            {}, found->path, found->value,
            found->expected + " with local_global.device '" + chosen(device_names(), options.device) + "'");
}

DeviceKind chosen_device(const World& world, const Options& options) {
    if (options.device != DeviceKind::automatic) return options.device;
    return missing_gpu().empty() && !obstruction(world, options) ? DeviceKind::cuda : DeviceKind::cpu;
}

std::unique_ptr<StepSolver> make_step_solver(DeviceKind device, const ElementArrays& elements, Objective& objective,
                                             const RigidMotions& rigid, const Options& options) {
    switch (device) {
        case DeviceKind::cpu: return std::make_unique<Solve>(objective, rigid, options);
        case DeviceKind::emulated:
            return std::make_unique<DeviceSolve<CpuDevice>>(elements, objective, options.contact);
        case DeviceKind::cuda:
#ifdef STICTION_WITH_CUDA
            return make_cuda_solve(elements, objective, options.contact);
#endif
        case DeviceKind::automatic: break;
    }
    throw InternalError("a device is chosen before its solver is made");
}

}  // namespace stiction::local_global
