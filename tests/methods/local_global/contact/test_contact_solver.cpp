// Non-smooth Newton against dense algebra and known answers.
#include "contact_problem.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <numbers>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

constexpr double gravity = 9.81;

Eigen::MatrixXd matrix_1x1(double value) {
    return Eigen::MatrixXd::Constant(1, 1, value);
}

/// Frame with normal z.
Mat3 upright() {
    return (Mat3() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
}

/// A plane with normal (-sin, 0, cos); its tangents point downhill and along y.
Mat3 slope(double angle) {
    return (Mat3() << std::sin(angle), 0, std::cos(angle), std::cos(angle), 0, -std::sin(angle), 0, 1, 0).finished();
}

}  // namespace

TEST_CASE("a penetrating mass is pushed out, by the force that does it") {
    for (const NcpFunction function : functions) {
        for (const IndicatorUse use : uses) {
            Problem problem{DenseOperator(matrix_1x1(2.0)), {}, Vec3(0.3, 0.1, -0.05)};
            problem.rows.add_contact(std::vector<Index>{0}, std::vector<double>{1.0}, upright(), 0.0, Vec2(-0.3, -0.1),
                                     0.5);
            // the first iteration goes outward, whatever its length: the sign of equation 22 as printed would go inward
            CHECK(solve(problem, with(function, use), 1).q[2] > -0.05);
            const Solution solution = solve(problem, with(function, use), 12);
            CHECK(std::abs(solution.q[2]) < 1e-14);
            CHECK(solution.force[2] == relative(2.0 * 0.05 / (time_step * time_step), 1e-12));
            CHECK(solution.q.head<2>() == Vec2(0.3, 0.1));  // did not slip: no friction
        }
    }
}

TEST_CASE("one iteration of algorithm 4 in the paper's own units, from dense matrices") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const Index n = 12;
        const double h = time_step;
        Problem problem{DenseOperator(random_scalar_system(random, n, 10.0)), random_rows(random, n, 6, 3),
                        VecX::Zero(3 * n)};
        VecX last = VecX::Zero(3 * n);
        for (Index i = 0; i < 3 * n; ++i) {
            problem.free[i] = 0.2 * uniform(random);
            last[i] = problem.free[i] + 0.1 * uniform(random);
        }
        const Eigen::MatrixXd H = dense_jacobian(problem.rows, n), inverse = dense_inverse(problem.system),
                              W = H * inverse * H.transpose();
        const Index count = problem.rows.row_count(), contacts = problem.rows.contact_count();
        VecX lambda(count);
        for (Index j = 0; j < count; ++j) lambda[j] = 1e3 * uniform(random);
        for (Index k = 0; k < contacts; ++k) {
            // admissible from the start, and away from the poles
            lambda[3 * k] = std::abs(lambda[3 * k]);
            const Vec2 friction(lambda[3 * k + 1], lambda[3 * k + 2]);
            const double limit = 0.9 * problem.rows.friction[static_cast<std::size_t>(k)] * lambda[3 * k];
            if (friction.norm() > limit) lambda.segment<2>(3 * k + 1) = friction * limit / friction.norm();
        }
        for (const NcpFunction function : functions) {
            const VecX value = H * last + Eigen::Map<const VecX>(problem.rows.constants.data(), count);
            VecX omega = VecX::Ones(count), E = VecX::Zero(count), hvec = VecX::Zero(count);
            for (Index k = 0; k < contacts; ++k) {
                const Index j = 3 * k;
                const double r_n = h * h * W(j, j), r_f = h * W(j, j),
                             mu = problem.rows.friction[static_cast<std::size_t>(k)];
                const NcpRow normal = normal_ncp(function, value[j], lambda[j], r_n);
                omega[j] = normal.omega;
                E[j] = normal.compliance / (h * h);
                hvec[j] = -normal.value;
                const Vec2 velocity = value.segment<2>(j + 1) / h, friction = lambda.segment<2>(j + 1);
                const NcpFriction row = friction_ncp(function, velocity.norm(), friction.norm(), mu * lambda[j], r_f);
                for (const int d : {0, 1}) {
                    E[j + 1 + d] = row.compliance / h;
                    hvec[j + 1 + d] = -h * (velocity[d] + row.compliance * friction[d]);
                }
            }
            for (Index b = 0; b < problem.rows.bilateral_count(); ++b) {
                const Index j = 3 * contacts + b;
                E[j] = problem.rows.compliance[static_cast<std::size_t>(b)] / (h * h);
                hvec[j] = -(value[j] + problem.rows.compliance[static_cast<std::size_t>(b)] * lambda[j]);
            }
            const VecX hq = hvec + omega.asDiagonal() * H * last;
            // A^-1 g = free + h^2 A^-1 J^T lambda
            const VecX predicted = problem.free + h * h * inverse * (H.transpose() * (omega.asDiagonal() * lambda));
            const Eigen::MatrixXd M =
                Eigen::MatrixXd(omega.asDiagonal() * W * omega.asDiagonal()) + Eigen::MatrixXd(E.asDiagonal());
            const VecX step =
                M.completeOrthogonalDecomposition().solve((hq - omega.asDiagonal() * H * predicted) / (h * h));
            VecX expected = lambda + step;
            ContactSolver solver(with(function, IndicatorUse::as_printed, 500));
            solver.prepare(problem.rows, problem.system, h, nullptr);
            std::vector<double> ours(lambda.data(), lambda.data() + count);
            VecX q(3 * n);
            solver.solve({.free = problem.free.data(), .last = last.data(), .lambda = ours.data(), .q = q.data()});
            for (Index k = 0; k < contacts; ++k) expected[3 * k] = std::max(expected[3 * k], 0.0);  // no adhesion
            CHECK((Eigen::Map<const VecX>(ours.data(), count) - expected).norm() < 1e-6 * expected.norm());
            VecX acting = omega.asDiagonal() * expected;
            for (Index k = 0; k < contacts; ++k) {
                const double limit = problem.rows.friction[static_cast<std::size_t>(k)] * acting[3 * k],
                             force = acting.segment<2>(3 * k + 1).norm();
                if (force > limit) acting.segment<2>(3 * k + 1) *= limit / force;
            }
            CHECK((q - problem.free - h * h * inverse * (H.transpose() * acting)).norm() < 1e-8);
        }
    }
}

TEST_CASE("a mass on a slope sticks above and slides below the tangent of the angle") {
    const double angle = 10.0 * std::numbers::pi / 180.0;
    for (const NcpFunction function : functions) {
        for (const IndicatorUse use : uses) {
            for (const double mu : {std::tan(angle) + 1e-3, std::tan(angle) - 1e-3, 0.0, 1.0}) {
                CAPTURE(mu);
                VecX x = Vec3::Zero(), v = Vec3::Zero();
                std::vector<double> lambda(3, 0.0);
                for (int step = 0; step < 100; ++step) {
                    const VecX predicted = x + time_step * v + time_step * time_step * Vec3(0, 0, -gravity);
                    Problem problem{DenseOperator(matrix_1x1(3.0)), {}, predicted};
                    const Mat3 frame = slope(-angle);
                    problem.rows.add_contact(std::vector<Index>{0}, std::vector<double>{1.0}, frame, 0.0,
                                             -(frame * x).tail<2>(), mu);
                    const Solution solution = solve(problem, with(function, use, 24), 10);
                    v = (solution.q - x) / time_step;
                    x = solution.q;
                }
                const double expected = gravity * std::max(std::sin(angle) - mu * std::cos(angle), 0.0);
                CHECK(std::abs(v.norm() - expected) <
                      (use == IndicatorUse::newton ? 1e-10 : 1e-5));  // 0.001 of mu is worth 1e-2 m/s
            }
        }
    }
}

TEST_CASE("a stiff block on a slope: sticks and slides within 0.001 in 10 and 24 iterations") {
    // 4 x 4 x 4 masses, springs of 1e8 Pa that act per coordinate, 16 contacts
    const double angle = 10.0 * std::numbers::pi / 180.0, mass = 1000.0 / 64.0, spring = 1e8 / 4.0;
    const Index side = 4, n = side * side * side;
    Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(n, n);
    const auto id = [&](Index i, Index j, Index k) { return (i * side + j) * side + k; };
    const auto join = [&](Index a, Index b) {
        for (const auto& [r, c, sign] :
             {std::tuple(a, a, 1.0), std::tuple(b, b, 1.0), std::tuple(a, b, -1.0), std::tuple(b, a, -1.0)})
            stiffness(r, c) += sign * spring;
    };
    VecX rest(3 * n);
    for (Index i = 0; i < side; ++i) {
        for (Index j = 0; j < side; ++j) {
            for (Index k = 0; k < side; ++k) {
                rest.segment<3>(3 * id(i, j, k)) = slope(-angle).transpose() * Vec3(k / 3.0, i / 3.0, j / 3.0);
                if (i > 0) join(id(i, j, k), id(i - 1, j, k));
                if (j > 0) join(id(i, j, k), id(i, j - 1, k));
                if (k > 0) join(id(i, j, k), id(i, j, k - 1));
            }
        }
    }
    const double h = time_step;
    const Eigen::MatrixXd matrix = mass * Eigen::MatrixXd::Identity(n, n) + h * h * stiffness;
    const DenseOperator system(matrix);
    const Eigen::MatrixXd inverse = dense_inverse(system);
    // Pressing and shearing the block from its rest shape sets it going a little; after that it sticks, or moves as one
    // under what friction leaves of its weight.
    const auto acceleration = [&](const ContactSolverOptions& options, int iterations, double mu) {
        VecX x = rest, v = VecX::Zero(3 * n);
        std::vector<double> lambda;
        double before = 0.0, after = 0.0;
        for (int step = 0; step < 60; ++step) {
            VecX b = mass * (x + h * v);
            for (Index i = 0; i < n; ++i) {
                b[3 * i + 2] -= h * h * mass * gravity;
                for (Index j = 0; j < n; ++j) b.segment<3>(3 * i) += h * h * stiffness(i, j) * rest.segment<3>(3 * j);
            }
            Problem problem{system, {}, inverse * b};
            for (Index i = 0; i < side; ++i) {
                for (Index j = 0; j < side; ++j) {
                    const Index vertex = id(i, j, 0);
                    const Mat3 frame = slope(-angle);
                    problem.rows.add_contact(std::vector<Index>{vertex}, std::vector<double>{1.0}, frame, 0.0,
                                             -(frame * x.segment<3>(3 * vertex)).tail<2>(), mu);
                }
            }
            const Solution solution = solve(problem, options, iterations, lambda);
            lambda = solution.lambda;
            v = (solution.q - x) / h;
            x = solution.q;
            Vec3 mean = Vec3::Zero();
            for (Index i = 0; i < n; ++i) mean += v.segment<3>(3 * i) / n;
            if (step == 39) before = mean.norm();
            after = mean.norm();
        }
        return std::pair((after - before) / (20 * h), after);
    };
    const double threshold = std::tan(angle);
    for (const NcpFunction function : functions) {
        for (const auto& [iterations, linear_iterations] : {std::pair(10, 24), std::pair(5, 10)}) {
            const ContactSolverOptions options = with(function, IndicatorUse::newton, linear_iterations);
            const double expected = gravity * (std::sin(angle) - (threshold - 1e-3) * std::cos(angle));
            CHECK(acceleration(options, iterations, threshold - 1e-3).first == relative(expected, 1e-6));
            CHECK(acceleration(options, iterations, threshold + 1e-3).second < 1e-10);
        }
        // the paper's own linearisation, with multipliers kept from step to step
        const ContactSolverOptions secant = with(function, IndicatorUse::newton, 24, FrictionLinearisation::secant);
        CHECK(acceleration(secant, 10, threshold - 1e-3).first == relative(gravity * 1e-3 * std::cos(angle), 1e-6));
        CHECK(acceleration(secant, 10, threshold + 1e-3).second < 1e-10);
    }
}

TEST_CASE("a stack carries the weight of what lies on it") {
    const Index n = 8;
    const double h = time_step;
    for (const NcpFunction function : functions) {
        Problem problem{DenseOperator(Eigen::MatrixXd::Identity(n, n)), {}, VecX::Zero(3 * n)};
        for (Index i = 0; i < n; ++i) {
            problem.free[3 * i + 2] = i - h * h * gravity;  // spheres of diameter 1 on each other
            const std::vector<Index> unknowns = i == 0 ? std::vector<Index>{0} : std::vector<Index>{i, i - 1};
            const std::vector<double> weights = i == 0 ? std::vector{1.0} : std::vector{1.0, -1.0};
            problem.rows.add_contact(unknowns, weights, upright(), i == 0 ? 0.0 : -1.0, Vec2::Zero(), 0.4);
        }
        const Solution solution = solve(problem, with(function), 15);
        for (Index i = 0; i < n; ++i) {
            CHECK(solution.lambda[static_cast<std::size_t>(3 * i)] == relative(gravity * (n - i), 1e-9));
            CHECK(std::abs(solution.q[3 * i + 2] - i) < 1e-13);
        }
    }
}

TEST_CASE("contacts that repeat each other share the force") {
    for (const NcpFunction function : functions) {
        Problem problem{DenseOperator(matrix_1x1(1.0)), {}, Vec3(0.02, 0.0, -0.1)};
        for (int copy = 0; copy < 3; ++copy)
            problem.rows.add_contact(std::vector<Index>{0}, std::vector<double>{1.0}, upright(), 0.0, Vec2::Zero(),
                                     0.1);
        const Solution solution = solve(problem, with(function), 20);
        CHECK(solution.residual.largest() < 1e-11);
        CHECK(std::abs(solution.q[2]) < 1e-11);
        CHECK(solution.q[0] == relative(0.02 - 0.1 * 0.1, 1e-9));  // slides: mu times the push of 0.1
    }
}

TEST_CASE("a cable holds a mass above a plane, hard or with give, and lets it rest when it is long") {
    const double h = time_step, mass = 2.0, weight = mass * gravity;
    for (const NcpFunction function : functions) {
        for (const double compliance : {0.0, 1e-3}) {
            for (const double height : {0.5, -0.5}) {  // where the cable wants the mass, above or below the plane
                Problem problem{DenseOperator(matrix_1x1(mass)), {}, Vec3(0.0, 0.0, -h * h * gravity)};
                problem.rows.add_contact(std::vector<Index>{0}, std::vector<double>{1.0}, upright(), 0.0, Vec2::Zero(),
                                         0.3);
                const Index column = problem.rows.add_column(std::vector<Index>{0}, std::vector<double>{1.0});
                problem.rows.add_bilateral(std::vector{column}, std::vector<Vec3>{Vec3::UnitZ()}, -height, compliance);
                if (compliance == 0.0 && height < 0.0) continue;  // contradictory
                const Solution solution = solve(problem, with(function), 30);
                const double pull = solution.lambda[3], z = solution.q[2];
                CHECK(std::abs(z - height + compliance * pull) < 1e-11);
                if (height > 0.0) {
                    CHECK(solution.lambda[0] < 1e-6);
                    CHECK(pull == relative(weight + mass * z / (h * h), 1e-9));
                } else {
                    CHECK(std::abs(z) < 1e-12);
                    CHECK(solution.lambda[0] == relative(weight - pull, 1e-9));
                }
            }
        }
    }
}

TEST_CASE(
    "a one-sided row pulls a mass back to its length, with give or without, and leaves it alone when it is nearer") {
    for (const NcpFunction function : functions) {
        for (const IndicatorUse use : uses) {
            for (const double compliance : {0.0, 1e-3}) {
                for (const double falls : {0.02, 0.1}) {
                    Problem problem{DenseOperator(matrix_1x1(2.0)), {}, Vec3(0.0, 0.0, -falls)};
                    const Index column = problem.rows.add_column(std::vector<Index>{0}, std::vector<double>{1.0});
                    const Vec3 up = Vec3::UnitZ();
                    problem.rows.add_bilateral({&column, 1}, {&up, 1}, 0.05, compliance, true);
                    const Solution solution = solve(problem, with(function, use), 30);
                    const double needed = std::max(0.0, falls - 0.05) / (time_step * time_step / 2.0 + compliance);
                    if (needed == 0.0)
                        CHECK(solution.acting[0] == 0.0);
                    else
                        CHECK(solution.acting[0] == relative(needed, 1e-9));
                    CHECK(solution.q[2] == relative(-falls + needed * time_step * time_step / 2.0, 1e-9));
                    CHECK(solution.residual.largest() < 1e-12);
                }
            }
        }
    }
}
