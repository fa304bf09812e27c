#include "methods/mlcp/dense_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

DenseProblem make_dense(const ContactProblem& problem, const MatrixXd& A) {
    DenseProblem made;
    const auto count = static_cast<Index>(problem.contacts.size());
    made.A = A;
    made.b = problem.rhs;
    made.L.setZero(3 * count, A.rows());
    made.c.resize(3 * count);
    made.friction.resize(count);
    for (Index k = 0; k < count; ++k) {
        const ContactConstraint& contact = problem.contacts[static_cast<std::size_t>(k)];
        for (std::size_t i = 0; i < contact.node_count(); ++i) {
            made.L.block<3, 3>(3 * k, 3 * contact.nodes[i]) = contact.jacobian[i];
        }
        made.c.segment<3>(3 * k) = contact.target;
        made.friction[k] = contact.friction;
    }
    made.compliance = (made.L * A.diagonal().cwiseInverse().asDiagonal() * made.L.transpose()).diagonal();
    return made;
}

bool Faults::within(double relative, double distance, double angle) const {
    return momentum <= relative && std::max({penetration, pull, complementarity, cone, dissipation}) <= distance &&
           turn <= angle;
}

Faults find_faults(const DenseProblem& problem, const VectorXd& v, const VectorXd& f, double slip_tolerance) {
    Faults faults;
    faults.momentum = (problem.b + problem.L.transpose() * f - problem.A * v).norm() / problem.b.norm();
    const VectorXd u = problem.L * v - problem.c;
    for (Index k = 0; k < problem.contacts(); ++k) {
        const double normal = problem.compliance[3 * k] * f[3 * k];
        const double tangential = 0.5 * (problem.compliance[3 * k + 1] + problem.compliance[3 * k + 2]);
        const Vec2 friction = -f.segment<2>(3 * k + 1), slip = u.segment<2>(3 * k + 1);
        const double limit = problem.friction[k] * std::max(f[3 * k], 0.0);
        faults.penetration = std::max(faults.penetration, -u[3 * k]);
        faults.pull = std::max(faults.pull, -normal);
        faults.complementarity = std::max(faults.complementarity, std::min(normal, u[3 * k]));
        faults.cone = std::max(faults.cone, tangential * (friction.norm() - limit));
        if (slip.norm() <= slip_tolerance) continue;
        faults.dissipation = std::max(faults.dissipation, tangential * (limit - friction.norm()));
        if (tangential * friction.norm() <= slip_tolerance) continue;
        const double angle = std::acos(std::clamp(slip.dot(friction) / (slip.norm() * friction.norm()), -1.0, 1.0));
        const double explained =
            std::asin(slip_tolerance / slip.norm()) + std::asin(slip_tolerance / (tangential * friction.norm()));
        faults.turn = std::max(faults.turn, angle - explained);
    }
    if (!v.allFinite() || !f.allFinite()) faults.momentum = std::numeric_limits<double>::infinity();
    return faults;
}

VectorXd forces_of(const ContactSolution& solution) {
    VectorXd f(3 * static_cast<Index>(solution.contacts.size()));
    for (std::size_t k = 0; k < solution.contacts.size(); ++k) {
        const ContactUnknowns& unknowns = solution.contacts[k];
        f.segment<3>(3 * static_cast<Index>(k)) =
            Vec3(unknowns.normal, -unknowns.friction().x(), -unknowns.friction().y());
    }
    return f;
}

FrictionlessReference solve_frictionless(const DenseProblem& problem) {
    FrictionlessReference reference;
    const Index n = problem.A.rows(), count = problem.contacts();
    // In coordinates x = R v with A = R^T R the objective is |x - x_0|^2 / 2 up to a constant; rows are scaled to
    // length 1.
    const Eigen::LLT<MatrixXd> factor(problem.A);
    MatrixXd N(n, count);
    VectorXd target(count), lengths(count);
    for (Index k = 0; k < count; ++k) {
        N.col(k) = factor.matrixL().solve(problem.L.row(3 * k).transpose());
        lengths[k] = N.col(k).norm();
        N.col(k) /= lengths[k];
        target[k] = problem.c[3 * k] / lengths[k];
    }
    VectorXd x = factor.matrixL().solve(problem.b);
    std::vector<Index> active;
    std::vector<double> multipliers;
    const double tolerance = 1e-11 * (1.0 + target.lpNorm<Eigen::Infinity>());
    for (int pivots = 0; pivots < 10000; ++pivots) {
        Index row = -1;
        double worst = -tolerance;
        for (Index k = 0; k < count; ++k) {
            const double slack = N.col(k).dot(x) - target[k];
            if (slack < worst) {
                worst = slack;
                row = k;
            }
        }
        if (row < 0) {
            reference.feasible = true;
            reference.v = factor.matrixU().solve(x);
            reference.multipliers.setZero(count);
            for (std::size_t i = 0; i < active.size(); ++i)
                reference.multipliers[active[i]] = multipliers[i] / lengths[active[i]];
            return reference;
        }
        double multiplier = 0.0;
        while (true) {
            MatrixXd basis(n, static_cast<Index>(active.size()));
            for (std::size_t i = 0; i < active.size(); ++i) basis.col(static_cast<Index>(i)) = N.col(active[i]);
            const VectorXd r = active.empty() ? VectorXd() : VectorXd(basis.colPivHouseholderQr().solve(N.col(row)));
            VectorXd z = N.col(row);
            if (!active.empty()) z -= basis * r;
            const double length = z.squaredNorm();
            double dual = std::numeric_limits<double>::infinity();
            std::size_t leaves = 0;
            for (std::size_t i = 0; i < active.size(); ++i) {
                if (r[static_cast<Index>(i)] > 1e-12 && multipliers[i] / r[static_cast<Index>(i)] < dual) {
                    dual = multipliers[i] / r[static_cast<Index>(i)];
                    leaves = i;
                }
            }
            const bool dependent = length < 1e-18;
            if (dependent && !std::isfinite(dual)) return reference;  // no velocity satisfies the rows
            const double primal =
                dependent ? std::numeric_limits<double>::infinity() : (target[row] - N.col(row).dot(x)) / length;
            const double step = std::min(dual, primal);
            if (!dependent) x += step * z;
            for (std::size_t i = 0; i < active.size(); ++i) multipliers[i] -= step * r[static_cast<Index>(i)];
            multiplier += step;
            if (primal <= dual) break;
            active.erase(active.begin() + static_cast<std::ptrdiff_t>(leaves));
            multipliers.erase(multipliers.begin() + static_cast<std::ptrdiff_t>(leaves));
        }
        active.push_back(row);
        multipliers.push_back(multiplier);
    }
    return reference;
}

namespace {

/// Coulomb's law of one contact, u = W f + q. Sliding: u_n = 0, u_t = -a f_t with the a > 0 that puts f on the cone.
Vec3 solve_contact(const Mat3& W, const Vec3& q, double friction) {
    if (q[0] >= 0.0) return Vec3::Zero();
    if (friction == 0.0) return Vec3(-q[0] / W(0, 0), 0.0, 0.0);
    const auto force = [&](double a) {
        Mat3 shifted = W;
        shifted(1, 1) += a;
        shifted(2, 2) += a;
        return Vec3(-shifted.inverse() * q);
    };
    const auto outside = [&](const Vec3& f) { return f.tail<2>().norm() > friction * f[0]; };
    double low = 1e-14 * W.trace(), high = W.trace();
    Vec3 f = force(low);
    if (!outside(f)) return f;
    while (outside(force(high))) high *= 16.0;
    while (high > low * (1.0 + 1e-14)) {
        const double middle = std::sqrt(low * high);
        if (middle <= low || middle >= high) break;
        (outside(force(middle)) ? low : high) = middle;
    }
    f = force(high);
    const double size = f.tail<2>().norm();
    if (size > 0.0) f.tail<2>() *= friction * f[0] / size;
    return f;
}

}  // namespace

FrictionalReference solve_frictional(const DenseProblem& problem, double tolerance, int max_sweeps) {
    FrictionalReference reference;
    const Eigen::LLT<MatrixXd> factor(problem.A);
    const MatrixXd response = factor.solve(problem.L.transpose());
    const MatrixXd W = problem.L * response;
    const VectorXd free = problem.L * factor.solve(problem.b) - problem.c;
    VectorXd f = VectorXd::Zero(free.size());
    for (reference.sweeps = 1; reference.sweeps <= max_sweeps; ++reference.sweeps) {
        double change = 0.0;
        for (Index k = 0; k < problem.contacts(); ++k) {
            const Mat3 own = W.block<3, 3>(3 * k, 3 * k);
            const Vec3 old = f.segment<3>(3 * k);
            const Vec3 q = free.segment<3>(3 * k) + W.middleRows<3>(3 * k) * f - own * old;
            const Vec3 now = solve_contact(own, q, problem.friction[k]);
            f.segment<3>(3 * k) = now;
            change = std::max(change, (own * (now - old)).norm());
        }
        if (change > 0.1 * tolerance) continue;
        reference.v = factor.solve(problem.b) + response * f;
        if (find_faults(problem, reference.v, f, tolerance).within(1e-9, tolerance, 1e-3)) {
            reference.solved = true;
            break;
        }
    }
    reference.f = f;
    return reference;
}

}  // namespace stiction::test
