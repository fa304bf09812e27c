// Preconditioned stabilised bi-conjugate gradients.
#pragma once

#include "stiction/linalg/vector_ops.hpp"

#include <cmath>

namespace stiction {

struct BicgstabOptions {
    double tolerance = 1e-8;    ///< stop when |b - A x| <= tolerance |b|, Euclidean norms
    int max_iterations = 1000;  ///< of two products with A and two with M^-1 each
    int max_restarts = 20;      ///< after breakdowns, and after drifts of the recurrence
};

struct BicgstabResult {
    enum class End {
        converged,
        iteration_limit,
        breakdown,   ///< A M^-1 r = 0, or a recurrence broke down once more than restarts were allowed
        stagnation,  ///< the true residual no longer follows the recurrence: rounding, or tolerance beyond reach
        not_finite   ///< infinity or NaN in A, M, b or x
    };
    End end = End::iteration_limit;
    int iterations = 0;  ///< begun; the last one may have ended half-way
    int restarts = 0;
    int products = 0;                ///< with A, all told
    double relative_residual = 0.0;  ///< |b - A x| / |b|, computed anew from the x returned; 0 when b is zero
};

namespace detail {

/// One run of bicgstab(); the names are those of the paper, with s kept in r, and p and s before and after M^-1.
template <class Operator, class Preconditioner>
class BicgstabRun {
public:
    BicgstabRun(const Operator& A, const Preconditioner& M, const VecX& b, VecX& x, const BicgstabOptions& options)
        : A_(A), M_(M), b_(b), x_(x), options_(options) {}

    BicgstabResult run() {
        const double length = norm(b_);
        if (length == 0.0) {
            x_.setZero(b_.size());
            result_.end = End::converged;
            return result_;
        }
        target_ = options_.tolerance * length;
        size_ = best_size_ = last_true_size_ = true_residual();
        best_ = x_;
        start();
        while (!is_finished()) {
            ++result_.iterations;
            if (!half_step() || (goes_on() && !stabilise()) || (goes_on() && !next_direction())) {
                size_ = true_residual();
                if (!restart(End::breakdown)) break;
            }
        }
        if (result_.end != End::converged) {
            x_ = best_;
            size_ = true_residual();
        }
        result_.relative_residual = size_ / length;
        return result_;
    }

private:
    using End = BicgstabResult::End;
    /// A product below this part of its factors' lengths is rounding error.
    static constexpr double vanishing = 1e-14;

    void multiply(const VecX& from, VecX& to) {
        A_.multiply(from, to);
        ++result_.products;
    }

    /// r = b - A x, anew, and its length.
    double true_residual() {
        multiply(x_, t_);
        r_ = b_ - t_;
        return norm(r_);
    }

    void start() {
        shadow_ = p_ = r_;
        shadow_size_ = size_;
        rho_ = size_ * size_;
        steps_ = 0;
    }

    /// From a true residual. False when there is no point in it; the end is then as given.
    bool restart(End end) {
        result_.end = end;
        if (steps_ == 0 || result_.restarts == options_.max_restarts) return false;
        if (end == End::stagnation) {
            if (!(size_ < 0.5 * last_true_size_)) return false;
            best_ = x_;  // what the recurrence said of the iterates before is not to be trusted
            best_size_ = size_;
        }
        last_true_size_ = size_;
        ++result_.restarts;
        start();
        return true;
    }

    bool is_finished() {
        if (size_ <= target_ && steps_ > 0) {
            size_ = true_residual();
            if (!(size_ <= target_) && !restart(End::stagnation)) return true;
        }
        if (!std::isfinite(size_)) {
            result_.end = End::not_finite;
        } else if (size_ <= target_) {
            result_.end = End::converged;
        } else if (result_.iterations == options_.max_iterations) {
            result_.end = End::iteration_limit;
        } else {
            return false;
        }
        return true;
    }

    bool goes_on() const { return size_ > target_ && std::isfinite(size_); }

    void keep_best() {
        if (!(size_ < best_size_)) return;
        best_ = x_;
        best_size_ = size_;
    }

    /// Along p, to s. False at a breakdown.
    bool half_step() {
        M_.apply(p_, y_);
        multiply(y_, v_);
        const double v_size = norm(v_);
        double shadow_v = dot(shadow_, v_);
        if (steps_ == 0 && std::abs(shadow_v) <= vanishing * shadow_size_ * v_size && v_size > 0.0) {
            shadow_ = r_ + (size_ / v_size) * v_;  // any shadow will do that neither r nor v is orthogonal to
            shadow_size_ = norm(shadow_);
            rho_ = dot(shadow_, r_);
            shadow_v = dot(shadow_, v_);
        }
        if (std::abs(shadow_v) <= vanishing * shadow_size_ * v_size) return false;
        alpha_ = rho_ / shadow_v;
        x_ += alpha_ * y_;
        r_ -= alpha_ * v_;
        size_ = norm(r_);
        ++steps_;
        keep_best();
        return true;
    }

    /// From s to the smallest residual along A M^-1 s. False at a breakdown.
    bool stabilise() {
        M_.apply(r_, y_);
        multiply(y_, t_);
        const double tt = dot(t_, t_), ts = dot(t_, r_);
        if (std::abs(ts) <= vanishing * std::sqrt(tt) * size_) return false;
        omega_ = ts / tt;
        x_ += omega_ * y_;
        r_ -= omega_ * t_;
        size_ = norm(r_);
        keep_best();
        return true;
    }

    /// False at a breakdown.
    bool next_direction() {
        const double next_rho = dot(shadow_, r_);
        if (std::abs(next_rho) <= vanishing * shadow_size_ * size_) return false;
        const double beta = (next_rho / rho_) * (alpha_ / omega_);
        rho_ = next_rho;
        p_ = r_ + beta * (p_ - omega_ * v_);
        return true;
    }

    const Operator& A_;
    const Preconditioner& M_;
    const VecX& b_;
    VecX& x_;
    const BicgstabOptions options_;
    BicgstabResult result_;
    VecX r_, shadow_, p_, v_, t_, y_;
    VecX best_;
    double target_ = 0.0;
    double size_ = 0.0;  // |r|, by recurrence since the last restart
    double best_size_ = 0.0, last_true_size_ = 0.0;
    double shadow_size_ = 0.0, rho_ = 0.0, alpha_ = 0.0, omega_ = 0.0;
    int steps_ = 0;  // since the last restart
};

}  // namespace detail

/// Solves A x = b for a square A without symmetry (van der Vorst, Bi-CGSTAB, SIAM J. Sci. Stat. Comput. 13, 1992;
/// Saad, Iterative Methods for Sparse Linear Systems, algorithm 7.7). The preconditioner works from the right, A M^-1
/// (M x) = b, so that the residual which the iteration sees is that of A x = b itself. A breakdown (rho, r.v or omega
/// vanishes beside the lengths it is made of) restarts it from the present x. `converged` is said only after the
/// residual was computed anew; where that has drifted away from the recurrence, the iteration restarts from it.
/// @param A  has `void multiply(const VecX& x, VecX& y) const`: y = A x
/// @param M  has `void apply(const VecX& r, VecX& z) const`: z = M^-1 r
/// @param x  initial guess on entry (size of b), solution on return; if the end is not `converged`, the iterate of the
/// smallest residual (the initial guess included), since residuals need not fall
template <class Operator, class Preconditioner>
BicgstabResult bicgstab(const Operator& A, const Preconditioner& M, const VecX& b, VecX& x,
                        const BicgstabOptions& options = {}) {
    return detail::BicgstabRun<Operator, Preconditioner>(A, M, b, x, options).run();
}

}  // namespace stiction
