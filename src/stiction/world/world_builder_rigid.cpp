// Rigid bodies of a world: mass properties, and the affine frame that stands for them where every vertex is an unknown
// or hangs on some.
#include "stiction/mesh/outward.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/affine_frame.hpp"
#include "stiction/world/element_checks.hpp"
#include "stiction/world/world_builder.hpp"

#include <cmath>

namespace stiction {
namespace {

void check_elements(const std::string& name, const Mesh& mesh) {
    check_vertices_differ(name, "tet", mesh.tets);
    check_vertices_differ(name, "triangle", mesh.triangles);
    check_distinct(name, "tet", mesh.tets);
    if (mesh.edges.empty() && mesh.points.empty()) return;
    throw InputError(name, "mesh", fmt::format("{} edges and {} points", mesh.edges.size(), mesh.points.size()),
                     "tets or closed triangles only, for a rigid body");
}

/// The weights of a mass matrix times the 3x3 identity.
Mat12 spread(const Eigen::Matrix4d& weights) {
    Mat12 matrix = Mat12::Zero();
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) matrix.block<3, 3>(3 * a, 3 * b).diagonal().setConstant(weights(a, b));
    }
    return matrix;
}

}  // namespace

Index WorldBuilder::add_rigid(const std::string& name, Mesh mesh, double density, const Vec3& velocity,
                              const Vec3& angular_velocity, double rigidity) {
    check_elements(name, mesh);
    if (!(std::isfinite(rigidity) && rigidity > 0.0))
        throw InputError(name, "rigidity", fmt::format("{} Pa", rigidity), "a positive number");
    Body body;
    body.name = name;
    body.kind = BodyKind::rigid;
    body.density = density;
    if (mesh.tets.empty()) turn_outwards(mesh.vertices, mesh.triangles);
    body.surface = extract_surface(mesh).triangles;
    if (!mesh.tets.empty() && body.surface.size() != boundary_triangles(mesh.tets).size()) {
        throw InputError(name, "mesh", "triangles that are no face of a tet",
                         "tets or closed triangles only, for a rigid body");
    }
    RigidBody rigid = rigid_body_of(name, mesh, density);
    rigid.rigidity = rigidity;
    rigid_starts_.push_back({velocity, angular_velocity, vertex_masses(name, mesh.vertices, rigid.mass, rigid.centre)});
    const Tet frame = choose_frame(mesh.vertices, rigid.centre);
    body.mesh = std::move(mesh);
    body.rigid = static_cast<Index>(world_.rigid_bodies.size());
    rigid.body = add_body(std::move(body));
    rigid.first_vertex = first_vertex(rigid.body);
    for (std::size_t k = 0; k < 4; ++k) rigid.frame[k] = frame[k] + rigid.first_vertex;
    world_.rigid_bodies.push_back(rigid);
    return rigid.body;
}

void WorldBuilder::build_frames() {
    if (world_.rigid_bodies.empty()) return;
    ElasticGroup group;
    group.frames = true;
    // mu |E|^2 with the Green strain E = (A^T A - I) / 2 is kappa |A^T A - I|^2 for mu = 4 kappa.
    group.elements.law = MaterialLaw::saint_venant_kirchhoff;
    for (const RigidBody& rigid : world_.rigid_bodies) {
        const Body& body = this->body(rigid.body);
        Tet frame = rigid.frame;
        for (Index& vertex : frame) vertex -= body.first_vertex;
        append_tets(group.elements, body.mesh.vertices, {frame}, {4.0 * rigid.rigidity, 0.0}, body.first_vertex,
                    body.name);
        group.elements.volume.back() = rigid.volume;
        group.body.push_back(rigid.body);
        group.body_element.push_back(-1);
        group.density.push_back(rigid.density);
        group.damping.push_back({});
        const FrameCoordinates coordinates(body.mesh.vertices, frame);
        group.consistent_mass.vertices.push_back(rigid.frame);
        group.consistent_mass.matrices.push_back(spread(coordinates.mass(rigid)));
        for (Index v = 0; v < body.vertex_count(); ++v) {
            if (std::find(frame.begin(), frame.end(), v) != frame.end()) continue;
            world_.embedded.emplace_back(body.first_vertex + v, rigid.frame,
                                         coordinates(body.mesh.vertices[static_cast<std::size_t>(v)]));
        }
    }
    world_.elastic.push_back(std::move(group));
}

void WorldBuilder::check_motions() const {
    for (const Motion& motion : world_.motions) {
        for (const Index vertex : motion.vertices) {
            if (world_.is_carried(vertex))
                throw InputError(motion.name,
                                 fmt::format("vertex of the collision mesh of '{}'", world_.body_at(vertex).name),
                                 "a motion", "motions of the vertices of tets, which carry it");
            if (!world_.is_rigid(vertex)) continue;
            throw InputError(motion.name,
                             fmt::format("vertex {} of '{}'", vertex - world_.body_at(vertex).first_vertex,
                                         world_.body_at(vertex).name),
                             "a motion of a rigid body",
                             "none: rigid bodies are free; one that goes where it is told is an obstacle");
        }
    }
}

}  // namespace stiction
