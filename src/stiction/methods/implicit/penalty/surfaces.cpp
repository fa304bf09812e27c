// Implicit surfaces of a world's bodies, and the default thickness and stiffness of the penalty.
#include "stiction/base/error.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/methods/implicit/penalty/contact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction::implicit {
namespace {

/// Weights of a mean vertex that the first stiffness holds at half the thickness.
constexpr double held_weights = 10.0;

double longest_surface_edge(const World& world) {
    double longest = 0.0;
    for (const Body& body : world.bodies) {
        if (body.is_obstacle()) continue;
        for (const Triangle& triangle : body.surface) {
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3 edge = body.mesh.vertices[static_cast<std::size_t>(triangle[(k + 1) % 3])] -
                                  body.mesh.vertices[static_cast<std::size_t>(triangle[k])];
                longest = std::max(longest, edge.norm());
            }
        }
    }
    return longest;
}

bool is_closed(const Body& body) {
    return !body.surface.empty() && !first_edge_defect(body.surface, ClosedBy::balance) &&
           enclosed_volume(body.mesh.vertices, body.surface) > 0.0;
}

/// A solid, a closed shell or an obstacle with triangles.
bool has_surface(const Body& body) {
    if (body.kind == BodyKind::half_space) return false;
    return body.is_shell() ? is_closed(body) : !body.surface.empty();
}

[[noreturn]] void refuse(const std::string& what) {
    throw InputError("", "implicit.contact", "\"penalty\"", what);
}

void check_pairs(const World& world) {
    for (const Body& body : world.bodies) {
        if (body.has_collision_mesh())
            refuse(fmt::format("\"barrier\": '{}' has {}, which the penalty does not know", body.name,
                               body.is_quadratic() ? "order 2" : "a collision mesh"));
        if (body.contact_thickness > 0.0)
            refuse(
                fmt::format("\"barrier\": '{}' has a contact thickness, which the penalty does not know", body.name));
    }
    std::vector<bool> bare(world.bodies.size(), false);
    const auto mark = [&](Index vertex) {
        bare[static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(vertex)])] = true;
    };
    for (const Index edge : world.surface.bare_edges) mark(world.surface.edges[static_cast<std::size_t>(edge)][0]);
    for (const Index point : world.surface.bare_points) mark(point);
    for (std::size_t a = 0; a < world.bodies.size(); ++a) {
        for (std::size_t b = a + 1; b < world.bodies.size(); ++b) {
            const Body &one = world.bodies[a], &other = world.bodies[b];
            if (!world.contact_pairs.allowed(static_cast<Index>(a), static_cast<Index>(b)) ||
                one.kind == BodyKind::half_space || other.kind == BodyKind::half_space)
                continue;
            for (const Body* body : {&one, &other}) {
                if (!bare[static_cast<std::size_t>(body - world.bodies.data())]) continue;
                refuse(
                    fmt::format("\"barrier\": '{}' has bare edges or points, which have no surface for vertices to be "
                                "pushed out of",
                                body->name));
            }
            if (has_surface(one) || has_surface(other)) continue;
            refuse(fmt::format(
                "\"barrier\", or no contact between '{}' and '{}': open shells have no inside to be pushed out of",
                one.name, other.name));
        }
    }
}

}  // namespace

PenaltyLimits resolve_penalty(const Options& options, const World& world) {
    PenaltyLimits limits;
    limits.thickness =
        options.penalty_thickness > 0.0 ? options.penalty_thickness : options.penalty_thickness_relative * world.length;
    // Without gravity: what crosses the body within about a second.
    const double acceleration = world.gravity.norm() > 0.0 ? world.gravity.norm() : world.length;
    const double half = 0.5 * limits.thickness;
    limits.stiffness = options.penalty_stiffness > 0.0
                           ? options.penalty_stiffness
                           : held_weights * world.mean_mass * acceleration / (3.0 * half * half);
    return limits;
}

PenaltyShares::PenaltyShares(const World& world, const Options& options)
    : world_(world),
      thickness_is_share_(options.penalty_thickness == 0.0),
      stiffness_is_share_(options.penalty_stiffness == 0.0 && !world.measured_by_scene) {
    for (const Body& body : world.bodies)
        mass_.push_back(body.is_obstacle() ? std::numeric_limits<double>::infinity()
                                           : body.mean_mass / world.mean_mass);
    if (std::ranges::count_if(mass_, [](double mass) { return std::isfinite(mass); }) < 2) mass_.clear();
}

/// The default stiffness is a mass times an acceleration over the square of a thickness.
PenaltyShare PenaltyShares::operator()(Index body_a, Index body_b) const {
    const double length = world_.length_share(body_a, body_b);
    PenaltyShare share{.thickness = thickness_is_share_ ? length : 1.0, .stiffness = 1.0, .slip = length};
    if (!stiffness_is_share_) return share;
    const double acceleration = world_.gravity.norm() > 0.0 ? 1.0 : length,
                 mass = mass_.empty() ? 1.0
                                      : std::min(mass_[static_cast<std::size_t>(body_a)],
                                                 mass_[static_cast<std::size_t>(body_b)]);
    share.stiffness = mass * acceleration / (share.thickness * share.thickness);
    return share;
}

ImplicitSurfaces penalty_surfaces(const World& world, const Options& options) {
    check_pairs(world);
    ImplicitSurfaceOptions shared;
    shared.radius_factor = options.implicit_surface_radius_factor;
    shared.smoothing = options.implicit_surface_smoothing;
    shared.spacing =
        options.implicit_surface_spacing > 0.0 ? options.implicit_surface_spacing : longest_surface_edge(world);
    std::vector<ImplicitSurfaceOptions> each(world.bodies.size(), shared);
    for (std::size_t b = 0; b < each.size(); ++b) each[b].enabled = has_surface(world.bodies[b]);
    ImplicitSurfaces surfaces = make_implicit_surfaces(world.surface, each, world.initial_positions);
    const PenaltyShares shares(world, options);
    for (std::size_t b = 0; b < each.size(); ++b) {
        const double radius = surfaces.kernels[b].radius,
                     thickness = shares(static_cast<Index>(b), static_cast<Index>(b)).thickness *
                                 resolve_penalty(options, world).thickness;
        if (radius == 0.0 || radius > 2.0 * thickness) continue;
        throw InputError(
            "", options.penalty_thickness > 0.0 ? "implicit.penalty_thickness" : "implicit.penalty_thickness_relative",
            fmt::format("a thickness of {:.3g} m", thickness),
            fmt::format("less than half of what the implicit surface of '{}' reaches, {:.3g} m", world.bodies[b].name,
                        radius));
    }
    return surfaces;
}

}  // namespace stiction::implicit
