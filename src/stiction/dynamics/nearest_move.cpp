#include "stiction/dynamics/nearest_move.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

NearestMove::NearestMove(const World& world, const DofMap& map, const VecX& wanted)
    : map_(map), wanted_(wanted), correction_(VecX::Zero(3 * map.node_count())) {
    const double mean = world.mean_mass > 0.0 ? world.mean_mass : 1.0;
    for (Index node = 0; node < map.node_count(); ++node) {
        const double mass = world.mass[map.vertex(node)];
        inverse_mass_.push_back(1.0 / (mass > 0.0 ? mass : mean));
    }
    for (const RigidBody& body : world.rigid_bodies) {
        for (const Index vertex : body.frame) {
            const Index node = map.node(vertex);
            if (node >= 0) inverse_mass_[at(node)] = 4.0 / body.mass;
        }
    }
}

bool NearestMove::add_bound(const std::array<Index, 4>& vertices, const std::array<Vec3, 4>& coefficients, double least,
                            double small) {
    constexpr double least_part = 1e-2;
    Bound bound{entries_.size(), entries_.size(), least, small, 0.0};
    double whole = 0.0;
    for (std::size_t k = 0; k < 4 && vertices[k] >= 0; ++k) {
        bound.least -= coefficients[k].dot(wanted_.segment<3>(3 * vertices[k]));
        whole += coefficients[k].squaredNorm();
        for (const DofMap::Entry& part : map_.entries(vertices[k])) {
            Vec3 direction = part.weight * coefficients[k];
            const std::uint8_t masked = map_.masked_axes(part.node);
            for (int axis = 0; axis < 3; ++axis) {
                if (masked >> axis & 1) direction[axis] = 0.0;
            }
            const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(bound.first);
            const auto known = std::ranges::find(begin, entries_.end(), part.node, &Entry::node);
            if (known == entries_.end()) {
                entries_.push_back({part.node, direction});
            } else {
                known->direction += direction;
            }
        }
    }
    bound.last = entries_.size();
    double squared_length = 0.0;
    for (std::size_t e = bound.first; e < bound.last; ++e) squared_length += entries_[e].direction.squaredNorm();
    if (!(squared_length > least_part * least_part * whole) || !std::isfinite(bound.least)) {
        entries_.resize(bound.first);
        return false;
    }
    const double length = std::sqrt(squared_length);
    bound.least /= length;
    for (std::size_t e = bound.first; e < bound.last; ++e) {
        entries_[e].direction /= length;
        bound.compliance += inverse_mass_[at(entries_[e].node)] * entries_[e].direction.squaredNorm();
    }
    bounds_.push_back(bound);
    return true;
}

void NearestMove::sweep(int most_sweeps) {
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        bool is_done = true;
        for (Bound& bound : bounds_) {
            double missing = bound.least;
            for (std::size_t e = bound.first; e < bound.last; ++e)
                missing -= entries_[e].direction.dot(correction_.segment<3>(3 * entries_[e].node));
            const double multiplier = std::max(0.0, bound.multiplier + missing / bound.compliance);
            const double change = multiplier - bound.multiplier;
            if (change == 0.0) continue;
            bound.multiplier = multiplier;
            is_done = is_done && std::abs(change) * bound.compliance <= bound.small;
            for (std::size_t e = bound.first; e < bound.last; ++e) {
                const Entry& entry = entries_[e];
                correction_.segment<3>(3 * entry.node) += change * inverse_mass_[at(entry.node)] * entry.direction;
            }
        }
        if (is_done) return;
    }
}

VecX NearestMove::move() const {
    VecX correction;
    map_.expand_step(correction_, correction);
    return wanted_ + correction;
}

}  // namespace stiction
