// Inertia and Rayleigh damping of a stage. Both are quadratic, so differences of their values are exact.
#pragma once

#include "stiction/dynamics/rayleigh_damping.hpp"
#include "stiction/dynamics/stage.hpp"

namespace stiction {

/// 1/2 |x - x_hat|_M^2 + s/2 (x - q_bar)^T (alpha M + beta K(q^t)) (x - q_bar), s = a h, x_hat = q_bar + s v_bar + s^2
/// M^-1 f_ext. A quasi-static stage has no M. K is the PSD-projected elastic Hessian frozen at the start of the step.
class InertiaTerm {
public:
    InertiaTerm(const World& world, const Stage& stage, const VecX& external_force, const VecX& x_start);

    /// Value at x1 minus value at x0, without cancellation.
    double difference(const VecX& x0, const VecX& x1) const;
    void add_gradient(const VecX& x, VecX& gradient) const;
    /// Of a quasi-static stage with a millionth of M, so that bodies which nothing holds leave no singular matrix.
    void add_hessian(HessianAssembly& assembly) const;
    /// Adds factor/2 |x - place|_M^2 from now on; 0: nothing.
    /// @param place  stacked (m)
    void hold(double factor, const VecX& place);

private:
    const World& world_;
    double scale_, inertia_;
    VecX q_bar_;
    VecX linear_;  ///< M (q_bar + s v_bar), unless quasi-static, + s^2 f_ext
    RayleighDamping damping_;
    double hold_ = 0.0;
    VecX held_;  ///< hold_ M place, where hold_ > 0
};

}  // namespace stiction
