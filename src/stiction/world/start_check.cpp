#include "stiction/world/start_check.hpp"

#include "stiction/base/error.hpp"
#include "stiction/collision/candidates.hpp"
#include "stiction/collision/intersection.hpp"
#include "stiction/collision/orientation.hpp"
#include "stiction/world/contact_offset.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

namespace stiction {
namespace {

const Body& body_of(const World& world, Index vertex) {
    return world.bodies[static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(vertex)])];
}

std::string vertex_text(const World& world, Index vertex) {
    const Body& body = body_of(world, vertex);
    return fmt::format("body '{}' vertex {}", body.name, vertex - body.first_vertex);
}

std::string edge_text(const World& world, Index a, Index b) {
    const Body& body = body_of(world, a);
    return fmt::format("body '{}' edge ({}, {})", body.name, a - body.first_vertex, b - body.first_vertex);
}

/// Triangles of the world lie body by body in the order of each body's surface.
std::string triangle_text(const World& world, Index triangle) {
    const auto& triangles = world.surface.triangles;
    const Triangle& t = triangles[static_cast<std::size_t>(triangle)];
    const Body& body = body_of(world, t[0]);
    const auto first = std::partition_point(triangles.begin(), triangles.end(),
                                            [&](const Triangle& other) { return other[0] < body.first_vertex; });
    return fmt::format("body '{}' triangle {} ({}, {}, {})", body.name, triangle - (first - triangles.begin()),
                       t[0] - body.first_vertex, t[1] - body.first_vertex, t[2] - body.first_vertex);
}

StartProblem describe(const World& world, const Intersection& found) {
    const auto& v = found.vertices;
    switch (found.kind) {
        case IntersectionKind::point_point:
            return {fmt::format("{} coincides with {}", vertex_text(world, v[0]), vertex_text(world, v[1])),
                    {v[0], v[1]},
                    {},
                    {},
                    {}};
        case IntersectionKind::point_edge:
            return {fmt::format("{} lies on {}", vertex_text(world, v[0]), edge_text(world, v[1], v[2])),
                    {v[0]},
                    {{v[1], v[2]}},
                    {},
                    {}};
        case IntersectionKind::point_triangle:
            return {fmt::format("{} lies on {}", vertex_text(world, v[0]), triangle_text(world, found.second)),
                    {v[0]},
                    {},
                    {{v[1], v[2], v[3]}},
                    {}};
        case IntersectionKind::edge_edge:
            return {fmt::format("{} touches {}", edge_text(world, v[0], v[1]), edge_text(world, v[2], v[3])),
                    {},
                    {{v[0], v[1]}, {v[2], v[3]}},
                    {},
                    {}};
        case IntersectionKind::edge_triangle:
            return {fmt::format("{} crosses {}", edge_text(world, v[0], v[1]), triangle_text(world, found.second)),
                    {},
                    {{v[0], v[1]}},
                    {{v[2], v[3], v[4]}},
                    {}};
    }
    throw InternalError("unknown kind of intersection");
}

void add_not_finite(const World& world, const VecX& x, std::vector<StartProblem>& problems) {
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!x.segment<3>(3 * v).allFinite())
            problems.push_back({vertex_text(world, v) + " is not finite", {v}, {}, {}, {}});
    }
}

void add_half_spaces(const World& world, const VecX& x, std::vector<StartProblem>& problems) {
    for (const HalfSpace& plane : world.half_spaces) {
        const std::string& name = world.bodies[static_cast<std::size_t>(plane.body)].name;
        const Vec3 origin = x.segment<3>(3 * plane.origin_vertex);
        for (const Index v : world.surface.vertices) {
            if (!world.contact_pairs.allowed(world.body_of_vertex[static_cast<std::size_t>(v)], plane.body)) continue;
            const Vec3 point = x.segment<3>(3 * v);
            const double gap = plane.normal.dot(point - origin);
            if (gap > 0.0 && plane_side(plane.normal, origin, point) > 0) continue;
            const std::string text =
                gap < 0.0 ? fmt::format("{} is {:.6g} m behind half-space '{}'", vertex_text(world, v), -gap, name)
                          : fmt::format("{} is on half-space '{}'", vertex_text(world, v), name);
            problems.push_back({text, {v}, {}, {}, {}});
        }
    }
}

/// Names of a pair's two primitives.
std::array<std::string, 2> pair_texts(const World& world, PairKind kind, const std::array<Index, 2>& pair,
                                      const std::array<Index, 4>& v) {
    switch (kind) {
        case PairKind::point_triangle: return {vertex_text(world, v[0]), triangle_text(world, pair[1])};
        case PairKind::edge_edge: return {edge_text(world, v[0], v[1]), edge_text(world, v[2], v[3])};
        case PairKind::point_edge: return {vertex_text(world, v[0]), edge_text(world, v[1], v[2])};
        case PairKind::point_point: return {vertex_text(world, v[0]), vertex_text(world, v[1])};
    }
    throw InternalError("unknown kind of pair");
}

/// Lengths that say how small a gap may be: of two bodies that touch, both sizes and all coordinates at the place. The
/// sum of a contact's forces and the body's own is rounded to a part of the larger one. So a barrier that is a few
/// digits steeper hides what holds the body together, and the matrix is singular. Obstacles have no such forces.
class LeastGap {
public:
    LeastGap(const World& world, const VecX& x) : x_(x) {
        for (const Body& body : world.bodies) {
            const auto first = 3 * static_cast<Eigen::Index>(body.first_vertex);
            const Eigen::Map<const Mat3X> points(x.data() + first, 3, body.vertex_count());
            const bool moves = !body.is_obstacle() && body.vertex_count() > 0;
            sizes_.push_back(moves ? (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm() : 0.0);
        }
        largest_ = std::max(x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0, *std::ranges::max_element(sizes_));
    }
    /// Of a pair of primitives of two bodies (m).
    double operator()(Index a, Index b, std::span<const Index> vertices) const {
        double length = std::max(sizes_[static_cast<std::size_t>(a)], sizes_[static_cast<std::size_t>(b)]);
        for (const Index v : vertices) length = std::max(length, x_.segment<3>(3 * v).cwiseAbs().maxCoeff());
        return least_gap_share * length;
    }
    double largest() const { return least_gap_share * largest_; }

private:
    using Mat3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;
    const VecX& x_;
    std::vector<double> sizes_;  ///< of bodies that move; 0 of obstacles
    double largest_ = 0.0;
};

/// Why two primitives are too near; empty if they are not.
/// @param offset  their contact thickness   @param least  what LeastGap says
std::string nearness(const std::array<std::string, 2>& names, double distance, double offset, double least) {
    const double gap = distance - offset;
    if (gap > least) return {};
    if (offset > 0.0 && gap <= 0.0) {
        return fmt::format("{} and {} are {:.6g} m apart, nearer than their contact thickness of {:.6g} m", names[0],
                           names[1], distance, offset);
    }
    return fmt::format("{} and {} have a gap of {:.3g} m, which is rounding: gaps begin at {:.3g} m here", names[0],
                       names[1], gap, least);
}

void add_too_near_half_spaces(const World& world, const VecX& x, const LeastGap& least,
                              std::vector<StartProblem>& problems) {
    for (const HalfSpace& plane : world.half_spaces) {
        const Body& ground = world.bodies[static_cast<std::size_t>(plane.body)];
        const std::string name = fmt::format("half-space '{}'", ground.name);
        for (const Index v : world.surface.vertices) {
            const Index body = world.body_of_vertex[static_cast<std::size_t>(v)];
            if (!world.contact_pairs.allowed(body, plane.body)) continue;
            const double distance = plane.normal.dot(x.segment<3>(3 * v) - x.segment<3>(3 * plane.origin_vertex)),
                         offset = contact_offset(body_of(world, v), ground);
            const double limit = least(body, plane.body, std::array{v, plane.origin_vertex});
            if (distance <= 0.0 || distance - offset > limit) continue;
            problems.push_back({nearness({vertex_text(world, v), name}, distance, offset, limit), {v}, {}, {}, {}});
        }
    }
}

/// Pairs that are apart but nearer than contact thickness allows, or so near that their gap is rounding.
void add_too_near(const World& world, const VecX& x, std::vector<StartProblem>& problems) {
    if (world.bodies.empty()) return;
    const LeastGap least(world, x);
    BroadPhase broad_phase;
    broad_phase.build(world.surface, world.contact_pairs, x);
    const Candidates& candidates =
        broad_phase.find(x, (largest_contact_offset(world) + least.largest()) * (1.0 + 1e-9));
    for (const PairKind kind :
         {PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge, PairKind::point_point}) {
        const auto count = static_cast<std::size_t>(vertex_count(kind));
        for (const auto& pair : candidates.pairs(kind)) {
            const auto v = stencil_vertices(world.surface, kind, pair);
            Vec3 points[4];
            gather_stencil(v, x, points);
            const double distance = std::sqrt(closest_squared_distance(kind, points));
            const Index a = world.body_of_vertex[static_cast<std::size_t>(v[0])],
                        b = world.body_of_vertex[static_cast<std::size_t>(v[count - 1])];
            const double offset = contact_offset(body_of(world, v[0]), body_of(world, v[count - 1])),
                         limit = least(a, b, std::span(v).first(count));
            if (distance - offset > limit) continue;
            StartProblem problem{nearness(pair_texts(world, kind, pair, v), distance, offset, limit), {}, {}, {}, {}};
            problem.points.assign(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(count));
            problems.push_back(std::move(problem));
        }
    }
    add_too_near_half_spaces(world, x, least, problems);
}

void add_inverted(const World& world, const VecX& x, std::vector<StartProblem>& problems) {
    for (const ElasticGroup& group : world.elastic) {
        if (!group.keeps_orientation() || group.frames) continue;  // frames start as they are at rest
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            const Tet& tet = group.elements.vertices[e];
            const double J = deformation_gradient(group.elements, e, x).determinant();
            const auto corner = [&](std::size_t k) -> Vec3 { return x.segment<3>(3 * tet[k]); };
            const int sign = orient3d(corner(0), corner(1), corner(2), corner(3));
            if (sign > 0 && J > 0.0) continue;
            const Body& body = world.bodies[static_cast<std::size_t>(group.body[e])];
            problems.push_back({fmt::format("body '{}' tet {} is {} (J = {:.6g})", body.name, group.body_element[e],
                                            sign < 0 ? "inverted" : "flat", J),
                                {},
                                {},
                                {},
                                {tet}});
        }
    }
}

void add_inverted_quadratic(const World& world, const VecX& x, std::vector<StartProblem>& problems) {
    for (const QuadraticGroup& group : world.quadratic) {
        if (!group.keeps_orientation()) continue;
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            const Tet10& nodes = group.elements.vertices[e];
            const BernsteinCoefficients now = determinant_coefficients(corner_jacobians(node_positions(nodes, x)));
            const double least = *std::ranges::min_element(now);
            if (least > 0.0) continue;
            const std::string text = fmt::format(
                "body '{}' tet {} of second order is inverted or too curved (its determinant may fall to "
                "{:.6g} m^3)",
                world.bodies[static_cast<std::size_t>(group.body[e])].name, group.body_element[e], least);
            problems.push_back({text, {}, {}, {}, {{nodes[0], nodes[1], nodes[2], nodes[3]}}});
        }
    }
}

void add_collapsed(const World& world, const VecX& x, std::vector<StartProblem>& problems) {
    for (const SheetGroup& group : world.sheets) {
        const auto* triangles = std::get_if<TriangleElements>(&group.elements);
        if (triangles == nullptr)
            continue;  // a hinge has an infinite energy only where one of its triangles is collapsed
        for (std::size_t e = 0; e < triangles->size(); ++e) {
            const Vec2 stretches = principal_stretches(*triangles, e, x);
            const StrainLimit& limit = triangles->strain_limit[e];
            const bool collapsed = stretches[1] <= 0.0,
                       overstretched = limit.stiffness > 0.0 && stretches[0] >= limit.limit;
            if (!collapsed && !overstretched) continue;
            const Triangle& t = triangles->vertices[e];
            const std::string what =
                collapsed ? "is collapsed"
                          : fmt::format("is stretched to {:.6g}, its limit is {:.6g}", stretches[0], limit.limit);
            problems.push_back(
                {fmt::format("body '{}' triangle {} {}", world.bodies[static_cast<std::size_t>(group.body[e])].name,
                             group.body_element[e], what),
                 {},
                 {},
                 {t},
                 {}});
        }
    }
}

}  // namespace

std::vector<StartProblem> find_start_problems(const World& world, const State& state) {
    STICTION_CHECK(state.x.size() == 3 * static_cast<Eigen::Index>(world.vertex_count()), "positions of all vertices");
    std::vector<StartProblem> problems;
    add_not_finite(world, state.x, problems);
    if (!problems.empty()) return problems;
    add_half_spaces(world, state.x, problems);
    for (const Intersection& found : find_intersections(world.surface, world.contact_pairs, state.x)) {
        problems.push_back(describe(world, found));
    }
    // Around every intersection things are too near as well.
    if (problems.empty()) add_too_near(world, state.x, problems);
    add_inverted(world, state.x, problems);
    add_inverted_quadratic(world, state.x, problems);
    add_collapsed(world, state.x, problems);
    return problems;
}

double least_gap(const World& world, const VecX& x, Index a, Index b) {
    std::vector<Index> vertices;
    for (const Index id : {a, b}) {
        const Body& body = world.bodies[static_cast<std::size_t>(id)];
        for (Index v = 0; v < body.vertex_count(); ++v) vertices.push_back(body.first_vertex + v);
    }
    return LeastGap(world, x)(a, b, vertices);
}

bool can_be_moved_apart(const World& world, const StartProblem& problem, const std::vector<bool>& movable) {
    if (!problem.tets.empty()) return false;
    std::set<Index> bodies;
    const auto add = [&](const auto& vertices) {
        for (const Index v : vertices) bodies.insert(world.body_of_vertex[static_cast<std::size_t>(v)]);
    };
    add(problem.points);
    for (const Edge& edge : problem.edges) add(edge);
    for (const Triangle& triangle : problem.triangles) add(triangle);
    // A vertex alone is one at a half-space.
    const bool alone = problem.points.size() == 1 && problem.edges.empty() && problem.triangles.empty();
    if (bodies.size() < 2 && !alone) return false;
    std::set<Index> held;
    for (const Motion& motion : world.motions)
        for (const Index v : motion.vertices) held.insert(world.body_of_vertex[static_cast<std::size_t>(v)]);
    return std::ranges::any_of(bodies, [&](Index body) {
        const auto place = static_cast<std::size_t>(body);
        return !world.bodies[place].is_obstacle() && !held.contains(body) && (movable.empty() || movable[place]);
    });
}

std::vector<std::string> start_problems(const World& world, const State& state) {
    std::vector<std::string> texts;
    for (StartProblem& problem : find_start_problems(world, state)) texts.push_back(std::move(problem.text));
    return texts;
}

}  // namespace stiction
