#include "stiction/dynamics/rayleigh_damping.hpp"

#include <algorithm>

namespace stiction {

RayleighDamping::RayleighDamping(const World& world, const VecX& x) : world_(world) {
    const auto freeze = [&](const auto& group, auto& forms) {
        if (group.damped()) freeze_rayleigh_damping(group.elements, group.density, group.damping, x, forms);
    };
    for (const ElasticGroup& group : world.elastic) freeze(group, elements_.emplace_back());
    for (const QuadraticGroup& group : world.quadratic) freeze(group, quadratic_.emplace_back());
}

VecX RayleighDamping::product(const VecX& u) const {
    VecX result = VecX::Zero(u.size());
    const auto add = [&]<class Group>(const Group& group, const auto& forms) {
        if (forms.size() == 0) return;
        std::vector<typename Group::ElementVector> local;
        forms.gradients(u, local);
        group.gather.add(local, result);
    };
    for (std::size_t g = 0; g < elements_.size(); ++g) add(world_.elastic[g], elements_[g]);
    for (std::size_t g = 0; g < quadratic_.size(); ++g) add(world_.quadratic[g], quadratic_[g]);
    add_sheet_damping(world_, u, result);
    return result;
}

void RayleighDamping::add_hessian(double scale, HessianAssembly& assembly) const {
    for (std::size_t g = 0; g < elements_.size(); ++g) {
        if (elements_[g].size() > 0) assembly.add_elements(g, elements_[g].matrices, scale);
    }
    for (std::size_t g = 0; g < quadratic_.size(); ++g) {
        if (quadratic_[g].size() > 0) assembly.add_elements(g, quadratic_[g].matrices, scale);
    }
    for (Index v = 0; v < world_.sheet_damping.size(); ++v) {
        if (world_.sheet_damping[v] > 0.0) assembly.add_diagonal(v, Vec3::Constant(scale * world_.sheet_damping[v]));
    }
}

bool is_damped(const World& world) {
    bool damped = world.sheet_damping.size() > 0;
    world.for_each_tet_group([&](const auto& group) { damped = damped || group.damped(); });
    return damped;
}

}  // namespace stiction
