// The shapes of an IPC script in their places, and what its animation does to them. Part of import_ipc_script.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/import/ipc_script_keywords.hpp"
#include "stiction/scene/import/ipc_script_lines.hpp"
#include "stiction/scene/spec.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stiction::scene {

/// A mesh file that shapes use, as it is in the file.
struct IpcMesh {
    Mesh mesh;
    std::vector<char> used;     ///< whether an element uses the vertex
    std::vector<char> surface;  ///< whether the vertex lies on the surface
    std::string path;           ///< relative to the scene's directory
    std::string use;            ///< value of ObstacleSpec::use
    bool tets = false;
};

/// One shape in its place.
struct IpcActor {
    const IpcShape* shape = nullptr;
    std::shared_ptr<const IpcMesh> mesh;
    TransformSpec transform;             ///< file -> rest
    std::vector<Vec3> rest;              ///< m, every vertex of the file
    std::vector<Vec3> x;                 ///< m, at t = 0
    std::optional<StartSpec> start;      ///< rest -> x, where they differ
    bool kinematic = false;              ///< driven as a whole: becomes an obstacle
    std::vector<MotionSpec> motion;      ///< of a kinematic shape
    std::vector<std::string> sequence;   ///< of a kinematic shape: mesh files that it goes to, one a step
    std::vector<BoundarySpec> boundary;  ///< of a deformable one
    std::vector<ForceSpec> forces;
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  ///< m/s, rad/s about the centre of the bounding box, at t = 0
    std::vector<Vec3> velocities;                       ///< m/s, in their place: one a vertex of the file, or none

    bool tets() const { return mesh->tets; }
    /// `velocities`, made from `velocity` where there are none yet.
    std::vector<Vec3>& own_velocities();
};

/// A rigid motion as a script gives it.
struct IpcRigidMotion {
    Vec3 velocity = Vec3::Zero();  ///< m/s
    Vec3 spin = Vec3::Zero();      ///< degrees/s about x, y, z
};

/// A mesh obstacle (meshCO) in its place.
struct IpcMeshPlace {
    Vec3 low, high;  ///< bounding box (m)
    Vec3 position;   ///< m, of the mean of its vertices
    double size;     ///< m, largest extent before the turn
    std::optional<MotionSpec> motion;
};

/// A plane and its motion.
struct IpcPlanePlace {
    Vec3 position;  ///< m
    std::optional<MotionSpec> motion;
};

/// Everything that an animation may look at and change.
struct IpcStage {
    IpcScript& script;
    const std::string& file;  ///< for messages
    double h = 0.0;
    int steps = 0;
    std::vector<IpcActor> actors{};
    std::vector<IpcMeshPlace> mesh_obstacles{};
    std::vector<IpcPlanePlace> planes{};
    std::optional<double> known_until{};  ///< s: the earliest time at which a motion that was cut to the script ends
    /// The mesh files FOLDER/k.EXTENSION for k = first, first + 1, ... as far as they go, as paths of the scene.
    std::function<std::vector<std::string>(const std::string& folder, const std::string& extension, int first)>
        frames{};

    /// Notes that a motion is known up to a time (s) only.
    void know_until(double time) { known_until = std::min(known_until.value_or(time), time); }
    /// Notes something that the animation does otherwise than there.
    void note(const std::string& text) const;

    /// Bounding box of the vertices of all shapes at t = 0 (m); empty scene: both zero.
    std::pair<Vec3, Vec3> bounds() const;
    /// The same at rest.
    std::pair<Vec3, Vec3> rest_bounds() const;
    /// Maps where all shapes start: x -> matrix x + shift.
    void map_start(const Mat3& matrix, const Vec3& shift);
    /// @throws InputError that names the line of `script`
    [[noreturn]] void refuse(const std::string& value, const std::string& expected) const;
    /// @throws InputError that names the line of a shape
    [[noreturn]] void refuse_shape(const IpcActor& actor, const std::string& keyword,
                                   const std::string& expected) const;
};

/// The animation `null`: shapes without tets and shapes with a velocity are kinematic; velocities, DBC and initVel
/// count.
void follow_ipc_extras(IpcStage& stage);

/// The accelerations (NBC) of the shape lines, which every animation leaves alone.
void load_ipc_boxes(IpcStage& stage);

/// Lists what the shape lines say about motion as without effect: animations other than `null` take no notice of it.
void note_overruled_ipc_extras(IpcStage& stage);

/// Lets a shape go to mesh files, one a step, the first of which has the number `first`.
/// @throws InputError that names `keyword` when there is none
void follow_ipc_frames(IpcStage& stage, IpcActor& actor, const std::string& folder, int first,
                       const std::string& keyword);

/// How far the animation lifts all shapes (m), which have this bounding box, before anything else.
double ipc_animation_lift(const std::string& name, const Vec3& low, const Vec3& high);

/// One animation by name.
struct IpcAnimation {
    IpcKeyword entry;
    void (*run)(IpcStage&);
    const char* note = nullptr;  ///< what is done otherwise here than there
};

/// The parts of the list of animations.
const std::vector<IpcAnimation>& ipc_free_animations();      ///< start velocities and start shapes
const std::vector<IpcAnimation>& ipc_held_animations();      ///< vertices of deformable shapes that are held
const std::vector<IpcAnimation>& ipc_driven_animations();    ///< vertices of deformable shapes that are driven
const std::vector<IpcAnimation>& ipc_obstacle_animations();  ///< planes, mesh obstacles and kinematic shapes

/// All animations, for the page.
const std::vector<IpcKeyword>& ipc_animation_list();

/// Runs the animation of the script: fills motions, boundaries, forces and velocities of the actors.
/// @throws InputError for a name that is unknown, or shapes that it leaves without a motion
void animate_ipc_stage(IpcStage& stage);

/// Puts the shapes where a status file of the reference code says, after everything else was set up.
/// @return  number of the step that it was written at
/// @throws InputError that names the script's line, the file and its line, when anything in it is not as announced
int restart_ipc_stage(IpcStage& stage, const std::filesystem::path& file);

}  // namespace stiction::scene
