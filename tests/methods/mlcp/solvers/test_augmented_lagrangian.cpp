// The parts of the augmented Lagrangian, against definitions and dense matrices. That its solutions obey Coulomb's law
// is in test_rivals.cpp.
#include "stiction/methods/mlcp/solvers/augmented_lagrangian.hpp"
#include "stiction/methods/mlcp/solvers/friction_cone.hpp"
#include "stiction/methods/mlcp/solvers/penalised_system.hpp"

#include "methods/mlcp/dense_reference.hpp"
#include "methods/mlcp/random_problem.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

Vec3 random_force(Random& random) {
    return Vec3(uniform(random), uniform(random), uniform(random));
}

/// A force inside the cone or on it.
Vec3 random_in_cone(Random& random, double friction) {
    const double normal = uniform(random, 0.0, 2.0);
    const Vec2 tangential(uniform(random), uniform(random));
    const double size = tangential.norm(), limit = friction * normal;
    Vec3 force;
    force << normal, size > limit ? Vec2(limit / size * tangential) : tangential;
    return force;
}

}  // namespace

TEST_CASE("the projection onto the cone of forces is the nearest point of the cone") {
    Random random(3);
    for (int i = 0; i < 500; ++i) {
        const double friction = i % 5 == 0 ? 0.0 : uniform(random, 0.05, 1.5);
        const Vec3 force = random_force(random), nearest = project_onto_cone(force, friction).value;
        CHECK(nearest.tail<2>().norm() <= friction * nearest[0] * (1.0 + 1e-12));
        // A point of a convex set is nearest where every other one is at an obtuse angle behind it.
        for (int j = 0; j < 20; ++j) CHECK((force - nearest).dot(random_in_cone(random, friction) - nearest) <= 1e-12);
        CHECK((project_onto_cone(nearest, friction).value - nearest).norm() <= 1e-14);
    }
}

TEST_CASE("the derivative of the projection is that of finite differences, symmetric, with eigenvalues in [0, 1]") {
    Random random(4);
    constexpr double step = 1e-6;
    int on_edge = 0;
    for (int i = 0; i < 500; ++i) {
        const double friction = i % 5 == 0 ? 0.0 : uniform(random, 0.05, 1.5);
        const Vec3 force = random_force(random);
        const Mat3 derivative = project_onto_cone(force, friction).derivative;
        // The derivative jumps where the force enters the cone or its polar.
        const double size = force.tail<2>().norm();
        if (std::min(std::abs(size - friction * force[0]), std::abs(friction * size + force[0])) < 10.0 * step)
            continue;
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 change = step * Vec3::Unit(axis);
            const Vec3 difference = (project_onto_cone(force + change, friction).value -
                                     project_onto_cone(force - change, friction).value) /
                                    (2.0 * step);
            CHECK((difference - derivative.col(axis)).norm() <= 1e-7);
        }
        CHECK(derivative.isApprox(derivative.transpose(), 1e-14));
        const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(derivative).eigenvalues();
        CHECK(values[0] >= -1e-14);
        CHECK(values[2] <= 1.0 + 1e-14);
        on_edge += values[0] < 0.5 && values[2] > 0.5 ? 1 : 0;
    }
    CHECK(on_edge > 100);
}

TEST_CASE("a kinetic coefficient of its own is that of a contact that slides, and what it does not hold slides") {
    constexpr double mass = 2.0, h = 0.01, gravity = 9.81, mu = 0.5, ratio = 0.6;
    for (const double push : {0.5 * ratio, 0.9, 3.0}) {  // over the static limit
        VelocityMatrix matrix{.elastic = nullptr, .rank_one = nullptr, .rigid = {mass * Mat3::Identity()}};
        ContactProblem problem;
        problem.matrix = &matrix;
        problem.rhs = h * mass * gravity * Vec3(push * mu, 0.0, -1.0);
        ContactConstraint contact;
        contact.add(0, (Mat3() << 0.0, 0.0, h, h, 0.0, 0.0, 0.0, h, 0.0).finished());
        contact.friction = mu;
        contact.kinetic_ratio = ratio;
        problem.contacts = {contact, contact};
        // The second one is between driven bodies: it touches nothing, and its force from before is no force now.
        problem.contacts[1].nodes.clear();
        problem.contacts[1].jacobian.clear();
        ContactSolution solution = cold_start(problem);
        solution.contacts[1] = {.mode = ContactMode::sticking, .normal = 3.0};
        const ConstraintMatrix constraints(1, problem.contacts);
        const Preconditioner preconditioner(PreconditionerKind::diagonal, matrix, constraints);
        SolverOptions options;
        options.tolerance = 1e-10;
        options.distance_tolerance = 1e-12;
        const SolverReport report =
            solve_with_augmented_lagrangian({problem, constraints, preconditioner, options}, solution);
        CAPTURE(push);
        CHECK(report.end == SolverEnd::converged);
        const double friction = std::min(push, ratio) * mu * mass * gravity;
        CHECK(solution.contacts[0].friction().x() == relative(friction, 1e-8));
        CHECK((solution.contacts[0].mode == ContactMode::sliding) == (push > ratio));
        CHECK(solution.v.x() == within(h * (push * mu * mass * gravity - friction) / mass, 1e-9));
        CHECK(solution.contacts[1].normal == 0.0);
    }
}

TEST_CASE("the penalised system has the rank-one terms of A, beside rigid bodies too") {
    int with_rigid = 0;
    for (int seed = 0; seed < 40; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::at_rest);
        const Eigen::Index soft = 3 * static_cast<Eigen::Index>(made->matrix.elastic_nodes());
        if (soft == 0) continue;
        LowRankUpdate filling;
        VecX u(soft);
        for (Eigen::Index i = 0; i < soft; ++i) u[i] = uniform(random);
        filling.add(5.0, u, u);
        made->matrix.rank_one = &filling;
        made->dense.topLeftCorner(soft, soft) += 5.0 * u * u.transpose();
        const std::vector<Mat3> stiffness(made->problem.contacts.size(), Mat3(2.0 * Mat3::Identity()));
        PenalisedSystem system(made->problem);
        REQUIRE(system.factorise(stiffness));
        const DenseProblem dense = make_dense(made->problem, made->dense);
        const Eigen::MatrixXd whole = dense.A + 2.0 * dense.L.transpose() * dense.L;
        VecX x;
        system.solve(made->problem.rhs, x);
        CAPTURE(seed);
        CHECK((whole * x - made->problem.rhs).norm() <= 1e-10 * (whole.norm() * x.norm()));
        with_rigid += made->matrix.rigid.empty() ? 0 : 1;
    }
    CHECK(with_rigid > 5);
}

TEST_CASE("the penalised system is A + L^T D L of dense matrices") {
    for (const auto degeneracy : {Degeneracy::none, Degeneracy::rank_deficient}) {
        for (int seed = 0; seed < 20; ++seed) {
            Random random(static_cast<std::uint64_t>(seed));
            const auto made = random_problem(random, degeneracy, Targets::at_rest);
            const DenseProblem dense = make_dense(made->problem, made->dense);
            std::vector<Mat3> stiffness(made->problem.contacts.size(), Mat3::Zero());
            Eigen::MatrixXd D = Eigen::MatrixXd::Zero(dense.L.rows(), dense.L.rows());
            for (std::size_t k = 0; k < stiffness.size(); ++k) {
                if (random_index(random, 4) == 0) continue;  // an open contact
                const Mat3 root = random_block(random);
                stiffness[k] = 1e3 * root * root.transpose();
                const auto at = 3 * static_cast<Eigen::Index>(k);
                D.block<3, 3>(at, at) = stiffness[k];
            }
            PenalisedSystem system(made->problem);
            REQUIRE(system.factorise(stiffness));
            const Eigen::MatrixXd whole = dense.A + dense.L.transpose() * D * dense.L;
            VecX x;
            system.solve(made->problem.rhs, x);
            CAPTURE(seed);
            CHECK((whole * x - made->problem.rhs).norm() <= 1e-9 * (whole.norm() * x.norm()));
        }
    }
}
