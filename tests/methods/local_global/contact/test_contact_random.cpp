// Non-smooth Newton on random problems, held to conditions that the tests recompute.
#include "contact_problem.hpp"

#include "stiction/base/parallel.hpp"

#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

TEST_CASE("random problems: the residual is what the test finds, forces stay in their cones, what converged is right") {
    int converged = 0;
    const int count = 60;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 20 + random_index(random, 60);
        Problem problem{DenseOperator(random_scalar_system(random, n, std::pow(10.0, uniform(random, -1.0, 3.0)))),
                        random_rows(random, n, 3 + random_index(random, 12), seed % 3), VecX::Zero(3 * n), 0.1};
        for (Index i = 0; i < 3 * n; ++i) problem.free[i] = 0.3 * uniform(random);
        const Eigen::MatrixXd jacobian = dense_jacobian(problem.rows, n), inverse = dense_inverse(problem.system);
        for (const NcpFunction function : functions) {
            for (const int linear_iterations : {10, 100}) {
                for (const FrictionLinearisation friction : linearisations) {
                    ContactSolverOptions options = with(function, IndicatorUse::newton, linear_iterations, friction);
                    options.delassus = seed % 2 == 0 ? DelassusKind::formed : DelassusKind::applied;
                    const Solution solution = solve(problem, options, 30);
                    const VecX acting = Eigen::Map<const VecX>(solution.acting.data(), problem.rows.row_count());
                    const double tolerance = 1e-12 * (1.0 + solution.q.norm() + 0.01 * inverse.norm() * acting.norm());
                    CHECK((solution.force - jacobian.transpose() * acting).norm() <= 1e-12 * (1.0 + acting.norm()));
                    CHECK((solution.q - problem.free - 0.01 * inverse * solution.force).norm() <= tolerance);
                    for (Index k = 0; k < problem.rows.contact_count(); ++k) {
                        CHECK(acting[3 * k] >= 0.0);
                        CHECK(acting.segment<2>(3 * k + 1).norm() <=
                              problem.rows.friction[static_cast<std::size_t>(k)] * acting[3 * k] * (1.0 + 1e-12));
                    }
                    const ContactResidual found = dense_residual(problem, solution.q, solution.acting);
                    CHECK(std::abs(found.normal - solution.residual.normal) <= tolerance);
                    CHECK(std::abs(found.friction - solution.residual.friction) <= tolerance);
                    CHECK(std::abs(found.bilateral - solution.residual.bilateral) <= tolerance);
                    CHECK(std::abs(found.penetration - solution.residual.penetration) <= tolerance);
                    if (linear_iterations == 100 && friction == FrictionLinearisation::projection)
                        converged += solution.residual.largest() < 1e-9;
                }
            }
        }
    }
    // Some of these contradict themselves; Newton without sweeps solves 105.
    MESSAGE(converged << " of " << 2 * count << " converged");
    CHECK(converged > 2 * count * 9 / 10);
}

TEST_CASE("the scale of the functions changes the way, not the solution") {
    Random random(4);
    const Index n = 30;
    Problem problem{DenseOperator(random_scalar_system(random, n, 50.0)), random_rows(random, n, 5, 1),
                    VecX::Zero(3 * n)};
    for (Index i = 0; i < 3 * n; ++i) problem.free[i] = 0.1 * uniform(random);
    ContactSolverOptions options = with(NcpFunction::fischer_burmeister);
    const Solution ours = solve(problem, options, 60);
    options.scale = ComplementarityScale::mass_inverse;
    const Solution other = solve(problem, options, 200);
    CHECK(ours.residual.largest() < 1e-10);
    CHECK(other.residual.largest() < 1e-10);
    CHECK((ours.q - other.q).norm() < 1e-8);
}

TEST_CASE("the solver gives the same bits for any number of threads, and for no rows what came in") {
    Random random(8);
    const Index n = 300;
    Problem problem{DenseOperator(random_scalar_system(random, n, 50.0)), random_rows(random, n, 150, 4),
                    VecX::Zero(3 * n)};
    for (Index i = 0; i < 3 * n; ++i) problem.free[i] = 0.1 * uniform(random);
    for (const DelassusKind kind : {DelassusKind::formed, DelassusKind::applied}) {
        ContactSolverOptions options;
        options.delassus = kind;
        set_thread_count(1);
        const Solution one = solve(problem, options, 5);
        set_thread_count(2);
        const Solution two = solve(problem, options, 5);
        set_thread_count(0);
        CHECK(one.q == two.q);
        CHECK(one.lambda == two.lambda);
    }
    problem.rows.clear();
    const Solution none = solve(problem, {}, 2);
    CHECK(none.q == problem.free);
    CHECK(none.force.norm() == 0.0);
    CHECK(none.residual.largest() == 0.0);
}
