// Algorithms 2 and 3 of Verschoor and Jalba (2019) as printed, for one contact, against their lines by hand.
#include "stiction/methods/mlcp/solvers/cr_solver.hpp"
#include "stiction/methods/mlcp/solvers/switching.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <numbers>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr double mu_of_rules = 0.5;
const Vec3 rule_compliance(1e-6, 2e-6, 2e-6);
constexpr SwitchingRules published_rules{Acceptance::published, FrictionUpdate::published, 5e-6, 2e-6};

ContactConstraint contact_of_rules() {
    ContactConstraint contact;
    contact.friction = mu_of_rules;
    return contact;
}

ContactUnknowns sliding_contact(double normal, double last, const Vec2& direction, double size) {
    ContactUnknowns unknowns;
    unknowns.mode = ContactMode::sliding;
    unknowns.normal = normal;
    unknowns.last_normal = last;
    unknowns.direction = direction;
    unknowns.sliding = size * direction;
    return unknowns;
}

ContactChange evaluate_by_rules(const Vec3& motion, ContactUnknowns& unknowns) {
    return evaluate_contact(contact_of_rules(), motion, rule_compliance, Progress::iterating, published_rules,
                            unknowns);
}

}  // namespace

TEST_CASE("as published, sliding friction is mu times the mean of the last two normal forces") {
    ContactUnknowns contact = sliding_contact(100.0, 60.0, Vec2::UnitX(), 30.0);
    CHECK(evaluate_by_rules(Vec3(0.0, 1e-3, 0.0), contact) == ContactChange::force);
    CHECK(contact.sliding.x() == relative(mu_of_rules * 80.0, 1e-14));
    CHECK(contact.sliding.y() == 0.0);
    CHECK(contact.last_normal == 100.0);
    CHECK(evaluate_by_rules(Vec3(0.0, 1e-3, 0.0), contact) == ContactChange::force);
    CHECK(contact.sliding.x() == relative(mu_of_rules * 100.0, 1e-14));
    CHECK(evaluate_by_rules(Vec3(0.0, 1e-3, 0.0), contact) == ContactChange::none);
}

TEST_CASE("as published, friction turns by a hundredth of the difference to the slip, beyond 1.2 degrees") {
    const double degree = std::numbers::pi / 180.0;
    for (const double angle : {1.0, 1.4, 30.0}) {
        CAPTURE(angle);
        const Vec2 slip(std::cos(angle * degree), std::sin(angle * degree));
        ContactUnknowns contact = sliding_contact(1000.0, 900.0, Vec2::UnitX(), 400.0);
        CHECK(evaluate_by_rules(Vec3(0.0, 1e-3 * slip.x(), 1e-3 * slip.y()), contact) == ContactChange::force);
        const Vec2 wanted = angle < 1.2 ? Vec2(Vec2::UnitX()) : Vec2((0.99 * Vec2::UnitX() + 0.01 * slip).normalized());
        CHECK((contact.direction - wanted).norm() < 1e-14);
    }
    // A slip within the tolerance has no direction.
    ContactUnknowns contact = sliding_contact(1000.0, 900.0, Vec2::UnitX(), 400.0);
    CHECK(evaluate_by_rules(Vec3(0.0, 2e-6, 2e-6), contact) == ContactChange::force);
    CHECK(contact.direction == Vec2::UnitX());
}

TEST_CASE("as published, a change that moves a contact by less than eps_2 is postponed") {
    // S = 2e-6 m/N: friction has to change by more than 2.5 N, the mean of the normal forces by more than 5 N.
    for (const double change : {9.9, 10.1}) {
        ContactUnknowns contact = sliding_contact(100.0 + change, 100.0, Vec2::UnitX(), 50.0);
        const ContactChange done = evaluate_by_rules(Vec3(0.0, 1e-3, 0.0), contact);
        CHECK(done == (change < 10.0 ? ContactChange::none : ContactChange::force));
        CHECK(contact.last_normal == (change < 10.0 ? 100.0 : 110.1));
    }
    for (const double pull : {-4.9, -5.1}) {
        ContactUnknowns contact = sliding_contact(pull, 0.0, Vec2::UnitX(), 0.0);
        CHECK(evaluate_by_rules(Vec3(1e-7, 1e-3, 0.0), contact) ==
              (pull > -5.0 ? ContactChange::none : ContactChange::mode));
    }
    for (const double gap : {-1.9e-6, -2.1e-6}) {
        ContactUnknowns contact;
        CHECK(evaluate_by_rules(Vec3(gap, 1e-3, 0.0), contact) ==
              (gap > -2e-6 ? ContactChange::none : ContactChange::mode));
    }
}

TEST_CASE("as published, a sticking contact slides where friction exceeds the cone and acts along the slip") {
    for (const double slip : {-1e-3, 1e-3}) {
        ContactUnknowns contact;
        contact.mode = ContactMode::sticking;
        contact.normal = 100.0;
        contact.sticking = Vec2(80.0, 0.0);
        const ContactChange done = evaluate_by_rules(Vec3(0.0, slip, 0.0), contact);
        CHECK(done == (slip < 0.0 ? ContactChange::none : ContactChange::mode));
        if (slip < 0.0) continue;
        CHECK(contact.mode == ContactMode::sliding);
        CHECK(contact.direction == Vec2::UnitX());
        // lambda' = |gamma| / mu enters the mean at once.
        CHECK(contact.sliding.x() == relative(0.5 * (80.0 + mu_of_rules * 100.0), 1e-14));
        // And back: friction stays as it is.
        CHECK(evaluate_by_rules(Vec3(0.0, -1e-5, 0.0), contact) == ContactChange::mode);
        CHECK(contact.mode == ContactMode::sticking);
        CHECK(contact.sticking.x() == relative(65.0, 1e-14));
    }
}

TEST_CASE("the published rules hold a block against a small push, and let it slide with mu m g") {
    constexpr double mass = 2.0, h = 0.01, gravity = 9.81;
    for (const double push : {5.0, 20.0}) {
        CAPTURE(push);
        VelocityMatrix matrix{.rigid = {mass * Mat3::Identity()}};
        ContactProblem problem;
        problem.matrix = &matrix;
        problem.rhs = Vec3(h * push, 0.0, -h * mass * gravity);
        ContactConstraint contact = contact_of_rules();
        contact.add(0, (Mat3() << 0.0, 0.0, h, h, 0.0, 0.0, 0.0, h, 0.0).finished());
        problem.contacts = {contact};
        ContactSolution solution{VecX::Zero(3), std::vector<ContactUnknowns>(1)};
        const ConstraintMatrix constraints(1, problem.contacts);
        const Preconditioner preconditioner(PreconditionerKind::full, matrix, constraints);
        SolverOptions options;
        options.tolerance = 1e-10;
        options.distance_tolerance = 1e-12;
        options.acceptance = Acceptance::published;
        options.friction_update = FrictionUpdate::published;
        CHECK(solve_with_conjugate_residuals({problem, constraints, preconditioner, options}, solution).end ==
              SolverEnd::converged);
        const double limit = mu_of_rules * mass * gravity;
        CHECK(solution.contacts[0].normal == relative(mass * gravity, 1e-6));
        CHECK(solution.contacts[0].friction().x() == relative(std::min(push, limit), 1e-6));
        CHECK(solution.v.x() == within(std::max(push - limit, 0.0) * h / mass, 1e-7));
    }
}
