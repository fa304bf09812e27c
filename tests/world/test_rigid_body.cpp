// Mass properties of rigid bodies in a world, their poses and velocities.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>

using namespace stiction;

namespace {

/// A ball bulged to one side, without symmetry: its centre of mass is not the mean of its vertices.
Mesh lopsided_ball() {
    Mesh mesh = generate_ball(0.5, 3);
    for (Vec3& x : mesh.vertices) x = Vec3(x[0] + 0.5 * x[1] * x[1] + 1.0, 1.3 * x[1] * (1.0 + 0.4 * x[0]), 0.7 * x[2] - 2.0);
    return mesh;
}

std::string message_of(const Mesh& mesh, double density = 1000.0) {
    try {
        WorldBuilder builder;
        builder.add_rigid("body", mesh, density);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("rigid body: mass properties of a box by the formula, from tets and from its surface alone") {
    const Vec3 size(1.0, 2.0, 0.5);
    const Mesh solid = generate_box(size, {2, 2, 2});
    for (const Mesh& mesh : {solid, surface_mesh(solid)}) {
        WorldBuilder builder;
        builder.add_rigid("box", mesh, 500.0, {1, 2, 3}, {0.1, 0.2, 0.3});
        const auto [world, state] = builder.build();
        REQUIRE(world.rigid_bodies.size() == 1);
        const RigidBody& body = world.rigid_bodies[0];
        CHECK(body.mass == doctest::Approx(500.0).epsilon(1e-13));
        CHECK(body.centre.norm() < 1e-14);
        CHECK((body.covariance - Mat3((500.0 / 12.0 * size.cwiseAbs2()).asDiagonal())).norm() < 1e-11);
        CHECK(inertia_tensor(body.covariance)(0, 0) == doctest::Approx(500.0 / 12.0 * (4.0 + 0.25)));
        CHECK(world.bodies[0].rigid == 0);
        CHECK(world.elastic.empty());
        CHECK_FALSE(world.is_obstacle(0));
        CHECK_FALSE(world.contact_pairs.allowed(0, 0));
        CHECK(world.surface.triangles.size() == boundary_triangles(solid.tets).size());
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const Vec3 x = state.x.segment<3>(3 * v);
            CHECK((state.v.segment<3>(3 * v) - (Vec3(1, 2, 3) + Vec3(0.1, 0.2, 0.3).cross(x))).norm() < 1e-14);
        }
    }
}

TEST_CASE("rigid body: vertex masses are positive and have the body's mass and centre of mass, off the mean of the vertices") {
    WorldBuilder builder;
    builder.add_deformable("other", generate_box({1, 1, 1}, {1, 1, 1}), {});
    builder.add_rigid("body", lopsided_ball(), 700.0);
    const auto [world, state] = builder.build();
    const RigidBody& body = world.rigid_bodies[0];
    CHECK(body.first_vertex == 8);
    double mass = 0.0;
    Vec3 first = Vec3::Zero(), mean = Vec3::Zero();
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count; ++v) {
        CHECK(world.mass[v] > 0.0);
        mass += world.mass[v];
        first += world.mass[v] * world.initial_positions.segment<3>(3 * v);
        mean += world.initial_positions.segment<3>(3 * v) / body.vertex_count;
    }
    CHECK(mass == doctest::Approx(body.mass).epsilon(1e-13));
    CHECK((first / mass - body.centre).norm() < 1e-13);
    CHECK((mean - body.centre).norm() > 1e-3);
}

TEST_CASE("rigid body: pose, velocity and momentum come back from the vertices that they place") {
    WorldBuilder builder;
    builder.add_rigid("body", lopsided_ball(), 700.0);
    builder.add_deformable("other", generate_box({1, 1, 1}, {1, 1, 1}), {});
    const auto [world, state] = builder.build();
    const RigidBody& body = world.rigid_bodies[0];
    for (const double angle : {0.0, 0.3, 3.1, -1.7}) {
        const RigidPose pose{{1.0, -5.0, 0.25}, Eigen::AngleAxisd(angle, Vec3(3, -1, 2).normalized()).toRotationMatrix()};
        const RigidVelocity velocity{{0.5, 1.5, -2.0}, {4.0, -3.0, 2.0}};
        VecX x = state.x, v = state.v;
        place_rigid(world, body, pose, x);
        set_rigid_velocity(world, body, pose, velocity, v);
        CHECK(x.tail(24) == state.x.tail(24));
        CHECK(v.tail(24) == state.v.tail(24));
        const RigidPose found = rigid_pose(world, body, x);
        CHECK((found.centre - pose.centre).norm() < 1e-13);
        CHECK((found.rotation - pose.rotation).norm() < 1e-13);
        const RigidVelocity speed = rigid_velocity(world, body, x, v);
        CHECK((speed.linear - velocity.linear).norm() < 1e-13);
        CHECK((speed.angular - velocity.angular).norm() < 1e-12);
        // Angular momentum tet by tet, with the second moments of each about the origin of the world.
        Mesh moved = world.bodies[0].mesh;
        for (std::size_t i = 0; i < moved.vertices.size(); ++i) moved.vertices[i] = x.segment<3>(3 * static_cast<Index>(i));
        Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
        for (const Tet& tet : moved.tets) {
            Mat3 moment = Mat3::Zero();
            for (const Index a : tet) {
                for (const Index b : tet) moment += (a == b ? 0.1 : 0.05) * moved.vertices[static_cast<std::size_t>(a)] * v.segment<3>(3 * b).transpose();
            }
            const double mass = 700.0 * signed_volume(moved, tet);
            angular += mass * Vec3(moment(1, 2) - moment(2, 1), moment(2, 0) - moment(0, 2), moment(0, 1) - moment(1, 0));
            for (const Index a : tet) linear += 0.25 * mass * v.segment<3>(3 * a);
        }
        const RigidMomentum momentum = rigid_momentum(body, found, speed);
        CHECK((momentum.linear - linear).norm() < 1e-11 * linear.norm());
        CHECK((momentum.angular + found.centre.cross(momentum.linear) - angular).norm() < 1e-11 * angular.norm());
    }
}

TEST_CASE("rigid body: a fit of what is no rigid placement is the nearest one") {
    WorldBuilder builder;
    builder.add_rigid("body", generate_box({1, 1, 1}, {1, 1, 1}), 700.0);
    const auto [world, state] = builder.build();
    VecX stretched = state.x;
    for (Index v = 0; v < 8; ++v) stretched[3 * v] *= 1.2;
    const RigidPose pose = rigid_pose(world, world.rigid_bodies[0], stretched);
    CHECK(pose.centre.norm() < 1e-14);
    CHECK((pose.rotation - Mat3::Identity()).norm() < 1e-13);
}

TEST_CASE("rigid body: what is no solid is refused") {
    const Mesh solid = generate_box({1, 1, 1}, {1, 1, 1});
    const Mesh surface = surface_mesh(solid);
    CHECK(message_of(solid).empty());
    Mesh open = surface;
    open.triangles.pop_back();
    CHECK(message_of(open).find("a closed surface") != std::string::npos);
    Mesh inward = surface;
    for (Triangle& t : inward.triangles) std::swap(t[1], t[2]);
    CHECK(message_of(inward).find("face outwards") != std::string::npos);
    Mesh inverted = solid;
    std::swap(inverted.tets[2][0], inverted.tets[2][1]);
    CHECK(message_of(inverted).find("tet 2") != std::string::npos);
    Mesh empty;
    empty.vertices = solid.vertices;
    CHECK(message_of(empty).find("neither tets nor triangles") != std::string::npos);
    Mesh bare = solid;
    bare.edges.push_back({0, 1});
    CHECK(message_of(bare).find("1 edges") != std::string::npos);
    CHECK(message_of(solid, 0.0).find("density") != std::string::npos);
}
