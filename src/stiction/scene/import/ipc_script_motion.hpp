// Motions of animations, and the vertices that they hold. Part of import_ipc_script.
#pragma once

#include "stiction/scene/import/ipc_script_stage.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace stiction::scene {

/// One vertex of a shape, where it is at rest and at the start (m).
struct IpcVertex {
    const Vec3& rest;
    const Vec3& x;
};
using IpcVertexTest = std::function<bool(const IpcVertex&)>;

MotionSpec hold_ipc();
/// A constant velocity (m/s); zero holds.
MotionSpec move_ipc(const Vec3& velocity);
/// A turn about a fixed centre (m). @param angular_velocity  rad/s
MotionSpec turn_ipc(const Vec3& axis, const Vec3& center, double angular_velocity);

/// The same motion the other way: displacements and velocities are negative.
MotionSpec mirrored_ipc(MotionSpec motion);

/// Changes the velocity v (m/s) of a group before a step moves it, as the reference code does, by where a watched
/// vertex is then. @return whether v stays as it is from now on
using IpcSwitch = std::function<bool(const Vec3& x, Vec3& v)>;

/// The motion of a group whose velocity a switch changes. Keyframes stand where it changes. A motion that settles is
/// followed until it does, also beyond the end of the script, which a run may go past. Of one that goes to and fro the
/// stage notes how far it is known.
/// @param x  the watched vertex at the start (m)   @param v  the velocity that it starts with (m/s)
MotionSpec switched_ipc_motion(IpcStage& stage, Vec3 x, Vec3 v, const IpcSwitch& decide);

/// How many steps start while `goes_on(n)` holds: also beyond the end of the script. Nothing when it is more than there
/// is time to count; the stage then notes how far that is known.
std::optional<int> ipc_steps_while(IpcStage& stage, const std::function<bool(int n)>& goes_on);

/// The vertices of deformable shapes in groups: each is in the first whose test it passes. Vertices that no element
/// uses are in none.
class IpcGroups {
public:
    IpcGroups(const IpcStage& stage, const std::vector<IpcVertexTest>& tests);

    /// Where the first and the last vertex of a group start, in the order of shapes and files; nothing when it is
    /// empty.
    std::optional<Vec3> first(std::size_t group) const;
    std::optional<Vec3> last(std::size_t group) const;
    /// Drives a group.
    void drive(IpcStage& stage, std::size_t group, const MotionSpec& motion) const;
    /// Drives the vertex with the lowest or highest number alone.
    void drive_first(IpcStage& stage, std::size_t group, const MotionSpec& motion) const;
    void drive_last(IpcStage& stage, std::size_t group, const MotionSpec& motion) const;
    /// Accelerates a group (m/s^2).
    void accelerate(IpcStage& stage, std::size_t group, const Vec3& acceleration) const;
    /// Calls f(actor, ids in its file) for every shape with vertices in the group.
    void each(IpcStage& stage, std::size_t group,
              const std::function<void(IpcActor&, const std::vector<Index>&)>& f) const;

private:
    const IpcStage& stage_;
    std::vector<std::vector<std::vector<Index>>> members_;  ///< [group][actor]
};

/// Vertices within `fraction` of the extent at the start from the lower (sign < 0) or upper end of an axis; the bound
/// itself is out.
IpcVertexTest near_ipc_end(const IpcStage& stage, int axis, int sign, double fraction);
/// The same at the ends of y and z.
IpcVertexTest ipc_bottom(const IpcStage& stage, double fraction);
IpcVertexTest ipc_top(const IpcStage& stage, double fraction);
IpcVertexTest ipc_back(const IpcStage& stage, double fraction);
IpcVertexTest ipc_front(const IpcStage& stage, double fraction);
/// The two sides: the part `handleRatio` of the rest shape along x, on the left (sign < 0) and the right.
IpcVertexTest ipc_side(const IpcStage& stage, int sign);
IpcVertexTest ipc_all(IpcVertexTest a, IpcVertexTest b);
/// Vertices between two fractions of the extent along an axis.
IpcVertexTest ipc_between(const IpcStage& stage, int axis, double from, double to);

}  // namespace stiction::scene
