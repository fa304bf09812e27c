#include "stiction/world/world.hpp"

#include <algorithm>

namespace stiction {

bool ElasticGroup::damped() const {
    return std::any_of(damping.begin(), damping.end(), [](const RayleighCoefficients& c) { return c.alpha > 0.0 || c.beta > 0.0; });
}

bool FrictionTable::frictionless() const {
    return std::all_of(coefficient_.begin(), coefficient_.end(), [](double coefficient) { return coefficient == 0.0; });
}

VecX mass_product(const World& world, const VecX& u) {
    VecX result = VecX::Zero(u.size());
    if (!world.consistent_mass) {
        for (Index v = 0; v < world.vertex_count(); ++v) result.segment<3>(3 * v) = world.mass[v] * u.segment<3>(3 * v);
        return result;
    }
    std::vector<Vec12> local;
    for (const ElasticGroup& group : world.elastic) {
        group.consistent_mass.gradients(u, local);
        group.gather.add(local, result);
    }
    return result;
}

}  // namespace stiction
