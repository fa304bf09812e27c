// Trajectories, schedules, unknowns, and the bytes of a state.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/dof_map.hpp"
#include "stiction/world/release.hpp"
#include "stiction/world/twist.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <limits>

using namespace stiction;
using namespace stiction::test;

namespace {

ScheduledVertex at(const Vec3& anchor, double anchor_time = 0.0) {
    return {0, anchor, anchor, anchor_time};
}

/// A unit cube whose first vertex is driven by `motion`.
std::pair<World, State> cube_with(std::vector<Motion> motions) {
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({1, 1, 1}, {1, 1, 1}), {});
    for (Motion& motion : motions) {
        motion.vertices = {0};
        builder.add_motion(motion);
    }
    return builder.build();
}

}  // namespace

TEST_CASE("rigid trajectory: keys, velocity and turn, all counted from the anchor") {
    RigidTrajectory path;
    path.keys = {{1.0, {0, 0, 0}}, {2.0, {2, 0, 0}}, {4.0, {2, 4, 0}}};
    CHECK(path.position(0.5, at({1, 1, 1})).isApprox(Vec3(1, 1, 1)));
    CHECK(path.position(1.5, at({1, 1, 1})).isApprox(Vec3(2, 1, 1)));
    CHECK(path.position(3.0, at({0, 0, 0})).isApprox(Vec3(2, 2, 0)));
    CHECK(path.position(9.0, at({0, 0, 0})).isApprox(Vec3(2, 4, 0)));
    // An anchor taken at t = 1.5 has the displacement of that moment behind it.
    CHECK(path.position(2.0, at({0, 0, 0}, 1.5)).isApprox(Vec3(1, 0, 0)));
    RigidTrajectory turn;
    turn.axis = Vec3::UnitZ();
    turn.centre = {1, 0, 0};
    turn.angular_velocity = EIGEN_PI;
    turn.velocity = {0, 0, 3};
    CHECK(turn.position(0.5, at({2, 0, 0})).isApprox(Vec3(1, 1, 1.5)));
    CHECK(turn.position(1.5, at({2, 0, 0}, 1.0)).isApprox(Vec3(1, 1, 1.5)));
}

TEST_CASE("mesh sequence: linear between frames, held after the last") {
    SequenceTrajectory sequence;
    sequence.start = 1.0;
    sequence.interval = 0.5;
    sequence.frames = {{{0, 0, 0}}, {{1, 0, 0}}, {{1, 2, 0}}};
    CHECK(sequence.position(0.0, at({9, 9, 9})) == Vec3(0, 0, 0));
    CHECK(sequence.position(1.25, at({9, 9, 9})).isApprox(Vec3(0.5, 0, 0)));
    CHECK(sequence.position(1.75, at({9, 9, 9})).isApprox(Vec3(1, 1, 0)));
    CHECK(sequence.position(7.0, at({9, 9, 9})) == Vec3(1, 2, 0));
}

TEST_CASE("schedule: time ranges start and stop with the steps, later motions win, targets end at the range's end") {
    Motion first, second;
    auto moving = std::make_shared<RigidTrajectory>();
    moving->velocity = {1, 0, 0};
    first.begin = 0.1;
    first.end = 0.35;
    first.trajectory = moving;
    second.begin = 0.2;
    second.end = 0.3;
    second.axes = 1;
    second.trajectory = std::make_shared<HoldTrajectory>();
    auto [world, state] = cube_with({first, second});
    const double h = 0.1;
    const auto input_at = [&](double t) {
        state.t = t;
        return schedule(world, state, h);
    };
    CHECK(input_at(0.0).driven_axes[0] == 0);
    const StepInput started = input_at(0.1);
    CHECK(started.driven_axes[0] == 7);
    CHECK(started.active_motion[0] == 0);
    CHECK(started.target[0] == relative(world.initial_positions[0] + 0.1, 1e-13));
    CHECK(input_at(0.2).active_motion[0] == 1);
    CHECK(input_at(0.2).driven_axes[0] == 1);
    // 0.1 + 0.1 + 0.1 is not 0.3 in floating point: the side a step belongs to must not hang on it.
    CHECK(input_at(0.1 + 0.1 + 0.1).active_motion[0] == 0);
    // The range ends inside this step: a free body keeps its speed until the step is over.
    CHECK(input_at(0.3).target[0] == relative(world.initial_positions[0] + 0.1, 1e-13));
    CHECK(input_at(0.4).driven_axes[0] == 0);
}

TEST_CASE("twist: a step turns about the centre of the present box, and twists on one vertex add up") {
    const auto twist = [](const Vec3& velocity, const Vec3& spin) {
        auto trajectory = std::make_shared<TwistTrajectory>();
        trajectory->velocity = velocity;
        trajectory->angular_velocity = spin;
        return trajectory;
    };
    Motion turning, shifting, holding;
    turning.trajectory = twist({0, 0, 1}, {0.3, -0.4, 0.5});
    turning.end = 0.5;
    shifting.trajectory = twist({2, 0, 0}, {0, 0, 0});
    shifting.begin = 0.2;
    holding.begin = 0.6;
    holding.trajectory = std::make_shared<HoldTrajectory>();
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({1, 2, 3}, {1, 1, 1}), {});
    const std::vector<Index> vertices{1, 2, 5, 6};
    for (Motion* motion : {&turning, &shifting, &holding}) {
        motion->vertices = vertices;
        builder.add_motion(*motion);
    }
    auto [world, state] = builder.build();
    const double h = 0.1;
    for (const int n : {0, 1, 2, 3, 4, 5, 6}) {
        INFO("step ", n);
        state.t = n * h;
        // What moves before is no matter: the present positions count.
        state.x = world.initial_positions * (1.0 + 0.1 * n);
        Eigen::AlignedBox3d box;
        for (const Index v : vertices) box.extend(Vec3(state.x.segment<3>(3 * v)));
        const Mat3 turn = (Eigen::AngleAxisd(0.3 * h, Vec3::UnitX()) * Eigen::AngleAxisd(-0.4 * h, Vec3::UnitY()) *
                           Eigen::AngleAxisd(0.5 * h, Vec3::UnitZ()))
                              .toRotationMatrix();
        const StepInput input = schedule(world, state, h);
        for (const Index v : vertices) {
            const Vec3 x = state.x.segment<3>(3 * v);
            Vec3 expected = x;
            if (n < 5) expected += (turn - Mat3::Identity()) * (x - box.center()) + Vec3(0, 0, h);
            if (n >= 2 && n < 6) expected += Vec3(2 * h, 0, 0);
            CHECK((input.target.segment<3>(3 * v) - expected).norm() < 1e-14);
            CHECK(input.is_driven(v));
        }
    }
}

TEST_CASE("a motion ends for good when every vertex of the bodies is beyond a plane") {
    auto moving = std::make_shared<RigidTrajectory>();
    moving->velocity = {1, 0, 0};
    auto releasing = std::make_shared<ReleasingTrajectory>();
    releasing->path = moving;
    releasing->point = {2, 0, 0};
    Motion motion;
    motion.begin = 0.2;
    motion.trajectory = releasing;
    auto [world, state] = cube_with({motion});
    const double h = 0.1;
    const auto driven_at = [&](int n, double shift) {
        state.t = n * h;
        state.previous_h = n > 0 ? h : 0.0;
        state.x = world.initial_positions;
        for (Index v = 0; v < world.vertex_count(); ++v) state.x[3 * v] += shift;
        const StepInput input = schedule(world, state, h);
        state.active_motion = input.active_motion;
        return input.is_driven(0);
    };
    CHECK_FALSE(driven_at(0, 0.0));
    CHECK_FALSE(driven_at(1, 0.0));
    CHECK(driven_at(2, 0.0));  // begins
    CHECK(driven_at(3, 2.4));  // the cube reaches from 1.9 to 2.9
    CHECK_FALSE(driven_at(4, 2.6));
    CHECK_FALSE(driven_at(5, 0.0));
}

TEST_CASE("a formula that is not finite is named with its motion") {
    Motion motion;
    motion.name = "bodies[0].boundary[0]";
    motion.trajectory =
        std::make_shared<FormulaTrajectory>([](const Vec3&, double t) { return Vec3(1.0 / (t - 0.1), 0, 0); });
    auto [world, state] = cube_with({motion});
    CHECK_THROWS_WITH_AS((void)schedule(world, state, 0.1), doctest::Contains("bodies[0].boundary[0]"), InputError);
}

TEST_CASE("DofMap: driven vertices leave the unknowns, partly driven ones keep a masked node") {
    const DofMap map({0, 7, 5, 0});
    CHECK(map.node_count() == 3);
    CHECK(map.node(1) == -1);
    CHECK(map.entries(1).empty());
    CHECK(map.node(2) == 1);
    CHECK(map.masked_axes(1) == 5);
    VecX gradient(12), nodes, back;
    for (int i = 0; i < 12; ++i) gradient[i] = i + 1;
    map.restrict_gradient(gradient, nodes);
    VecX expected(9);
    expected << 1, 2, 3, 0, 8, 0, 10, 11, 12;
    CHECK(nodes == expected);
    map.expand_step(nodes, back);
    CHECK(back.segment<3>(3).isZero());
    CHECK(back.segment<3>(9) == nodes.segment<3>(6));
    map.expand_step(VecX::Ones(9), back);
    CHECK(back.segment<3>(6) == Vec3(0, 1, 0));
}

TEST_CASE("bytes of a state: exact round trip; truncated or altered bytes are refused") {
    auto [world, state] = cube_with({});
    state.t = 0.1;
    state.step = 7;
    state.x[3] = -0.0;
    state.v[1] = 5e-324;
    state.warm_start["ipc"] = std::string("\0abc", 4);
    const std::string bytes = to_bytes(state);
    CHECK(state_from_bytes(bytes, "checkpoint") == state);
    CHECK(to_bytes(state_from_bytes(bytes, "checkpoint")) == bytes);
    for (std::size_t size = 0; size < bytes.size(); size += 7)
        CHECK_THROWS_AS((void)state_from_bytes(bytes.substr(0, size), "checkpoint"), InputError);
    for (std::size_t i = 0; i < bytes.size(); i += 5) {
        std::string altered = bytes;
        altered[i] = static_cast<char>(altered[i] ^ 0x10);
        CHECK_THROWS_WITH_AS((void)state_from_bytes(altered, "checkpoint"), doctest::Contains("checkpoint"),
                             InputError);
    }
}

TEST_CASE("world builder: masses, diagonal, tables, obstacles never meet obstacles") {
    WorldBuilder builder;
    const Index cube =
        builder.add_deformable("cube", generate_box({1, 2, 3}, {1, 1, 1}), {MaterialLaw::arap, 1e5, 0.3, 500});
    const Index wall = builder.add_obstacle("wall", generate_box({9, 9, 9}, {1, 1, 1}, Fill::surface));
    const Index ground = builder.add_half_space("ground", {0, -5, 0}, {0, 2, 0});
    builder.set_default_friction(0.1);
    builder.set_friction(cube, ground, 0.7);
    builder.set_contact(cube, cube, false);
    const auto [world, state] = builder.build();
    CHECK(world.mass.sum() == relative(3000.0, 1e-13));
    CHECK(world.mean_mass == relative(3000.0 / 8, 1e-13));
    CHECK(world.diagonal == relative(std::sqrt(14.0), 1e-13));
    CHECK(world.friction(ground, cube) == 0.7);
    CHECK(world.friction(cube, wall) == 0.1);
    CHECK(!world.contact_pairs.allowed(cube, cube));
    CHECK(!world.contact_pairs.allowed(wall, ground));
    CHECK(!world.contact_pairs.allowed(wall, wall));
    CHECK(world.contact_pairs.allowed(cube, wall));
    CHECK(world.half_spaces.size() == 1);
    CHECK(world.half_spaces[0].normal.isApprox(Vec3::UnitY()));
    Mesh twice = generate_box({1, 1, 1}, {1, 1, 1});
    twice.tets.push_back({twice.tets[2][1], twice.tets[2][2], twice.tets[2][0], twice.tets[2][3]});
    WorldBuilder repeated;
    CHECK_THROWS_WITH_AS((void)repeated.add_deformable("twice", twice, {}), doctest::Contains("every tet once"),
                         InputError);
    WorldBuilder empty;
    CHECK_THROWS_AS((void)empty.build(), InputError);
}
