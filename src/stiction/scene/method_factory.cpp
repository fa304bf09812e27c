#include "stiction/scene/method_factory.hpp"

#include "stiction/base/error.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/scene/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stiction {
namespace {

void check_backward_euler(const SceneSpec& spec) {
    if (integrator_from_name(spec.time.integrator) != Integrator::backward_euler) {
        throw InputError(spec.origin.file, "time.integrator", spec.time.integrator,
                         fmt::format("'backward_euler', the only one of method {}", spec.method));
    }
}

/// Its velocity step is one of backward Euler.
std::unique_ptr<Method> make_mlcp(const SceneSpec& spec) {
    check_backward_euler(spec);
    return std::make_unique<mlcp::Mlcp>(spec.mlcp);
}

/// Its constant matrix is that of backward Euler.
std::unique_ptr<Method> make_local_global(const SceneSpec& spec) {
    check_backward_euler(spec);
    return std::make_unique<local_global::LocalGlobal>(spec.local_global);
}

std::unique_ptr<Method> make_ipc(const SceneSpec& spec) {
    return std::make_unique<ipc::Ipc>(spec.ipc, integrator_from_name(spec.time.integrator));
}

std::unique_ptr<Method> make_implicit(const SceneSpec& spec) {
    return std::make_unique<implicit::Implicit>(spec.implicit, integrator_from_name(spec.time.integrator));
}

/// Of a length that is given in metres, or, when that is 0, as a fraction of the length of the world.
ContactDistanceKey length_key(const std::string& key, double metres, double fraction, double distance) {
    if (metres > 0.0) return {key, metres, distance, false};
    return {key + "_relative", fraction, distance, true};
}

ContactDistanceKey barrier_distance(const std::string& method, const BarrierOptions& options, const World& world) {
    return length_key(method + ".dhat", options.dhat, options.dhat_relative,
                      options.dhat > 0.0 ? options.dhat : options.dhat_relative * world.length);
}

std::vector<std::string> constraints_of_local_global(const SceneSpec& spec) {
    std::vector<std::string> used;
    const auto add = [&](const char* key, std::size_t count) {
        if (count > 0) used.push_back(fmt::format("local_global.{}: {} of them", key, count));
    };
    add("attachments", spec.local_global.attachments.size());
    add("cables", spec.local_global.cables.size());
    return used;
}

std::vector<std::string> comparisons_of_local_global(const SceneSpec& spec) {
    const local_global::GlobalStep step = spec.local_global.global_step;
    if (step != local_global::GlobalStep::jacobi && step != local_global::GlobalStep::chebyshev) return {};
    return {
        fmt::format("local_global.global_step: '{}': is there to be compared with: a few iterations leave out most "
                    "of gravity and other forces, and a run ends where anything touches",
                    local_global::global_step_names()[static_cast<std::size_t>(step)])};
}

/// A new method is one entry here, its options a member of SceneSpec with a describe() of its own.
const std::vector<SceneMethod> registry{
    {.name = "ipc",
     .make = make_ipc,
     .contact_distance = [](const SceneSpec& spec,
                            const World& world) { return barrier_distance("ipc", spec.ipc, world); },
     .smoothed_friction = [](const SceneSpec& spec) -> const BarrierOptions& { return spec.ipc; }},
    {.name = "implicit",
     .make = make_implicit,
     .contact_distance = [](const SceneSpec& spec,
                            const World& world) { return barrier_distance("implicit", spec.implicit, world); },
     .smoothed_friction = [](const SceneSpec& spec) -> const BarrierOptions& { return spec.implicit; },
     .acts_on_overlap = [](const SceneSpec& spec) -> const char* {
         return spec.implicit.contact == implicit::ContactModel::penalty ? "implicit.contact: penalty" : nullptr;
     },
     .separating_setting = "implicit.contact: \"barrier\""},
    {.name = "mlcp",
     .make = make_mlcp,
     .contact_distance =
         [](const SceneSpec& spec, const World& world) {
             return length_key("mlcp.distance_tolerance", spec.mlcp.distance_tolerance,
                               spec.mlcp.distance_tolerance_relative,
                               mlcp::resolve_limits(spec.mlcp, world.length).distance);
         }},
    {.name = "local_global",
     .make = make_local_global,
     .contact_distance =
         [](const SceneSpec& spec, const World& world) {
             return length_key("local_global.thickness", spec.local_global.thickness,
                               spec.local_global.thickness_relative,
                               local_global::contact_thickness(spec.local_global, world.length));
         },
     .own_parts = constraints_of_local_global,
     .comparisons = comparisons_of_local_global,
     .separating_setting = "local_global.certify: true"},
};

}  // namespace

const std::vector<SceneMethod>& scene_methods() {
    return registry;
}

std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const SceneMethod& method : registry) names.emplace_back(method.name);
    return names;
}

const SceneMethod& scene_method(const SceneSpec& spec) {
    for (const SceneMethod& method : registry) {
        if (spec.method == method.name) return method;
    }
    const auto names = method_names();
    const std::string nearest = nearest_name(spec.method, names);
    throw InputError(spec.origin.file, "method", spec.method,
                     nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : "'" + nearest + "'");
}

}  // namespace stiction
