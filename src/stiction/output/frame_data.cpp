#include "stiction/output/frame_data.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/tet10_elasticity.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace stiction {
namespace {

Vec3 at(const VecX& stacked, Index vertex) {
    return stacked.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

/// Body of each cell, one list for each kind of cell.
struct CellOwners {
    std::vector<Index> tets, triangles, edges, points;
};

constexpr std::array<Index, 6> no_mid_nodes{-1, -1, -1, -1, -1, -1};

template <class Element>
Element shifted(Element element, Index offset) {
    for (Index& vertex : element) vertex += offset;
    return element;
}

/// @param any_quadratic  whether a body of the world has mid nodes
void add_body_cells(const Body& body, Index number, bool any_quadratic, Mesh& mesh, CellOwners& owners) {
    const Index first = body.first_vertex;
    if (!body.mesh.tets.empty() && body.kind == BodyKind::deformable) {
        for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
            mesh.tets.push_back(shifted(body.mesh.tets[t], first));
            owners.tets.push_back(number);
            if (any_quadratic)
                mesh.mid_nodes.push_back(body.is_quadratic() ? shifted(body.mesh.mid_nodes[t], first) : no_mid_nodes);
        }
        if (!body.has_collision_mesh()) return;
    }
    for (const Triangle& t : body.surface) {
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
        owners.triangles.push_back(number);
    }
    for (const Edge& e : body.mesh.edges) {
        mesh.edges.push_back({e[0] + first, e[1] + first});
        owners.edges.push_back(number);
    }
    for (const Index p : body.mesh.points) {
        mesh.points.push_back(p + first);
        owners.points.push_back(number);
    }
}

/// Middle of the deformable bodies at t = 0, or of everything if there are none.
Vec3 middle_of_scene(const World& world) {
    Eigen::AlignedBox3d deformable, all;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        all.extend(at(world.initial_positions, v));
        if (!world.is_obstacle(v)) deformable.extend(at(world.initial_positions, v));
    }
    return deformable.isEmpty() ? all.center() : deformable.center();
}

/// Corners of the square that stands for a half-space, counter-clockwise seen from the allowed side.
std::array<Vec3, 4> half_space_corners(const Vec3& middle, const Vec3& origin, const Vec3& normal, double side) {
    const Vec3 centre = middle - normal.dot(middle - origin) * normal;
    const Vec3 u = 0.5 * side * normal.unitOrthogonal();
    const Vec3 v = normal.cross(u);
    return {centre - u - v, centre + u - v, centre + u + v, centre - u + v};
}

struct Corner {
    Index vertex;  // the half-space's origin
    Vec3 position;
};

/// Four corners are numbered after everything that the frame has so far.
void add_half_space(const World& world, const State& state, Index number, Mesh& mesh, CellOwners& owners,
                    std::vector<Corner>& corners) {
    const Body& body = world.bodies[static_cast<std::size_t>(number)];
    const double side = world.diagonal > 0.0 ? 3.0 * world.diagonal : 1.0;
    const Index next = world.vertex_count() + static_cast<Index>(corners.size());
    const auto square = half_space_corners(middle_of_scene(world), at(state.x, body.first_vertex), body.normal, side);
    for (const Vec3& corner : square) corners.push_back({body.first_vertex, corner});
    mesh.triangles.push_back({next, next + 1, next + 2});
    mesh.triangles.push_back({next, next + 2, next + 3});
    owners.triangles.insert(owners.triangles.end(), 2, number);
}

/// World vertices, then corners, which move with the origin of their half-space.
std::vector<Vec3> point_values(const VecX& stacked, const std::vector<Corner>& corners) {
    std::vector<Vec3> values;
    const auto vertices = static_cast<Index>(stacked.size() / 3);
    values.reserve(static_cast<std::size_t>(vertices) + corners.size());
    for (Index v = 0; v < vertices; ++v) values.push_back(at(stacked, v));
    for (const Corner& corner : corners) values.push_back(at(stacked, corner.vertex));
    return values;
}

std::vector<Vec3> force_values(const VecX* force, Index vertices, const std::vector<Corner>& corners) {
    std::vector<Vec3> values(static_cast<std::size_t>(vertices) + corners.size(), Vec3::Zero());
    if (force == nullptr || force->size() == 0) return values;
    STICTION_CHECK(force->size() == 3 * static_cast<Eigen::Index>(vertices),
                   "forces must be given on every vertex of the world");
    for (Index v = 0; v < vertices; ++v) values[static_cast<std::size_t>(v)] = at(*force, v);
    return values;
}

/// Of world vertices, then zeros.
std::vector<int> contact_state_values(const StepResult* result, std::size_t points) {
    std::vector<int> values(points, static_cast<int>(ContactState::none));
    if (result == nullptr) return values;
    STICTION_CHECK(result->contact_state.size() <= points, "contact states must be given on vertices of the world");
    for (std::size_t v = 0; v < result->contact_state.size(); ++v)
        values[v] = static_cast<int>(result->contact_state[v]);
    return values;
}

bool is_obstacle(const World& world, Index body) {
    return world.bodies[static_cast<std::size_t>(body)].is_obstacle();
}

void add_owners(const World& world, const CellOwners& owners, const std::vector<Corner>& corners, FrameData& frame) {
    frame.point_body.assign(world.body_of_vertex.begin(), world.body_of_vertex.end());
    for (const Corner& corner : corners)
        frame.point_body.push_back(world.body_of_vertex[static_cast<std::size_t>(corner.vertex)]);
    for (const std::vector<Index>* group : {&owners.tets, &owners.triangles, &owners.edges, &owners.points}) {
        frame.cell_body.insert(frame.cell_body.end(), group->begin(), group->end());
    }
    for (const int body : frame.point_body) frame.point_obstacle.push_back(is_obstacle(world, body));
    for (const int body : frame.cell_body) frame.cell_obstacle.push_back(is_obstacle(world, body));
}

/// Position in the frame of the first tet of each body, of the first triangle of each sheet, and of the first edge of
/// each rod.
std::vector<std::size_t> first_cells(const World& world) {
    std::vector<std::size_t> first;
    std::size_t next = 0;
    for (const Body& body : world.bodies) {
        first.push_back(next);
        if (body.kind == BodyKind::deformable) next += body.mesh.tets.size();
    }
    // Triangles follow the tets of all bodies; a half-space is drawn as two.
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const Body& body = world.bodies[b];
        if (body.is_shell()) first[b] = next;
        if (body.kind == BodyKind::half_space)
            next += 2;
        else if (body.kind != BodyKind::deformable || body.is_shell() || body.has_collision_mesh())
            next += body.surface.size();
    }
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const Body& body = world.bodies[b];
        if (body.is_rod()) first[b] = next;
        if (body.kind != BodyKind::deformable || body.is_rod()) next += body.mesh.edges.size();
    }
    return first;
}

template <class Elements>
Mat3 mean_stress(const Elements& elements, std::size_t e, const VecX& x) {
    return cauchy_stress(elements, e, x);
}

void add_stress(const World& world, const State& state, std::size_t cells, FrameData& frame) {
    frame.stress.assign(cells, Mat3::Zero());
    frame.von_mises.assign(cells, 0.0);
    const std::vector<std::size_t> first = first_cells(world);
    const auto add = [&](const auto& group, const auto& elements) {
        parallel_for(elements.size(), [&](std::size_t e) {
            const std::size_t cell =
                first[static_cast<std::size_t>(group.body[e])] + static_cast<std::size_t>(group.body_element[e]);
            frame.stress[cell] = mean_stress(elements, e, state.x);
            frame.von_mises[cell] = von_mises_stress(frame.stress[cell]);
        });
    };
    world.for_each_tet_group([&](const auto& group) {
        if (!group.frames) add(group, group.elements);
    });
    for (const SheetGroup& group : world.sheets) {
        if (const auto* triangles = std::get_if<TriangleElements>(&group.elements)) add(group, *triangles);
        if (const auto* edges = std::get_if<RodStretch>(&group.elements)) add(group, *edges);
    }
}

}  // namespace

const std::vector<std::string>& frame_field_names() {
    static const std::vector<std::string> names{"displacement",  "velocity", "contact_force", "friction_force",
                                                "contact_state", "body",     "stress"};
    return names;
}

FrameFields frame_fields(const std::vector<std::string>& names) {
    FrameFields fields{false, false, false, false, false, false, false};
    bool* const flags[] = {&fields.displacement,  &fields.velocity, &fields.contact_force, &fields.friction_force,
                           &fields.contact_state, &fields.body,     &fields.stress};
    const std::vector<std::string>& known = frame_field_names();
    for (const std::string& name : names) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            const std::string nearest = nearest_name(name, known);
            throw InputError("", "output.fields", name,
                             nearest.empty() ? fmt::format("one of {}", fmt::join(known, ", ")) : nearest);
        }
        *flags[found - known.begin()] = true;
    }
    return fields;
}

double von_mises_stress(const Mat3& stress) {
    const Mat3 deviator = stress - stress.trace() / 3.0 * Mat3::Identity();
    return std::sqrt(1.5 * deviator.squaredNorm());
}

FrameData frame_data(const World& world, const State& state, const StepResult* result, const FrameFields& fields) {
    FrameData frame;
    CellOwners owners;
    std::vector<Corner> corners;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const auto number = static_cast<Index>(b);
        if (world.bodies[b].kind == BodyKind::half_space) {
            add_half_space(world, state, number, frame.mesh, owners, corners);
        } else {
            add_body_cells(world.bodies[b], number, !world.quadratic.empty(), frame.mesh, owners);
        }
    }
    frame.mesh.vertices = point_values(state.x, {});
    for (const Corner& corner : corners) frame.mesh.vertices.push_back(corner.position);

    if (fields.displacement) frame.displacement = point_values(state.x - world.initial_positions, corners);
    if (fields.velocity) frame.velocity = point_values(state.v, corners);
    if (fields.contact_force)
        frame.contact_force = force_values(result ? &result->contact_force : nullptr, world.vertex_count(), corners);
    if (fields.friction_force)
        frame.friction_force = force_values(result ? &result->friction_force : nullptr, world.vertex_count(), corners);
    if (fields.contact_state) frame.contact_state = contact_state_values(result, frame.mesh.vertices.size());
    if (fields.body) add_owners(world, owners, corners, frame);
    if (fields.stress) {
        const std::size_t cells =
            owners.tets.size() + owners.triangles.size() + owners.edges.size() + owners.points.size();
        add_stress(world, state, cells, frame);
    }
    return frame;
}

Mesh deformable_surface(const World& world, const State& state) {
    Mesh mesh;
    std::vector<Index> number(world.body_of_vertex.size(), -1);
    std::vector<Triangle> triangles;
    for (const Body& body : world.bodies) {
        if (body.is_obstacle()) continue;
        for (const Triangle& t : body.surface) {
            triangles.push_back({t[0] + body.first_vertex, t[1] + body.first_vertex, t[2] + body.first_vertex});
            for (const Index v : triangles.back()) number[static_cast<std::size_t>(v)] = 0;
        }
    }
    for (std::size_t v = 0; v < number.size(); ++v) {
        if (number[v] < 0) continue;
        number[v] = static_cast<Index>(mesh.vertices.size());
        mesh.vertices.push_back(at(state.x, static_cast<Index>(v)));
    }
    for (Triangle t : triangles) {
        for (Index& v : t) v = number[static_cast<std::size_t>(v)];
        mesh.triangles.push_back(t);
    }
    return mesh;
}

}  // namespace stiction
