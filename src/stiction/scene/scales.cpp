#include "stiction/scene/scales.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

constexpr double largest_size = 1e15;             // m
constexpr double smallest_share = 1e-9;           // of the distance from the origin that a body must have as its size
constexpr double smallest_barrier_share = 1e-12;  // of the largest coordinate

double shortest_edge(const Mesh& mesh) {
    double shortest = largest_size;
    for (const Edge& edge : mesh.triangles.empty() ? mesh.edges : unique_edges(mesh.triangles)) {
        shortest = std::min(shortest, (mesh.vertices[static_cast<std::size_t>(edge[1])] -
                                       mesh.vertices[static_cast<std::size_t>(edge[0])])
                                          .norm());
    }
    return shortest;
}

}  // namespace

void check_size(const Mesh& mesh, bool deformable, const SceneOrigin& origin, const std::string& field) {
    const auto [low, high] = bounding_box(mesh.vertices);
    const double reach = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
    const double size = (high - low).maxCoeff();
    if (!(reach <= largest_size)) {
        throw InputError(origin.file, field, fmt::format("reaches {:.3g} m from the origin", reach),
                         fmt::format("at most {:g} m", largest_size));
    }
    if (!deformable && size == 0.0) return;  // points
    if (size < smallest_share * reach) {
        throw InputError(
            origin.file, field, fmt::format("{:.3g} m large, {:.3g} m from the origin", size, reach),
            fmt::format("a size of at least {:g} of the distance, or rounding swallows the shape", smallest_share));
    }
    if (size < 1.0 / largest_size)
        throw InputError(origin.file, field, fmt::format("{:.3g} m large", size),
                         fmt::format("at least {:g} m", 1.0 / largest_size));
}

void check_barrier_distance(const SceneSpec& spec, const World& world) {
    const ContactDistanceKey contact = scene_method(spec).contact_distance(spec, world);
    for (Index b = 0; b < static_cast<Index>(world.bodies.size()); ++b) {
        const Body& body = world.bodies[static_cast<std::size_t>(b)];
        if (body.is_obstacle()) continue;
        double reach = 0.0;
        for (const Vec3& x : body.mesh.vertices) reach = std::max(reach, x.cwiseAbs().maxCoeff());
        const double distance = contact.of_body(world, b), least = smallest_barrier_share * reach;
        if (distance >= least) continue;
        throw InputError(
            spec.origin.file, contact.key, fmt::format("{:g}, a distance of {:.3g} m", contact.value, distance),
            fmt::format("at least {:.3g} m here: below, gaps are rounding of coordinates of {:.3g} m", least, reach));
    }
}

void check_kinetic_velocity(const SceneSpec& spec, const World& world) {
    const SceneMethod& method = scene_method(spec);
    if (method.smoothed_friction == nullptr) return;
    const BarrierOptions& options = method.smoothed_friction(spec);
    if (options.kinetic_velocity == 0.0) return;
    const double sticking =
        options.friction_velocity > 0.0 ? options.friction_velocity : options.friction_velocity_relative * world.length;
    if (options.kinetic_velocity > sticking) return;
    const auto bodies = static_cast<Index>(world.bodies.size());
    for (Index a = 0; a < bodies; ++a) {
        for (Index b = 0; b <= a; ++b) {
            if (world.friction.kinetic_ratio(a, b) == 1.0) continue;
            throw InputError(spec.origin.file, spec.method + ".kinetic_velocity",
                             fmt::format("{:g} m/s", options.kinetic_velocity),
                             fmt::format("more than the friction velocity, {:.6g} m/s", sticking));
        }
    }
}

namespace {

/// Of contact that acts on overlap, which keeps no body from itself.
/// @param setting  of the scene, that asks for it
std::vector<std::string> self_contact_warnings(const char* setting, const World& world) {
    std::string names;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        if (!world.contact_pairs.allowed(static_cast<Index>(b), static_cast<Index>(b))) continue;
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", world.bodies[b].name);
    }
    if (names.empty()) return {};
    return {fmt::format("{}: does not keep a body from itself, as contact.self_contact asks for: {}", setting, names)};
}

}  // namespace

std::vector<std::string> method_warnings(const SceneSpec& spec) {
    std::vector<std::string> warnings;
    const SceneMethod& method = scene_method(spec);
    for (const SceneMethod& other : scene_methods()) {
        if (&other == &method || other.own_parts == nullptr) continue;
        for (const std::string& part : other.own_parts(spec))
            warnings.push_back(fmt::format("{}: of no effect with method '{}'", part, spec.method));
    }
    if (spec.time.integrator == "quasi_static") {
        for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
            if (spec.bodies[i].velocity.isZero(0.0) && spec.bodies[i].angular_velocity.isZero(0.0)) continue;
            warnings.push_back(fmt::format("bodies[{}].{}: of no effect with time.integrator 'quasi_static'", i,
                                           spec.bodies[i].velocity.isZero(0.0) ? "angular_velocity" : "velocity"));
        }
    }
    if (method.comparisons == nullptr) return warnings;
    for (std::string& warning : method.comparisons(spec)) warnings.push_back(std::move(warning));
    return warnings;
}

std::vector<std::string> scale_warnings(const SceneSpec& spec, const World& world) {
    const SceneMethod& method = scene_method(spec);
    if (const char* setting = method.acts_on_overlap ? method.acts_on_overlap(spec) : nullptr)
        return self_contact_warnings(setting, world);
    std::vector<std::string> warnings;
    const ContactDistanceKey contact = method.contact_distance(spec, world);
    const std::string& key = contact.key;
    for (const Body& body : world.bodies) {
        if (body.is_obstacle()) continue;
        const double distance = contact.of_body(world, static_cast<Index>(&body - world.bodies.data()));
        const auto [low, high] = bounding_box(body.mesh.vertices);
        if (body.is_shell() || body.is_rod()) {
            const double edge = shortest_edge(body.mesh);
            const auto index = static_cast<Index>(&body - world.bodies.data());
            const bool thick = body.contact_thickness > 0.0 && world.contact_pairs.allowed(index, index);
            const double reach = distance + (thick ? body.contact_thickness : 0.0);
            if (reach > edge) {
                warnings.push_back(fmt::format(
                    "{}: {:.6g} m{}: is more than the shortest edge of {} '{}' ({:.6g} m): its {} push at their "
                    "neighbours' neighbours at rest",
                    key, distance,
                    thick ? fmt::format(" and a contact thickness of {:.6g} m", body.contact_thickness) : "",
                    body.is_rod() ? "rod" : "shell", body.name, edge, body.is_rod() ? "edges" : "triangles"));
            }
            continue;
        }
        const double thickness = (high - low).minCoeff();
        if (distance <= thickness) continue;
        warnings.push_back(
            fmt::format("{}: {:.6g} m: is more than body '{}' is thick ({:.6g} m): its opposite sides push at whatever "
                        "is near either",
                        key, distance, body.name, thickness));
    }
    return warnings;
}

}  // namespace stiction
