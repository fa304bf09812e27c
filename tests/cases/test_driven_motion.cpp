// Driven nodes and moving obstacles end where the schedule says, or the step says that they could not.
#include "stiction/collision/intersection.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

#include <algorithm>

using namespace stiction;
using namespace stiction::test;

namespace {

Motion whole_body(const WorldBuilder& builder, Index body, std::shared_ptr<const Trajectory> trajectory) {
    Motion motion;
    motion.name = builder.body(body).name;
    for (Index v = 0; v < builder.body(body).vertex_count(); ++v)
        motion.vertices.push_back(builder.first_vertex(body) + v);
    motion.trajectory = std::move(trajectory);
    return motion;
}

std::shared_ptr<RigidTrajectory> moving(const Vec3& velocity) {
    auto trajectory = std::make_shared<RigidTrajectory>();
    trajectory->velocity = velocity;
    return trajectory;
}

double largest_error(const World& world, const State& state, const Motion& motion, const Vec3& shift) {
    double error = 0.0;
    for (const Index v : motion.vertices) {
        error = std::max(error, (state.x.segment<3>(3 * v) - world.initial_positions.segment<3>(3 * v) - shift).norm());
    }
    return error;
}

}  // namespace

TEST_CASE("a plate squeezes a ball to half its height and arrives exactly on schedule") {
    WorldBuilder builder;
    builder.add_deformable("ball", generate_ball(0.1, 4), {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    builder.add_half_space("ground", {0, -0.101, 0}, {0, 1, 0});
    const Index plate = builder.add_obstacle(
        "plate", translated(generate_box({0.4, 0.02, 0.4}, {3, 1, 3}, Fill::surface), {0, 0.112, 0}));
    const Motion motion = whole_body(builder, plate, moving({0, -0.5, 0}));
    builder.add_motion(motion);
    builder.set_default_friction(0.2);
    auto [world, state] = builder.build();
    ipc::Ipc ipc(ipc::Options{});
    const double h = 0.01;
    std::vector<int> patch;
    const State end =
        run_steps(ipc, world, state, h, 20, [&, n = 0](const State& now, const StepResult& result) mutable {
            ++n;
            // 99.9% of each step's motion or all of it.
            CHECK(largest_error(world, now, motion, {0, -0.5 * h * n, 0}) <= 1e-3 * 0.5 * h * 2);
            CHECK(result.report.contacts > 0);  // 2 mm were free, and a step is 5 mm
            const auto pressed = [&](Index vertex) {
                return result.contact_force.segment<3>(3 * vertex).squaredNorm() > 0.0;
            };
            int count = 0;
            for (Index vertex = 0; vertex < world.bodies[0].vertex_count(); ++vertex) count += pressed(vertex) ? 1 : 0;
            patch.push_back(count);
            CHECK(find_intersections(world.surface, world.contact_pairs, now.x).empty());
        });
    CHECK(largest_error(world, end, motion, {0, -0.1, 0}) <= 1e-3 * 0.5 * h);
    CHECK(std::is_sorted(patch.begin(), patch.end()));  // what is pressed flat grows
    CHECK(patch.back() > 2 * patch[1]);
}

TEST_CASE("a half-space can be driven, too") {
    WorldBuilder builder;
    builder.add_deformable("ball", generate_ball(0.1, 2), {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    const Index ground = builder.add_half_space("ground", {0, -0.101, 0}, {0, 1, 0});
    const Motion motion = whole_body(builder, ground, moving({0, 1, 0}));
    builder.add_motion(motion);
    auto [world, state] = builder.build();
    ipc::Ipc ipc(ipc::Options{});
    const State end = run_steps(ipc, world, state, 0.01, 20);
    CHECK(largest_error(world, end, motion, {0, 0.2, 0}) <= 1e-5);
    CHECK(centre_of_mass(world, end, 0).first.y() > 0.1);
}

TEST_CASE("twisting: driven ends turn exactly, only prescribed axes are held, time ranges switch") {
    WorldBuilder builder;
    const Mesh rod = generate_rod(1.0, 0.2, 10, 2);
    const Index body = builder.add_deformable("rod", rod, {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    Motion left, right, rail;
    auto turn = std::make_shared<RigidTrajectory>();
    turn->axis = Vec3::UnitX();
    turn->angular_velocity = 2.0;
    left.name = "left";
    left.trajectory = std::make_shared<HoldTrajectory>();
    right.name = "right";
    right.trajectory = turn;
    right.end = 0.2;
    rail.name = "rail";
    rail.axes = 2;
    rail.trajectory = std::make_shared<HoldTrajectory>();
    for (Index v = 0; v < builder.body(body).vertex_count(); ++v) {
        const double x = rod.vertices[static_cast<std::size_t>(v)].x();
        if (x < -0.499) left.vertices.push_back(v);
        if (x > 0.499) right.vertices.push_back(v);
        if (std::abs(x) < 1e-9 && std::abs(rod.vertices[static_cast<std::size_t>(v)].y()) < 1e-9)
            rail.vertices.push_back(v);
    }
    REQUIRE(!rail.vertices.empty());
    builder.add_motion(left);
    builder.add_motion(right);
    builder.add_motion(rail);
    auto [world, state] = builder.build();
    ipc::Ipc ipc(ipc::Options{});
    const double h = 0.02;
    State now = run_steps(ipc, world, state, h, 10);
    const Mat3 turned = Eigen::AngleAxisd(0.4, Vec3::UnitX()).toRotationMatrix();
    for (const Index v : right.vertices) {
        CHECK((now.x.segment<3>(3 * v) - turned * Vec3(world.initial_positions.segment<3>(3 * v))).norm() < 1e-12);
    }
    for (const Index v : left.vertices) CHECK(now.x.segment<3>(3 * v) == world.initial_positions.segment<3>(3 * v));
    for (const Index v : rail.vertices) CHECK(now.x[3 * v + 1] == world.initial_positions[3 * v + 1]);
    // After its time range the right end is free again and swings back.
    now = run_steps(ipc, world, now, h, 15);
    bool moved = false;
    for (const Index v : right.vertices)
        moved =
            moved || (now.x.segment<3>(3 * v) - turned * Vec3(world.initial_positions.segment<3>(3 * v))).norm() > 0.01;
    CHECK(moved);
}

TEST_CASE("an impossible schedule is reported, not forced") {
    WorldBuilder builder;
    builder.add_deformable("ball", generate_ball(0.1, 2), {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    builder.add_half_space("ground", {0, -0.1005, 0}, {0, 1, 0});
    const Index ceiling = builder.add_half_space("ceiling", {0, 0.1005, 0}, {0, -1, 0});
    const Motion motion = whole_body(builder, ceiling, moving({0, -25, 0}));  // through the ground within one step
    builder.add_motion(motion);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.max_iterations = 300;
    ipc::Ipc ipc(options);
    StepResult result;
    ipc.step(world, state, schedule(world, state, 0.01), result);
    CHECK(!is_accepted(result.report.status));
    CHECK(!result.report.cause.empty());
}

TEST_CASE("a blocked motion is not hidden by another that moves far") {
    WorldBuilder builder;
    const Mesh block = translated(generate_box({0.2, 0.2, 0.2}, {1, 1, 1}), {0, 0.1001, 0});
    const Index driven = builder.add_deformable("block", block, {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    const Index train = builder.add_obstacle("train", translated(generate_cloth(1, 1, 30, 30), {500, 0, 0}));
    builder.add_motion(whole_body(builder, driven, moving({0, -1, 0})));
    builder.add_motion(whole_body(builder, train, moving({500, 0, 0})));
    auto [world, state] = builder.build();
    ipc::Ipc ipc(ipc::Options{});
    StepResult result;
    ipc.step(world, state, schedule(world, state, 0.01), result);
    CHECK(result.report.status == Status::targets_not_reached);
    CHECK(result.report.cause.find("driven vertices of 'block' stopped") == 0);
    CHECK(result.report.cause.find("in the way: block vertex") != std::string::npos);
    CHECK(result.report.cause.find("ground vertex 0") != std::string::npos);
}

TEST_CASE("a ram that is driven along one axis only presses as hard as a fully driven one") {
    for (const std::uint8_t axes : {std::uint8_t{7}, std::uint8_t{2}}) {
        WorldBuilder builder;
        const Mesh ram = translated(generate_box({0.3, 0.1, 0.3}, {2, 1, 2}), {0, 0.171, 0});
        builder.add_deformable("ball", generate_ball(0.1, 3), {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
        const Index body = builder.add_deformable("ram", ram, {MaterialLaw::neo_hookean, 1e7, 0.3, 1000});
        builder.add_half_space("ground", {0, -0.101, 0}, {0, 1, 0});
        Motion motion = whole_body(builder, body, moving({0, -1, 0}));
        motion.axes = axes;
        builder.add_motion(motion);
        auto [world, state] = builder.build();
        ipc::Ipc ipc(ipc::Options{});
        const State end = run_steps(ipc, world, state, 0.01, 10);
        CAPTURE(static_cast<int>(axes));
        for (const Index v : motion.vertices)
            CHECK(end.x[3 * v + 1] == relative(world.initial_positions[3 * v + 1] - 0.1, 1e-9));
    }
}

TEST_CASE("a body let go between two steps keeps its speed") {
    for (const double release : {0.1, 0.105, 0.1001}) {
        WorldBuilder builder;
        const Index body = builder.add_deformable("block", generate_box({1, 1, 1}, {1, 1, 1}), {});
        Motion motion = whole_body(builder, body, moving({1, 0, 0}));
        motion.end = release;
        builder.add_motion(motion);
        auto [world, state] = builder.build();
        ipc::Ipc ipc(ipc::Options{});
        const State end = run_steps(ipc, world, state, 0.01, 15);
        CAPTURE(release);
        CHECK(centre_of_mass(world, end, 0).second.x() == relative(1.0, 1e-13));
    }
}
