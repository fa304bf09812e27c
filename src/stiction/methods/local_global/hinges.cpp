#include "stiction/methods/local_global/hinges.hpp"

#include <algorithm>

namespace stiction::local_global {

Hinges::Hinges(const World& world) : world_(world) {
    for (const SheetGroup& group : world.sheets) {
        const auto* hinges = std::get_if<HingeBending>(&group.elements);
        if (hinges == nullptr) continue;
        groups_.push_back(&group);
        count_ += hinges->size();
        for (const double w : hinges->stiffness) stiffness_ += w;
    }
}

void Hinges::evaluate(const VecX& x, double* energies, VecX& gradient) {
    gradient.setZero(x.size());
    for (const SheetGroup* group : groups_) {
        const auto& hinges = std::get<HingeBending>(group->elements);
        hinge_energies(hinges, x, group_energies_);
        energies = std::copy(group_energies_.begin(), group_energies_.end(), energies);
        hinge_gradients(hinges, x, local_);
        group->gather.add(local_, gradient);
    }
}

HingeBending Hinges::all() const {
    HingeBending result;
    for (const SheetGroup* group : groups_) {
        const auto& hinges = std::get<HingeBending>(group->elements);
        result.vertices.insert(result.vertices.end(), hinges.vertices.begin(), hinges.vertices.end());
        result.rest_angle.insert(result.rest_angle.end(), hinges.rest_angle.begin(), hinges.rest_angle.end());
        result.stiffness.insert(result.stiffness.end(), hinges.stiffness.begin(), hinges.stiffness.end());
    }
    return result;
}

void Hinges::add_weights(std::vector<Eigen::Triplet<double, std::int64_t>>& entries) const {
    std::vector<Vec3> rest(4);
    for (const SheetGroup* group : groups_) {
        const auto& hinges = std::get<HingeBending>(group->elements);
        for (std::size_t h = 0; h < hinges.size(); ++h) {
            const Tet& vertices = hinges.vertices[h];
            for (std::size_t k = 0; k < 4; ++k) rest[k] = world_.initial_positions.segment<3>(3 * vertices[k]);
            IsometricBending flat;
            append_isometric_bending(flat, rest, {Tet{0, 1, 2, 3}}, 1.0);
            const double weight = hinges.stiffness[h] / (rest[1] - rest[0]).squaredNorm();
            const Eigen::Vector4d& K = flat.coefficients.front();
            for (int a = 0; a < 4; ++a) {
                for (int b = 0; b < 4; ++b)
                    entries.emplace_back(vertices[static_cast<std::size_t>(a)], vertices[static_cast<std::size_t>(b)],
                                         weight * K[a] * K[b]);
            }
        }
    }
}

}  // namespace stiction::local_global
