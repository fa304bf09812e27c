// What the user asked for: a plain value in SI units, validated and complete. Knows no solver.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/materials/volume_law.hpp"
#include "stiction/mesh/mesh.hpp"
#include "stiction/methods/implicit/options.hpp"
#include "stiction/methods/ipc/options.hpp"
#include "stiction/methods/local_global/options.hpp"
#include "stiction/methods/mlcp/options.hpp"
#include "stiction/report/verdict_limits.hpp"
#include "stiction/world/rigid_body.hpp"
#include "stiction/world/trajectory.hpp"

#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The JSON key of every member, with unit, default, range and meaning, is listed once, in scene/spec_fields.hpp.

namespace stiction {

/// Number of steps of size h (s) that reaches time `end` (s): the smallest n with n h >= end, but for rounding.
int steps_until(double end, double h);

/// Where a scene was read from: for messages, and for mesh paths, which are relative to `directory`.
struct SceneOrigin {
    std::string file;                 ///< path as the user gave it; may be empty
    std::filesystem::path directory;  ///< folder that relative paths start from
    /// Meshes in memory, by the path that the scene gives them: no file of such a path is opened.
    std::map<std::string, std::shared_ptr<const Mesh>> meshes{};
};

struct TimeSpec {
    double step = 0.01;  ///< s
    int steps = 100;
    std::string integrator = "backward_euler";  ///< see Integrator in dynamics/stage.hpp
    int max_substeps = 64;  ///< most pieces that one step may be cut into when it fails; 1 = never cut
};

struct PairSpec {
    std::array<std::string, 2> bodies;  ///< names; equal names mean self-contact
    std::optional<double> friction;     ///< absent: the scene's default
    bool enabled = true;
    std::optional<double> kinetic_friction{};  ///< absent: as `friction`
};

struct ContactSpec {
    double friction = 0.0;
    std::optional<double> kinetic_friction{};  ///< absent: as `friction`
    bool self_contact = true;
    std::string lengths = "body";  ///< what shares are of: each body's own size, or that of the "scene"
    std::vector<PairSpec> pairs;
};

/// A mesh from a file or from a generator; exactly one of `file` and `generate` is set.
struct MeshSpec {
    std::optional<std::string> file;      ///< relative to the scene's directory, or absolute
    int refinements = 0;                  ///< times that every edge is halved (mesh/refine.hpp)
    std::optional<std::string> generate;  ///< name of a generator (mesh/generate.hpp); it ignores those of the values
                                          ///< below that it has no use for
    double radius = 0.5;        ///< m: ball, hollow_ball and tire (outside), cylinder, tube, capsule, icosphere
    double height = 1.0;        ///< m: cylinder, tube; capsule without its ends
    double length = 1.0;        ///< m: rod
    double width = 0.1;         ///< m: rod
    double tire_width = 0.4;    ///< m: tire
    double rim_radius = 0.25;   ///< m: tire
    double major_radius = 0.4;  ///< m: torus, ring
    double minor_radius = 0.1;  ///< m: torus, ring
    Vec3 size = Vec3::Ones();   ///< m: box
    std::array<double, 2> extent{1.0, 1.0};  ///< m: cloth along x and z
    std::optional<double> edge_length;  ///< m: all but icosphere and those below; set unless `cells` or `vertices` is
    std::optional<std::array<int, 3>> cells;  ///< box
    std::string diagonals = "parallel";       ///< box: see Diagonals in mesh/generate.hpp
    std::optional<int> vertices;              ///< ball: about this many
    int subdivisions = 3;                     ///< icosphere
    double thickness = 0.05;                  ///< m: hollow_ball, of its wall
    int divisions = 4;                        ///< hollow_ball: of the edges of an icosahedron; capsule: of its radius
    int layers = 1;                           ///< hollow_ball: of tets across the wall
    int capsule_layers = 8;                   ///< capsule: of tets along the cylinder
    int around = 48;                          ///< tube, tire: vertices in a row
    int along = 24;                           ///< tube: rows of triangles
    int segments = 18;                        ///< ring: along its circle
    int sides = 4;                            ///< ring: of its cross-section
    int across = 24;                          ///< tire: rows around the profile, about
    std::vector<Vec3> points{Vec3(-0.5, 0.0, 0.0), Vec3(0.5, 0.0, 0.0)};  ///< m: polyline
    bool closed = false;                                                  ///< polyline: back to its first point
};

/// A turn: about x, then y, then z by Euler angles, or about one axis. Degrees.
struct RotationSpec {
    std::optional<Vec3> euler;
    std::optional<Vec3> axis;
    std::optional<double> angle;
};

/// Applied in this order: centre, scale (or dimensions), rotation, translation.
struct TransformSpec {
    bool center = false;             ///< first moves the centre of the bounding box to the origin
    std::optional<Vec3> scale;       ///< absent: 1
    std::optional<Vec3> dimensions;  ///< extents of the bounding box before the rotation (m), in place of `scale`
    RotationSpec rotation;
    Vec3 translation = Vec3::Zero();  ///< m
};

/// One energy of the law `sum`, see TermKind in materials/hyperelastic_sum.hpp.
struct TermSpec {
    std::string kind;
    std::optional<double> coefficient;     ///< c, Pa; of the powers and volume energies
    std::optional<double> exponent;        ///< m, of the powers
    std::optional<double> youngs_modulus;  ///< Pa, of the laws
    std::optional<double> poissons_ratio;  ///< of the laws
};

struct MaterialSpec {
    std::string law = "neo_hookean";
    std::vector<TermSpec> terms{};  ///< of the law `sum`, which has no use for the moduli
    double youngs_modulus = 1e5;    ///< Pa
    double poissons_ratio = 0.4;
    double density = 1000.0;                  ///< kg/m^3
    double mass_damping = 0.0;                ///< 1/s
    double stiffness_damping = 0.0;           ///< s
    std::optional<double> extrapolate_below;  ///< volume ratio; absent: the law as it is
};

/// A barrier that keeps the principal stretches of a sheet below a limit.
struct StrainLimitSpec {
    double limit = 1.1;               ///< stretch that is never reached
    std::optional<double> start;      ///< stretch from which it is felt; absent: half way from 1 to `limit`
    std::optional<double> stiffness;  ///< Pa; absent: Young's modulus
};

/// What makes a body a thin sheet of triangles, beside its material.
struct ShellSpec {
    double thickness = 1e-3;                  ///< m
    std::optional<double> areal_density;      ///< kg/m^2; absent: density times thickness
    std::string bending = "hinge";            ///< see BendingModel in world/world_builder.hpp
    std::optional<double> bending_stiffness;  ///< N m; absent: E t^3 / (12 (1 - nu^2))
    std::string rest_angles = "as_given";     ///< "as_given" or "flat"
    std::optional<StrainLimitSpec> strain_limit;
};

/// What makes a body a thin rod of bare edges, beside its material.
struct RodSpec {
    double radius = 1e-3;                        ///< m
    std::optional<double> linear_density;        ///< kg/m; absent: density times pi radius^2
    std::optional<double> stretching_stiffness;  ///< N; absent: EA
    std::optional<double> bending_stiffness;     ///< N m^2; absent: EI
    std::string rest_shape = "as_given";         ///< "as_given" or "straight"
};

/// What makes a body rigid, beside the density of its material.
struct RigidSpec {
    double rigidity = standard_rigidity;  ///< Pa
};

/// Gas or liquid in a closed region of a body.
struct VolumeSpec {
    std::string law = "ideal_gas";
    std::optional<std::string>
        region;  ///< "tets", "surface" or "cavity"; absent: "surface" of a shell, "cavity" of a solid
    double compressibility = 1.0 / standard_atmosphere;  ///< 1/Pa
    double atmospheric_pressure = standard_atmosphere;   ///< Pa
    double pressure_at_rest_volume = 0.0;                ///< Pa, gauge; of all laws but regulator
    std::optional<double> pressure;                      ///< Pa, gauge; of regulator
    std::optional<std::vector<std::array<double, 2>>>
        inflation;  ///< (time (s), over-pressure (Pa)); absent: one of the two above at all times
    bool exact_matrix = true;
};

struct BoxSelection {
    Vec3 min = Vec3::Zero();
    Vec3 max = Vec3::Zero();
    bool relative = false;  ///< coordinates are fractions of the body's bounding box
};

struct SphereSelection {
    Vec3 center = Vec3::Zero();
    double radius = 0.0;
};

struct HalfSpaceSpec {
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3::UnitY();
};

/// Vertices of one body, by their positions at t = 0 or by id. Exactly one way is set.
struct SelectionSpec {
    bool all = false;
    std::optional<BoxSelection> box;
    std::optional<SphereSelection> sphere;
    std::optional<HalfSpaceSpec> half_space;  ///< the side that the normal points to
    std::optional<int> surface_id;
    std::optional<std::vector<Index>> vertices;
    std::optional<std::string> file;  ///< text file of vertex ids
};

struct MoveSpec {
    std::optional<Vec3> velocity;                       ///< m/s
    std::optional<std::vector<Keyframe>> keyframes;     ///< displacement (m) from where the motion began
    std::optional<std::array<std::string, 3>> formula;  ///< displacement (m) from the position at t = 0
};

struct RotateSpec {
    Vec3 axis = Vec3::UnitY();
    std::optional<Vec3> center;     ///< m; absent: centre of the body's bounding box at t = 0
    double angular_velocity = 0.0;  ///< rad/s
};

/// A rigid motion from where the vertices are, step by step: see TwistTrajectory.
struct TwistSpec {
    Vec3 velocity = Vec3::Zero();          ///< m/s
    Vec3 angular_velocity = Vec3::Zero();  ///< rad/s about x, y, z
};

/// How vertices are driven while begin <= t < end.
struct MotionSpec {
    std::optional<SelectionSpec> select{};  ///< of an obstacle: which vertices; absent: all. A body's is BoundarySpec's
    bool fix = false;
    std::optional<MoveSpec> move;
    std::optional<RotateSpec> rotate;
    std::optional<TwistSpec> twist{};
    bool commanded = false;
    std::string axes = "xyz";
    double begin = 0.0;                           ///< s
    std::optional<double> end;                    ///< s; absent: never
    std::optional<HalfSpaceSpec> until_beyond{};  ///< ends when all bodies are where the normal points
};

struct BoundarySpec {
    SelectionSpec select;
    MotionSpec motion;
};

/// Exactly one of the three vectors is set.
struct ForceSpec {
    std::optional<SelectionSpec> select;  ///< absent: every vertex
    std::optional<Vec3> force;            ///< N on each selected vertex
    std::optional<Vec3> total_force;      ///< N, shared equally by the selected vertices
    std::optional<Vec3> acceleration;     ///< m/s^2
    double begin = 0.0;
    std::optional<double> end;
};

/// A part of a body with a material of its own.
struct PartSpec {
    SelectionSpec select;  ///< the tets (triangles of a shell) with all vertices selected
    MaterialSpec material;
    std::optional<ShellSpec> shell{};  ///< of a shell; absent: as the body's
};

/// Where vertices are at t = 0, and how fast, if not as placed. Lists have one entry a vertex of the mesh file.
struct StartSpec {
    std::optional<std::array<Vec3, 3>> matrix{};    ///< rows: x = matrix placed + translation
    Vec3 translation = Vec3::Zero();                ///< m
    std::optional<std::vector<Vec3>> positions{};   ///< m, in place of `matrix` and `translation`
    std::optional<std::vector<Vec3>> velocities{};  ///< m/s, in place of the body's
};

struct BodySpec {
    std::string name;
    MeshSpec mesh;
    TransformSpec transform;
    std::optional<StartSpec> start{};  ///< absent: as placed
    MaterialSpec material;
    std::optional<int> order{};                ///< of a solid's tets: 1 linear, 2 quadratic; absent: that of the mesh
    int proxy_subdivisions = 4;                ///< of order 2: parts of an edge of each face in contact
    std::optional<MeshSpec> collision_mesh{};  ///< of a solid: collides in place of the boundary of its tets
    std::vector<PartSpec> parts;               ///< where two hold an element the later one counts
    std::optional<ShellSpec> shell;            ///< set: a sheet of triangles; absent: a solid of tets
    std::optional<RodSpec> rod{};              ///< set: a rod of bare edges
    std::optional<RigidSpec> rigid;            ///< set: rigid, of tets or of triangles that enclose it
    std::optional<VolumeSpec> volume;
    double contact_thickness = 0.0;        ///< m, half of it on either side of the surface
    Vec3 velocity = Vec3::Zero();          ///< m/s
    Vec3 angular_velocity = Vec3::Zero();  ///< rad/s about the centre of mass
    std::vector<BoundarySpec> boundary;
    std::vector<ForceSpec> forces;
};

struct SequenceSpec {
    std::optional<std::string> folder;  ///< every mesh file in it, in the natural order of the names
    std::optional<std::vector<std::string>> files;
    double interval = 0.04;  ///< s between frames
    double start = 0.0;      ///< time of the first frame (s)
};

/// Exactly one of mesh, half_space and sequence is set, or the first and the last: then the mesh is where the sequence
/// comes from, and the transform is the mesh's alone.
struct ObstacleSpec {
    std::string name;
    std::optional<MeshSpec> mesh;
    std::optional<HalfSpaceSpec> half_space;
    std::optional<SequenceSpec> sequence;
    std::string use = "surface";  ///< "surface", "triangles", "edges" or "points"
    TransformSpec transform;
    std::optional<StartSpec> start{};  ///< of a mesh; absent: as placed
    double contact_thickness = 0.0;    ///< m, half of it on either side of the surface
    std::vector<MotionSpec> motion;
};

struct OutputSpec {
    int every = 1;  ///< steps between frames
    std::vector<std::string> fields{"displacement",  "velocity", "contact_force", "friction_force",
                                    "contact_state", "body",     "stress"};
    bool obj = false;
    bool ply = false;
    int checkpoint_every = 10;         ///< steps; 0: none by their number
    double checkpoint_seconds = 30.0;  ///< of wall time; 0: none by time
};

/// Where a scene came from that was written for another program.
struct ImportSpec {
    std::string format;                       ///< "polyfem" or "ipc_script"
    std::vector<std::string> without_effect;  ///< its keys that say nothing about the physics here
    double known_until = 0.0;                 ///< s: its motions are not known beyond; 0: they are for ever
    std::vector<std::string> notes{};         ///< what is done otherwise here than there
};

/// A whole scene. operator== is in scene/resolve.hpp.
struct SceneSpec {
    SceneOrigin origin;
    std::string title;
    std::string method = "ipc";
    TimeSpec time;
    Vec3 gravity{0.0, -9.81, 0.0};  ///< m/s^2, y is up
    std::string mass = "lumped";
    ContactSpec contact;
    std::vector<BodySpec> bodies;
    std::vector<ObstacleSpec> obstacles;
    OutputSpec output;
    std::string audit = "frame";  ///< "off", "frame" or "step"
    VerdictLimits verdict;
    stiction::ipc::Options ipc;
    stiction::implicit::Options implicit;
    stiction::mlcp::Options mlcp;
    stiction::local_global::Options local_global;
    std::optional<ImportSpec> imported;
};

}  // namespace stiction
