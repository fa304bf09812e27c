#include "stiction/audit/describe.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

namespace stiction::audit {
namespace {

const Body& body_of(const World& world, Index vertex) {
    return world.bodies[static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(vertex)])];
}

std::string body_text(const Body& body) {
    const char* kind = !body.is_obstacle() ? "body" : (body.kind == BodyKind::obstacle ? "obstacle" : "half-space");
    return fmt::format("{} '{}'", kind, body.name);
}

std::string edge_text(const World& world, Index a, Index b) {
    const Body& body = body_of(world, a);
    return fmt::format("{} edge ({}, {})", body_text(body), a - body.first_vertex, b - body.first_vertex);
}

/// The surface's triangles are those of the bodies, body by body.
std::string triangle_text(const World& world, Index triangle) {
    const Triangle& t = world.surface.triangles[static_cast<std::size_t>(triangle)];
    const Body& body = body_of(world, t[0]);
    Index before = 0;
    for (const Body& other : world.bodies) {
        if (other.first_vertex < body.first_vertex && other.kind != BodyKind::half_space)
            before += static_cast<Index>(other.surface.size());
    }
    const Index first = body.first_vertex;
    return fmt::format("{} triangle {} ({}, {}, {})", body_text(body), triangle - before, t[0] - first, t[1] - first,
                       t[2] - first);
}

std::string half_space_text(const World& world, Index half_space) {
    const HalfSpace& plane = world.half_spaces[static_cast<std::size_t>(half_space)];
    return body_text(world.bodies[static_cast<std::size_t>(plane.body)]);
}

std::string tet_text(const World& world, Index group, Index in_group) {
    if (at(group) >= world.elastic.size()) {
        const QuadraticGroup& quadratic = world.quadratic[at(group) - world.elastic.size()];
        return fmt::format("{} tet {} of second order", body_text(world.bodies[at(quadratic.body[at(in_group)])]),
                           quadratic.body_element[at(in_group)]);
    }
    const ElasticGroup& elastic = world.elastic[static_cast<std::size_t>(group)];
    const auto e = static_cast<std::size_t>(in_group);
    const Body& body = world.bodies[static_cast<std::size_t>(elastic.body[e])];
    const Tet& tet = elastic.elements.vertices[e];
    const Index first = body.first_vertex;
    if (elastic.frames)
        return fmt::format("{} frame ({}, {}, {}, {})", body_text(body), tet[0] - first, tet[1] - first, tet[2] - first,
                           tet[3] - first);
    return fmt::format("{} tet {} ({}, {}, {}, {})", body_text(body), elastic.body_element[e], tet[0] - first,
                       tet[1] - first, tet[2] - first, tet[3] - first);
}

}  // namespace

std::string describe_vertex(const World& world, Index vertex) {
    const Body& body = body_of(world, vertex);
    return fmt::format("{} vertex {}", body_text(body), vertex - body.first_vertex);
}

std::string describe(const World& world, const Intersection& found) {
    const auto& v = found.vertices;
    switch (found.kind) {
        case IntersectionKind::edge_triangle:
            return fmt::format("{} crosses {}", edge_text(world, v[0], v[1]), triangle_text(world, found.second));
        case IntersectionKind::edge_edge:
            return fmt::format("{} touches {}", edge_text(world, v[0], v[1]), edge_text(world, v[2], v[3]));
        case IntersectionKind::point_triangle:
            return fmt::format("{} lies on {}", describe_vertex(world, v[0]), triangle_text(world, found.second));
        case IntersectionKind::point_edge:
            return fmt::format("{} lies on {}", describe_vertex(world, v[0]), edge_text(world, v[1], v[2]));
        case IntersectionKind::point_point:
            return fmt::format("{} coincides with {}", describe_vertex(world, v[0]), describe_vertex(world, v[1]));
    }
    throw InternalError("unknown kind of intersection");
}

std::string describe(const World& world, const HalfSpaceViolation& found, const VecX& x) {
    const std::string vertex = describe_vertex(world, found.vertex), plane = half_space_text(world, found.half_space);
    if (found.touching) return fmt::format("{} is on {}", vertex, plane);
    const HalfSpace& half_space = world.half_spaces[static_cast<std::size_t>(found.half_space)];
    const double depth =
        -half_space.normal.dot(x.segment<3>(3 * found.vertex) - x.segment<3>(3 * half_space.origin_vertex));
    return fmt::format("{} is {:.6g} m behind {}", vertex, depth, plane);
}

std::string describe(const World& world, const InvertedTet& found) {
    return fmt::format("{} is {}", tet_text(world, found.group, found.in_group), found.flat ? "flat" : "inverted");
}

std::string describe(const World& world, const UnprovedPair& found) {
    const auto& v = found.vertices;
    const auto said = [&](const std::string& first, const std::string& second) {
        return fmt::format(
            "{} against {}: {}", first, second,
            found.verdict == MoveVerdict::work_limit ? "no proof within the work limit" : "touching is not excluded");
    };
    switch (found.kind) {
        case MovePairKind::not_finite: return describe_vertex(world, v[0]) + " is not finite";
        case MovePairKind::point_triangle:
            return said(describe_vertex(world, v[0]), triangle_text(world, found.second));
        case MovePairKind::edge_edge: return said(edge_text(world, v[0], v[1]), edge_text(world, v[2], v[3]));
        case MovePairKind::point_edge: return said(describe_vertex(world, v[0]), edge_text(world, v[1], v[2]));
        case MovePairKind::point_point: return said(describe_vertex(world, v[0]), describe_vertex(world, v[1]));
        case MovePairKind::point_half_space:
            return said(describe_vertex(world, v[0]), half_space_text(world, found.second));
        case MovePairKind::tet:
            return fmt::format("{}: {}", tet_text(world, found.first, found.second),
                               found.verdict == MoveVerdict::work_limit ? "no proof within the work limit"
                                                                        : "inversion is not excluded");
    }
    throw InternalError("unknown kind of pair");
}

}  // namespace stiction::audit
