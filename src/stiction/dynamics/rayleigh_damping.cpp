#include "stiction/dynamics/rayleigh_damping.hpp"

#include <algorithm>

namespace stiction {

RayleighDamping::RayleighDamping(const World& world, const VecX& x) : world_(world) {
    for (const ElasticGroup& group : world.elastic) {
        elements_.emplace_back();
        if (group.damped()) freeze_rayleigh_damping(group.elements, group.density, group.damping, x, elements_.back());
    }
}

VecX RayleighDamping::product(const VecX& u) const {
    VecX result = VecX::Zero(u.size());
    std::vector<Vec12> local;
    for (std::size_t g = 0; g < elements_.size(); ++g) {
        if (elements_[g].size() == 0) continue;
        elements_[g].gradients(u, local);
        world_.elastic[g].gather.add(local, result);
    }
    add_sheet_damping(world_, u, result);
    return result;
}

void RayleighDamping::add_hessian(double scale, HessianAssembly& assembly) const {
    for (std::size_t g = 0; g < elements_.size(); ++g) {
        if (elements_[g].size() > 0) assembly.add_elements(g, elements_[g].matrices, scale);
    }
    for (Index v = 0; v < world_.sheet_damping.size(); ++v) {
        if (world_.sheet_damping[v] > 0.0) assembly.add_diagonal(v, Vec3::Constant(scale * world_.sheet_damping[v]));
    }
}

bool is_damped(const World& world) {
    return world.sheet_damping.size() > 0 ||
           std::ranges::any_of(world.elastic, [](const ElasticGroup& group) { return group.damped(); });
}

}  // namespace stiction
