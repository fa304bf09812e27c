#include "stiction/scene/scales.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

constexpr double largest_size = 1e15;             // m
constexpr double smallest_share = 1e-9;           // of the distance from the origin that a body must have as its size
constexpr double smallest_barrier_share = 1e-12;  // of the largest coordinate

/// The key that decides about the distance at which contact begins to act, what it says, and the distance (m).
struct BarrierDistance {
    std::string key;
    double value;
    double distance;
};

/// Those of the scene's method.
const BarrierOptions& barrier_options(const SceneSpec& spec) {
    if (spec.method == "implicit") return spec.implicit;
    return spec.ipc;
}

BarrierDistance barrier_distance(const SceneSpec& spec, const World& world) {
    if (spec.method == "mlcp") {
        const bool given = spec.mlcp.distance_tolerance > 0.0;
        return {given ? "mlcp.distance_tolerance" : "mlcp.distance_tolerance_relative",
                given ? spec.mlcp.distance_tolerance : spec.mlcp.distance_tolerance_relative,
                mlcp::resolve_limits(spec.mlcp, world.diagonal).distance};
    }
    if (spec.method == "local_global") {
        const bool given = spec.local_global.thickness > 0.0;
        return {given ? "local_global.thickness" : "local_global.thickness_relative",
                given ? spec.local_global.thickness : spec.local_global.thickness_relative,
                contact_thickness(spec.local_global, world.diagonal)};
    }
    const BarrierOptions& options = barrier_options(spec);
    if (options.dhat > 0.0) return {spec.method + ".dhat", options.dhat, options.dhat};
    return {spec.method + ".dhat_relative", options.dhat_relative, options.dhat_relative * world.diagonal};
}

double shortest_edge(const Mesh& mesh) {
    double shortest = largest_size;
    for (const Edge& edge : unique_edges(mesh.triangles)) {
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
    double reach = 0.0;
    for (const Body& body : world.bodies) {
        if (body.is_obstacle()) continue;
        for (const Vec3& x : body.mesh.vertices) reach = std::max(reach, x.cwiseAbs().maxCoeff());
    }
    const auto [key, value, distance] = barrier_distance(spec, world);
    if (distance >= smallest_barrier_share * reach) return;
    throw InputError(spec.origin.file, key, fmt::format("{:g}, a distance of {:.3g} m", value, distance),
                     fmt::format("at least {:.3g} m here: below, gaps are rounding of coordinates of {:.3g} m",
                                 smallest_barrier_share * reach, reach));
}

void check_kinetic_velocity(const SceneSpec& spec, const World& world) {
    const BarrierOptions& options = barrier_options(spec);
    if (options.kinetic_velocity == 0.0 || spec.method == "mlcp" || spec.method == "local_global") return;
    const double sticking = options.friction_velocity > 0.0 ? options.friction_velocity
                                                            : options.friction_velocity_relative * world.diagonal;
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

/// Of contact by penalty, which no barrier distance matters to.
std::vector<std::string> penalty_warnings(const World& world) {
    std::string names;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        if (!world.contact_pairs.allowed(static_cast<Index>(b), static_cast<Index>(b))) continue;
        names += fmt::format("{}'{}'", names.empty() ? "" : ", ", world.bodies[b].name);
    }
    if (names.empty()) return {};
    return {fmt::format(
        "implicit.contact: penalty: does not keep a body from itself, as contact.self_contact asks for: {}", names)};
}

}  // namespace

std::vector<std::string> method_warnings(const SceneSpec& spec) {
    std::vector<std::string> warnings;
    const local_global::Options& options = spec.local_global;
    if (spec.method != "local_global") {
        for (const auto& [key, count] :
             {std::pair{"attachments", options.attachments.size()}, std::pair{"cables", options.cables.size()}}) {
            if (count > 0)
                warnings.push_back(
                    fmt::format("local_global.{}: {} of them: of no effect with method '{}'", key, count, spec.method));
        }
    } else if (options.global_step == local_global::GlobalStep::jacobi ||
               options.global_step == local_global::GlobalStep::chebyshev) {
        warnings.push_back(
            fmt::format("local_global.global_step: '{}': is there to be compared with: a few iterations leave out most "
                        "of gravity and other forces, and a run ends where anything touches",
                        local_global::global_step_names()[static_cast<std::size_t>(options.global_step)]));
    }
    return warnings;
}

std::vector<std::string> scale_warnings(const SceneSpec& spec, const World& world) {
    if (spec.method == "implicit" && spec.implicit.contact == implicit::ContactModel::penalty)
        return penalty_warnings(world);
    std::vector<std::string> warnings;
    const auto [key, value, distance] = barrier_distance(spec, world);
    for (const Body& body : world.bodies) {
        if (body.is_obstacle()) continue;
        const auto [low, high] = bounding_box(body.mesh.vertices);
        if (body.is_shell()) {
            const double edge = shortest_edge(body.mesh);
            const auto index = static_cast<Index>(&body - world.bodies.data());
            const bool thick = body.contact_thickness > 0.0 && world.contact_pairs.allowed(index, index);
            const double reach = distance + (thick ? body.contact_thickness : 0.0);
            if (reach > edge) {
                warnings.push_back(fmt::format(
                    "{}: {:.6g} m{}: is more than the shortest edge of shell '{}' ({:.6g} m): its triangles push at "
                    "their neighbours' neighbours at rest",
                    key, distance,
                    thick ? fmt::format(" and a contact thickness of {:.6g} m", body.contact_thickness) : "", body.name,
                    edge));
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
