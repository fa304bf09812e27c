// The saddle-point system of a fixed active set, with conjugate residuals and MINRES to solve it.
#pragma once

#include "stiction/methods/mlcp/solvers/preconditioner.hpp"
#include "stiction/methods/mlcp/solvers/switching.hpp"

#include <cmath>
#include <utility>

namespace stiction::bench {

/// B y = d of the active set of a solution: B = [A L^T; L -E] on its active rows, the friction of sliding contacts in
/// d. Vectors hold the velocities, then three entries a contact.
class FixedSystem {
public:
    /// All are kept by reference but `solution`, which says the active set.
    FixedSystem(const mlcp::ContactProblem& problem, const mlcp::ConstraintMatrix& constraints,
                const mlcp::Preconditioner& preconditioner, const mlcp::ContactSolution& solution)
        : problem_(problem), constraints_(constraints), preconditioner_(preconditioner) {
        const auto rows = 3 * static_cast<Eigen::Index>(constraints.size());
        rhs_.v = problem.rhs;
        rhs_.c.setZero(rows);
        VecX given = VecX::Zero(rows);
        for (std::size_t k = 0; k < constraints.size(); ++k) {
            const auto at = 3 * static_cast<Eigen::Index>(k);
            rows_.push_back(mlcp::active_rows(problem.contacts[k], solution.contacts[k]));
            rhs_.c.segment<3>(at) = mlcp::on_active(rows_[k], problem.contacts[k].target);
            given.segment<2>(at + 1) = -solution.contacts[k].sliding;
        }
        constraints.add_transposed(given, rhs_.v);
    }

    VecX rhs() const { return joined(rhs_); }
    VecX multiply(const VecX& x) const {
        const mlcp::SaddleVector in = split(x);
        mlcp::SaddleVector out;
        problem_.matrix->multiply(in.v, out.v);
        constraints_.add_transposed(in.c, out.v);
        constraints_.multiply(in.v, rows_, out.c);
        mlcp::add_compliance(rows_, -1.0, in.c, out.c);
        return joined(out);
    }
    VecX precondition(const VecX& r) const {
        mlcp::SaddleVector z;
        preconditioner_.apply(split(r), rows_, z);
        return joined(z);
    }
    /// Whether a residual is within `tolerance` of the momentum and `distance` (m) of every row.
    bool solved(const VecX& r, double tolerance, double distance) const {
        const mlcp::SaddleVector parts = split(r);
        return parts.v.norm() <= tolerance * problem_.scale() &&
               (parts.c.size() == 0 || parts.c.lpNorm<Eigen::Infinity>() <= distance);
    }

private:
    mlcp::SaddleVector split(const VecX& x) const {
        return {x.head(problem_.rhs.size()), x.tail(x.size() - problem_.rhs.size())};
    }
    static VecX joined(const mlcp::SaddleVector& x) {
        VecX all(x.v.size() + x.c.size());
        all << x.v, x.c;
        return all;
    }

    const mlcp::ContactProblem& problem_;
    const mlcp::ConstraintMatrix& constraints_;
    const mlcp::Preconditioner& preconditioner_;
    mlcp::ActiveSet rows_;
    mlcp::SaddleVector rhs_;
};

/// Products with B until a system is solved from zero; -1 where `limit` products do not suffice. The products that
/// measure the residual are not counted.
template <class Solved>
int conjugate_residuals(const FixedSystem& system, int limit, const Solved& solved) {
    const VecX rhs = system.rhs();
    VecX y = VecX::Zero(rhs.size()), z = system.precondition(rhs), p = z, Bz = system.multiply(z), Bp = Bz;
    double zBz = z.dot(Bz);
    for (int products = 1; products <= limit; ++products) {
        const VecX PBp = system.precondition(Bp);
        const double alpha = zBz / Bp.dot(PBp);
        y += alpha * p;
        if (solved(rhs - system.multiply(y))) return products;
        z -= alpha * PBp;
        Bz = system.multiply(z);
        const double before = zBz;
        zBz = z.dot(Bz);
        if (!std::isfinite(alpha) || !std::isfinite(zBz / before)) return -1;
        p = z + zBz / before * p;
        Bp = Bz + zBz / before * Bp;
    }
    return -1;
}

/// The same by the minimal residual method (Paige and Saunders 1975) in the form of Elman, Silvester and Wathen, Finite
/// Elements and Fast Iterative Solvers, algorithm 4.1; the preconditioner has to be positive definite.
template <class Solved>
int minimal_residuals(const FixedSystem& system, int limit, const Solved& solved) {
    const VecX rhs = system.rhs();
    VecX v = rhs, v_old = VecX::Zero(v.size()), z = system.precondition(v), y = VecX::Zero(v.size());
    VecX w = VecX::Zero(v.size()), w_old = w;
    double gamma = std::sqrt(z.dot(v)), gamma_old = 1.0, eta = gamma, s = 0.0, s_old = 0.0, c = 1.0, c_old = 1.0;
    for (int products = 1; products <= limit; ++products) {
        z /= gamma;
        const VecX Bz = system.multiply(z);
        const double delta = Bz.dot(z);
        const VecX v_new = Bz - delta / gamma * v - gamma / gamma_old * v_old;
        const VecX z_new = system.precondition(v_new);
        const double gamma_new = std::sqrt(z_new.dot(v_new));
        const double a0 = c * delta - c_old * s * gamma, a1 = std::hypot(a0, gamma_new);
        const double a2 = s * delta + c_old * c * gamma, a3 = s_old * gamma;
        const VecX w_new = (z - a3 * w_old - a2 * w) / a1;
        c_old = std::exchange(c, a0 / a1);
        s_old = std::exchange(s, gamma_new / a1);
        y += c * eta * w_new;
        eta *= -s;
        if (solved(rhs - system.multiply(y))) return products;
        if (!std::isfinite(eta) || !(gamma_new > 0.0)) return -1;
        v_old = std::exchange(v, v_new);
        w_old = std::exchange(w, w_new);
        z = z_new;
        gamma_old = std::exchange(gamma, gamma_new);
    }
    return -1;
}

}  // namespace stiction::bench
