// A contact problem over dense matrices, its solution by the solver, and its residual from the definition.
#pragma once

#include "dense_operator.hpp"

#include "stiction/methods/local_global/contact/contact_solver.hpp"

namespace stiction::test {

using namespace local_global;

inline constexpr double time_step = 0.01;  // s
inline constexpr std::array functions{NcpFunction::min_map, NcpFunction::fischer_burmeister};
inline constexpr std::array uses{IndicatorUse::newton, IndicatorUse::as_printed};
inline constexpr std::array linearisations{FrictionLinearisation::projection, FrictionLinearisation::secant};

/// A problem with everything that points to each other kept alive.
struct Problem {
    DenseOperator system;
    ContactRows rows;
    VecX free;
    double h = time_step;
};

struct Solution {
    VecX q, force;                       ///< m; H^T lambda in newtons
    std::vector<double> lambda, acting;  ///< N: multipliers, and what acts
    ContactResidual residual;
};

inline Solution solve(const Problem& problem, const ContactSolverOptions& options, int iterations,
                      std::vector<double> lambda = {}) {
    ContactSolver solver(options);
    const VecX masses = problem.system.matrix().diagonal();
    solver.prepare(problem.rows, problem.system, problem.h, masses.data());
    Solution solution{.q = problem.free,
                      .force = VecX(problem.free.size()),
                      .lambda = std::move(lambda),
                      .acting = {},
                      .residual = {}};
    solution.lambda.resize(static_cast<std::size_t>(problem.rows.row_count()), 0.0);
    for (int k = 0; k < iterations; ++k)
        solution.residual = solver.solve({.free = problem.free.data(),
                                          .last = solution.q.data(),
                                          .lambda = solution.lambda.data(),
                                          .q = solution.q.data()});
    solver.forces(solution.force.data());
    solution.acting.resize(solution.lambda.size());
    solver.row_forces(solution.acting.data());
    return solution;
}

inline ContactSolverOptions with(NcpFunction function, IndicatorUse use = IndicatorUse::newton,
                                 int linear_iterations = 100,
                                 FrictionLinearisation friction = FrictionLinearisation::projection) {
    ContactSolverOptions options;
    options.friction = friction;
    options.function = function;
    options.indicators = use;
    options.linear_iterations = linear_iterations;
    options.linear_tolerance = 1e-14;
    return options;
}

/// The residual of positions and multipliers from the definition, with dense matrices.
inline ContactResidual dense_residual(const Problem& problem, const VecX& q, const std::vector<double>& lambda) {
    const Index n = problem.system.size();
    const Eigen::MatrixXd jacobian = dense_jacobian(problem.rows, n);
    const VecX diagonal =
        (jacobian * dense_inverse(problem.system) * jacobian.transpose()).diagonal() * (problem.h * problem.h);
    const VecX value = jacobian * q + Eigen::Map<const VecX>(problem.rows.constants.data(), problem.rows.row_count());
    ContactResidual result;
    const Index contacts = problem.rows.contact_count();
    for (Index k = 0; k < contacts; ++k) {
        const Index j = 3 * k;
        const double r = diagonal[j], normal = lambda[static_cast<std::size_t>(j)];
        const Vec2 friction(lambda[static_cast<std::size_t>(j + 1)], lambda[static_cast<std::size_t>(j + 2)]),
            slip(value[j + 1], value[j + 2]);
        const double limit = problem.rows.friction[static_cast<std::size_t>(k)] * normal;
        Vec2 wanted = friction - slip / r;
        if (wanted.norm() > limit) wanted *= limit / wanted.norm();
        result.normal = std::max(result.normal, std::abs(std::min(value[j], r * normal)));
        result.penetration = std::max(result.penetration, -value[j]);
        result.friction = std::max(result.friction, r * (friction - wanted).norm());
    }
    for (Index b = 0; b < problem.rows.bilateral_count(); ++b) {
        const Index j = 3 * contacts + b;
        result.bilateral =
            std::max(result.bilateral, std::abs(value[j] + problem.rows.compliance[static_cast<std::size_t>(b)] *
                                                               lambda[static_cast<std::size_t>(j)]));
    }
    return result;
}

}  // namespace stiction::test
