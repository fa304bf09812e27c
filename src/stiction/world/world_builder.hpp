// Puts bodies together into a World.
#pragma once

#include "stiction/materials/material_law.hpp"
#include "stiction/materials/membrane_law.hpp"
#include "stiction/world/step.hpp"

#include <optional>

namespace stiction {

/// Linear elastic constants and damping of one deformable body.
struct BodyMaterial {
    MaterialLaw law = MaterialLaw::neo_hookean;
    double youngs_modulus = 1e5;     ///< Pa
    double poissons_ratio = 0.4;     ///< in (-1, 0.5)
    double density = 1000.0;         ///< kg/m^3
    double mass_damping = 0.0;       ///< Rayleigh alpha (1/s)
    double stiffness_damping = 0.0;  ///< Rayleigh beta (s)
    double extrapolate_below =
        0.0;  ///< volume ratio below which a barrier law is continued (materials/extrapolated.hpp); 0: nowhere
    std::vector<MaterialTerm> terms{};  ///< of the law `sum`, which then gives the moduli
};

/// The Lame parameters of linear elasticity that a solid has at rest (Pa).
LameParameters lame_of(const BodyMaterial& material);

/// How a sheet resists bending, see docs/physics/shells.md.
enum class BendingModel {
    none,
    hinge,      ///< by the angles between neighbouring triangles (fem/hinge_bending.hpp)
    isometric,  ///< quadratic, for sheets that are flat at rest and hardly stretch (fem/isometric_bending.hpp)
    laplacian,  ///< quadratic too, by the squared Laplacian of the positions (fem/laplacian_bending.hpp)
};
/// Names used in scenes, in the order of the enumeration.
const std::vector<std::string>& bending_model_names();

/// What a thin sheet is made of.
struct ShellMaterial {
    MembraneLaw law = MembraneLaw::neo_hookean;
    double youngs_modulus = 1e5;  ///< Pa
    double poissons_ratio = 0.4;  ///< in (-1, 0.5)
    double thickness = 1e-3;      ///< m
    double areal_density = 1.0;   ///< kg/m^2
    BendingModel bending = BendingModel::hinge;
    std::optional<double> bending_stiffness{};      ///< N m; absent: E t^3 / (12 (1 - nu^2))
    RestAngles rest_angles = RestAngles::as_given;  ///< of `hinge`
    double mass_damping = 0.0;                      ///< Rayleigh alpha (1/s)
    StrainLimit strain_limit{};                     ///< off by default
};

/// Triangles of a sheet (ids in its mesh) that are of another material. `bending` and `rest_angles` have to be those of
/// the sheet.
struct ShellPart {
    std::vector<Index> triangles;
    ShellMaterial material;
};

/// What a rod of circular cross-section is made of, see docs/physics/rods.md.
struct RodMaterial {
    double youngs_modulus = 1e5;                   ///< E, Pa
    double radius = 1e-3;                          ///< r of the cross-section, m
    double linear_density = 1e-3;                  ///< kg/m
    std::optional<double> stretching_stiffness{};  ///< N; absent: EA = E pi r^2
    std::optional<double> bending_stiffness{};     ///< N m^2; absent: EI = E pi r^4 / 4
    RodRestShape rest_shape = RodRestShape::as_given;
    double mass_damping = 0.0;  ///< Rayleigh alpha (1/s)
};
/// pi r^2 (m^2).
double cross_section(const RodMaterial& material);
/// EA (N), given or of the cross-section.
double stretching_stiffness(const RodMaterial& material);
/// EI (N m^2), given or of the cross-section.
double bending_stiffness(const RodMaterial& material);

/// Which closed region of a body is filled.
enum class FilledPart {
    tets,     ///< the union of a solid's tets
    surface,  ///< the inside of a closed sheet, or of a solid's whole surface
    cavity,   ///< each cavity of a hollow solid
};
/// Names used in scenes, in the order of the enumeration.
const std::vector<std::string>& filled_part_names();

/// Parts of an edge of a quadratic tet's face in contact: pressure on fewer is not carried evenly
/// (docs/physics/elasticity.md).
inline constexpr int default_proxy_subdivisions = 4;

/// Collects bodies and schedules, then compiles them. Ids are returned in order of addition, starting at 0.
class WorldBuilder {
public:
    /// A body of tets. `rest` gives the stress-free shape; `mesh.vertices` the initial positions (equal length; empty =
    /// same). Tets must be positive in both. Throws InputError naming `name` and the element otherwise; build() for an
    /// `extrapolate_below` that does not go with the law (check_extrapolation()).
    /// A mesh with mid nodes makes quadratic tets, curved where mid nodes are. A proxy collides in place of their
    /// faces: each is cut into proxy_subdivisions squared flat triangles (collision_proxy()); 0: set_collision_mesh()
    /// follows.
    Index add_deformable(const std::string& name, Mesh mesh, const BodyMaterial& material,
                         const Vec3& velocity = Vec3::Zero(), const Vec3& angular_velocity = Vec3::Zero(),
                         std::vector<Vec3> rest = {}, int proxy_subdivisions = default_proxy_subdivisions);
    /// Another material for some tets of a body of tets (`tets`: ids in its mesh); where two calls name a tet the later
    /// one counts.
    void set_material(Index body, const std::vector<Index>& tets, const BodyMaterial& material);
    /// Lets another surface of triangles collide in place of the boundary of a body of tets, which has to be the last
    /// one added so far. Its vertices hang in the tets at rest (hang_in_tets()) and have no mass; they follow those of
    /// the body. Throws InputError naming the body for a surface without triangles, with edges or points, with a
    /// triangle twice, or too far outside of the tets.
    void set_collision_mesh(Index body, const Mesh& surface);
    /// A thin sheet of triangles, both sides of which collide. `rest` gives the unstretched shape, and the unbent one
    /// unless the material says flat; empty = mesh.vertices. Throws InputError naming `name` and the element for
    /// degenerate or repeated triangles, vertices of no triangle, edges of three triangles (unless nothing bends), and
    /// moduli or a thickness that make no sheet. `parts` are of other materials; where two name a triangle the later
    /// one counts. An edge or, with `laplacian`, a vertex between materials bends as the softest one does.
    Index add_shell(const std::string& name, Mesh mesh, const ShellMaterial& material,
                    const Vec3& velocity = Vec3::Zero(), const Vec3& angular_velocity = Vec3::Zero(),
                    const std::vector<Vec3>& rest = {}, const std::vector<ShellPart>& parts = {});
    /// A thin rod of bare edges, which collide. `mesh.vertices` give the unstretched shape, and the unbent one unless
    /// the material says straight. Throws InputError naming `name` and the element for edges without length, repeated
    /// or folded onto each other, vertices of no edge, anything beside edges, and numbers that make no rod.
    Index add_rod(const std::string& name, Mesh mesh, const RodMaterial& material, const Vec3& velocity = Vec3::Zero(),
                  const Vec3& angular_velocity = Vec3::Zero());
    /// Fills a region of a deformable body; its rest volume is that of the body's rest shape. `law.overpressure` is
    /// ignored in favour of `keys` (rising times; empty: the law's own at all times). `exact_matrix`: see FilledRegion.
    /// Throws InputError naming the body when the region is not there, not closed or inside out, and for numbers that
    /// make no law.
    void add_filling(Index body, FilledPart part, const VolumeLaw& law, std::vector<PressureKey> keys = {},
                     bool exact_matrix = true);
    /// A rigid body: a mesh of tets, whose surface collides, or of triangles that enclose it. Mass properties are those
    /// of the mesh with this density (kg/m^3). Throws InputError naming `name` for open or inverted meshes, and for
    /// triangles, edges or points beside tets' faces and closed surfaces. `rigidity` (Pa, > 0): kappa of the energy
    /// kappa volume |A^T A - I|^2 that holds the shape where a method has affine bodies in place of rigid ones. Only
    /// deformable bodies and obstacles can be driven: build() throws InputError for motions of its vertices.
    Index add_rigid(const std::string& name, Mesh mesh, double density, const Vec3& velocity = Vec3::Zero(),
                    const Vec3& angular_velocity = Vec3::Zero(), double rigidity = standard_rigidity);
    /// An obstacle: triangles, bare edges and bare points collide; tets contribute their surface. Fixed unless a motion
    /// says otherwise.
    Index add_obstacle(const std::string& name, Mesh mesh);
    /// The plane through `origin` with unit normal `normal` pointing to the allowed side.
    Index add_half_space(const std::string& name, const Vec3& origin, const Vec3& normal);

    /// First global vertex of a body.
    Index first_vertex(Index body) const { return world_.bodies.at(static_cast<std::size_t>(body)).first_vertex; }
    const Body& body(Index index) const { return world_.bodies.at(static_cast<std::size_t>(index)); }
    Index body_count() const { return static_cast<Index>(world_.bodies.size()); }

    /// Thickness of the body's surface in contact (m): half of it on either side. Throws InputError unless it is finite
    /// and >= 0.
    void set_contact_thickness(Index body, double thickness);
    void add_motion(Motion motion) { world_.motions.push_back(std::move(motion)); }
    void add_point_load(PointLoad load) { world_.point_loads.push_back(std::move(load)); }
    void add_body_force(BodyForce force) { world_.body_forces.push_back(std::move(force)); }
    void set_gravity(const Vec3& gravity) { world_.gravity = gravity; }
    void set_consistent_mass(bool consistent) { world_.consistent_mass = consistent; }
    /// Contact lengths of all bodies are the diagonal of the scene, in place of each body's own.
    void measure_by_scene() { world_.measured_by_scene = true; }
    /// Static and kinetic coefficient for every pair that has no entry of its own; 0 <= kinetic <= static.
    void set_default_friction(double coefficient, double kinetic) { default_friction_ = {0, 0, coefficient, kinetic}; }
    void set_default_friction(double coefficient) { set_default_friction(coefficient, coefficient); }
    void set_friction(Index a, Index b, double coefficient, double kinetic) {
        friction_.push_back({a, b, coefficient, kinetic});
    }
    void set_friction(Index a, Index b, double coefficient) { set_friction(a, b, coefficient, coefficient); }
    /// Switches a pair of bodies (or self-contact: a == b) on or off. Obstacles never collide with obstacles, rigid
    /// bodies never with themselves.
    void set_contact(Index a, Index b, bool allowed) { contact_.push_back({a, b, allowed}); }

    /// The finished world and its state at t = 0. The builder is spent afterwards.
    std::pair<World, State> build();

private:
    struct Deformable {
        Index body;
        std::optional<BodyMaterial> material;  ///< absent: a sheet or rod, whose energies are in the world already
        Vec3 velocity, angular_velocity;
        std::vector<Vec3> rest;
        std::vector<BodyMaterial> parts{};   ///< further materials
        std::vector<std::size_t> part_of{};  ///< of each tet: 0 = `material`, k = parts[k - 1]; empty: all 0
        bool has_proxy = false;              ///< whether what collides was made of the faces of its quadratic tets
    };
    struct RigidStart {
        Vec3 velocity, angular_velocity;
        std::vector<double> vertex_mass;  ///< kg
    };
    struct PairFriction {
        Index a, b;
        double coefficient, kinetic;
        double kinetic_ratio() const { return coefficient > 0.0 ? kinetic / coefficient : 1.0; }
    };
    struct PairContact {
        Index a, b;
        bool allowed;
    };
    Index add_body(Body body);
    void add_membrane(const Body& body, Index index, const ShellMaterial& material, const std::vector<Index>& triangles,
                      const std::vector<Vec3>& rest);
    void add_laplacian_bending(const Body& body, Index index, const std::vector<ShellMaterial>& materials,
                               const std::vector<std::size_t>& material_of, const std::vector<Vec3>& rest);
    SheetGroup& quadratic_bending();
    void add_bending(const Body& body, Index index, const ShellMaterial& material, const std::vector<Tet>& hinges,
                     const std::vector<Vec3>& rest);
    void add_rod_terms(const Body& body, Index index, const RodMaterial& material);
    void build_elasticity();
    /// Appends the frames of rigid bodies to the elastic groups.
    void build_frames();
    /// Rigid bodies and collision meshes cannot be driven.
    void check_motions() const;
    /// Lets a surface collide whose vertices hang on those of the body that was added last.
    void hang_surface(Index index, const std::vector<EmbeddedVertex>& hung, const std::vector<Triangle>& triangles);
    /// The tets of a part of a body, to the group of their law.
    template <class Group, class Element>
    void add_tets(const Deformable& entry, std::size_t part, const std::vector<Element>& all,
                  std::vector<Group>& groups);
    void build_tets(std::vector<double>& mass);
    void build_row_masses();
    void build_surface();
    void build_contact_lengths();
    void build_tables();

    World world_;
    std::vector<Deformable> deformables_;
    std::vector<RigidStart> rigid_starts_;  ///< one for each of world_.rigid_bodies
    std::vector<double> sheet_mass_,
        sheet_damping_;  ///< kg, kg/s: one a vertex, up to the last vertex of the last sheet or rod
    std::vector<PairFriction> friction_;
    std::vector<PairContact> contact_;
    PairFriction default_friction_{0, 0, 0.0, 0.0};
};

}  // namespace stiction
