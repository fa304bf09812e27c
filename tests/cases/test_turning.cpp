// What turns far in a step follows its arc, and hits what is on it.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/sim/certification.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/turns.hpp"
#include "stiction/world/twist.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double degree = std::numbers::pi / 180.0;

std::shared_ptr<RigidTrajectory> turning(double speed) {
    auto path = std::make_shared<RigidTrajectory>();
    path->axis = -Vec3::UnitY();
    path->angular_velocity = speed;
    return path;
}

std::shared_ptr<TwistTrajectory> twisting(double speed) {
    auto path = std::make_shared<TwistTrajectory>();
    path->angular_velocity = Vec3(0, -speed, 0);
    return path;
}

/// A paddle of 1 m that turns about its middle, and a ball beside it, `radius` away from the axis at 45 degrees.
struct Paddle {
    Paddle(const std::shared_ptr<const Trajectory>& path, double radius) {
        WorldBuilder builder;
        builder.set_gravity(Vec3::Zero());
        const Vec3 centre = radius * std::sqrt(0.5) * Vec3(1, 0, 1);
        builder.add_deformable("ball", translated(generate_ball(0.03, 2), centre),
                               {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
        const Index id = builder.add_obstacle("paddle", generate_box({1, 0.2, 0.02}, {1, 1, 1}, Fill::surface));
        motion.name = "paddle";
        for (Index v = 0; v < builder.body(id).vertex_count(); ++v)
            motion.vertices.push_back(builder.first_vertex(id) + v);
        motion.trajectory = path;
        builder.add_motion(motion);
        std::tie(world, state) = builder.build();
    }

    Motion motion;
    World world;
    State state;
};

std::unique_ptr<Method> method_of(const std::string& name) {
    if (name == "ipc") return std::make_unique<ipc::Ipc>(ipc::Options{});
    if (name == "implicit") return std::make_unique<implicit::Implicit>(implicit::Options{});
    if (name == "mlcp") return std::make_unique<mlcp::Mlcp>(mlcp::Options{});
    local_global::Options options;
    options.certify = true;
    return std::make_unique<local_global::LocalGlobal>(options);
}

}  // namespace

TEST_CASE("turning: a paddle hits the ball on its arc, however far it turns in a step, under every method") {
    constexpr double speed = 10.0;  // rad/s
    for (const char* name : {"ipc", "implicit", "mlcp", "local_global"}) {
        for (const double radius : {0.2, 0.35, 0.467}) {
            for (const double angle : {10.0, 60.0, 180.0, 360.0, 432.0, 800.0}) {
                INFO(name, ", ball at ", radius, " m, ", angle, " degrees a step");
                Paddle paddle(turning(speed), radius);
                const double h = angle * degree / speed;
                const Motion motion = paddle.motion;
                Simulator simulator(paddle.world, paddle.state, method_of(name), {h, 6});
                Certifier certifier(simulator.world());
                simulator.add_observer(certifier);
                simulator.set_move_sink(&certifier);
                certifier.started(simulator.world(), simulator.state());
                const int steps = static_cast<int>(std::ceil(90.0 / angle));
                for (int n = 0; n < steps; ++n) REQUIRE(simulator.advance());
                const World& world = simulator.world();
                CHECK(centre_of_mass(world, simulator.state(), 0).second.norm() > 0.5 * speed * radius);
                CHECK(certifier.certificate().ok());
                CHECK(certifier.certificate().broken_chains == 0);
                const Eigen::AngleAxisd turn(-steps * angle * degree, Vec3::UnitY());
                for (const Index v : motion.vertices) {
                    const Vec3 goal = turn * Vec3(world.initial_positions.segment<3>(3 * v));
                    CHECK((simulator.state().x.segment<3>(3 * v) - goal).norm() < 1e-9);
                }
            }
        }
    }
}

TEST_CASE("turning: a twist follows its arc too, and ends where one step of it ends") {
    constexpr double speed = 10.0;
    const Paddle paddle(twisting(speed), 0.467);
    const double h = 400.0 * degree / speed;
    Simulator simulator(paddle.world, paddle.state, method_of("ipc"), {h, 6});
    REQUIRE(simulator.advance());
    CHECK(simulator.last_result()->report.status == Status::converged);
    CHECK(simulator.last_result()->report.substeps > 50);
    CHECK(centre_of_mass(paddle.world, simulator.state(), 0).second.norm() > 0.5 * speed * 0.467);
    const Eigen::AngleAxisd turn(-400.0 * degree, Vec3::UnitY());
    for (const Index v : paddle.motion.vertices) {
        const Vec3 goal = turn * Vec3(paddle.world.initial_positions.segment<3>(3 * v));
        CHECK((simulator.state().x.segment<3>(3 * v) - goal).norm() < 1e-9);
    }
}

TEST_CASE("turning: a step within the sagitta is one step, and beyond it the pieces' chords are within") {
    const Paddle paddle(turning(1.0), 0.2);
    const double reach = Vec3(0.5, 0, 0.01).norm(), sagitta = 1e-3;
    const double widest = 2.0 * std::acos(1.0 - sagitta / reach);
    CHECK(has_turns(paddle.world));
    CHECK(turn_in_step(paddle.world, paddle.state, widest, sagitta).pieces == 1);
    CHECK(turn_in_step(paddle.world, paddle.state, 1.001 * widest, sagitta).pieces == 2);
    const Turn far = turn_in_step(paddle.world, paddle.state, 432.0 * degree, sagitta);
    CHECK(far.radius == relative(reach, 1e-12));
    CHECK(far.angle == relative(432.0 * degree, 1e-12));
    CHECK(reach * (1.0 - std::cos(0.5 * far.angle / static_cast<double>(far.pieces))) <= sagitta * (1.0 + 1e-5));
    CHECK(largest_turn(paddle.world, 432.0 * degree, sagitta).pieces == far.pieces);

    auto shift = std::make_shared<RigidTrajectory>();
    shift->velocity = Vec3(0, 100, 0);
    const Paddle straight(shift, 0.2);
    CHECK_FALSE(has_turns(straight.world));
    CHECK(turn_in_step(straight.world, straight.state, 1.0, sagitta).pieces == 1);
}

TEST_CASE("turning: a piece that fails is cut further, and the step says so") {
    const Paddle paddle(turning(10.0), 0.467);
    ipc::Options options;
    options.max_iterations = 7;  // too few where the paddle hits
    Simulator simulator(paddle.world, paddle.state, std::make_unique<ipc::Ipc>(options), {150.0 * degree / 10.0, 8});
    REQUIRE(simulator.advance());
    const StepReport& report = simulator.last_result()->report;
    const long pieces = turn_in_step(paddle.world, paddle.state, simulator.options().h,
                                     ipc::Ipc(options).arc_sagitta(paddle.world, paddle.world.length))
                            .pieces;
    CHECK(report.status == Status::substepped);
    CHECK(report.cause.starts_with("iteration_limit"));
    CHECK(report.substeps > pieces);
    CHECK(simulator.state().t == simulator.options().h);
}

TEST_CASE("turning: more pieces than anybody waits for are refused before the run, under every method") {
    for (const char* name : {"ipc", "implicit", "mlcp", "local_global"}) {
        const std::string text = std::string(R"({"method": ")") + name + R"(", "time": {"step": 0.02, "steps": 1},
            "bodies": [{"mesh": {"generate": "ball", "edge_length": 0.5}, "transform": {"translation": [0, 3, 0]}}],
            "obstacles": [{"mesh": {"generate": "box"}, "motion": {"rotate": {"rpm": 1e7}}}]})";
        std::string message;
        try {
            compile_scene(parse_scene_text(text, "s.json"));
        } catch (const InputError& error) {
            message = error.what();
        }
        INFO(name, ": ", message);
        CHECK(message.starts_with("s.json: obstacles[0].motion"));
        CHECK(message.find("at most 10000 pieces a step") != std::string::npos);
    }
}
