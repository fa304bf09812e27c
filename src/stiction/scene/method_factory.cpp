#include "stiction/scene/method_factory.hpp"

#include "stiction/base/error.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/scene/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace stiction {
namespace {

struct Entry {
    const char* name;
    std::unique_ptr<Method> (*make)(const SceneSpec&);
};

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

/// A new method is one line here, its options a member of SceneSpec with a describe() of its own.
constexpr std::array<Entry, 4> registry{{
    {"ipc",
     [](const SceneSpec& spec) -> std::unique_ptr<Method> {
         return std::make_unique<ipc::Ipc>(spec.ipc, integrator_from_name(spec.time.integrator));
     }},
    {"implicit",
     [](const SceneSpec& spec) -> std::unique_ptr<Method> {
         return std::make_unique<implicit::Implicit>(spec.implicit, integrator_from_name(spec.time.integrator));
     }},
    {"mlcp", make_mlcp},
    {"local_global", make_local_global},
}};

}  // namespace

std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const auto& entry : registry) names.emplace_back(entry.name);
    return names;
}

std::unique_ptr<Method> make_method(const SceneSpec& spec) {
    for (const auto& entry : registry) {
        if (spec.method == entry.name) return entry.make(spec);
    }
    const auto names = method_names();
    const std::string nearest = nearest_name(spec.method, names);
    throw InputError(spec.origin.file, "method", spec.method,
                     nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : "'" + nearest + "'");
}

}  // namespace stiction
