#include "stiction/methods/local_global/weighted_column.hpp"

#include <algorithm>

namespace stiction::local_global {

void WeightedColumn::clear() {
    unknowns_.clear();
    weights_.clear();
    driven_.setZero();
}

void WeightedColumn::add(Index vertex, double weight, const GlobalSystem& system, const VecX& target) {
    const EmbeddedVertex* embedded = system.embedded(vertex);
    if (embedded == nullptr) return add_term(vertex, weight, system, target);
    for (const Carrier& carrier : embedded->carriers())
        add_term(carrier.vertex, weight * carrier.weight, system, target);
}

void WeightedColumn::add_term(Index vertex, double weight, const GlobalSystem& system, const VecX& target) {
    const Index unknown = system.unknown_of(vertex);
    if (unknown < 0) {
        driven_ += weight * target.segment<3>(3 * static_cast<Eigen::Index>(vertex));
        return;
    }
    const auto found = std::find(unknowns_.begin(), unknowns_.end(), unknown);
    if (found != unknowns_.end()) {
        weights_[static_cast<std::size_t>(found - unknowns_.begin())] += weight;
    } else {
        unknowns_.push_back(unknown);
        weights_.push_back(weight);
    }
}

}  // namespace stiction::local_global
