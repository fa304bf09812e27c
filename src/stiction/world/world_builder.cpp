#include "stiction/world/world_builder.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/outward.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/collision_mesh.hpp"
#include "stiction/world/element_checks.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace stiction {
namespace {

/// A tet is flat when its volume is below 1e-12 of the box that its edges would span; append_tets asks the same of the
/// rest shape.
void check_initial_shape(const Body& body) {
    for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
        const Tet& tet = body.mesh.tets[t];
        const double volume = signed_volume(body.mesh, tet);
        double box = 1.0;
        for (std::size_t i = 1; i < 4; ++i)
            box *= (body.mesh.vertices[static_cast<std::size_t>(tet[i])] -
                    body.mesh.vertices[static_cast<std::size_t>(tet[0])])
                       .norm();
        if (volume > 0.0 && 6.0 * volume > 1e-12 * box) continue;
        throw InputError(
            body.name, fmt::format("tet {}", t),
            fmt::format("{}, volume {:.6g} m^3", 6.0 * volume < -1e-12 * box ? "inverted" : "flat", volume),
            "a positive volume in the initial shape");
    }
}

template <class Element>
Element shifted(Element element, Index offset) {
    for (Index& vertex : element) vertex += offset;
    return element;
}

Eigen::AlignedBox3d bounds_of_moving(const std::vector<Body>& bodies) {
    Eigen::AlignedBox3d box;
    for (const Body& body : bodies) {
        if (body.is_obstacle()) continue;
        for (const Vec3& vertex : body.mesh.vertices) box.extend(vertex);
    }
    return box;
}

}  // namespace

const std::vector<std::string>& bending_model_names() {
    static const std::vector<std::string> names{"none", "hinge", "isometric", "laplacian"};
    return names;
}

const std::vector<std::string>& filled_part_names() {
    static const std::vector<std::string> names{"tets", "surface", "cavity"};
    return names;
}

Index WorldBuilder::add_body(Body body) {
    body.first_vertex = static_cast<Index>(world_.body_of_vertex.size());
    const auto index = static_cast<Index>(world_.bodies.size());
    world_.body_of_vertex.insert(world_.body_of_vertex.end(), body.mesh.vertices.size(), index);
    world_.bodies.push_back(std::move(body));
    return index;
}

Index WorldBuilder::add_deformable(const std::string& name, Mesh mesh, const BodyMaterial& material,
                                   const Vec3& velocity, const Vec3& angular_velocity, std::vector<Vec3> rest,
                                   int proxy_subdivisions) {
    if (mesh.tets.empty()) throw InputError(name, "mesh", "no tets", "a mesh of tets for a deformable body");
    if (rest.empty()) rest = mesh.vertices;
    STICTION_CHECK(rest.size() == mesh.vertices.size(), "rest shape and mesh differ in vertex count");
    Body body;
    body.name = name;
    body.kind = BodyKind::deformable;
    body.density = material.density;
    check_distinct(name, "tet", mesh.tets);
    check_mid_nodes(name, mesh);
    body.surface = boundary_triangles(mesh.tets);
    body.mesh = std::move(mesh);
    // A law that bears inversion may start inverted, against a rest shape that is not.
    if (!(rest != body.mesh.vertices && is_invertible(material.law))) check_initial_shape(body);
    const Index index = add_body(std::move(body));
    deformables_.push_back({index, material, velocity, angular_velocity, std::move(rest)});
    const Mesh& solid = world_.bodies[at(index)].mesh;
    if (!solid.mid_nodes.empty() && proxy_subdivisions > 0) {
        const CollisionProxy proxy = collision_proxy(solid, proxy_subdivisions);
        hang_surface(index, proxy.vertices, proxy.triangles);
        deformables_.back().has_proxy = true;
    }
    return index;
}

void WorldBuilder::set_material(Index index, const std::vector<Index>& tets, const BodyMaterial& material) {
    const auto entry =
        std::find_if(deformables_.begin(), deformables_.end(), [&](const Deformable& d) { return d.body == index; });
    STICTION_CHECK(entry != deformables_.end() && entry->material, "only a body of tets has parts");
    entry->parts.push_back(material);
    entry->part_of.resize(body(index).mesh.tets.size(), 0);
    for (const Index tet : tets) entry->part_of.at(static_cast<std::size_t>(tet)) = entry->parts.size();
}

void WorldBuilder::add_filling(Index index, FilledPart part, const VolumeLaw& law, std::vector<PressureKey> keys,
                               bool exact_matrix) {
    const auto entry =
        std::find_if(deformables_.begin(), deformables_.end(), [&](const Deformable& d) { return d.body == index; });
    STICTION_CHECK(entry != deformables_.end(), "only a deformable body can be filled");
    const Body& filled = body(index);
    if (filled.is_rod())
        throw InputError(filled.name, "filled region", "of a rod", "a sheet or solid, which enclose one");
    if (filled.is_quadratic() && !entry->has_proxy)
        throw InputError(filled.name, "filled region", "of a solid of second order with a collision mesh of its own",
                         "none: the region is bounded by the mesh that is made of its faces");
    if (keys.empty()) keys.push_back({0.0, law.overpressure});
    for (std::size_t k = 0; k < keys.size(); ++k) {
        if (k > 0 && !(keys[k].time > keys[k - 1].time))
            throw InputError(filled.name, "over-pressure",
                             fmt::format("time {} after time {}", keys[k].time, keys[k - 1].time), "rising times");
        VolumeLaw at_key = law;
        at_key.overpressure = keys[k].overpressure;
        if (const auto complaint = check_volume_law(at_key))
            throw InputError(filled.name, complaint->parameter, fmt::format("{}", complaint->value),
                             complaint->expected);
    }
    std::vector<VolumeZone> zones;
    if (part == FilledPart::surface && filled.is_shell()) {
        std::vector<Triangle> triangles = filled.surface;
        turn_outwards(entry->rest, triangles);  // the sheet itself has no inner side
        zones.push_back(VolumeZone::from_surface(entry->rest, triangles, filled.first_vertex, filled.name));
    } else if (filled.is_quadratic() && part != FilledPart::cavity) {
        zones.push_back(VolumeZone::from_surface(entry->rest, filled.surface, filled.first_vertex, filled.name));
    } else if (part == FilledPart::surface) {
        zones.push_back(VolumeZone::from_tets(entry->rest, filled.mesh.tets, filled.first_vertex, filled.name));
    } else if (filled.is_shell()) {
        throw InputError(filled.name, "filled region", filled_part_names()[static_cast<std::size_t>(part)],
                         "\"surface\": a sheet has neither tets nor cavities");
    } else if (part == FilledPart::tets) {
        zones.push_back(VolumeZone::from_tets(entry->rest, filled.mesh.tets, filled.first_vertex, filled.name));
    } else {
        const auto walls =
            filled.is_quadratic() ? cavity_walls(filled.mesh.vertices, filled.surface) : cavity_walls(filled.mesh);
        for (const auto& wall : walls)
            zones.push_back(VolumeZone::cavity(entry->rest, wall, filled.first_vertex, filled.name));
        if (zones.empty()) throw InputError(filled.name, "filled region", "no cavity", "a hollow body");
    }
    for (VolumeZone& zone : zones) {
        FilledRegion filling;
        filling.body = index;
        filling.energy = {std::move(zone), law, 0.0};
        filling.energy.rest_volume = filling.energy.zone.rest_volume();
        filling.energy.law.overpressure = keys.front().overpressure;
        filling.keys = keys;
        filling.exact_matrix = exact_matrix;
        filling.edges = volume_edges(filling.energy.zone);
        if (!filled.is_quadratic())
            for (const Tet& edge : filling.edges) filling.edge_stencils.push_back({edge[0], edge[1], -1, -1});
        world_.fillings.push_back(std::move(filling));
    }
}

Index WorldBuilder::add_obstacle(const std::string& name, Mesh mesh) {
    Body body;
    body.name = name;
    body.kind = BodyKind::obstacle;
    check_vertices_differ(name, "tet", mesh.tets);
    check_vertices_differ(name, "triangle", mesh.triangles);
    check_vertices_differ(name, "edge", mesh.edges);
    body.surface = extract_surface(mesh).triangles;
    body.mesh = std::move(mesh);
    if (body.surface.empty() && body.mesh.edges.empty() && body.mesh.points.empty()) {
        throw InputError(name, "mesh", "no tets, triangles, edges or points",
                         "an obstacle with something to collide with");
    }
    return add_body(std::move(body));
}

Index WorldBuilder::add_half_space(const std::string& name, const Vec3& origin, const Vec3& normal) {
    if (!(normal.norm() > 0.0) || !normal.allFinite())
        throw InputError(name, "normal", fmt::format("[{}, {}, {}]", normal[0], normal[1], normal[2]),
                         "a vector other than zero");
    Body body;
    body.name = name;
    body.kind = BodyKind::half_space;
    body.mesh.vertices = {origin};
    body.normal = normal.stableNormalized();
    return add_body(std::move(body));
}

LameParameters lame_of(const BodyMaterial& material) {
    return material.law == MaterialLaw::sum ? lame_of_terms(material.terms)
                                            : lame_parameters(material.youngs_modulus, material.poissons_ratio);
}

template <class Group, class Element>
void WorldBuilder::add_tets(const Deformable& entry, std::size_t part, const std::vector<Element>& all,
                            std::vector<Group>& groups) {
    const BodyMaterial& material = part == 0 ? *entry.material : entry.parts[part - 1];
    const Body& body = world_.bodies[static_cast<std::size_t>(entry.body)];
    std::vector<Element> tets;
    std::vector<Index> ids;
    for (std::size_t t = 0; t < all.size(); ++t) {
        if ((entry.part_of.empty() ? 0 : entry.part_of[t]) != part) continue;
        tets.push_back(all[t]);
        ids.push_back(static_cast<Index>(t));
    }
    if (tets.empty()) return;
    if (material.extrapolate_below != 0.0) {
        if (const auto expected = check_extrapolation(material.law, material.extrapolate_below))
            throw InputError(body.name, "extrapolate_below", fmt::format("{}", material.extrapolate_below), *expected);
    }
    const ElementMaterial law{material.law, material.extrapolate_below, material.terms, {}, {}};
    auto group = std::ranges::find_if(groups, [&](const Group& g) { return g.elements.same_law(law); });
    if (group == groups.end()) {
        groups.emplace_back();
        group = groups.end() - 1;
        static_cast<ElementMaterial&>(group->elements) = law;
    }
    append_tets(group->elements, entry.rest, tets, lame_of(material), body.first_vertex, body.name);
    group->body.insert(group->body.end(), tets.size(), entry.body);
    group->body_element.insert(group->body_element.end(), ids.begin(), ids.end());
    group->density.insert(group->density.end(), tets.size(), material.density);
    group->damping.insert(group->damping.end(), tets.size(), {material.mass_damping, material.stiffness_damping});
}

void WorldBuilder::build_tets(std::vector<double>& mass) {
    for (const Deformable& entry : deformables_) {
        if (!entry.material) continue;
        const Mesh& mesh = body(entry.body).mesh;
        std::vector<Tet10> quadratic;
        for (std::size_t t = 0; t < mesh.mid_nodes.size(); ++t) quadratic.push_back(tet10(mesh, t));
        for (std::size_t part = 0; part <= entry.parts.size(); ++part) {
            if (quadratic.empty())
                add_tets(entry, part, mesh.tets, world_.elastic);
            else
                add_tets(entry, part, quadratic, world_.quadratic);
        }
    }
    const auto finish = [&](auto& group) {
        if (world_.consistent_mass) group.consistent_mass = consistent_mass_elements(group.elements, group.density);
        add_lumped_mass(group.elements, group.density, mass);
    };
    for (ElasticGroup& group : world_.elastic) finish(group);
    for (QuadraticGroup& group : world_.quadratic) finish(group);
}

/// Of quadratic tets with consistent masses they are not the lumped ones.
void WorldBuilder::build_row_masses() {
    if (!world_.consistent_mass || world_.quadratic.empty()) return;
    VecX ones = VecX::Zero(world_.initial_positions.size());
    for (Eigen::Index i = 0; i < ones.size(); i += 3) ones[i] = 1.0;
    const VecX rows = mass_product(world_, ones);
    world_.mass_row_sums = world_.mass;
    for (const QuadraticGroup& group : world_.quadratic) {
        for (const Tet10& nodes : group.elements.vertices) {
            for (const Index node : nodes) world_.mass_row_sums[node] = rows[3 * static_cast<Eigen::Index>(node)];
        }
    }
}

void WorldBuilder::build_elasticity() {
    const auto vertices = static_cast<Index>(world_.body_of_vertex.size());
    std::vector<double> mass(world_.body_of_vertex.size(), 0.0);
    build_tets(mass);
    build_frames();
    std::sort(world_.embedded.begin(), world_.embedded.end(),
              [](const EmbeddedVertex& a, const EmbeddedVertex& b) { return a.vertex < b.vertex; });
    for (ElasticGroup& group : world_.elastic) group.gather = NodeGather<4>(group.elements.vertices, vertices);
    for (QuadraticGroup& group : world_.quadratic) group.gather = NodeGather<10>(group.elements.vertices, vertices);
    for (SheetGroup& group : world_.sheets) {
        group.stencils = sheet_stencils(group.elements);
        group.gather = VertexGather(group.stencils, vertices);
    }
    for (std::size_t v = 0; v < sheet_mass_.size(); ++v) mass[v] += sheet_mass_[v];
    for (std::size_t k = 0; k < rigid_starts_.size(); ++k) {
        std::copy(rigid_starts_[k].vertex_mass.begin(), rigid_starts_[k].vertex_mass.end(),
                  mass.begin() + world_.rigid_bodies[k].first_vertex);
    }
    if (std::any_of(sheet_damping_.begin(), sheet_damping_.end(), [](double d) { return d > 0.0; })) {
        sheet_damping_.resize(mass.size(), 0.0);
        world_.sheet_damping = Eigen::Map<const VecX>(sheet_damping_.data(), static_cast<Eigen::Index>(mass.size()));
    }
    world_.mass = Eigen::Map<const VecX>(mass.data(), static_cast<Eigen::Index>(mass.size()));
    const auto nodes = std::count_if(mass.begin(), mass.end(), [](double m) { return m > 0.0; });
    world_.mean_mass = nodes > 0 ? world_.mass.sum() / static_cast<double>(nodes) : 0.0;
    for (Body& body : world_.bodies) {
        const auto own =
            std::span(mass).subspan(static_cast<std::size_t>(body.first_vertex), body.mesh.vertices.size());
        const auto heavy = std::ranges::count_if(own, [](double m) { return m > 0.0; });
        const double sum = std::accumulate(own.begin(), own.end(), 0.0);
        body.mean_mass = heavy > 0 ? sum / static_cast<double>(heavy) : 0.0;
    }
    build_row_masses();
}

void WorldBuilder::build_surface() {
    std::vector<Triangle> triangles;
    std::vector<Edge> edges;
    std::vector<Index> points;
    for (std::size_t b = 0; b < world_.bodies.size(); ++b) {
        const Body& body = world_.bodies[b];
        if (body.kind == BodyKind::half_space) {
            world_.half_spaces.push_back({static_cast<Index>(b), body.first_vertex, body.normal});
            continue;
        }
        for (const Triangle& triangle : body.surface) triangles.push_back(shifted(triangle, body.first_vertex));
        if (body.kind != BodyKind::obstacle && !body.is_rod()) continue;
        for (const Edge& edge : body.mesh.edges) edges.push_back(shifted(edge, body.first_vertex));
        for (const Index point : body.mesh.points) points.push_back(point + body.first_vertex);
    }
    world_.surface = make_collision_surface(triangles, edges, points, world_.body_of_vertex);
}

void WorldBuilder::set_contact_thickness(Index body, double thickness) {
    if (!(std::isfinite(thickness) && thickness >= 0.0))
        throw InputError("", "contact_thickness", fmt::format("{} m", thickness), ">= 0");
    world_.bodies[static_cast<std::size_t>(body)].contact_thickness = thickness;
}

void WorldBuilder::build_tables() {
    const Index count = body_count();
    world_.contact_pairs = BodyPairTable(count);
    world_.friction = FrictionTable(count, default_friction_.coefficient, default_friction_.kinetic_ratio());
    for (const PairFriction& entry : friction_)
        world_.friction.set(entry.a, entry.b, entry.coefficient, entry.kinetic_ratio());
    for (const PairContact& entry : contact_) world_.contact_pairs.set(entry.a, entry.b, entry.allowed);
    for (Index a = 0; a < count; ++a) {
        for (Index b = a; b < count; ++b) {
            const bool both_obstacles = body(a).is_obstacle() && body(b).is_obstacle();
            const bool rigid_itself = a == b && body(a).kind == BodyKind::rigid;
            if (both_obstacles || rigid_itself) world_.contact_pairs.set(a, b, false);
        }
    }
}

/// A body without extent, a single point, is measured by the scene.
void WorldBuilder::build_contact_lengths() {
    for (Body& body : world_.bodies) {
        if (body.is_obstacle()) continue;
        Eigen::AlignedBox3d box;
        for (const Vec3& vertex : body.mesh.vertices) box.extend(vertex);
        const double own = box.isEmpty() ? 0.0 : box.diagonal().norm();
        body.contact_length = world_.measured_by_scene || own == 0.0 ? world_.diagonal : own;
        world_.length = std::max(world_.length, body.contact_length);
    }
}

std::pair<World, State> WorldBuilder::build() {
    if (world_.consistent_mass && !world_.sheets.empty())
        throw InputError("", "mass", "consistent", "lumped: sheets and rods have lumped mass only");
    if (deformables_.empty() && world_.rigid_bodies.empty())
        throw InputError("", "bodies", "none", "at least one deformable or rigid body");
    const auto vertices = static_cast<Eigen::Index>(world_.body_of_vertex.size());
    world_.initial_positions.resize(3 * vertices);
    for (const Body& body : world_.bodies) {
        for (Index i = 0; i < body.vertex_count(); ++i) {
            world_.initial_positions.segment<3>(3 * (body.first_vertex + i)) =
                body.mesh.vertices[static_cast<std::size_t>(i)];
        }
    }
    const Eigen::AlignedBox3d box = bounds_of_moving(world_.bodies);
    world_.diagonal = box.isEmpty() ? 0.0 : box.diagonal().norm();
    build_contact_lengths();
    check_motions();
    build_elasticity();
    build_surface();
    build_tables();
    VecX velocity = VecX::Zero(3 * vertices);
    for (const Deformable& entry : deformables_) {
        const Body& body = world_.bodies[static_cast<std::size_t>(entry.body)];
        Vec3 centre = Vec3::Zero();
        double mass = 0.0;
        for (Index i = body.first_vertex; i < body.first_vertex + body.vertex_count(); ++i) {
            centre += world_.mass[i] * world_.initial_positions.segment<3>(3 * i);
            mass += world_.mass[i];
        }
        centre /= mass;
        for (Index i = body.first_vertex; i < body.first_vertex + body.vertex_count(); ++i) {
            velocity.segment<3>(3 * i) =
                entry.velocity + entry.angular_velocity.cross(world_.initial_positions.segment<3>(3 * i) - centre);
        }
    }
    for (std::size_t k = 0; k < rigid_starts_.size(); ++k) {
        const RigidBody& body = world_.rigid_bodies[k];
        set_rigid_velocity(world_, body, {body.centre, Mat3::Identity()},
                           {rigid_starts_[k].velocity, rigid_starts_[k].angular_velocity}, velocity);
    }
    world_.identity = std::make_shared<const char>('w');
    State state = initial_state(world_, velocity);
    return {std::move(world_), std::move(state)};
}

}  // namespace stiction
