// What tests measure of rigid bodies.
#pragma once

#include "stiction/mesh/generate.hpp"
#include "stiction/world/world.hpp"

#include <Eigen/Dense>

namespace stiction::test {

/// The linear part of the affine map from the initial positions.
inline Mat3 linear_part(const World& world, const RigidBody& body, const VecX& x) {
    Mat3 now, initial;
    for (int a = 0; a < 3; ++a) {
        const auto corner = [&](const VecX& at, int k) -> Vec3 {
            return at.segment<3>(3 * body.frame[static_cast<std::size_t>(k)]);
        };
        now.col(a) = corner(x, a + 1) - corner(x, 0);
        initial.col(a) = corner(world.initial_positions, a + 1) - corner(world.initial_positions, 0);
    }
    return now * initial.inverse();
}
/// How far that is from a rotation.
inline double distortion(const World& world, const RigidBody& body, const VecX& x) {
    const Mat3 A = linear_part(world, body, x);
    return (A.transpose() * A - Mat3::Identity()).norm();
}

/// About the origin of the world.
inline Vec3 angular_momentum(const World& world, const State& state) {
    const VecX momentum = mass_product(world, state.v);
    Vec3 sum = Vec3::Zero();
    for (Index v = 0; v < world.vertex_count(); ++v)
        sum += Vec3(state.x.segment<3>(3 * v)).cross(Vec3(momentum.segment<3>(3 * v)));
    return sum;
}

/// No axis of symmetry, centre of mass off the origin.
inline Mesh lopsided() {
    Mesh mesh = generate_box({1.0, 0.6, 0.3}, {3, 2, 2});
    for (Vec3& x : mesh.vertices) x = Vec3(x[0] + 0.4 * x[1] * x[1] + 0.2, x[1] * (1.0 + 0.4 * x[0]), x[2] - 0.1);
    return mesh;
}

/// Sum over a body of a stacked force, along an axis.
inline double force_on(const World& world, const VecX& force, Index body, int axis) {
    const Body& b = world.bodies[static_cast<std::size_t>(body)];
    double sum = 0.0;
    for (Index v = b.first_vertex; v < b.first_vertex + b.vertex_count(); ++v) sum += force[3 * v + axis];
    return sum;
}

}  // namespace stiction::test
