// Vertices that hang in elements, of quadratic tets and of collision meshes, under `mlcp`.
#include "stiction/audit/audit.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/methods/mlcp/velocity_problem.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

enum class Hung : std::uint8_t { proxy, collision_mesh };

Mesh with_mid_nodes(Mesh mesh) {
    add_mid_nodes(mesh);
    return mesh;
}

/// A block of 1 kg with its lowest face at y = `height`.
void add_block(WorldBuilder& builder, Hung hung, double height, const Vec3& velocity, double nu) {
    const BodyMaterial material{MaterialLaw::fixed_corotated, 1e6, nu, 1000};
    const Mesh box = translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0.05 + height, 0});
    if (hung == Hung::proxy) {
        builder.add_deformable("block", with_mid_nodes(box), material, velocity, Vec3::Zero(), {}, 2);
        return;
    }
    const Index block = builder.add_deformable("block", box, material, velocity);
    builder.set_collision_mesh(
        block, translated(generate_box({0.1, 0.1, 0.1}, {3, 3, 3}, Fill::surface), {0, 0.05 + height, 0}));
}

std::pair<World, State> block_on_slope(Hung hung, double tangent, double mu, const Vec3& velocity = Vec3::Zero()) {
    WorldBuilder builder;
    add_block(builder, hung, 1e-6, velocity, 0.3);
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity(gravity * Vec3(tangent, -1.0, 0.0) / std::hypot(1.0, tangent));
    builder.set_default_friction(mu);
    return builder.build();
}

Options tight_hung() {
    Options options;
    options.tolerance = 1e-8;
    options.distance_tolerance = 1e-8;
    return options;
}

/// Some nodes held, some held along one axis only.
void drive(WorldBuilder& builder, double height) {
    Motion held, along;
    held.name = "held";
    along.name = "along";
    along.axes = 2;
    for (Index v = 0; v < builder.body(0).first_carried; ++v) {
        const Vec3& x = builder.body(0).mesh.vertices[static_cast<std::size_t>(v)];
        if (x.y() > height + 0.099) held.vertices.push_back(v);
        if (x.y() < height + 0.051 && x.y() > height + 0.049) along.vertices.push_back(v);
    }
    REQUIRE(!held.vertices.empty());
    REQUIRE(!along.vertices.empty());
    auto path = std::make_shared<RigidTrajectory>();
    path->velocity = {0.3, -0.2, 0.1};
    held.trajectory = along.trajectory = path;
    builder.add_motion(held);
    builder.add_motion(along);
}

}  // namespace

TEST_CASE("mlcp: the terms of a hung vertex add up to where it goes, beside held nodes too") {
    for (const Hung hung : {Hung::proxy, Hung::collision_mesh}) {
        CAPTURE(static_cast<int>(hung));
        WorldBuilder builder;
        add_block(builder, hung, 0.2, {0.1, 0.2, 0.3}, 0.3);
        drive(builder, 0.2);
        auto [world, state] = builder.build();
        const double h = 0.01;
        const StepInput input = schedule(world, state, h);
        HessianAssembly assembly(world);
        SinglePrecisionRows rounded;
        VelocityProblem velocities(world, state, input, assembly, rounded);
        velocities.linearise(state.x);
        VecX v = velocities.start_velocity();
        for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = std::sin(3.7 * static_cast<double>(i));
        const VecX x = velocities.positions(v), moved = x - state.x;
        for (Index vertex = 0; vertex < world.vertex_count(); ++vertex) {
            Vec3 move = velocities.displacement_remainder(vertex, v, x);
            velocities.for_each_displacement_term(
                vertex, [&](Index node, const Mat3& block) { move += block * v.segment<3>(3 * node); });
            REQUIRE((moved.segment<3>(3 * vertex) - move).norm() < 1e-16);
        }
        VecX carried = moved;
        carry(world.carried, carried);
        CHECK((carried - moved).lpNorm<Eigen::Infinity>() < 1e-16);
        CHECK(moved.lpNorm<Eigen::Infinity>() > 0.5 * h);
    }
}

TEST_CASE("mlcp: what is driven pulls the nodes of elements of either order as their linear forces say") {
    // Backward Euler of one linearisation: b - A v is the balance of all forces, those of driven nodes included.
    for (const Hung hung : {Hung::proxy, Hung::collision_mesh}) {
        CAPTURE(static_cast<int>(hung));
        WorldBuilder builder;
        add_block(builder, hung, 0.2, Vec3::Zero(), 0.45);
        drive(builder, 0.2);
        auto [world, state] = builder.build();
        Options options;
        options.tolerance = 1e-12;
        options.elasticity = ElasticityModel::nonlinear;
        options.velocity_tolerance = 1e-9;
        Mlcp mlcp(options);
        const State found = run_steps(mlcp, world, state, 1e-3, 20);
        ipc::Options newton;
        newton.velocity_tolerance = 1e-11;
        ipc::Ipc ipc(newton);
        const State expected = run_steps(ipc, world, state, 1e-3, 20);
        // 6 mm of 20 steps, of which the nodes that are not driven follow a part.
        CHECK(infinity_norm(expected.x - state.x) > 5e-3);
        CHECK(infinity_norm(found.x - expected.x) < 1e-9);
    }
}

TEST_CASE("mlcp: a block that collides with hung vertices sticks just above mu = tan(theta), slides just below") {
    const double tangent = 0.5, h = 0.005;
    for (const Hung hung : {Hung::proxy, Hung::collision_mesh}) {
        CAPTURE(static_cast<int>(hung));
        {
            auto [world, state] = block_on_slope(hung, tangent, tangent + 0.01);
            Mlcp mlcp(tight_hung());
            const State end = run_steps(mlcp, world, state, h, 60), later = run_steps(mlcp, world, end, h, 20);
            CHECK(std::abs((centre_of_mass(world, later, 0).first - centre_of_mass(world, end, 0).first).x()) < 1e-6);
        }
        {
            auto [world, state] = block_on_slope(hung, tangent, tangent - 0.05);
            Mlcp mlcp(tight_hung());
            const State settled = run_steps(mlcp, world, state, h, 60), end = run_steps(mlcp, world, settled, h, 40);
            const double gained = (centre_of_mass(world, end, 0).second - centre_of_mass(world, settled, 0).second).x();
            CHECK(gained / (40 * h) == relative(gravity * 0.05 / std::hypot(1.0, tangent), 1e-3));
        }
    }
}

TEST_CASE("mlcp: forces on hung vertices carry the weight, and the solid rests on what collides") {
    for (const Hung hung : {Hung::proxy, Hung::collision_mesh}) {
        CAPTURE(static_cast<int>(hung));
        auto [world, state] = block_on_slope(hung, 0.0, 0.3);
        Mlcp mlcp(tight_hung());
        StepResult last;
        state = run_steps(mlcp, world, state, 0.02, 100, [&](const State&, const StepResult& step) { last = step; });
        Vec3 force = Vec3::Zero();
        for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) {
            force += last.contact_force.segment<3>(3 * v) + last.friction_force.segment<3>(3 * v);
            if (!world.is_carried(v)) CHECK(last.contact_force.segment<3>(3 * v).isZero(0.0));
        }
        CHECK((force - Vec3(0, gravity, 0)).norm() < 1e-4 * gravity);
        CHECK(infinity_norm(state.v) < 1e-4);
        double lowest = 1.0;
        for (const EmbeddedVertex& entry : world.carried) lowest = std::min(lowest, state.x[3 * entry.vertex + 1]);
        CHECK(lowest > 0.0);
        CHECK(lowest < 1e-7);
    }
}

TEST_CASE(
    "mlcp: quadratic tets that fall on each other stay apart and upright, for any number of threads and resumed") {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e5, 0.45, 1000};
    const Mesh box = with_mid_nodes(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}));
    builder.add_deformable("lower", translated(box, {0, 0.051, 0}), soft, Vec3::Zero(), Vec3::Zero(), {}, 2);
    builder.add_deformable("upper", translated(box, {0.03, 0.153, 0.01}), soft, {0, -1, 0}, {3, 2, 1}, {}, 2);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    const auto built = builder.build();
    const World& world = built.first;
    long contacts = 0;
    const auto run = [&](int threads) {
        set_thread_count(threads);
        Mlcp mlcp({});
        return run_steps(mlcp, world, built.second, 0.005, 40, [&](const State& now, const StepResult& result) {
            contacts += result.report.contacts;
            CHECK(audit::audit_state(world, now.x).ok());
        });
    };
    const State one = run(1), two = run(2);
    set_thread_count(0);
    CHECK(one == two);
    CHECK(contacts > 100);
    Mlcp first({}), second({});
    const State half = run_steps(first, world, built.second, 0.005, 25);
    CHECK(run_steps(second, world, state_from_bytes(to_bytes(half), "memory"), 0.005, 15) == one);
}
