#include "stiction/barrier/potential.hpp"

namespace stiction {

BarrierPotential::BarrierPotential(const World& world, const Stage& stage, const VecX& external_force,
                                   const VecX& x_start, double dhat, const FrictionLaw& friction_law,
                                   const std::vector<double>& overpressure)
    : world_(world),
      incremental_(world, stage, external_force, x_start, overpressure),
      barrier_{dhat, 0.0},
      friction_{friction_law.scaled(stage.sticking_scale(), stage.scale()), {}},
      slip_origin_(),
      predicted_(dhat) {}

BarrierPotentialValues BarrierPotential::values(const VecX& x, const ContactSet& contacts,
                                                const std::vector<char>& marked) const {
    return {incremental_.values(x, marked), barrier_.values(x, contacts), friction_.values(x, slip_origin())};
}

EnergyDifference BarrierPotential::difference(const VecX& x0, const BarrierPotentialValues& at0, const VecX& x1,
                                              const BarrierPotentialValues& at1, double force_sum) const {
    EnergyDifferenceSum sum;
    incremental_.add_difference(x0, at0.incremental, x1, at1.incremental, sum);
    for (std::size_t i = 0; i < at0.friction.size(); ++i) sum.add(at0.friction[i], at1.friction[i]);
    // The two contact sets differ in length and order: each is summed on its own.
    for (const double value : at1.barrier) sum.add(0.0, value);
    for (const double value : at0.barrier) sum.add(value, 0.0);
    return sum.result(x0.lpNorm<Eigen::Infinity>(), force_sum);
}

VecX BarrierPotential::gradient(const VecX& x, const ContactSet& contacts, double* force_sum,
                                const std::vector<char>& marked) const {
    return incremental_.gradient(x, force_sum, marked) +
           barrier_.stiffness * barrier_.unit_gradient(x, contacts, force_sum) +
           friction_.gradient(x, slip_origin(), force_sum);
}

void BarrierPotential::assemble(const VecX& x, const ContactSet& contacts, bool project, HessianAssembly& assembly) {
    assembly.analyze_ahead();
    assembly.set_zero();
    incremental_.add_hessian(x, project, assembly);
    if (project && !contacts.contacts.empty()) predicted_.set_vertex_stiffness(assembly.vertex_stiffness());
    barrier_.add_hessian(x, contacts, project, assembly, project ? &predicted_ : nullptr);
    friction_.add_hessian(x, slip_origin(), assembly);
    incremental_.add_pull_hessian(assembly);
    assembly.finish();
}

}  // namespace stiction
