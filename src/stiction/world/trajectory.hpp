// Where a scheduled vertex should be at a given time.
#pragma once

#include "stiction/base/types.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// What a trajectory may depend on for one vertex. Positions in metres, world frame (y up).
struct ScheduledVertex {
    Index index_in_motion = 0;  ///< position in Motion::vertices
    Vec3 anchor;                ///< where the vertex was when its motion became active
    Vec3 initial;               ///< where the vertex was at t = 0 of the scene
    double anchor_time = 0.0;   ///< when its motion became active (s)
};

/// A prescribed path. Implementations are immutable and free of side effects.
class Trajectory {
public:
    virtual ~Trajectory() = default;
    /// Position at time t (s) of one vertex.
    virtual Vec3 position(double t, const ScheduledVertex& vertex) const = 0;
};

/// Stays at the anchor.
class HoldTrajectory final : public Trajectory {
public:
    Vec3 position(double, const ScheduledVertex& vertex) const override { return vertex.anchor; }
};

/// One key of a translation: displacement from the anchor (m) at a scene time (s).
struct Keyframe {
    double time;
    Vec3 displacement;
};

/// Rigid motion from the anchor: a turn about an axis through `centre`, after which everything is carried along a
/// translation. x(t) = c + R(axis, angle) (anchor - c) + d(t), angle = angular_velocity * (t - anchor_time), d(t) =
/// velocity * (t - anchor_time) + keys(t) - keys(anchor_time). Keys are interpolated linearly and held constant outside
/// their range.
class RigidTrajectory final : public Trajectory {
public:
    Vec3 velocity = Vec3::Zero();   ///< m/s
    std::vector<Keyframe> keys;     ///< sorted by time; may be empty
    Vec3 centre = Vec3::Zero();     ///< a point on the axis at the anchor time
    Vec3 axis = Vec3::UnitY();      ///< unit length
    double angular_velocity = 0.0;  ///< rad/s, right-handed about `axis`
    Vec3 position(double t, const ScheduledVertex& vertex) const override;
};

/// x(t) = initial + displacement(initial, t): formulas in x, y, z, t.
class FormulaTrajectory final : public Trajectory {
public:
    using Displacement = std::function<Vec3(const Vec3& initial, double t)>;
    explicit FormulaTrajectory(Displacement displacement) : displacement_(std::move(displacement)) {}
    Vec3 position(double t, const ScheduledVertex& vertex) const override {
        return vertex.initial + displacement_(vertex.initial, t);
    }

private:
    Displacement displacement_;
};

/// Follows a sequence of meshes with equal vertex count: frames[k] at start + k * interval, linear between, held after
/// the last.
class SequenceTrajectory final : public Trajectory {
public:
    double start = 0.0;                     ///< s
    double interval = 0.0;                  ///< s, > 0
    std::vector<std::vector<Vec3>> frames;  ///< frames[k][index_in_motion], world frame
    Vec3 position(double t, const ScheduledVertex& vertex) const override;
};

/// A set of vertices that follows a trajectory while begin <= t < end (t = start of the step).
struct Motion {
    std::string name;             ///< for reports, e.g. "bodies[1].boundary[0]"
    std::vector<Index> vertices;  ///< global vertex ids
    double begin = 0.0;           ///< s
    double end = 1e300;           ///< s
    std::uint8_t axes = 7;        ///< driven coordinates: bit 0 = x, 1 = y, 2 = z
    bool commanded = false;       ///< vertices go where Simulator::command says, else stay where they are
    std::shared_ptr<const Trajectory> trajectory;
};

}  // namespace stiction
