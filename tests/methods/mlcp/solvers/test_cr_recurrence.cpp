// Conjugate residuals, iterate by iterate, against the same recurrences on dense matrices; and how many iterations
// random problems take.
#include "stiction/methods/mlcp/solvers/cr_solver.hpp"
#include "stiction/methods/mlcp/solvers/switching.hpp"

#include "methods/mlcp/random_problem.hpp"
#include "methods/mlcp/random_survey.hpp"
#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <utility>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr PreconditionerKind kinds[] = {PreconditionerKind::diagonal, PreconditionerKind::full,
                                        PreconditionerKind::block, PreconditionerKind::factorised};

/// Contacts of all modes, with forces by chance.
ContactSolution random_start(Random& random, const ContactProblem& problem) {
    ContactSolution start = cold_start(problem);
    start.v = random_vector(random, start.v.size());
    for (std::size_t k = 0; k < start.contacts.size(); ++k) {
        ContactUnknowns& unknowns = start.contacts[k];
        const int kind = random_index(random, 4);
        if (kind == 0) continue;
        unknowns.normal = 100.0 * uniform(random);
        unknowns.mode = kind == 1 ? ContactMode::sticking : ContactMode::sliding;
        if (problem.contacts[k].friction == 0.0) continue;
        const Vec2 any = 100.0 * Vec2(uniform(random), uniform(random));
        if (kind == 1) {
            unknowns.sticking = any;
            continue;
        }
        unknowns.direction = any.normalized();
        unknowns.sliding = any;
        if (kind == 3) {
            unknowns.sticking = 50.0 * uniform(random) * Vec2(-unknowns.direction.y(), unknowns.direction.x());
            unknowns.turning_compliance = 1e-3 * uniform(random, 0.0, 1.0);
        }
    }
    return start;
}

/// B y = d of the present modes, over the velocities and an orthonormal basis of the active rows.
struct SaddlePoint {
    Eigen::MatrixXd B, P;  ///< P: the preconditioner
    Eigen::MatrixXd rows;  ///< basis, 3 entries a contact
    Eigen::VectorXd d, y;
    Eigen::Index velocities = 0;
};

/// @param definite  P is the positive definite part of the preconditioner
SaddlePoint saddle_point(const RandomProblem& made, const Preconditioner& preconditioner, const ContactSolution& start,
                         bool definite = false) {
    const ContactProblem& problem = made.problem;
    const auto contacts = static_cast<Eigen::Index>(problem.contacts.size());
    SaddlePoint result;
    const Eigen::Index n = result.velocities = problem.rhs.size();
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(3 * contacts, n);
    Eigen::VectorXd target(3 * contacts), multipliers(3 * contacts), given = Eigen::VectorXd::Zero(3 * contacts);
    ActiveSet active;
    std::vector<std::pair<Eigen::Index, Vec3>> basis;
    std::vector<double> compliance;
    for (Eigen::Index k = 0; k < contacts; ++k) {
        const ContactConstraint& contact = problem.contacts[static_cast<std::size_t>(k)];
        const ContactUnknowns& unknowns = start.contacts[static_cast<std::size_t>(k)];
        for (std::size_t i = 0; i < contact.node_count(); ++i) {
            L.block<3, 3>(3 * k, 3 * contact.nodes[i]) = contact.jacobian[i];
        }
        target.segment<3>(3 * k) = contact.target;
        multipliers.segment<3>(3 * k) << -unknowns.normal, unknowns.sticking;
        given.segment<2>(3 * k + 1) = unknowns.sliding;
        active.push_back(active_rows(contact, unknowns));
        const ActiveRows& row = active.back();
        const auto add = [&](const Vec3& direction, double softness) {
            basis.emplace_back(k, direction);
            compliance.push_back(softness);
        };
        if (row.count > 0) add(Vec3::UnitX(), 0.0);
        if (row.count == 2) add(Vec3(0.0, row.across.x(), row.across.y()), unknowns.turning_compliance);
        if (row.count == 3) add(Vec3::UnitY(), 0.0);
        if (row.count == 3) add(Vec3::UnitZ(), 0.0);
    }
    const auto m = static_cast<Eigen::Index>(basis.size());
    result.rows.setZero(3 * contacts, m);
    for (Eigen::Index j = 0; j < m; ++j) {
        const auto& [k, direction] = basis[static_cast<std::size_t>(j)];
        result.rows.block<3, 1>(3 * k, j) = direction;
    }
    result.B.setZero(n + m, n + m);
    result.B.topLeftCorner(n, n) = made.dense;
    result.B.bottomLeftCorner(m, n) = result.rows.transpose() * L;
    result.B.topRightCorner(n, m) = result.B.bottomLeftCorner(m, n).transpose();
    for (Eigen::Index j = 0; j < m; ++j) result.B(n + j, n + j) = -compliance[static_cast<std::size_t>(j)];
    result.d.resize(n + m);
    result.d << problem.rhs - L.transpose() * given, result.rows.transpose() * target;
    result.y.resize(n + m);
    result.y << start.v, result.rows.transpose() * multipliers;
    result.P.resize(n + m, n + m);
    for (Eigen::Index j = 0; j < n + m; ++j) {
        SaddleVector unit{VecX::Zero(n), VecX::Zero(3 * contacts)}, z;
        if (j < n) {
            unit.v[j] = 1.0;
        } else {
            unit.c = result.rows.col(j - n);
        }
        if (definite) {
            preconditioner.apply_diagonal(unit, active, z);
        } else {
            preconditioner.apply(unit, active, z);
        }
        result.P.col(j) << z.v, result.rows.transpose() * z.c;
    }
    return result;
}

/// Preconditioned conjugate residuals (Saad 2003, algorithm 6.20, with z = P r in place of r).
Eigen::VectorXd dense_iterate(const SaddlePoint& problem, int iterations) {
    Eigen::VectorXd y = problem.y, r = problem.d - problem.B * y, z = problem.P * r, p = z;
    for (int k = 0; k < iterations; ++k) {
        const Eigen::VectorXd Bp = problem.B * p, PBp = problem.P * Bp;
        const double zBz = z.dot(problem.B * z), alpha = zBz / Bp.dot(PBp);
        y += alpha * p;
        r -= alpha * Bp;
        z -= alpha * PBp;
        p = z + z.dot(problem.B * z) / zBz * p;
    }
    return y;
}

/// Where |P^(1/2) (d - B y)| is least in the Krylov space of so many products.
Eigen::VectorXd least_residual(const SaddlePoint& problem, int iterations) {
    const Eigen::VectorXd r = problem.d - problem.B * problem.y;
    const Eigen::MatrixXd root = Eigen::LLT<Eigen::MatrixXd>(problem.P).matrixL().transpose();
    Eigen::MatrixXd basis(r.size(), iterations);
    Eigen::VectorXd next = problem.P * r;
    for (int k = 0; k < iterations; ++k) {
        for (int pass = 0; pass < 2; ++pass)
            for (int j = 0; j < k; ++j) next -= basis.col(j).dot(next) * basis.col(j);
        basis.col(k) = next.normalized();
        next = problem.P * (problem.B * basis.col(k));
    }
    const Eigen::MatrixXd products = root * (problem.B * basis);
    return problem.y + basis * products.colPivHouseholderQr().solve(root * r);
}

/// The velocities, multipliers and residual of an iterate of the solver against y.
void check_iterate(const ContactProblem& problem, const SaddlePoint& dense, const Eigen::VectorXd& y,
                   const ContactSolution& solution, const SolverReport& report) {
    const Eigen::Index n = dense.velocities, m = dense.rows.cols();
    const Eigen::VectorXd multipliers = dense.rows * y.tail(m);
    const double speed = y.head(n).norm() + dense.y.head(n).norm(), force = multipliers.norm() + dense.y.tail(m).norm();
    CHECK((solution.v - y.head(n)).norm() <= 1e-8 * speed);
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const ContactUnknowns& unknowns = solution.contacts[k];
        const Vec3 wanted = multipliers.segment<3>(3 * static_cast<Eigen::Index>(k));
        CHECK(std::abs(unknowns.normal + wanted[0]) <= 1e-8 * force);
        CHECK((unknowns.sticking - wanted.tail<2>()).norm() <= 1e-8 * force);
    }
    const Eigen::VectorXd r = dense.d - dense.B * y;
    const double residual = r.head(n).norm() / problem.rhs.norm();
    const double first = (dense.d - dense.B * dense.y).head(n).norm() / problem.rhs.norm();
    CHECK(std::abs(report.residual - residual) <= 1e-8 * (residual + first));
}

}  // namespace

TEST_CASE("while no contact changes, conjugate residuals are those of dense matrices, iterate by iterate") {
    int compared = 0;
    for (int seed = 0; seed < 25; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::feasible);
        made->matrix.rounded = nullptr;  // the dense matrices are not rounded either
        const ContactProblem& problem = made->problem;
        const ConstraintMatrix constraints(made->matrix.nodes(), problem.contacts);
        const ContactSolution start = random_start(random, problem);
        const Eigen::LLT<Eigen::MatrixXd> factor(made->dense);
        for (const PreconditionerKind kind : kinds) {
            CAPTURE(static_cast<int>(kind));
            const Preconditioner preconditioner(kind, made->matrix, constraints,
                                                [&](const VecX& r, VecX& x) { x = factor.solve(r); });
            const SaddlePoint dense = saddle_point(*made, preconditioner, start);
            // The rows of a contact that touches a rotation alone depend on each other: its 3x3 block has no inverse,
            // and the preconditioner is made of rounding.
            if (dense.P.bottomRightCorner(dense.rows.cols(), dense.rows.cols()).norm() > 1e12) continue;
            ++compared;
            for (const int iterations : {0, 1, 2, 3, 5}) {
                CAPTURE(iterations);
                SolverOptions options;
                options.max_iterations = iterations;
                options.fallback_iterations = 0;
                options.friction_update = FrictionUpdate::newton;  // `exact` begins with other forces
                // Nothing is solved, and no contact moves far enough to change.
                options.tolerance = 1e-15;
                options.distance_tolerance = 1e6;
                options.friction_cuts = 0;
                ContactSolution solution = start;
                const SolverReport report =
                    solve_with_conjugate_residuals({problem, constraints, preconditioner, options}, solution);
                if (report.end == SolverEnd::converged) continue;  // fewer unknowns than iterations
                REQUIRE(report.mode_switches == 0);
                REQUIRE(report.iterations == iterations);
                const Eigen::VectorXd y = dense_iterate(dense, iterations);
                check_iterate(problem, dense, y, solution, report);
            }
        }
    }
    CHECK(compared >= 90);
}

TEST_CASE("while no contact changes, MINRES has the least residual of its Krylov space, iterate by iterate") {
    int compared = 0;
    for (int seed = 0; seed < 25; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::feasible);
        made->matrix.rounded = nullptr;
        const ContactProblem& problem = made->problem;
        const ConstraintMatrix constraints(made->matrix.nodes(), problem.contacts);
        const ContactSolution start = random_start(random, problem);
        const Preconditioner preconditioner(PreconditionerKind::full, made->matrix, constraints);
        const SaddlePoint dense = saddle_point(*made, preconditioner, start, true);
        if (dense.P.bottomRightCorner(dense.rows.cols(), dense.rows.cols()).norm() > 1e12) continue;
        for (const int iterations : {1, 2, 3, 5, 8}) {
            if (iterations >= dense.y.size()) continue;
            CAPTURE(iterations);
            SolverOptions options;
            options.max_iterations = iterations;
            options.fallback_iterations = 0;
            options.friction_update = FrictionUpdate::newton;
            options.variants.minres = true;
            options.tolerance = 1e-15;
            options.distance_tolerance = 1e6;
            options.friction_cuts = 0;
            ContactSolution solution = start;
            const SolverReport report =
                solve_with_conjugate_residuals({problem, constraints, preconditioner, options}, solution);
            if (report.end == SolverEnd::converged) continue;
            REQUIRE(report.mode_switches == 0);
            REQUIRE(report.iterations == iterations);
            CHECK(report.products == iterations + 1);
            check_iterate(problem, dense, least_residual(dense, iterations), solution, report);
            ++compared;
        }
    }
    CHECK(compared >= 90);
}

TEST_CASE("b - A v of a solve is that of its end, and the next solve needs one product less for the same result") {
    for (int seed = 0; seed < 25; ++seed) {
        CAPTURE(seed);
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::at_rest);
        made->matrix.rounded = nullptr;
        const ContactProblem& problem = made->problem;
        const ConstraintMatrix constraints(made->matrix.nodes(), problem.contacts);
        const Preconditioner preconditioner(PreconditionerKind::full, made->matrix, constraints);
        SolverOptions options;
        options.tolerance = 1e-6;
        options.distance_tolerance = 1e-8;
        ContactSolution first = cold_start(problem);
        const SolverReport report =
            solve_with_conjugate_residuals({problem, constraints, preconditioner, options}, first);
        if (report.end != SolverEnd::converged || report.fallbacks > 0) continue;
        const Eigen::VectorXd product = made->dense * first.v, expected = problem.rhs - product;
        REQUIRE(report.elastic_residual.size() == expected.size());
        CHECK((report.elastic_residual - expected).norm() <= 1e-13 * (problem.rhs.norm() + product.norm()));

        options.tolerance = 1e-8;
        ContactSolution alone = first, told = first;
        const SolverReport without =
            solve_with_conjugate_residuals({problem, constraints, preconditioner, options}, alone);
        const SolverReport with = solve_with_conjugate_residuals(
            {problem, constraints, preconditioner, options, {}, nullptr, &report.elastic_residual}, told);
        CHECK(with.end == without.end);
        CHECK(with.products == without.products - 1);
        CHECK((told.v - alone.v).norm() <= 1e-7 * alone.v.norm());
    }
}
