// Limited-memory BFGS with a constant initial matrix.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/methods/local_global/block_sum.hpp"

#include <vector>

namespace stiction::local_global {

/// The two-loop recursion over the last changes s of the unknowns and y of the gradient (Nocedal and Wright 2006,
/// algorithm 7.4). Allocates only for another number of unknowns.
class Lbfgs {
public:
    explicit Lbfgs(int history)
        : s_(static_cast<std::size_t>(history)), y_(s_.size()), rho_(s_.size()), alpha_(s_.size()) {}

    /// Drops all pairs.
    void begin() { count_ = 0; }
    /// Replaces the oldest pair, if s . y > 0.
    void add(const VecX& s, const VecX& y);
    /// out = -H g with the inverse Hessian approximation H. apply(r, z) sets z = -H_0 r.
    template <class Apply>
    void direction(const VecX& g, const Apply& apply, VecX& out) {
        residual_ = g;
        const std::size_t pairs = std::min(count_, s_.size());
        for (std::size_t k = 0; k < pairs; ++k) {
            const std::size_t i = slot(count_ - 1 - k);
            alpha_[i] = rho_[i] * dot(s_[i], residual_);
            residual_ -= alpha_[i] * y_[i];
        }
        apply(residual_, out);
        for (std::size_t k = pairs; k-- > 0;) {
            const std::size_t i = slot(count_ - 1 - k);
            const double beta = -rho_[i] * dot(y_[i], out);
            out -= (alpha_[i] - beta) * s_[i];
        }
    }

private:
    std::size_t slot(std::size_t k) const { return k % s_.size(); }
    double dot(const VecX& a, const VecX& b) {
        return sum_(static_cast<std::size_t>(a.size()),
                    [&](std::size_t i) { return a[static_cast<Eigen::Index>(i)] * b[static_cast<Eigen::Index>(i)]; });
    }

    std::vector<VecX> s_, y_;
    std::vector<double> rho_, alpha_;
    VecX residual_;
    std::size_t count_ = 0;
    BlockSum sum_;
};

}  // namespace stiction::local_global
