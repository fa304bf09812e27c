// The rigid bodies of a world among the unknowns of the global system.
#pragma once

#include "stiction/methods/local_global/contact/inverse_modes.hpp"
#include "stiction/methods/local_global/global_system.hpp"

namespace stiction::local_global {

/// Rigid bodies. The unknowns of each are the four vertices of its frame (RigidBody::frame), with its consistent mass
/// in A; its other vertices are embedded in them. No energy holds its shape: moves are confined to its rigid motions.
class RigidMotions {
public:
    explicit RigidMotions(const World& world);

    bool empty() const { return bodies_.empty(); }
    /// Starts a step with this system: sets whose unknowns the modes are. They are undefined until linearise().
    void begin(const GlobalSystem& system, InverseModes& modes) const;
    /// Puts the frames among stacked positions x (m) where the nearest rigid placement has them, in the least squares
    /// of distances over the body's mass. The change has no resultant force, and no torque about the new positions.
    void straighten(VecX& x) const;
    /// Sets the modes to those at the pose that x has (m); x is straight.
    void linearise(const VecX& x, InverseModes& modes) const;

    /// Vertices of the frame of each body.
    struct Body {
        Tet frame{};
        Eigen::Matrix4d factor;               ///< L of the frame's mass matrix L L^T (kg^1/2)
        Eigen::Vector4d shares;               ///< of its mass: the centre of mass is the sum of shares times positions
        Eigen::Matrix<double, 3, 4> at_rest;  ///< its vertices from the centre of mass, at t = 0 (m)
        Eigen::Matrix<double, 4, 3> moments;  ///< mass matrix times at_rest^T (kg m)
    };
    const std::vector<Body>& bodies() const { return bodies_; }

private:
    std::vector<Body> bodies_;
};

}  // namespace stiction::local_global
