// The shapes of an IPC script in their places, and what its animation does to them. Part of import_ipc_script.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/import/ipc_script_lines.hpp"
#include "stiction/scene/spec.hpp"

#include <algorithm>
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
    TransformSpec transform;
    std::vector<Vec3> x;                 ///< m, at t = 0, every vertex of the file
    bool kinematic = false;              ///< driven as a whole: becomes an obstacle
    std::vector<MotionSpec> motion;      ///< of a kinematic shape
    std::vector<BoundarySpec> boundary;  ///< of a deformable one
    std::vector<ForceSpec> forces;
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  ///< m/s, rad/s about the centre of the bounding box, at t = 0

    bool tets() const { return mesh->tets; }
};

/// A rigid motion as a script gives it.
struct IpcRigidMotion {
    Vec3 velocity = Vec3::Zero();  ///< m/s
    Vec3 spin = Vec3::Zero();      ///< degrees/s about x, y, z
};

/// A motion whose centre wanders has a keyframe for every step: at most this many.
inline constexpr int max_ipc_keyframes = 100000;

/// Everything that an animation may look at and change.
struct IpcStage {
    const IpcScript& script;
    const std::string& file;  ///< for messages
    std::vector<IpcActor> actors;
    double h = 0.0;
    int steps = 0;
    std::vector<std::pair<Vec3, Vec3>> mesh_obstacles;  ///< bounding boxes (m), for animations that wait for them
    std::vector<std::string>& without_effect;
    std::optional<double> known_until;  ///< s: the earliest time at which a motion that was cut to the script ends

    /// Notes that a motion is known up to a time (s) only.
    void know_until(double time) { known_until = std::min(known_until.value_or(time), time); }

    /// Bounding box of the vertices of all shapes (m); empty scene: both zero.
    std::pair<Vec3, Vec3> bounds() const;
    /// @throws InputError that names the line of `script`
    [[noreturn]] void refuse(const std::string& value, const std::string& expected) const;
    /// @throws InputError that names the line of a shape
    [[noreturn]] void refuse_shape(const IpcActor& actor, const std::string& keyword,
                                   const std::string& expected) const;
};

/// A rigid motion in steps of stage.h, as the reference code makes it: each step turns by Rx Ry Rz of the angles spin h
/// about the centre of the bounding box that the vertices have then, and shifts by velocity h. Where that centre
/// wanders against the body, keyframes follow it, so that the vertices are where the reference code has them at the end
/// of every step.
/// @param x    the vertices (m) when the motion begins, at t = 0 if there is a spin
/// @param end  when it ends (s), may be infinite; keyframes reach to the end of the script, which is noted in the stage
/// @throws InputError that names `keyword` and the line of the shape: keyframes for more steps than max_ipc_keyframes
MotionSpec ipc_rigid_motion(IpcStage& stage, const IpcActor& actor, const std::string& keyword,
                            const std::vector<Vec3>& x, const IpcRigidMotion& rigid, double end);

/// The animation `null`: shapes without tets and shapes with a velocity are kinematic; velocities, DBC and initVel
/// count.
void follow_ipc_extras(IpcStage& stage);

/// The accelerations (NBC) of the shape lines, which every animation leaves alone.
void load_ipc_boxes(IpcStage& stage);

/// Lists what the shape lines say about motion as without effect: animations other than `null` take no notice of it.
void note_overruled_ipc_extras(IpcStage& stage);

/// Whether the animation lifts all shapes by half the diagonal of their bounding box before anything else.
bool ipc_animation_lifts(const std::string& name);

/// Runs the animation of the script: fills motions, boundaries, forces and velocities of the actors.
/// @throws InputError for a name that is unknown or not reproduced, or shapes that it leaves without a motion
void animate_ipc_stage(IpcStage& stage);

}  // namespace stiction::scene
