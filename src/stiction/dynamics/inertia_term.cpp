#include "stiction/dynamics/inertia_term.hpp"

namespace stiction {
InertiaTerm::InertiaTerm(const World& world, const Stage& stage, const VecX& external_force, const VecX& x_start)
    : world_(world), scale_(stage.scale()), inertia_(stage.inertia), q_bar_(stage.q_bar), damping_(world, x_start) {
    linear_ =
        inertia_ * mass_product(world, VecX(stage.q_bar + scale_ * stage.v_bar)) + scale_ * scale_ * external_force;
}

double InertiaTerm::difference(const VecX& x0, const VecX& x1) const {
    const VecX step = x1 - x0;
    const VecX middle = 0.5 * (x0 + x1);
    const double inertia = step.dot(inertia_ * mass_product(world_, middle) - linear_);
    const double held = hold_ > 0.0 ? step.dot(hold_ * mass_product(world_, middle) - held_) : 0.0;
    return inertia + scale_ * step.dot(damping_.product(middle - q_bar_)) + held;
}

void InertiaTerm::add_gradient(const VecX& x, VecX& gradient) const {
    gradient += inertia_ * mass_product(world_, x) - linear_ + scale_ * damping_.product(x - q_bar_);
    if (hold_ > 0.0) gradient += hold_ * mass_product(world_, x) - held_;
}

void InertiaTerm::add_hessian(HessianAssembly& assembly) const {
    constexpr double held = 1e-6;
    assembly.add_mass((inertia_ > 0.0 ? inertia_ : held) + hold_);
    damping_.add_hessian(scale_, assembly);
}

void InertiaTerm::hold(double factor, const VecX& place) {
    hold_ = factor;
    held_ = factor > 0.0 ? VecX(factor * mass_product(world_, place)) : VecX();
}

}  // namespace stiction
