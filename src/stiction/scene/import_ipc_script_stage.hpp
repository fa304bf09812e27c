// The shapes of an IPC script in their places, and what its animation does to them. Part of import_ipc_script.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/import_ipc_script_lines.hpp"
#include "stiction/scene/spec.hpp"

#include <functional>
#include <memory>
#include <set>
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
    std::vector<Vec3> x;     ///< m, at t = 0, every vertex of the file
    bool kinematic = false;  ///< driven as a whole: becomes an obstacle
    std::vector<MotionSpec> motion;      ///< of a kinematic shape
    std::vector<BoundarySpec> boundary;  ///< of a deformable one
    std::vector<ForceSpec> forces;
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  ///< m/s, rad/s about the centre of the bounding box, at t = 0

    bool tets() const { return mesh->tets; }
};

/// Everything that an animation may look at and change.
struct IpcStage {
    const IpcScript& script;
    const std::string& file;  ///< for messages
    std::vector<IpcActor> actors;
    double h = 0.0;
    int steps = 0;
    std::vector<std::pair<Vec3, Vec3>> mesh_obstacles;  ///< bounding boxes (m), for animations that wait for them
    std::vector<std::string>& without_effect;

    /// Bounding box of the vertices of all shapes (m); empty scene: both zero.
    std::pair<Vec3, Vec3> bounds() const;
    /// @throws InputError that names the line of `script`
    [[noreturn]] void refuse(const std::string& value, const std::string& expected) const;
    /// @throws InputError that names the line of a shape
    [[noreturn]] void refuse_shape(const IpcActor& actor, const std::string& keyword, const std::string& expected) const;
};

/// A rigid motion in steps of h, as the reference code makes it: each step turns by Rx Ry Rz of the angles spin h about
/// the centre of the bounding box that the vertices have then, and shifts by velocity h. Where that centre wanders
/// against the body, keyframes follow it, so that the vertices are where the reference code has them at the end of every step.
/// @param x  the vertices (m) when the motion begins  @param spin  degrees/s  @param steps  of the run
MotionSpec ipc_rigid_motion(const std::vector<Vec3>& x, const Vec3& velocity, const Vec3& spin, double h, int steps);

/// The animation `null`: shapes without tets and shapes with a velocity are kinematic; velocities, DBC and initVel count.
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
