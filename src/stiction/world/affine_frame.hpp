// A rigid body as an affine one: its twelve coordinates are the positions of four of its vertices.
#pragma once

#include "stiction/world/rigid_body.hpp"

#include <array>
#include <vector>

namespace stiction {

/// Four vertices that span a wide, positive tet: the farthest from `centre`, then the farthest from that one, from
/// their line, and from their plane. Throws InternalError when all lie in one plane. @return local ids
Tet choose_frame(const std::vector<Vec3>& vertices, const Vec3& centre);

/// Barycentric coordinates of points in a tet.
class FrameCoordinates {
public:
    FrameCoordinates(const std::vector<Vec3>& vertices, const Tet& frame);
    /// Of a point (m). Sum 1.
    std::array<double, 4> operator()(const Vec3& point) const;
    /// integral of rho b b^T over the body, b the coordinates of its points (kg): kinetic energy is half of sum over
    /// (i, j) of M_ij v_i . v_j with the velocities of the frame's corners. Row sums add up to the body's mass.
    Eigen::Matrix4d mass(const RigidBody& body) const;

private:
    Vec3 origin_;
    Mat3 inverse_;  ///< of the edges from the first corner, 1/m
};

}  // namespace stiction
