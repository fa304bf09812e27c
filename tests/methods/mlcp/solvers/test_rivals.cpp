// Every contact solver on the same problems.
#include "stiction/methods/mlcp/solvers/anderson.hpp"
#include "stiction/methods/mlcp/solvers/contact_solver.hpp"
#include "stiction/methods/mlcp/solvers/coulomb_contact.hpp"
#include "stiction/methods/mlcp/solvers/delassus.hpp"

#include "methods/mlcp/random_survey.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr double mass = 2.0, h = 0.01, gravity = 9.81, mu = 0.5;
constexpr SolverKind all_kinds[] = {SolverKind::cr, SolverKind::ica, SolverKind::sp_active_set,
                                    SolverKind::sp, SolverKind::pgs, SolverKind::augmented_lagrangian};

/// A point of mass m on the ground z = 0 for one step of size h.
struct Block {
    VelocityMatrix matrix{.elastic = nullptr, .rank_one = nullptr, .rigid = {mass * Mat3::Identity()}};
    ContactProblem problem;
    ContactSolution solution;

    explicit Block(const Vec3& momentum) {
        problem.matrix = &matrix;
        problem.rhs = momentum;
        ContactConstraint contact;
        contact.add(0, (Mat3() << 0.0, 0.0, h, h, 0.0, 0.0, 0.0, h, 0.0).finished());
        contact.friction = mu;
        problem.contacts = {contact};
        solution = cold_start(problem);
    }
    const ContactUnknowns& solve(SolverKind kind) {
        const ConstraintMatrix constraints(1, problem.contacts);
        SolverOptions options;
        options.tolerance = 1e-10;
        options.distance_tolerance = 1e-12;
        const Preconditioner preconditioner(PreconditionerKind::diagonal, matrix, constraints);
        const auto solve = [](const VecX& r, VecX& x) { x = r / mass; };
        const auto report = solve_with(kind, {problem, constraints, preconditioner, options, solve}, solution);
        CHECK(report.end == SolverEnd::converged);
        return solution.contacts[0];
    }
};

/// A library solver for a survey. `over_forces`: the augmented Lagrangian with forces as unknowns.
Solver rival(SolverKind kind, bool over_forces = false) {
    return [kind, over_forces](RandomProblem& made, const ConstraintMatrix& constraints, const SolverOptions& options,
                               ContactSolution& solution) -> SolverReport {
        const Eigen::LLT<Eigen::MatrixXd> factor(made.dense);
        const Preconditioner preconditioner(PreconditionerKind::diagonal, made.matrix, constraints);
        const auto solve = [&](const VecX& r, VecX& x) { x = factor.solve(r); };
        ContactResponses responses;
        if (over_forces) responses.update(made.matrix.nodes(), made.problem.contacts, solve);
        return solve_with(
            kind, {made.problem, constraints, preconditioner, options, solve, over_forces ? &responses : nullptr},
            solution);
    };
}

}  // namespace

TEST_CASE("every solver holds a block at rest, lets it slide, leave and land") {
    for (const auto kind : all_kinds) {
        CAPTURE(static_cast<int>(kind));
        // The augmented Lagrangian stops within the tolerance, where the others have solved one contact exactly.
        const double exact = kind == SolverKind::augmented_lagrangian ? 1e-9 : 1e-13;
        Block resting({5.0 * h, 0.0, -h * mass * gravity});
        const ContactUnknowns& rest = resting.solve(kind);
        CHECK(rest.mode == ContactMode::sticking);
        CHECK(rest.normal == relative(mass * gravity, exact));
        CHECK(rest.friction().x() == relative(5.0, exact));
        CHECK(resting.solution.v.norm() < 1e-8);

        Block pushed({20.0 * h, 0.0, -h * mass * gravity});
        const ContactUnknowns& slide = pushed.solve(kind);
        CHECK(slide.mode == ContactMode::sliding);
        CHECK(slide.friction().x() == relative(mu * mass * gravity, exact));
        CHECK(pushed.solution.v.x() == relative(h * (20.0 - mu * mass * gravity) / mass, exact));

        Block leaving({0.0, 0.0, 1.0});
        leaving.solution.contacts[0] = {.mode = ContactMode::sticking, .normal = 3.0};
        CHECK(leaving.solve(kind).mode == ContactMode::open);
        CHECK(leaving.solution.v.z() == relative(1.0 / mass, exact));

        Block falling({0.0, 0.0, -4.0});
        falling.problem.contacts[0].target[0] = -1e-3;
        falling.solve(kind);
        CHECK(h * falling.solution.v.z() == relative(-1e-3, exact));
    }
}

TEST_CASE("every solver finds the velocities of a pivoting method where there is no friction") {
    for (const auto kind : all_kinds) {
        for (const auto degeneracy : {Degeneracy::none, Degeneracy::rank_deficient}) {
            const Survey found =
                survey({degeneracy, Targets::at_rest, true, true}, 0, 25, 3000, Existence::by_reference, rival(kind));
            CAPTURE(static_cast<int>(kind));
            INFO(found.first_fault);
            CHECK(found.false_converged == 0);
            CHECK(found.different == 0);
            CHECK(found.fraction() >= (kind == SolverKind::sp_active_set ? 0.75 : 0.95));
        }
    }
}

TEST_CASE("what any solver calls solved satisfies Coulomb's law") {
    const double least[] = {0.9, 0.9, 0.5, 0.7, 0.8, 0.9};
    for (const auto kind : all_kinds) {
        for (const auto degeneracy : {Degeneracy::none, Degeneracy::duplicates, Degeneracy::extreme_masses}) {
            const Survey found =
                survey({degeneracy, Targets::at_rest, false, false}, 0, 15, 1000, Existence::by_class, rival(kind));
            CAPTURE(static_cast<int>(kind));
            INFO(found.first_fault);
            CHECK(found.false_converged == 0);
            if (degeneracy == Degeneracy::none) CHECK(found.fraction() >= least[static_cast<int>(kind)]);
        }
        const Survey none = survey({Degeneracy::contradictory, Targets::feasible, false, false}, 0, 5, 300,
                                   Existence::by_class, rival(kind));
        CHECK(none.converged == 0);
    }
}

TEST_CASE("the augmented Lagrangian over forces solves what has a solution, and calls nothing else solved") {
    const Solver solver = rival(SolverKind::augmented_lagrangian, true);
    for (const auto degeneracy :
         {Degeneracy::none, Degeneracy::duplicates, Degeneracy::rank_deficient, Degeneracy::extreme_masses}) {
        const Survey found =
            survey({degeneracy, Targets::at_rest, false, false}, 0, 40, 1000, Existence::by_class, solver);
        CAPTURE(static_cast<int>(degeneracy));
        INFO(found.first_fault);
        CHECK(found.false_converged == 0);
        CHECK(found.fraction() >= (degeneracy == Degeneracy::none ? 0.97 : 0.85));
    }
    const Survey none =
        survey({Degeneracy::contradictory, Targets::feasible, false, false}, 0, 20, 300, Existence::by_class, solver);
    CHECK(none.converged == 0);
}

TEST_CASE("one contact: the force obeys Coulomb's law, and is in the cone's inside only where nothing slips") {
    Random random(7);
    for (int i = 0; i < 2000; ++i) {
        const Mat3 root = random_block(random) + 0.01 * Mat3::Identity();
        const Mat3 W = root * root.transpose();
        const double friction = i % 5 == 0 ? 0.0 : std::pow(10.0, uniform(random, -3.0, 1.0));
        const Vec3 q(uniform(random), uniform(random), uniform(random));
        const double ratio = i % 3 == 0 ? uniform(random, 0.0, 1.0) : 1.0;
        const Vec3 f = CoulombContact(W, friction, ratio).solve(q), u = W * f + q;
        const double scale = 1e-9 * std::max(1.0, f.norm());
        CHECK(f[0] >= 0.0);
        CHECK(u[0] >= -scale);
        CHECK(std::min(f[0], u[0]) <= scale);
        CHECK(f.tail<2>().norm() <= friction * f[0] * (1.0 + 1e-12) + 1e-300);
        if (f[0] > 0.0 && u.tail<2>().norm() > scale) {
            CHECK((f.tail<2>() * u.tail<2>().norm() + ratio * friction * f[0] * u.tail<2>()).norm() <=
                  scale * (1.0 + friction * f[0]));
        }
    }
}

TEST_CASE("the Delassus operator is L A^-1 L^T") {
    for (int seed = 0; seed < 20; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::at_rest);
        const DenseProblem dense = make_dense(made->problem, made->dense);
        const Eigen::LLT<Eigen::MatrixXd> factor(made->dense);
        const Eigen::MatrixXd W = dense.L * factor.solve(dense.L.transpose());
        int solves = 0;
        DelassusOperator delassus(made->matrix, made->problem.contacts, [&](const VecX& r, VecX& x) {
            ++solves;
            x = factor.solve(r);
        });
        CHECK(solves <= 3 * dense.contacts());
        const VecX f = random_vector(random, W.cols()), u = W * f;
        for (Eigen::Index k = 0; k < dense.contacts(); ++k)
            delassus.set(static_cast<std::size_t>(k), f.segment<3>(3 * k));
        for (Eigen::Index k = 0; k < dense.contacts(); ++k) {
            CHECK((delassus.motion(static_cast<std::size_t>(k)) - u.segment<3>(3 * k)).norm() <= 1e-10 * W.norm());
            CHECK((delassus.diagonal(static_cast<std::size_t>(k)) - W.block<3, 3>(3 * k, 3 * k)).norm() <=
                  1e-10 * W.norm());
        }
    }
}

TEST_CASE("bodies that touch nothing in common are solved with at once") {
    VelocityMatrix matrix{.elastic = nullptr, .rank_one = nullptr, .rigid = std::vector<Mat3>(10, Mat3::Identity())};
    std::vector<ContactConstraint> contacts(10);
    for (Index k = 0; k < 10; ++k) {
        contacts[static_cast<std::size_t>(k)].add(k, Mat3::Identity());
    }
    int solves = 0;
    const DelassusOperator delassus(matrix, contacts, [&](const VecX& r, VecX& x) {
        ++solves;
        x = r;
    });
    CHECK(solves == 3);
}

TEST_CASE("Anderson's acceleration solves an affine fixed point that does not contract") {
    Random random(3);
    Eigen::MatrixXd G(6, 6);
    for (Eigen::Index i = 0; i < 6; ++i) G.col(i) = random_vector(random, 6);
    G *= 3.0;
    const VecX c = random_vector(random, 6), exact = (Eigen::MatrixXd::Identity(6, 6) - G).lu().solve(c);
    CHECK(G.eigenvalues().cwiseAbs().maxCoeff() > 1.5);
    AndersonAcceleration acceleration(10, 0.5);
    VecX x = VecX::Zero(6);
    for (int i = 0; i < 12; ++i) x = acceleration.next(x, G * x + c);
    CHECK((x - exact).norm() < 1e-6 * exact.norm());
}

TEST_CASE("names of solvers") {
    for (const auto kind : all_kinds) CHECK(solver_from_name(solver_names()[static_cast<std::size_t>(kind)]) == kind);
}
