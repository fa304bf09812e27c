// A rigid motion that goes on, step by step, from where its vertices are.
#pragma once

#include "stiction/world/trajectory.hpp"

namespace stiction {

/// In a step of size h its vertices turn by Rx Ry Rz of the angles `angular_velocity` h about the centre of the
/// bounding box that they have at its start, and shift by `velocity` h. It is no function of time: schedule() asks it
/// step by step. Where the motion that wins on a vertex is a twist, all active twists on that vertex add up.
class TwistTrajectory final : public Trajectory {
public:
    Vec3 velocity = Vec3::Zero();          ///< m/s
    Vec3 angular_velocity = Vec3::Zero();  ///< rad/s about x, y, z

    /// How far a point x (m) goes in a step of size h (s). @param centre  of the turn (m)
    Vec3 displacement(const Vec3& x, const Vec3& centre, double h) const;
    Vec3 position(double, const ScheduledVertex& vertex) const override { return vertex.anchor; }
};

}  // namespace stiction
