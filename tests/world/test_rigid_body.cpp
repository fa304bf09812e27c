// Mass properties of rigid bodies in a world, their poses and velocities.
#include "stiction/base/error.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/dof_map.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <Eigen/Dense>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A ball bulged to one side, without symmetry: its centre of mass is not the mean of its vertices.
Mesh lopsided_ball() {
    Mesh mesh = generate_ball(0.5, 3);
    for (Vec3& x : mesh.vertices)
        x = Vec3(x[0] + 0.5 * x[1] * x[1] + 1.0, 1.3 * x[1] * (1.0 + 0.4 * x[0]), 0.7 * x[2] - 2.0);
    return mesh;
}

/// An affine map that is far from a rotation.
const Mat3 squeeze = (Mat3() << 0.9, 0.3, -0.1, 0.05, 1.2, 0.2, 0.0, -0.3, 0.8).finished();

/// Of the second body, between two others.
struct Affine {
    World world;
    State state;
    Affine() {
        WorldBuilder builder;
        builder.add_deformable("before", generate_box({1, 1, 1}, {1, 1, 1}), {});
        builder.add_rigid("body", lopsided_ball(), 700.0, Vec3::Zero(), Vec3::Zero(), 3e6);
        builder.add_half_space("after", {0, -5, 0}, {0, 1, 0});
        std::tie(world, state) = builder.build();
    }
    const RigidBody& body() const { return world.rigid_bodies[0]; }
    DofMap map() const { return DofMap(schedule(world, state, 0.1).driven_axes, world.embedded); }
    /// Stacked, B x + b on the body's vertices and 0 elsewhere.
    VecX field(const Mat3& B, const Vec3& b) const {
        VecX u = VecX::Zero(state.x.size());
        for (Index v = body().first_vertex; v < body().first_vertex + body().vertex_count; ++v)
            u.segment<3>(3 * v) = B * state.x.segment<3>(3 * v) + b;
        return u;
    }
};

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
        CHECK(body.mass == relative(500.0, 1e-13));
        CHECK(body.centre.norm() < 1e-14);
        CHECK((body.covariance - Mat3((500.0 / 12.0 * size.cwiseAbs2()).asDiagonal())).norm() < 1e-11);
        CHECK(inertia_tensor(body.covariance)(0, 0) == relative(500.0 / 12.0 * (4.0 + 0.25), 1e-13));
        CHECK(world.bodies[0].rigid == 0);
        REQUIRE(world.elastic.size() == 1);
        CHECK(world.elastic[0].frames);
        CHECK_FALSE(world.is_obstacle(0));
        CHECK_FALSE(world.contact_pairs.allowed(0, 0));
        CHECK(world.surface.triangles.size() == boundary_triangles(solid.tets).size());
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const Vec3 x = state.x.segment<3>(3 * v);
            CHECK((state.v.segment<3>(3 * v) - (Vec3(1, 2, 3) + Vec3(0.1, 0.2, 0.3).cross(x))).norm() < 1e-14);
        }
    }
}

TEST_CASE(
    "rigid body: vertex masses are positive and have the body's mass and centre of mass, off the mean of the "
    "vertices") {
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
    CHECK(mass == relative(body.mass, 1e-13));
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
        const RigidPose pose{{1.0, -5.0, 0.25},
                             Eigen::AngleAxisd(angle, Vec3(3, -1, 2).normalized()).toRotationMatrix()};
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
        for (std::size_t i = 0; i < moved.vertices.size(); ++i)
            moved.vertices[i] = x.segment<3>(3 * static_cast<Index>(i));
        Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
        for (const Tet& tet : moved.tets) {
            Mat3 moment = Mat3::Zero();
            for (const Index a : tet) {
                for (const Index b : tet)
                    moment += (a == b ? 0.1 : 0.05) * moved.vertices[static_cast<std::size_t>(a)] *
                              v.segment<3>(3 * b).transpose();
            }
            const double mass = 700.0 * signed_volume(moved, tet);
            angular +=
                mass * Vec3(moment(1, 2) - moment(2, 1), moment(2, 0) - moment(0, 2), moment(0, 1) - moment(1, 0));
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
    CHECK(message_of(inward).empty());  // turned over
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

TEST_CASE("rigid body as affine: its vertices hang on the four of its frame, and follow every affine move of theirs") {
    const Affine scene;
    const DofMap map = scene.map();
    CHECK(map.node_count() == 8 + 4);
    CHECK(static_cast<Index>(scene.world.embedded.size()) == scene.body().vertex_count - 4);
    const VecX step = scene.field(squeeze, {0.3, 0.2, 0.1});
    VecX nodes = VecX::Zero(3 * map.node_count()), back;
    for (const Index v : scene.body().frame) {
        REQUIRE(map.node(v) >= 8);
        nodes.segment<3>(3 * map.node(v)) = step.segment<3>(3 * v);
    }
    map.expand_step(nodes, back);
    CHECK((back - step).norm() < 1e-13 * step.norm());
    // Work is the same in both spaces, for any forces.
    VecX force(step.size()), gathered;
    for (Eigen::Index i = 0; i < force.size(); ++i) force[i] = std::sin(3.0 * static_cast<double>(i));
    map.restrict_gradient(force, gathered);
    CHECK(gathered.dot(nodes) == relative(force.dot(step), 1e-12));
    CHECK(DofMap(std::vector<std::uint8_t>(scene.world.body_of_vertex.size(), 0)).node_count() > map.node_count());
}

TEST_CASE(
    "rigid body as affine: kinetic energy and angular momentum of an affine velocity are the integrals over its tets") {
    const Affine scene;
    const VecX u = scene.field(squeeze, {0.3, 0.2, 0.1});
    double energy = 0.0;
    Vec3 angular = Vec3::Zero();
    for (const Tet& local : scene.world.bodies[1].mesh.tets) {
        const double mass = 700.0 * signed_volume(scene.world.bodies[1].mesh, local);
        for (const Index a : local) {
            for (const Index b : local) {
                const Index i = scene.body().first_vertex + a, j = scene.body().first_vertex + b;
                const double weight = (a == b ? 0.1 : 0.05) * mass;
                energy += 0.5 * weight * u.segment<3>(3 * i).dot(u.segment<3>(3 * j));
                angular += weight * Vec3(scene.state.x.segment<3>(3 * i)).cross(Vec3(u.segment<3>(3 * j)));
            }
        }
    }
    const VecX product = mass_product(scene.world, u);
    CHECK(0.5 * u.dot(product) == relative(energy, 1e-12));
    Vec3 found = Vec3::Zero();
    for (Index v = 0; v < scene.world.vertex_count(); ++v)
        found += Vec3(scene.state.x.segment<3>(3 * v)).cross(Vec3(product.segment<3>(3 * v)));
    CHECK((found - angular).norm() < 1e-12 * angular.norm());
    StepReport report;
    State moving = scene.state;
    moving.v = u;
    measure(scene.world, moving, report);
    CHECK(report.kinetic == relative(energy, 1e-12));
}

TEST_CASE("rigid body as affine: energy kappa V |A^T A - I|^2, its derivatives on the twelve coordinates") {
    const Affine scene;
    const DofMap map = scene.map();
    const ElasticGroup& group = scene.world.elastic.back();
    REQUIRE(group.frames);
    VecX x = scene.state.x + scene.field(squeeze - Mat3::Identity(), {1, 2, 3});
    const double expected =
        3e6 * scene.body().volume * (squeeze.transpose() * squeeze - Mat3::Identity()).squaredNorm();
    CHECK(elastic_energy(scene.world, x) == relative(expected, 1e-12));
    const Mat3 turn = Eigen::AngleAxisd(2.0, Vec3(1, 1, 0).normalized()).toRotationMatrix();
    CHECK(elastic_energy(scene.world, scene.state.x + scene.field(turn - Mat3::Identity(), {1, 2, 3})) <
          1e-20 * expected);
    // q: the frame's corners, in its order.
    const auto positions = [&](const VecX& q) {
        VecX nodes = VecX::Zero(3 * map.node_count()), step;
        for (int k = 0; k < 4; ++k)
            nodes.segment<3>(3 * map.node(scene.body().frame[static_cast<std::size_t>(k)])) = q.segment<3>(3 * k);
        map.expand_step(nodes, step);
        return VecX(x + step);
    };
    const auto value = [&](const VecX& q) { return elastic_energy(scene.world, positions(q)); };
    const auto gradient = [&](const VecX& q) {
        VecX nodes, result(12);
        map.restrict_gradient(elastic_gradient(scene.world, positions(q)), nodes);
        for (int k = 0; k < 4; ++k)
            result.segment<3>(3 * k) = nodes.segment<3>(3 * map.node(scene.body().frame[static_cast<std::size_t>(k)]));
        return result;
    };
    std::vector<Mat12> hessians;
    const auto hessian = [&](const VecX& q) {
        element_hessians(group.elements, positions(q), false, hessians);
        return Eigen::MatrixXd(hessians[0]);
    };
    const DerivativeCheck found = check_derivatives(value, gradient, hessian, VecX(VecX::Zero(12)), 1.0);
    CHECK(found.gradient_error < 1e-8);
    CHECK(found.hessian_error < 1e-8);
    CHECK(found.hessian_asymmetry < 1e-13);
    element_hessians(group.elements, x, true, hessians);
    CHECK(Eigen::SelfAdjointEigenSolver<Mat12>(hessians[0]).eigenvalues()[0] > -1e-9 * hessians[0].norm());
}

TEST_CASE("rigid body: gravity acts at the centre of mass with the body's mass, whatever the vertices weigh") {
    WorldBuilder builder;
    const Index id = builder.add_rigid("body", lopsided_ball(), 700.0);
    builder.set_gravity({0, -9.81, 0});
    std::vector<Index> all;
    for (Index v = 0; v < builder.body(id).vertex_count(); ++v) all.push_back(v);
    builder.add_body_force({all, {1, 0, 0}, 0.0, 1.0});
    const auto [world, state] = builder.build();
    const RigidBody& body = world.rigid_bodies[0];
    const VecX force = schedule(world, state, 0.1).external_force;
    Vec3 sum = Vec3::Zero();
    Mat3 moment = Mat3::Zero();
    for (Index v = 0; v < world.vertex_count(); ++v) {
        sum += force.segment<3>(3 * v);
        moment += force.segment<3>(3 * v) * (state.x.segment<3>(3 * v) - body.centre).transpose();
    }
    CHECK((sum - body.mass * Vec3(1, -9.81, 0)).norm() < 1e-12 * sum.norm());
    CHECK(moment.norm() < 1e-12 * sum.norm());
}

TEST_CASE("rigid body: motions of its vertices are refused") {
    WorldBuilder builder;
    builder.add_rigid("body", generate_box({1, 1, 1}, {1, 1, 1}), 700.0);
    Motion motion;
    motion.name = "motion[0]";
    motion.vertices = {3};
    motion.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(motion);
    CHECK_THROWS_WITH_AS(builder.build(), doctest::Contains("vertex 3 of 'body'"), InputError);
    CHECK_THROWS_AS(
        WorldBuilder().add_rigid("body", generate_box({1, 1, 1}, {1, 1, 1}), 700.0, Vec3::Zero(), Vec3::Zero(), 0.0),
        InputError);
}
