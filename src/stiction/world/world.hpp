// The immutable compilation of a scene: rest meshes, masses, materials, collision surface, schedules, friction table.
#pragma once

#include "stiction/collision/half_space.hpp"
#include "stiction/collision/surface.hpp"
#include "stiction/fem/damping.hpp"
#include "stiction/fem/gather.hpp"
#include "stiction/fem/mass.hpp"
#include "stiction/fem/sheet.hpp"
#include "stiction/fem/tet10_elements.hpp"
#include "stiction/fem/tet_elements.hpp"
#include "stiction/fem/volume_edges.hpp"
#include "stiction/mesh/mesh.hpp"
#include "stiction/world/embedding.hpp"
#include "stiction/world/rigid_body.hpp"
#include "stiction/world/trajectory.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace stiction {

enum class BodyKind {
    deformable,  ///< tets, the triangles of a thin sheet, or the edges of a rod, with mass and elasticity
    rigid,       ///< six degrees of freedom, with mass and inertia
    obstacle,    ///< scheduled vertices only: fixed, scripted or a mesh sequence
    half_space,  ///< the plane n . (x - o) = 0; everything must stay where it is positive. Its one vertex is o
};

/// One body. Owns the contiguous vertex range [first_vertex, first_vertex + mesh.vertices.size()) of the world.
struct Body {
    std::string name;
    BodyKind kind = BodyKind::deformable;
    Index first_vertex = 0;
    Mesh mesh;                      ///< local indices; vertices = initial positions in the world frame (m)
    std::vector<Triangle> surface;  ///< local indices: the triangles that collide and are drawn
    Index first_carried = -1;  ///< local index of the first vertex of its collision mesh, which follow those of its
                               ///< tets; -1: its own boundary collides
    Index rigid = -1;          ///< in World::rigid_bodies; -1 unless kind is rigid
    double density = 0.0;      ///< kg/m^3; 0 for obstacles
    double mean_mass = 0.0;    ///< of its vertices that have a mass (kg); 0 for obstacles
    double thickness = 0.0;    ///< of a sheet (m); 0 for everything else
    double contact_thickness = 0.0;  ///< of its surface in contact, half of it on either side (m); vertices, edges and
                                     ///< triangles are mid-surfaces
    Vec3 normal = Vec3::UnitY();     ///< half_space only: unit, points into the allowed side
    /// What contact distances and speeds are shares of, where the scene gives shares (m): the diagonal of the body's
    /// initial bounding box, or that of the scene; infinite for obstacles, which leave it to the other body.
    double contact_length = std::numeric_limits<double>::infinity();

    Index vertex_count() const { return static_cast<Index>(mesh.vertices.size()); }
    /// Whether its tets are quadratic.
    bool is_quadratic() const { return !mesh.mid_nodes.empty(); }
    /// Whether another surface collides in place of the boundary of its tets (world/collision_mesh.hpp).
    bool has_collision_mesh() const { return first_carried >= 0; }
    /// Whether it goes where it is told: neither deformable nor rigid.
    bool is_obstacle() const { return kind == BodyKind::obstacle || kind == BodyKind::half_space; }
    /// Whether it is a deformable sheet of triangles.
    bool is_shell() const { return kind == BodyKind::deformable && !mesh.triangles.empty() && mesh.tets.empty(); }
    /// Whether it is a deformable rod of bare edges.
    bool is_rod() const { return kind == BodyKind::deformable && !mesh.edges.empty() && mesh.tets.empty(); }
};

/// Tets of one constitutive law and one order, with what assembly needs.
template <class Elements, int N>
struct TetGroup {
    using ElementVector = Eigen::Matrix<double, 3 * N, 1>;
    using ElementMatrix = Eigen::Matrix<double, 3 * N, 3 * N>;

    Elements elements;                ///< global vertex ids
    std::vector<Index> body;          ///< body of each element
    std::vector<Index> body_element;  ///< index of each element in its body's mesh.tets; -1 for frames
    NodeGather<N> gather;
    std::vector<double> density;                ///< kg/m^3 of each element
    std::vector<RayleighCoefficients> damping;  ///< of each element
    QuadraticForms<N> consistent_mass;          ///< empty unless the world's mass is consistent, or these are frames
    bool frames = false;  ///< each element is the frame of a rigid body, its volume that of the body

    bool damped() const {
        return std::ranges::any_of(damping, [](const auto& c) { return c.alpha > 0.0 || c.beta > 0.0; });
    }
    /// Whether none of the elements may be turned inside out.
    bool keeps_orientation() const { return frames || !elements.invertible(); }
};

/// Linear tets; or the frames of all rigid bodies, whose energy kappa volume |A^T A - I|^2 is that of St. Venant and
/// Kirchhoff with mu = 4 kappa, lambda = 0, and whose inertia is `consistent_mass`, whatever the mass of the world is.
using ElasticGroup = TetGroup<TetElements, 4>;
/// Quadratic tets.
using QuadraticGroup = TetGroup<Tet10Elements, 10>;

/// Energy terms of thin sheets and rods, over all bodies: the triangles of one membrane law, the hinges of bending by
/// angles, the terms of quadratic bending, or the edges or corners of all rods.
struct SheetGroup {
    SheetElements elements;     ///< global vertex ids
    std::vector<Tet> stencils;  ///< vertices of each element, -1 = unused
    std::vector<Index> body;    ///< body of each element
    std::vector<Index>
        body_element;  ///< index of each element in its body's mesh.triangles, of a rod mesh.edges; empty for bending
    VertexGather gather;
};

/// Gauge pressure that a filling would have at its rest volume, at a time; linear between keys, constant outside.
struct PressureKey {
    double time;          ///< s
    double overpressure;  ///< Pa
};

/// A closed region of a body, filled with gas or liquid (docs/physics/volume.md).
struct FilledRegion {
    Index body = -1;
    VolumeEnergy energy;             ///< its over-pressure is that of the first key
    std::vector<PressureKey> keys;   ///< sorted by time; at least one
    bool exact_matrix = true;        ///< false: Newton's matrix goes without W'' dV/dx dV/dx^T
    std::vector<Tet> edges;          ///< volume_edges(energy.zone)
    std::vector<Tet> edge_stencils;  ///< the unknowns of each edge: (a, b, -1, -1); empty where all its vertices hang
                                     ///< in elements

    /// Over-pressure at a time (Pa).
    double overpressure(double t) const;
    /// The energy with another over-pressure (Pa) than that of the first key.
    VolumeLaw law(double overpressure) const;
};

/// A force on single vertices while begin <= t < end.
struct PointLoad {
    std::vector<Index> vertices;
    Vec3 force = Vec3::Zero();  ///< newtons on each vertex
    double begin = 0.0;
    double end = std::numeric_limits<double>::max();
};

/// An acceleration field on a body while begin <= t < end, beside gravity.
struct BodyForce {
    std::vector<Index> vertices;
    Vec3 acceleration = Vec3::Zero();  ///< m/s^2
    double begin = 0.0;
    double end = std::numeric_limits<double>::max();
};

/// Coulomb coefficients per pair of bodies, symmetric.
class FrictionTable {
public:
    FrictionTable() = default;
    FrictionTable(Index bodies, double coefficient, double kinetic_ratio = 1.0)
        : bodies_(bodies),
          coefficient_(static_cast<std::size_t>(bodies) * static_cast<std::size_t>(bodies), coefficient),
          kinetic_ratio_(coefficient_.size(), kinetic_ratio) {}
    /// Static coefficient.
    double operator()(Index a, Index b) const { return coefficient_[at(a, b)]; }
    /// Kinetic over static coefficient, in [0, 1].
    double kinetic_ratio(Index a, Index b) const { return kinetic_ratio_[at(a, b)]; }
    void set(Index a, Index b, double coefficient, double kinetic_ratio = 1.0) {
        coefficient_[at(a, b)] = coefficient_[at(b, a)] = coefficient;
        kinetic_ratio_[at(a, b)] = kinetic_ratio_[at(b, a)] = kinetic_ratio;
    }
    /// True when no pair rubs.
    bool frictionless() const;

private:
    std::size_t at(Index a, Index b) const {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(bodies_) + static_cast<std::size_t>(b);
    }
    Index bodies_ = 0;
    std::vector<double> coefficient_, kinetic_ratio_;
};

/// Everything about a scene that does not change while it runs. Build it with WorldBuilder.
struct World {
    std::vector<Body> bodies;
    std::vector<Index> body_of_vertex;
    VecX initial_positions;        ///< stacked, all vertices (m)
    VecX mass;                     ///< one entry a vertex (kg): lumped mass; 0 for obstacles and collision
                                   ///< meshes; of rigid bodies vertex_masses
    bool consistent_mass = false;  ///< true: inertia uses rho V / 20 (1 + delta_ij) per tet instead of `mass`
    double mean_mass = 0.0;        ///< mean nodal mass of vertices that have one (kg)
    VecX mass_row_sums;  ///< of the mass matrix, one entry a vertex (kg), negative at corners of quadratic tets: what
                         ///< uniform accelerations and velocities weigh; empty where they are `mass`
    std::vector<ElasticGroup> elastic;      ///< of linear tets
    std::vector<QuadraticGroup> quadratic;  ///< of quadratic tets
    std::vector<SheetGroup> sheets;
    std::vector<FilledRegion> fillings;
    std::vector<RigidBody> rigid_bodies;
    std::vector<EmbeddedVertex> embedded;  ///< of rigid bodies, all vertices but those of the frames; those
                                           ///< of collision meshes; ascending
    std::vector<EmbeddedVertex> carried;   ///< of these, those of collision meshes
    VecX sheet_damping;  ///< alpha m of the vertices of sheets and rods (kg/s), one entry a vertex; empty where none is
                         ///< damped
    CollisionSurface surface;
    std::vector<HalfSpace> half_spaces;
    BodyPairTable contact_pairs;  ///< pairs of bodies that may collide
    FrictionTable friction;
    Vec3 gravity = Vec3::Zero();  ///< m/s^2
    std::vector<PointLoad> point_loads;
    std::vector<BodyForce> body_forces;
    std::vector<Motion> motions;  ///< where two are active on one vertex, the later entry wins
    /// Told apart from every other world that lives: caches of a world hold on to it, so an address cannot be mistaken.
    std::shared_ptr<const char> identity;
    double diagonal = 0.0;           ///< diagonal of the initial bounding box of all deformable and rigid bodies (m)
    double length = 0.0;             ///< l: the largest contact length of a body (m)
    bool measured_by_scene = false;  ///< the contact length of every body is `diagonal`, as in the papers

    Index vertex_count() const { return static_cast<Index>(body_of_vertex.size()); }
    /// visit(group) for the groups of tets of either order.
    template <class Visit>
    void for_each_tet_group(const Visit& visit) const {
        for (const ElasticGroup& group : elastic) visit(group);
        for (const QuadraticGroup& group : quadratic) visit(group);
    }
    /// Row of the mass matrix, summed (kg).
    double row_mass(Index vertex) const { return mass_row_sums.size() > 0 ? mass_row_sums[vertex] : mass[vertex]; }
    /// Contact length of two bodies, that of the smaller one, as a part of `length`; 1 for two obstacles.
    double length_share(Index body_a, Index body_b) const;
    /// Contact length of every body as a part of `length`; empty where none has less.
    std::vector<double> length_shares() const;
    /// Mass of all vertices of a body (kg).
    double mass_of(const Body& body) const { return mass.segment(body.first_vertex, body.vertex_count()).sum(); }
    /// Sum of m l over the bodies that have a mass (kg m), l being their contact lengths.
    double mass_moment() const;
    const Body& body_at(Index vertex) const {
        return bodies[static_cast<std::size_t>(body_of_vertex[static_cast<std::size_t>(vertex)])];
    }
    /// Whether it goes where it is told: neither deformable nor rigid.
    bool is_obstacle(Index vertex) const { return body_at(vertex).is_obstacle(); }
    /// Whether the vertex has a mass of its own in the mass matrix; otherwise its inertia is in the matrices of
    /// elements or of its body's frame.
    bool has_lumped_inertia(Index vertex) const { return !consistent_mass && !is_rigid(vertex) && !is_carried(vertex); }
    /// Whether it belongs to a collision mesh.
    bool is_carried(Index vertex) const {
        const Body& body = body_at(vertex);
        return body.has_collision_mesh() && vertex - body.first_vertex >= body.first_carried;
    }
    bool is_rigid(Index vertex) const { return body_at(vertex).kind == BodyKind::rigid; }
};

/// M u for a stacked vector u: lumped or consistent as the world says; zero on obstacles. What belongs to a rigid body
/// is on the four vertices of its frame, exact for u that are affine in the body; zero on the others.
VecX mass_product(const World& world, const VecX& u);
/// u^T M u / 2 (J, of velocities).
double kinetic_energy(const World& world, const VecX& u);
/// Adds the forces (N, sign turned) of the mass damping of sheets and rods at velocities u (stacked): alpha m u.
void add_sheet_damping(const World& world, const VecX& u, VecX& out);
/// Energy of all tets, sheets and rods (J); +inf where an element of a barrier law is inverted or collapsed or a strain
/// limit is reached.
double elastic_energy(const World& world, const VecX& x);
/// Energy of all fillings (J) with these over-pressures (Pa), one a filling; +inf where one of a logarithmic law has no
/// volume left.
double filling_energy(const World& world, const VecX& x, const std::vector<double>& overpressure);
/// Adds the gradient of filling_energy(world, x, overpressure) (N), stacked.
void add_filling_gradient(const World& world, const VecX& x, const std::vector<double>& overpressure, VecX& sum);
/// Gradient of elastic_energy(world, x) (N), stacked.
/// @param marked  optional, of every vertex: what the others take from elements without a marked vertex may be left out
VecX elastic_gradient(const World& world, const VecX& x, const std::vector<char>& marked = {});

}  // namespace stiction
