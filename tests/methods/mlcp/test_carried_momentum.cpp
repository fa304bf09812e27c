// What a step leaves unbalanced within its tolerances, and later ones make up for.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/carried_momentum.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "linalg/random_system.hpp"
#include "support/block_on_slope.hpp"
#include "support/compare.hpp"

#include <cmath>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

/// Two bodies of two nodes each, and contacts of theirs in all modes whose forces are a little beside Coulomb's law.
struct TwoBodies {
    VelocityMatrix matrix;
    ContactProblem problem;
    ContactSolution solution;

    explicit TwoBodies(std::uint64_t seed) {
        Random random(seed);
        for (int node = 0; node < 4; ++node) matrix.rigid.push_back((2.0 + uniform(random)) * Mat3::Identity());
        problem.matrix = &matrix;
        problem.rhs.resize(12);
        solution.v.resize(12);
        for (double& entry : problem.rhs) entry = uniform(random);
        for (double& entry : solution.v) entry = uniform(random);
        problem.bodies = {{0, 2, 1.0, 1e3}, {2, 2, 1.0, 1e3}};
        for (const ContactMode mode : {ContactMode::open, ContactMode::sticking, ContactMode::sliding}) {
            for (const double normal : {-0.01, 1.0}) {
                ContactConstraint contact;
                contact.add(0, random_block(random));
                contact.add(3, random_block(random));
                contact.friction = 0.5;
                contact.kinetic_ratio = 0.8;
                ContactUnknowns unknowns;
                unknowns.mode = mode;
                if (mode != ContactMode::open) {
                    unknowns.normal = normal;
                    unknowns.sticking = Vec2(0.3, 0.41);  // 0.508: outside the static cone
                }
                problem.contacts.push_back(contact);
                solution.contacts.push_back(unknowns);
            }
        }
    }
};

}  // namespace

TEST_CASE("unbalanced momentum is that of the forces of Coulomb's law, body by body, and bounded") {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        CAPTURE(seed);
        TwoBodies two(seed);
        VecX residual = two.problem.rhs;
        for (Eigen::Index node = 0; node < 4; ++node) {
            residual.segment<3>(3 * node) -=
                two.matrix.rigid[static_cast<std::size_t>(node)] * two.solution.v.segment<3>(3 * node);
        }
        // Of the six contacts those without a force, or with one that pulls, count nothing.
        const Vec2 direction = Vec2(0.3, 0.41).normalized();
        for (const auto& [contact, size] : {std::pair<std::size_t, double>{3, 0.5}, {5, 0.4}}) {
            const Vec3 force(-1.0, size * direction.x(), size * direction.y());
            const ContactConstraint& constraint = two.problem.contacts[contact];
            residual.segment<3>(0) -= constraint.jacobian[0].transpose() * force;
            residual.segment<3>(9) -= constraint.jacobian[1].transpose() * force;
        }
        const std::vector<Vec3> found = unbalanced_momentum(two.problem, two.solution, 1.0);
        REQUIRE(found.size() == 2);
        for (Eigen::Index body = 0; body < 2; ++body) {
            const Vec3 expected = residual.segment<3>(6 * body) + residual.segment<3>(6 * body + 3);
            CHECK((found[static_cast<std::size_t>(body)] - expected).norm() <= 1e-14 * expected.norm());
        }
        // Where |r| <= tolerance change_bound, its sum over two nodes is at most sqrt(2) of that.
        const std::vector<Vec3> bounded = unbalanced_momentum(two.problem, two.solution, 1e-6);
        CHECK(bounded[0].norm() == relative(std::sqrt(2.0) * 1e-3, 1e-12));
        CHECK(bounded[0].normalized().dot(found[0].normalized()) == relative(1.0, 1e-14));
    }
}

TEST_CASE("carried momentum is stored bit by bit, and a body of any shape gets it within h without a turn") {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e6, 0.3, 1000};
    builder.add_deformable("soft", translated(generate_box({0.1, 0.2, 0.3}, {1, 2, 3}), {0, 1, 0}), soft);
    builder.add_rigid("rigid", translated(generate_box({1, 1, 2}, {1, 1, 1}), {0, 3, 3}), 1000);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    auto [world, state] = builder.build();
    CHECK(read_carried_momentum(world, state) == CarriedMomentum(3));
    const std::vector<Vec3> carried{{0.1, -0.2, 1.0 / 3.0}, {5.0, 6.0, -7.0}, Vec3::Zero()};
    CarriedMomentum stored(3);
    stored.due = carried;
    stored.postponed = {Vec3::Zero(), {1.0 / 7.0, 8.0, 9.0}, {1e-30, 0.0, 0.0}};
    store_carried_momentum(stored, state);
    CHECK(read_carried_momentum(world, state) == stored);

    constexpr double h = 0.01;
    const VecX force = add_carried_momentum(world, carried, h, VecX::Zero(state.x.size()));
    for (std::size_t k = 0; k < 2; ++k) {
        const Body& body = world.bodies[k];
        const Vec3 centre = centre_of_mass(world, state, static_cast<Index>(k)).first;
        Vec3 sum = Vec3::Zero(), turn = Vec3::Zero();
        for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
            sum += h * force.segment<3>(3 * v);
            turn += h * (state.x.segment<3>(3 * v) - centre).cross(force.segment<3>(3 * v));
        }
        CHECK((sum - carried[k]).norm() <= 1e-13 * carried[k].norm());
        CHECK(turn.norm() <= 1e-13 * carried[k].norm());
    }
    store_carried_momentum(CarriedMomentum(3), state);
    CHECK(state.warm_start.empty());
}

TEST_CASE("unbalanced momentum is due once it is a third of the tolerance, and along free axes alone") {
    constexpr double tolerance = 1e-4;
    BodyMomentum body{.first_node = 0, .node_count = 5, .scale = 0.5, .change_bound = 3.0, .body = 1};
    CarriedMomentum carried(2);
    const Vec3 part(0.4e-4, 0.3e-4, 0.0);  // half of a third of 3e-4
    carried.add(body, part, tolerance);
    CHECK(carried.due[1] == Vec3::Zero());
    CHECK(carried.postponed[1] == part);
    carried.add(body, 1.1 * part, tolerance);
    CHECK((carried.due[1] - 2.1 * part).norm() < 1e-18);
    CHECK(carried.postponed[1] == Vec3::Zero());
    body.driven_axes = 1;
    CarriedMomentum driven(2);
    driven.postponed[1] = Vec3(1.0, 0.0, 0.0);  // of before its vertices were driven
    driven.add(body, Vec3(2.0, 3.0, 4.0), tolerance);
    CHECK(driven.due[1] == Vec3(0.0, 3.0, 4.0));
    CHECK(driven.postponed[1] == Vec3::Zero());
}

TEST_CASE("mlcp: a stiff block that slides loses what Coulomb's law says, at default tolerances") {
    // Without carried momentum: -1e-3 and -5e-3 in mu.
    struct Row {
        double modulus, h, speed;
        std::array<int, 3> cells;
        int steps;
    };
    const double tangent = 0.5, mu = 0.499, angle = std::atan(tangent);
    for (const Row& row : {Row{1e9, 1e-3, 0.5, {2, 1, 2}, 200}, Row{1e8, 4e-3, 20.0, {1, 1, 1}, 50}}) {
        CAPTURE(row.modulus);
        const Scene scene = block_on_slope({.tangent = tangent,
                                            .mu = mu,
                                            .material = {MaterialLaw::fixed_corotated, row.modulus, 0.3, 1000},
                                            .gap = 1e-6,
                                            .velocity = {row.speed, 0, 0},
                                            .cells = row.cells});
        Mlcp method({});
        const State end = run_steps(method, scene.world, scene.state, row.h, row.steps);
        const double gained = centre_of_mass(scene.world, end, 0).second.x() - row.speed;
        const double per_mu = gravity * std::cos(angle) * row.h * row.steps;
        CHECK(gained / per_mu == within(tangent - mu, 3e-4));
        CHECK(end.warm_start.count("mlcp_momentum") == 1);
    }
}

TEST_CASE("mlcp: a block that friction holds stays beside a soft body a thousand times as heavy") {
    // The tolerance of all is that of the heavy body. Without carried momentum the block slid with 0.06 m/s; with it,
    // but without a bound on the block by its share of the mass, it crept by 1.8e-2 m at a tolerance of 1e-3.
    const double mu = 0.501, angle = std::atan(0.5), h = 0.01;
    WorldBuilder builder;
    const Mesh block = generate_box({0.2, 0.1, 0.2}, {6, 3, 6}), heavy = generate_box({0.4, 0.2, 0.4}, {2, 1, 2});
    builder.add_deformable("block", translated(block, {0, 0.0500015, 0}),
                           {MaterialLaw::fixed_corotated, 1e7, 0.3, 1000});
    builder.add_deformable("heavy", translated(heavy, {0, 0.1000015, 1}),
                           {MaterialLaw::fixed_corotated, 1e8, 0.3, 125000});
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity(gravity * Vec3(std::sin(angle), -std::cos(angle), 0));
    builder.set_default_friction(mu);
    auto [world, state] = builder.build();
    const Vec3 start = centre_of_mass(world, state, 0).first;
    // The block shears by 4.8e-5 m while it settles.
    for (const auto& [tolerance, most] : {std::pair{5e-5, 8e-5}, {1e-3, 1e-3}}) {
        CAPTURE(tolerance);
        Options options;
        options.tolerance = tolerance;
        Mlcp method(options);
        const State end = run_steps(method, world, state, h, 100);
        const auto [centre, velocity] = centre_of_mass(world, end, 0);
        CHECK(std::abs(centre.x() - start.x()) < most);
        CHECK(std::abs(velocity.x()) < 5e-3);
    }
}

TEST_CASE("mlcp: a light block on a soft body far heavier has the speed of tight tolerances, to 5e-4 in mu") {
    // 1e-3 where the bound on the block's residual also bounded what later steps make up for. While the block settles
    // its friction is not that of its weight, so there is no closed form.
    const double mu = 0.499, angle = std::atan(0.5), h = 1e-3;
    constexpr int steps = 200;
    WorldBuilder builder;
    const Mesh block = generate_box({0.2, 0.1, 0.2}, {4, 2, 4}), heavy = generate_box({0.4, 0.2, 0.4}, {2, 1, 2});
    builder.add_deformable("block", translated(block, {0, 0.250003, 0}), {MaterialLaw::fixed_corotated, 1e6, 0.3, 10});
    builder.add_deformable("heavy", translated(heavy, {0, 0.1000015, 0}),
                           {MaterialLaw::fixed_corotated, 1e8, 0.3, 125000});
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity(gravity * Vec3(std::sin(angle), -std::cos(angle), 0));
    builder.set_default_friction(mu);
    builder.set_friction(1, 2, 2.0);
    auto [world, state] = builder.build();
    const auto speed = [&](double tolerance) {
        Options options;
        options.tolerance = tolerance;
        Mlcp method(options);
        return centre_of_mass(world, run_steps(method, world, state, h, steps), 0).second.x();
    };
    const double per_mu = gravity * std::cos(angle) * h * steps;
    CHECK((speed(5e-5) - speed(1e-7)) / per_mu == within(0.0, 5e-4));
}
