#include "stiction/dynamics/inertia_term.hpp"

namespace stiction {
InertiaTerm::InertiaTerm(const World& world, const Stage& stage, const VecX& external_force, const VecX& x_start)
    : world_(world), scale_(stage.scale()), inertia_(stage.inertia), q_bar_(stage.q_bar) {
    linear_ =
        inertia_ * mass_product(world, VecX(stage.q_bar + scale_ * stage.v_bar)) + scale_ * scale_ * external_force;
    for (const ElasticGroup& group : world.elastic) {
        damping_.emplace_back();
        if (group.damped())
            freeze_rayleigh_damping(group.elements, group.density, group.damping, x_start, damping_.back());
    }
}

VecX InertiaTerm::damping_product(const VecX& u) const {
    VecX result = VecX::Zero(u.size());
    std::vector<Vec12> local;
    for (std::size_t g = 0; g < damping_.size(); ++g) {
        if (damping_[g].size() == 0) continue;
        damping_[g].gradients(u, local);
        world_.elastic[g].gather.add(local, result);
    }
    add_sheet_damping(world_, u, result);
    return result;
}

double InertiaTerm::difference(const VecX& x0, const VecX& x1) const {
    const VecX step = x1 - x0;
    const VecX middle = 0.5 * (x0 + x1);
    return step.dot(inertia_ * mass_product(world_, middle) - linear_) +
           scale_ * step.dot(damping_product(middle - q_bar_));
}

void InertiaTerm::add_gradient(const VecX& x, VecX& gradient) const {
    gradient += inertia_ * mass_product(world_, x) - linear_ + scale_ * damping_product(x - q_bar_);
}

void InertiaTerm::add_hessian(HessianAssembly& assembly) const {
    constexpr double held = 1e-6;
    assembly.add_mass(inertia_ > 0.0 ? inertia_ : held);
    for (std::size_t g = 0; g < damping_.size(); ++g) {
        if (damping_[g].size() > 0) assembly.add_elements(g, damping_[g].matrices, scale_);
    }
    for (Index v = 0; v < world_.sheet_damping.size(); ++v) {
        if (world_.sheet_damping[v] > 0.0) assembly.add_diagonal(v, Vec3::Constant(scale_ * world_.sheet_damping[v]));
    }
}

}  // namespace stiction
