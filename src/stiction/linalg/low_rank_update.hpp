// Solves with a matrix plus a few rank-one terms by means of a solver for the matrix alone.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/linalg/sparse_factor.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// B = A + sum_k c_k u_k w_k^T, e.g. the Jacobian of an energy of a volume: c = d2W/dV2, u = w = dV/dx. By the formula
/// of Sherman, Morrison and Woodbury (Hager, Updating the inverse of a matrix, SIAM Review 31, 1989):
///     B^-1 b = y - Z t,   y = A^-1 b,   Z = A^-1 U,   (I + C W^T Z) t = C W^T y,
/// with a dense system of as many unknowns as there are terms. c may be zero or negative. Use: add, factorize once a
/// factor of A, then solve. All vectors must have the size of A.
class LowRankUpdate {
public:
    /// Drops all terms.
    void clear() {
        terms_.clear();
        has_factor_ = false;
    }
    /// Adds the term c u w^T.
    void add(double c, VecX u, VecX w) {
        STICTION_CHECK(u.size() == w.size() && (terms_.empty() || u.size() == terms_.front().u.size()),
                       "rank-one terms of different sizes");
        terms_.push_back({c, std::move(u), std::move(w)});
        has_factor_ = false;
    }
    std::size_t terms() const { return terms_.size(); }
    /// The same terms, without a factor, in a larger space whose further coordinates they do not touch.
    LowRankUpdate padded(Eigen::Index size) const {
        const auto pad = [&](const VecX& x) {
            VecX whole = VecX::Zero(size);
            whole.head(x.size()) = x;
            return whole;
        };
        LowRankUpdate result;
        for (const Term& term : terms_) result.add(term.c, pad(term.u), pad(term.w));
        return result;
    }

    /// y += (sum_k c_k u_k w_k^T) x: what a product with B has beside that with A.
    void add_product(const VecX& x, VecX& y) const {
        for (const Term& term : terms_) y += (term.c * dot(term.w, x)) * term.u;
    }

    /// Solves for Z, one system with A a term, and factors the dense system.
    /// @param solve_A  callable as `void(const VecX& b, VecX& x)`: x = A^-1 b
    /// @return false when B is singular to working precision though A could be solved with, or a term, or the solution
    /// with it, is not finite: see failure()
    template <class Solve>
    bool factorize(const Solve& solve_A) {
        const auto count = static_cast<Eigen::Index>(terms_.size());
        has_factor_ = false;
        failure_.clear();
        reciprocal_condition_ = 1.0;
        solved_.resize(terms_.size());
        VecX solved_size(count), weight_size(count);
        scale_.resize(count);
        for (Eigen::Index k = 0; k < count; ++k) {
            const Term& term = terms_[k];
            solve_A(term.u, solved_[k]);
            solved_size[k] = norm(solved_[k]);
            weight_size[k] = norm(term.w);
            const double gain = std::abs(term.c) * solved_size[k] * weight_size[k];
            if (!std::isfinite(gain)) {
                failure_ = fmt::format("rank-one term {}: not finite", k);
                return false;
            }
            scale_[k] = 1.0 / std::max(1.0, gain);
        }
        // Unknowns t_k |z_k|, rows of unit size: the condition is that of directions, whatever the units of the terms.
        Eigen::MatrixXd dense = scale_.asDiagonal();
        for (Eigen::Index k = 0; k < count; ++k) {
            for (Eigen::Index l = 0; l < count; ++l) {
                if (solved_size[l] == 0.0) continue;
                const double coupling = terms_[k].c * dot(terms_[k].w, solved_[l]);
                dense(k, l) += scale_[k] * coupling * (solved_size[k] / solved_size[l]);
            }
            scale_[k] *= terms_[k].c * solved_size[k];  // of the right-hand side
        }
        for (Eigen::Index k = 0; k < count; ++k) {
            if (solved_size[k] > 0.0) solved_[k] /= solved_size[k];
        }
        if (count > 0) {
            dense_.compute(dense);
            reciprocal_condition_ = dense_.rcond();
        }
        if (!(reciprocal_condition_ > smallest_pivot_ratio)) {  // true for NaN
            failure_ = fmt::format("singular with its {} rank-one terms: reciprocal condition {:.1e}", count,
                                   reciprocal_condition_);
            return false;
        }
        return has_factor_ = true;
    }

    /// x = B^-1 b; x may be b. Throws InternalError without a successful factorize() since the last add().
    /// @param solve_A  as given to factorize(), for the same A
    template <class Solve>
    void solve(const Solve& solve_A, const VecX& b, VecX& x) const {
        STICTION_CHECK(has_factor_, "solve without a factor");
        VecX y;
        solve_A(b, y);
        const auto count = static_cast<Eigen::Index>(terms_.size());
        VecX t(count);
        for (Eigen::Index k = 0; k < count; ++k) t[k] = scale_[k] * dot(terms_[k].w, y);
        if (count > 0) t = dense_.solve(t).eval();
        for (Eigen::Index k = 0; k < count; ++k) y -= t[k] * solved_[k];
        x = std::move(y);
    }

    /// Estimate for the dense system of the last factorize(), in (0, 1]: about as many digits of x are lost beside
    /// those that A costs as this has zeros behind the point. 1 without terms.
    double reciprocal_condition() const { return reciprocal_condition_; }
    /// Why the last factorize() failed, in one line; "" when it succeeded.
    const std::string& failure() const { return failure_; }

private:
    struct Term {
        double c;
        VecX u, w;
    };
    std::vector<Term> terms_;
    std::vector<VecX> solved_;  // z_k / |z_k|
    VecX scale_;                // of the rows of the dense system, for right-hand sides w.y
    Eigen::PartialPivLU<Eigen::MatrixXd> dense_;
    double reciprocal_condition_ = 1.0;
    bool has_factor_ = false;
    std::string failure_;
};

}  // namespace stiction
