#include "stiction/world/world.hpp"

#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/tet10_elasticity.hpp"
#include "stiction/math/compensated_sum.hpp"

#include <algorithm>

namespace stiction {

bool FrictionTable::frictionless() const {
    return std::all_of(coefficient_.begin(), coefficient_.end(), [](double coefficient) { return coefficient == 0.0; });
}

double World::length_share(Index body_a, Index body_b) const {
    const double smaller = std::min(bodies[static_cast<std::size_t>(body_a)].contact_length,
                                    bodies[static_cast<std::size_t>(body_b)].contact_length);
    return smaller < length ? smaller / length : 1.0;
}

std::vector<double> World::length_shares() const {
    std::vector<double> shares;
    for (const Body& body : bodies) shares.push_back(body.contact_length / length);
    if (std::ranges::all_of(shares, [](double share) { return share >= 1.0; })) shares.clear();
    return shares;
}

double World::mass_moment() const {
    double sum = 0.0;
    for (const Body& body : bodies) {
        if (!body.is_obstacle()) sum += mass_of(body) * body.contact_length;
    }
    return sum;
}

VecX mass_product(const World& world, const VecX& u) {
    VecX result = VecX::Zero(u.size());
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (world.has_lumped_inertia(v)) result.segment<3>(3 * v) = world.mass[v] * u.segment<3>(3 * v);
    }
    world.for_each_tet_group([&]<class Group>(const Group& group) {
        if (group.consistent_mass.size() == 0) return;
        std::vector<typename Group::ElementVector> local;
        group.consistent_mass.gradients(u, local);
        group.gather.add(local, result);
    });
    return result;
}

double kinetic_energy(const World& world, const VecX& u) {
    CompensatedSum sum;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (world.has_lumped_inertia(v)) sum += 0.5 * world.mass[v] * u.segment<3>(3 * v).squaredNorm();
    }
    world.for_each_tet_group([&](const auto& group) { sum += group.consistent_mass.energy(u); });
    return sum.value();
}

void add_sheet_damping(const World& world, const VecX& u, VecX& out) {
    for (Index v = 0; v < world.sheet_damping.size(); ++v)
        out.segment<3>(3 * v) += world.sheet_damping[v] * u.segment<3>(3 * v);
}

double elastic_energy(const World& world, const VecX& x) {
    double energy = 0.0;
    world.for_each_tet_group([&](const auto& group) { energy += elastic_energy(group.elements, x); });
    for (const SheetGroup& group : world.sheets) energy += sheet_energy(group.elements, x);
    return energy;
}

double FilledRegion::overpressure(double t) const {
    const auto next = std::upper_bound(keys.begin(), keys.end(), t,
                                       [](double time, const PressureKey& key) { return time < key.time; });
    if (next == keys.begin()) return keys.front().overpressure;
    const PressureKey& last = *(next - 1);
    if (next == keys.end()) return last.overpressure;
    return last.overpressure + (t - last.time) / (next->time - last.time) * (next->overpressure - last.overpressure);
}

VolumeLaw FilledRegion::law(double overpressure) const {
    VolumeLaw law = energy.law;
    law.overpressure = overpressure;
    return law;
}

double filling_energy(const World& world, const VecX& x, const std::vector<double>& overpressure) {
    double energy = 0.0;
    for (std::size_t k = 0; k < world.fillings.size(); ++k) {
        const FilledRegion& filling = world.fillings[k];
        energy += filling.law(overpressure[k]).value(filling.energy.zone.volume(x), filling.energy.rest_volume);
    }
    return energy;
}

void add_filling_gradient(const World& world, const VecX& x, const std::vector<double>& overpressure, VecX& sum) {
    for (std::size_t k = 0; k < world.fillings.size(); ++k) {
        VolumeEnergy filling = world.fillings[k].energy;
        filling.law = world.fillings[k].law(overpressure[k]);
        filling.add_gradient(filling.expand(x), 1.0, sum);
    }
}

VecX elastic_gradient(const World& world, const VecX& x, const std::vector<char>& marked) {
    VecX sum = VecX::Zero(x.size());
    world.for_each_tet_group([&]<class Group>(const Group& group) {
        std::vector<typename Group::ElementVector> local;
        element_gradients(group.elements, x, local, marked);
        group.gather.add(local, sum);
    });
    std::vector<Vec12> local;
    for (const SheetGroup& group : world.sheets) {
        sheet_gradients(group.elements, x, local, marked);
        group.gather.add(local, sum);
    }
    return sum;
}

}  // namespace stiction
