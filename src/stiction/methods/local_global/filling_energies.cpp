#include "stiction/methods/local_global/filling_energies.hpp"

#include "stiction/methods/local_global/global_system.hpp"

#include <cmath>

namespace stiction::local_global {
namespace {

/// Calls visit(unknown, vector) for the unknowns among the vertices of a zone, with what a zone vector has there.
template <class Visit>
void for_each_unknown(const VolumeZone& zone, const VecX& zone_vector, const std::vector<Index>& unknowns,
                      const Visit& visit) {
    std::size_t unknown = 0;
    for (std::size_t i = 0; i < zone.vertices().size(); ++i) {
        while (unknown < unknowns.size() && unknowns[unknown] < zone.vertices()[i]) ++unknown;
        if (unknown == unknowns.size()) return;
        if (unknowns[unknown] == zone.vertices()[i])
            visit(static_cast<Index>(unknown), zone_vector.segment<3>(3 * static_cast<Eigen::Index>(i)));
    }
}

}  // namespace

void FillingEnergies::begin(const StepInput& input) {
    if (energies_.empty()) {
        for (const FilledRegion& filling : world_.fillings) energies_.push_back(filling.energy);
    }
    for (std::size_t k = 0; k < energies_.size(); ++k) energies_[k].law = world_.fillings[k].law(input.overpressure[k]);
}

void FillingEnergies::evaluate(const VecX& x, const std::vector<Index>& unknowns, double scale, FillingValues& values,
                               VecX& gradient) const {
    values.energy.resize(energies_.size());
    values.rounding = 0.0;
    for (std::size_t k = 0; k < energies_.size(); ++k) {
        const VolumeExpansion at = energies_[k].expand(x);
        values.energy[k] = at.value;
        values.rounding += std::abs(at.slope) * std::abs(at.volume);
        for_each_unknown(energies_[k].zone, at.gradient, unknowns, [&](Index unknown, const Vec3& area) {
            gradient.segment<3>(3 * static_cast<Eigen::Index>(unknown)) += scale * at.slope * area;
        });
    }
}

/// Sherman and Morrison's formula, one filling after the other: with k a a^T in the matrix and u what its inverse makes
/// of a, the inverse loses u u^T / (1 / k + a . u).
void FillingEnergies::linearise(const VecX& x, const GlobalSystem& system, double scale, InverseModes& modes) const {
    modes.fillings.clear();
    for (std::size_t k = 0; k < energies_.size(); ++k) {
        if (!world_.fillings[k].exact_matrix) continue;
        const VolumeExpansion at = energies_[k].expand(x);
        const double stiffness = scale * at.curvature;
        if (!(stiffness > 0.0)) continue;
        InverseModes::Filling filling;
        filling.response.setZero(3 * static_cast<Eigen::Index>(system.unknowns().size()));
        for_each_unknown(energies_[k].zone, at.gradient, system.unknowns(), [&](Index unknown, const Vec3& area) {
            filling.unknowns.push_back(unknown);
            filling.weights.push_back(area);
            filling.response.segment<3>(3 * static_cast<Eigen::Index>(unknown)) = area;
        });
        system.inverse().solve(filling.response.data(), filling.response.data());
        modes.project(filling.response.data());
        const double scaling = 1.0 / std::sqrt(1.0 / stiffness + filling.part_of(filling.response.data()));
        filling.response *= scaling;
        for (Vec3& weight : filling.weights) weight *= scaling;
        modes.fillings.push_back(std::move(filling));
    }
}

}  // namespace stiction::local_global
