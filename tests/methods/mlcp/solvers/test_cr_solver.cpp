#include "stiction/methods/mlcp/solvers/cr_solver.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

/// A point of mass m on the ground z = 0, pushed along x for one step of size h.
struct Block {
    static constexpr double mass = 2.0, h = 0.01, gravity = 9.81, mu = 0.5;
    VelocityMatrix matrix{.rigid = {mass * Mat3::Identity()}};
    ContactProblem problem;
    ContactSolution solution;

    explicit Block(double push, double speed = 0.0) {
        problem.matrix = &matrix;
        problem.rhs = Vec3(h * push + mass * speed, 0.0, -h * mass * gravity);
        ContactConstraint contact;
        contact.add(0, (Mat3() << 0.0, 0.0, h, h, 0.0, 0.0, 0.0, h, 0.0).finished());
        contact.friction = mu;
        problem.contacts = {contact};
        solution.v = VecX::Zero(3);
        solution.contacts.resize(1);
    }
    SolverReport solve(PreconditionerKind kind) {
        const ConstraintMatrix constraints(1, problem.contacts);
        SolverOptions options;
        options.tolerance = 1e-10;
        options.distance_tolerance = 1e-12;
        const Preconditioner preconditioner(kind, matrix, constraints, [](const VecX& r, VecX& x) { x = r / mass; });
        return solve_with_conjugate_residuals({problem, constraints, preconditioner, options}, solution);
    }
};

constexpr PreconditionerKind kinds[] = {PreconditionerKind::diagonal, PreconditionerKind::full,
                                        PreconditionerKind::block, PreconditionerKind::factorised};

}  // namespace

TEST_CASE("a block at rest is carried by its weight and held against a small push") {
    for (const auto kind : kinds) {
        Block block(5.0);
        CHECK(block.solve(kind).end == SolverEnd::converged);
        const ContactUnknowns& contact = block.solution.contacts[0];
        CHECK(contact.mode == ContactMode::sticking);
        CHECK(contact.normal == relative(Block::mass * Block::gravity, 1e-13));
        CHECK(contact.friction().x() == relative(5.0, 1e-13));  // along the slip that it prevents
        CHECK(block.solution.v.norm() < 1e-8);
    }
}

TEST_CASE("a pushed block slides, and friction is mu m g against its motion") {
    for (const auto kind : kinds) {
        Block block(20.0);
        CHECK(block.solve(kind).end == SolverEnd::converged);
        const ContactUnknowns& contact = block.solution.contacts[0];
        const double friction = Block::mu * Block::mass * Block::gravity;
        CHECK(contact.mode == ContactMode::sliding);
        CHECK(contact.friction().x() == relative(friction, 1e-13));
        CHECK(block.solution.v.x() == relative(Block::h * (20.0 - friction) / Block::mass, 1e-13));
        CHECK(std::abs(block.solution.v.z()) < 1e-8);
    }
}

TEST_CASE("a block that sticks by a little more than its cone allows is let go where its momentum would show that") {
    constexpr double limit = Block::mu * Block::mass * Block::gravity;
    for (const double share : {1e-2, 1e-7}) {
        for (const bool cut : {true, false}) {
            // Solved to within the tolerances, the excess as a distance is 5e-6 m at most.
            Block block((1.0 + share) * limit);
            ContactUnknowns& start = block.solution.contacts[0];
            start.mode = ContactMode::sticking;
            start.normal = Block::mass * Block::gravity;
            start.sticking.x() = (1.0 + share) * limit;
            const ConstraintMatrix constraints(1, block.problem.contacts);
            SolverOptions options;
            options.tolerance = 1e-5;
            options.distance_tolerance = 1e-4;
            if (!cut) options.friction_cuts = 0;
            const Preconditioner preconditioner(PreconditionerKind::full, block.matrix, constraints, {});
            const SolverReport report =
                solve_with_conjugate_residuals({block.problem, constraints, preconditioner, options}, block.solution);
            INFO("share ", share, " cut ", cut);
            CHECK(report.end == SolverEnd::converged);
            const ContactUnknowns& contact = block.solution.contacts[0];
            const bool slides = cut && share > options.tolerance;
            CHECK(contact.mode == (slides ? ContactMode::sliding : ContactMode::sticking));
            CHECK(contact.friction().x() == relative(slides ? limit : (1.0 + share) * limit, 1e-6));
            const double speed = slides ? Block::h * share * limit / Block::mass : 0.0;
            CHECK(std::abs(block.solution.v.x() - speed) <= 1e-3 * speed);
        }
    }
}

TEST_CASE("cuts let one contact go after another, those that slide at the kinetic size, and it is said what is left") {
    // Both stick with half of the push. The first gives way, which is too much for the second.
    constexpr double push = 4.0, normal = 0.5 * Block::mass * Block::gravity, ratio = 0.8;
    for (const int cuts : {2, 1}) {
        CAPTURE(cuts);
        Block block(push);
        ContactConstraint weak = block.problem.contacts[0], strong = weak;
        weak.duplicates = strong.duplicates = 2.0;
        weak.friction = 0.1 * push / normal;
        strong.friction = 0.6 * push / normal;
        weak.kinetic_ratio = strong.kinetic_ratio = ratio;
        block.problem.contacts = {weak, strong};
        block.solution.contacts.assign(2, {});
        for (ContactUnknowns& start : block.solution.contacts) {
            start.mode = ContactMode::sticking;
            start.normal = normal;
            start.sticking.x() = 0.5 * push;
        }
        const ConstraintMatrix constraints(1, block.problem.contacts);
        SolverOptions options;
        options.tolerance = 1e-5;
        options.distance_tolerance = 1e-3;  // nothing is excess as a distance
        options.friction_cuts = cuts;
        options.friction_update = FrictionUpdate::newton;  // an exact solve would find both at once
        const Preconditioner preconditioner(PreconditionerKind::full, block.matrix, constraints, {});
        const SolverReport report =
            solve_with_conjugate_residuals({block.problem, constraints, preconditioner, options}, block.solution);
        CHECK(report.end == SolverEnd::converged);
        CHECK(report.friction_is_left == (cuts == 1));
        CHECK(block.solution.contacts[0].mode == ContactMode::sliding);
        CHECK(block.solution.contacts[0].friction().x() == relative(ratio * 0.1 * push, 1e-4));
        CHECK(block.solution.contacts[1].mode == (cuts == 1 ? ContactMode::sticking : ContactMode::sliding));
        const double held = cuts == 1 ? push : ratio * 0.7 * push;
        CHECK(block.solution.contacts[1].friction().x() == relative(held - ratio * 0.1 * push, 1e-4));
    }
}

TEST_CASE("friction turns to where the slip goes, not the push") {
    // Twenty times as heavy along x as along y: slip, push and friction all point elsewhere.
    for (const auto kind : kinds) {
        Block block(0.0);
        Mat3 mass = Vec3(20.0 * Block::mass, Block::mass, Block::mass).asDiagonal();
        block.matrix.rigid = {mass};
        block.problem.rhs.head<2>() = Vec2(30.0, 25.0) * Block::h;
        const ConstraintMatrix constraints(1, block.problem.contacts);
        SolverOptions options;
        options.tolerance = 1e-10;
        options.distance_tolerance = 1e-12;
        const Preconditioner preconditioner(kind, block.matrix, constraints,
                                            [&](const VecX& r, VecX& x) { x = mass.inverse() * r; });
        const SolverReport report =
            solve_with_conjugate_residuals({block.problem, constraints, preconditioner, options}, block.solution);
        CHECK(report.end == SolverEnd::converged);
        CHECK(report.fallbacks == 0);
        CHECK(report.iterations < 60);
        const ContactUnknowns& contact = block.solution.contacts[0];
        const Vec2 slip = block.solution.v.head<2>();
        CHECK(contact.mode == ContactMode::sliding);
        CHECK(slip.norm() > 1e-3);
        CHECK(contact.friction().norm() == relative(Block::mu * Block::mass * Block::gravity, 1e-13));
        CHECK(contact.friction().normalized().dot(slip.normalized()) == relative(1.0, 1e-8));
        const Vec2 momentum = mass.topLeftCorner<2, 2>() * slip + Block::h * contact.friction();
        CHECK((momentum - block.problem.rhs.head<2>()).norm() < 1e-9 * block.problem.rhs.norm());
    }
}

TEST_CASE("a block that leaves the ground is let go, one thrown on it stops at the target") {
    for (const auto kind : kinds) {
        Block leaving(0.0);
        leaving.problem.rhs.z() = 1.0;
        leaving.solution.contacts[0].mode = ContactMode::sticking;
        leaving.solution.contacts[0].normal = 3.0;
        CHECK(leaving.solve(kind).end == SolverEnd::converged);
        CHECK(leaving.solution.contacts[0].mode == ContactMode::open);
        CHECK(leaving.solution.v.z() == relative(1.0 / Block::mass, 1e-13));

        Block falling(0.0);
        falling.problem.rhs.z() = -4.0;
        falling.problem.contacts[0].target[0] = -1e-3;  // a gap of a millimetre is left
        CHECK(falling.solve(kind).end == SolverEnd::converged);
        CHECK(Block::h * falling.solution.v.z() == relative(-1e-3, 1e-13));
    }
}

TEST_CASE("two walls that close on a block contradict each other, and it is said") {
    Block block(0.0);
    ContactConstraint ceiling = block.problem.contacts[0];
    ceiling.jacobian[0] = -ceiling.jacobian[0];
    ceiling.target[0] = 1e-3;
    ceiling.friction = block.problem.contacts[0].friction = 0.0;
    block.problem.contacts.push_back(ceiling);
    block.solution.contacts.resize(2);
    CHECK(block.solve(PreconditionerKind::full).end == SolverEnd::over_constrained);
}

TEST_CASE("a start within eps_1 stays as it is, unless only a share of eps_1 is allowed at the start") {
    for (const auto kind : kinds) {
        CAPTURE(static_cast<int>(kind));
        for (const double share : {1.0, 0.1}) {
            CAPTURE(share);
            Block block(20.0);
            block.solve(kind);
            const double exact = block.solution.v.x();
            SolverOptions options;
            options.tolerance = 1e-4;
            options.distance_tolerance = 1e-5;
            options.start_share = share;
            // Half of what the tolerance allows, where only the momentum balance shows it.
            block.solution.v.x() += 0.5 * options.tolerance * block.problem.scale() / Block::mass;
            const double wrong = block.solution.v.x();
            const ConstraintMatrix constraints(1, block.problem.contacts);
            const Preconditioner preconditioner(kind, block.matrix, constraints,
                                                [](const VecX& r, VecX& x) { x = r / Block::mass; });
            const SolverReport report =
                solve_with_conjugate_residuals({block.problem, constraints, preconditioner, options}, block.solution);
            CHECK(report.end == SolverEnd::converged);
            CHECK((report.iterations > 0) == (share < 1.0));
            const double left = (block.solution.v.x() - exact) / (wrong - exact);
            CHECK(std::abs(left - (share < 1.0 ? 0.0 : 1.0)) < 1e-6);  // of the error of the start
        }
    }
}
