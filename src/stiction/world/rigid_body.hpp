// Rigid bodies: their mass properties, and where they are and how they move among the stacked vectors of all vertices.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <string>

namespace stiction {

struct World;

/// kappa of a rigid body that is given none (Pa).
inline constexpr double standard_rigidity = 1e9;

/// A body that keeps its shape. All quantities are those of the initial placement in the world frame.
struct RigidBody {
    Index body = -1;         ///< in World::bodies
    Index first_vertex = 0;  ///< global id of the body's vertex 0
    Index vertex_count = 0;
    double density = 0.0;                 ///< kg/m^3
    double volume = 0.0;                  ///< m^3
    double mass = 0.0;                    ///< kg
    Vec3 centre = Vec3::Zero();           ///< centre of mass (m)
    Mat3 covariance = Mat3::Zero();       ///< integral of rho (X - centre)(X - centre)^T (kg m^2), positive definite
    double rigidity = standard_rigidity;  ///< kappa of kappa volume |A^T A - I|^2 where it is treated as affine (Pa)
    Tet frame{};                          ///< global ids of the four vertices whose positions are its coordinates there
};

/// trace(C) I - C: the inertia tensor (kg m^2) that belongs to a covariance C of mass about the same point.
inline Mat3 inertia_tensor(const Mat3& covariance) {
    return covariance.trace() * Mat3::Identity() - covariance;
}

/// Mass properties of a mesh that is to be rigid: of its tets if it has any, else of what its triangles enclose;
/// `body`, `first_vertex` stay as they are. Throws InputError naming `name` when there is neither, when the surface is
/// open or faces inwards, when tets are inverted, and when mass properties that belong to no solid come out.
/// @param density kg/m^3, > 0
RigidBody rigid_body_of(const std::string& name, const Mesh& mesh, double density);

/// Masses of a body's vertices (kg) that have its mass and its centre of mass, all of them positive: what is linear in
/// positions or velocities (gravity, momentum) can be summed over vertices. Inertia cannot: their second moments are
/// not the body's. Of all such masses those nearest to equal ones (largest entropy). Throws InputError naming `name`
/// when the centre is not inside the convex hull of the vertices.
std::vector<double> vertex_masses(const std::string& name, const std::vector<Vec3>& vertices, double mass,
                                  const Vec3& centre);

/// Where a rigid body is: X goes to centre + rotation (X - RigidBody::centre).
struct RigidPose {
    Vec3 centre = Vec3::Zero();  ///< m
    Mat3 rotation = Mat3::Identity();
};

/// How it moves: a point at x has the velocity linear + angular x (x - centre of mass).
struct RigidVelocity {
    Vec3 linear = Vec3::Zero();   ///< of the centre of mass (m/s)
    Vec3 angular = Vec3::Zero();  ///< rad/s, world frame
};

/// Linear momentum (kg m/s) and angular momentum about the centre of mass (kg m^2/s), world frame.
struct RigidMomentum {
    Vec3 linear = Vec3::Zero();
    Vec3 angular = Vec3::Zero();
};

/// The pose that fits the body's vertices among stacked positions x (m) best, in the least squares of distances
/// weighted with World::mass. Exact to rounding where x is a rigid placement.
RigidPose rigid_pose(const World& world, const RigidBody& body, const VecX& x);
/// The velocity that fits the body's vertices among stacked velocities v (m/s) at positions x best, in the same sense.
RigidVelocity rigid_velocity(const World& world, const RigidBody& body, const VecX& x, const VecX& v);
/// Inertia tensor about the centre of mass in the world frame (kg m^2) at a pose.
Mat3 inertia_tensor(const RigidBody& body, const RigidPose& pose);
RigidMomentum rigid_momentum(const RigidBody& body, const RigidPose& pose, const RigidVelocity& velocity);
/// Puts the body's vertices among stacked positions x where the pose says; the others stay.
void place_rigid(const World& world, const RigidBody& body, const RigidPose& pose, VecX& x);
/// The same for their velocities v, at the positions that the pose says.
void set_rigid_velocity(const World& world, const RigidBody& body, const RigidPose& pose, const RigidVelocity& velocity,
                        VecX& v);

}  // namespace stiction
