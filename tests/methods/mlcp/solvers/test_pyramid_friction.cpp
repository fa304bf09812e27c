// The friction pyramid: answers by hand, and random problems whose conditions are recomputed.
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/methods/mlcp/solvers/cr_solver.hpp"
#include "stiction/methods/mlcp/solvers/pyramid_friction.hpp"

#include "methods/mlcp/random_problem.hpp"
#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <numbers>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr double pyramid_mu = 0.5, pyramid_mass = 2.0, pyramid_h = 0.01;
constexpr double pyramid_limit = pyramid_mu * pyramid_mass * gravity;  // 9.81 N a tangent

struct PushedPoint {
    ContactSolution solution;
    ContactErrors errors;
};

/// A mass point on a floor, pushed by a force along the tangents (N), from rest.
PushedPoint pushed_point(const Vec2& push, FrictionUpdate update, double kinetic_ratio = 1.0,
                         Acceptance acceptance = Acceptance::strict) {
    VelocityMatrix matrix{.rigid = {pyramid_mass * Mat3::Identity()}};
    ContactProblem problem;
    problem.matrix = &matrix;
    problem.rhs = pyramid_h * Vec3(push.x(), push.y(), -pyramid_mass * gravity);
    ContactConstraint contact;
    contact.friction = pyramid_mu;
    contact.kinetic_ratio = kinetic_ratio;
    contact.add(0, (Mat3() << 0.0, 0.0, pyramid_h, pyramid_h, 0.0, 0.0, 0.0, pyramid_h, 0.0).finished());
    problem.contacts = {contact};
    PushedPoint result{{VecX::Zero(3), std::vector<ContactUnknowns>(1)}, {}};
    const ConstraintMatrix constraints(1, problem.contacts);
    const Preconditioner preconditioner(PreconditionerKind::full, matrix, constraints);
    SolverOptions options;
    options.tolerance = 1e-10;
    options.distance_tolerance = 1e-12;
    options.friction_update = update;
    options.acceptance = acceptance;
    CHECK(solve_with_conjugate_residuals({problem, constraints, preconditioner, options}, result.solution).end ==
          SolverEnd::converged);
    result.errors = contact_errors(problem, result.solution, preconditioner.compliance());
    return result;
}

/// Largest error (m) of the law of the pyramid, from velocities and forces alone.
double pyramid_error(const ContactProblem& problem, const ContactSolution& solution,
                     const std::vector<Vec3>& compliance) {
    double error = 0.0;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const Vec3 motion = relative_motion(problem.contacts[k], solution.v);
        const ContactUnknowns& unknowns = solution.contacts[k];
        error = std::max(error, std::abs(std::min(motion[0], compliance[k][0] * unknowns.normal)));
        const double limit = problem.contacts[k].friction * std::max(unknowns.normal, 0.0),
                     tangential = 0.5 * (compliance[k][1] + compliance[k][2]);
        for (const int i : {0, 1}) {
            const double friction = unknowns.friction()[i],
                         natural = std::clamp(friction + motion[1 + i] / tangential, -limit, limit);
            error = std::max(error, tangential * std::abs(friction - natural));
        }
    }
    return error;
}

}  // namespace

TEST_CASE("pyramid: each tangent of a contact sticks or slides by itself") {
    for (const auto acceptance : {Acceptance::strict, Acceptance::published})
        for (const double x : {0.0, 5.0, -5.0, 9.5, 20.0, -20.0})
            for (const double y : {0.0, 5.0, -5.0, 9.5, 15.0, -15.0}) {
                CAPTURE(x);
                CAPTURE(y);
                const ContactSolution found = pushed_point({x, y}, FrictionUpdate::pyramid, 1.0, acceptance).solution;
                const Vec2 push(x, y);
                CHECK(found.contacts[0].normal == relative(pyramid_mass * gravity, 1e-6));
                for (const int i : {0, 1}) {
                    const double friction = std::clamp(push[i], -pyramid_limit, pyramid_limit);
                    CHECK(found.contacts[0].friction()[i] == within(friction, 1e-6));
                    CHECK(found.v[i] == within((push[i] - friction) * pyramid_h / pyramid_mass, 1e-7));
                }
            }
}

TEST_CASE("pyramid: sliding along the diagonal takes sqrt(2) mu lambda, and errors are those against the cone") {
    const PushedPoint found = pushed_point({20.0, 20.0}, FrictionUpdate::pyramid);
    CHECK(found.solution.contacts[0].friction().norm() == relative(std::numbers::sqrt2 * pyramid_limit, 1e-6));
    const PushedPoint cone = pushed_point({20.0, 20.0}, FrictionUpdate::newton);
    CHECK(cone.solution.contacts[0].friction().norm() == relative(pyramid_limit, 1e-6));
    CHECK(cone.errors.sliding < 1e-10);
    const double compliance = found.errors.sliding / ((std::numbers::sqrt2 - 1.0) * pyramid_limit);
    CHECK(compliance > 0.1 * pyramid_h * pyramid_h / pyramid_mass);
    CHECK(compliance < 10.0 * pyramid_h * pyramid_h / pyramid_mass);

    // It holds a push along the diagonal that the cone does not hold.
    CHECK(pushed_point({9.0, 9.0}, FrictionUpdate::pyramid).solution.v.norm() < 1e-7);
    CHECK(pushed_point({9.0, 9.0}, FrictionUpdate::newton).solution.v.norm() > 0.01);
}

TEST_CASE("pyramid: the kinetic coefficient acts on the tangent that slides") {
    const ContactUnknowns contact = pushed_point({20.0, 4.0}, FrictionUpdate::pyramid, 0.5).solution.contacts[0];
    CHECK(contact.friction().x() == relative(0.5 * pyramid_limit, 1e-6));
    CHECK(contact.friction().y() == relative(4.0, 1e-6));
}

TEST_CASE("pyramid: friction of any direction is split between tangents at the limit and others") {
    ContactProblem problem;
    problem.contacts.resize(1);
    problem.contacts[0].friction = pyramid_mu;
    const auto split = [&](const Vec2& friction) {
        ContactSolution solution{VecX(), std::vector<ContactUnknowns>(1)};
        ContactUnknowns& unknowns = solution.contacts[0];
        unknowns.mode = ContactMode::sliding;
        unknowns.normal = 100.0;
        unknowns.sliding = friction;
        unknowns.direction = friction.normalized();
        take_pyramid_form(problem, solution);
        CHECK(unknowns.friction() == friction);
        return unknowns;
    };
    const ContactUnknowns edge = split({-50.0, 20.0});
    CHECK(edge.direction == Vec2(-1.0, 0.0));
    CHECK(edge.sticking == Vec2(0.0, 20.0));
    const ActiveRows rows = active_rows(problem.contacts[0], edge);
    CHECK(rows.count == 2);
    CHECK(rows.compliance == 0.0);
    CHECK(std::abs(rows.across.y()) == 1.0);
    const ContactUnknowns corner = split({50.0, -49.9});
    CHECK(active_rows(problem.contacts[0], corner).count == 1);
    CHECK(corner.direction.isApprox(Vec2(1.0, -1.0).normalized()));
    CHECK(split({20.0, -30.0}).mode == ContactMode::sticking);
}

TEST_CASE("pyramid: what converges of random problems satisfies the law of the pyramid") {
    int converged = 0;
    constexpr int problems = 100;
    for (int seed = 0; seed < problems; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::at_rest);
        const ConstraintMatrix constraints(made->matrix.nodes(), made->problem.contacts);
        const Preconditioner preconditioner(PreconditionerKind::full, made->matrix, constraints);
        SolverOptions options;
        options.tolerance = 1e-8;
        options.distance_tolerance = 1e-8;
        options.friction_update = FrictionUpdate::pyramid;
        ContactSolution found{VecX::Zero(made->problem.rhs.size()),
                              std::vector<ContactUnknowns>(made->problem.contacts.size())};
        const SolverReport report =
            solve_with_conjugate_residuals({made->problem, constraints, preconditioner, options}, found);
        if (report.end != SolverEnd::converged) continue;
        ++converged;
        CHECK(contact_errors(made->problem, found, preconditioner.compliance()).momentum <= 1.01e-8);
        CHECK(pyramid_error(made->problem, found, preconditioner.compliance()) <= 2.1e-8);
    }
    CHECK(converged >= problems - 2);
}

TEST_CASE("pyramid: over many steps a block thrown along the diagonal is slowed by sqrt(2) mu g") {
    constexpr double mu = 0.4, h = 0.002, speed = 1.0;
    constexpr int steps = 20;
    for (const auto update : {FrictionUpdate::pyramid, FrictionUpdate::newton}) {
        const Mat32 tangents = any_tangents(Vec3(0.0, 1.0, 0.0));
        const Vec3 diagonal = (tangents.col(0) + tangents.col(1)).normalized();
        Scene scene = block_on_slope({.mu = mu,
                                      .material = {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000},
                                      .gap = 1e-6,
                                      .velocity = speed * diagonal});
        Options options;
        options.tolerance = 1e-7;
        options.distance_tolerance = 1e-7;
        options.friction_update = update;  // `auto` means `cr`
        Mlcp mlcp(options);
        const State end = run_steps(mlcp, scene.world, scene.state, h, steps);
        const Vec3 velocity = centre_of_mass(scene.world, end, 0).second;
        const double more = update == FrictionUpdate::pyramid ? std::numbers::sqrt2 : 1.0;
        CHECK(velocity.dot(diagonal) == relative(speed - more * mu * gravity * h * steps, 1e-3));
    }
}
