// A motion that ends when everything has passed a plane.
#pragma once

#include "stiction/world/trajectory.hpp"

#include <memory>

namespace stiction {

/// Another trajectory, until at the start of a step every vertex of the bodies, obstacles apart, is beyond a plane: its
/// motion has ended then, for good. Whether it has is in the state (State::active_motion).
class ReleasingTrajectory final : public Trajectory {
public:
    std::shared_ptr<const Trajectory> path;
    Vec3 point = Vec3::Zero();    ///< m, on the plane
    Vec3 normal = Vec3::UnitX();  ///< points to where everything has to be
    Vec3 position(double t, const ScheduledVertex& vertex) const override { return path->position(t, vertex); }
};

}  // namespace stiction
