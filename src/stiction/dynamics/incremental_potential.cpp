#include "stiction/dynamics/incremental_potential.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/math/compensated_sum.hpp"

#include <cmath>
#include <limits>

namespace stiction {
namespace {

/// Change of a slip between iterates, relative to the slip, below which a contact counts as settled.
constexpr double settled_change = 0.3;

void add_stencil_gradient(const std::array<Index, 4>& vertices, int count, const Vec12& local, double factor,
                          VecX& gradient) {
    for (int k = 0; k < count; ++k)
        gradient.segment<3>(3 * vertices[static_cast<std::size_t>(k)]) += factor * local.segment<3>(3 * k);
}

/// Adds b - a to the sum and |a| + |b| to the magnitude.
void add_difference(double a, double b, CompensatedSum& sum, double& magnitude) {
    sum += b;
    sum += -a;
    magnitude += std::abs(a) + std::abs(b);
}

double absolute_sum(const std::vector<Vec12>& local) {
    double sum = 0.0;
    for (const Vec12& entry : local) sum += entry.lpNorm<1>();
    return sum;
}

double pull_difference(const TargetPull& pull, const VecX& x0, const VecX& x1) {
    double sum = 0.0;
    for (std::size_t i = 0; i < pull.vertices.size(); ++i) {
        const Eigen::Index at = 3 * pull.vertices[i];
        const Vec3 step = pull.masked(i, x1.segment<3>(at) - x0.segment<3>(at));
        const Vec3 middle = 0.5 * (x0.segment<3>(at) + x1.segment<3>(at)) - pull.target.segment<3>(at);
        sum += pull.stiffness * pull.mass[i] * step.dot(middle) - pull.multipliers.segment<3>(at).dot(step);
    }
    return sum;
}

}  // namespace

IncrementalPotential::IncrementalPotential(const World& world, const Stage& stage, const VecX& external_force,
                                           const VecX& x_start, double dhat, const FrictionLaw& friction_law,
                                           const std::vector<double>& overpressure)
    : world_(world),
      inertia_(world, stage, external_force, x_start),
      q_bar_(stage.q_bar),
      scale_(stage.scale()),
      dhat_(dhat),
      friction_law_(friction_law.scaled(stage.scale())) {
    STICTION_CHECK(overpressure.empty() || overpressure.size() == world.fillings.size(),
                   "an over-pressure for each filling");
    for (std::size_t k = 0; k < world.fillings.size(); ++k) {
        fillings_.push_back(world.fillings[k].energy);
        if (!overpressure.empty()) fillings_.back().law = world.fillings[k].law(overpressure[k]);
    }
}

PotentialValues IncrementalPotential::values(const VecX& x, const ContactSet& contacts) const {
    PotentialValues result;
    for (const ElasticGroup& group : world_.elastic) element_energies(group.elements, x, result.elastic.emplace_back());
    for (const SheetGroup& group : world_.sheets) sheet_energies(group.elements, x, result.elastic.emplace_back());
    for (std::vector<double>& group : result.elastic) {
        for (double& value : group) value *= scale_ * scale_;
    }
    for (const VolumeEnergy& filling : fillings_) result.fillings.push_back(scale_ * scale_ * filling.value(x));
    result.barrier.resize(contacts.contacts.size());
    parallel_for(contacts.contacts.size(), [&](std::size_t i) {
        result.barrier[i] = stiffness_ * barrier_value(contacts.contacts[i], x, dhat_ * dhat_);
    });
    result.friction.resize(friction_.size());
    parallel_for(friction_.size(), [&](std::size_t i) {
        result.friction[i] =
            friction_energy(friction_[i], tangential_displacement(friction_[i], x, q_bar_), friction_law_);
    });
    return result;
}

EnergyDifference IncrementalPotential::difference(const VecX& x0, const PotentialValues& at0, const VecX& x1,
                                                  const PotentialValues& at1, double force_sum) const {
    CompensatedSum sum;
    double magnitude = 0.0;
    const double inertia = inertia_.difference(x0, x1);
    const double pull = pull_difference(pull_, x0, x1);
    sum += inertia;
    sum += pull;
    magnitude += std::abs(inertia) + std::abs(pull);
    for (std::size_t g = 0; g < at0.elastic.size(); ++g) {
        for (std::size_t e = 0; e < at0.elastic[g].size(); ++e)
            add_difference(at0.elastic[g][e], at1.elastic[g][e], sum, magnitude);
    }
    for (std::size_t k = 0; k < at0.fillings.size(); ++k)
        add_difference(at0.fillings[k], at1.fillings[k], sum, magnitude);
    for (std::size_t i = 0; i < at0.friction.size(); ++i)
        add_difference(at0.friction[i], at1.friction[i], sum, magnitude);
    // The two contact sets differ in length and order: each is summed on its own.
    for (const double value : at1.barrier) add_difference(0.0, value, sum, magnitude);
    for (const double value : at0.barrier) add_difference(value, 0.0, sum, magnitude);
    if (!std::isfinite(sum.value())) return {std::numeric_limits<double>::infinity(), 0.0};
    const double position_size = x0.lpNorm<Eigen::Infinity>();
    return {sum.value(), std::numeric_limits<double>::epsilon() * (8.0 * magnitude + position_size * force_sum)};
}

VecX IncrementalPotential::smooth_gradient(const VecX& x, double* force_sum) const {
    VecX elastic = VecX::Zero(x.size());
    std::vector<Vec12> local;
    const auto add = [&](const VertexGather& gather) {
        gather.add(local, elastic);
        if (force_sum) *force_sum += scale_ * scale_ * absolute_sum(local);
    };
    for (const ElasticGroup& group : world_.elastic) {
        element_gradients(group.elements, x, local);
        add(group.gather);
    }
    for (const SheetGroup& group : world_.sheets) {
        sheet_gradients(group.elements, x, local);
        add(group.gather);
    }
    for (const VolumeEnergy& filling : fillings_) {
        const VolumeExpansion at = filling.expand(x);
        filling.add_gradient(at, 1.0, elastic);
        if (force_sum) *force_sum += scale_ * scale_ * std::abs(at.slope) * at.gradient.lpNorm<1>();
    }
    VecX result = scale_ * scale_ * elastic;
    inertia_.add_gradient(x, result);
    for (std::size_t i = 0; i < pull_.vertices.size(); ++i) {
        const Eigen::Index at = 3 * pull_.vertices[i];
        result.segment<3>(at) +=
            pull_.masked(i, pull_.stiffness * pull_.mass[i] * (x.segment<3>(at) - pull_.target.segment<3>(at)) -
                                pull_.multipliers.segment<3>(at));
    }
    return result;
}

VecX IncrementalPotential::barrier_gradient_sum(const VecX& x, const ContactSet& contacts, double* force_sum) const {
    std::vector<Vec12> local(contacts.contacts.size());
    parallel_for(local.size(),
                 [&](std::size_t i) { local[i] = barrier_gradient(contacts.contacts[i], x, dhat_ * dhat_); });
    if (force_sum) *force_sum += stiffness_ * absolute_sum(local);
    VecX gradient = VecX::Zero(x.size());
    for (std::size_t i = 0; i < local.size(); ++i) {
        add_stencil_gradient(contacts.contacts[i].vertices, contacts.contacts[i].vertex_count(), local[i], 1.0,
                             gradient);
    }
    return gradient;
}

VecX IncrementalPotential::friction_gradient_sum(const VecX& x, double* force_sum) const {
    std::vector<Vec12> local(friction_.size());
    parallel_for(local.size(), [&](std::size_t i) {
        local[i] = friction_gradient(friction_[i], tangential_displacement(friction_[i], x, q_bar_), friction_law_);
    });
    if (force_sum) *force_sum += absolute_sum(local);
    VecX gradient = VecX::Zero(x.size());
    for (std::size_t i = 0; i < local.size(); ++i)
        add_stencil_gradient(friction_[i].pair.key.vertices, friction_[i].pair.vertex_count(), local[i], 1.0, gradient);
    return gradient;
}

VecX IncrementalPotential::gradient(const VecX& x, const ContactSet& contacts, double* force_sum) const {
    return smooth_gradient(x, force_sum) + stiffness_ * barrier_gradient_sum(x, contacts, force_sum) +
           friction_gradient_sum(x, force_sum);
}

void IncrementalPotential::assemble(const VecX& x, const VecX& x_last, const ContactSet& contacts, bool project,
                                    HessianAssembly& assembly) const {
    assembly.set_zero();
    inertia_.add_hessian(assembly);
    std::vector<Mat12> local;
    for (std::size_t g = 0; g < world_.elastic.size(); ++g) {
        element_hessians(world_.elastic[g].elements, x, project, local);
        assembly.add_elements(g, local, scale_ * scale_);
    }
    for (std::size_t g = 0; g < world_.sheets.size(); ++g) {
        sheet_hessians(world_.sheets[g].elements, x, project, local);
        assembly.add_elements(world_.elastic.size() + g, local, scale_ * scale_);
    }
    for (std::size_t k = 0; k < fillings_.size(); ++k) {
        const VolumeExpansion at = fillings_[k].expand(x);
        volume_edge_hessians(world_.fillings[k].edges, x, scale_ * scale_ * at.slope, project, local);
        assembly.add_elements(world_.elastic.size() + world_.sheets.size() + k, local, 1.0);
        if (!world_.fillings[k].exact_matrix) continue;
        VecX direction = VecX::Zero(x.size());
        fillings_[k].zone.add(at.gradient, 1.0, direction);
        assembly.add_rank_one(scale_ * scale_ * at.curvature, direction);
    }
    local.resize(contacts.contacts.size());
    parallel_for(local.size(), [&](std::size_t i) {
        local[i] = stiffness_ * barrier_hessian(contacts.contacts[i], x, dhat_ * dhat_, project);
    });
    for (std::size_t i = 0; i < local.size(); ++i) {
        assembly.add_stencil(contacts.contacts[i].vertices, contacts.contacts[i].vertex_count(), local[i]);
    }
    local.resize(friction_.size());
    parallel_for(local.size(), [&](std::size_t i) {
        const Vec2 u = tangential_displacement(friction_[i], x, q_bar_);
        const bool settled =
            x_last.size() > 0 && tangential_displacement(friction_[i], x, x_last).norm() < settled_change * u.norm();
        local[i] = friction_hessian(friction_[i], u, friction_law_,
                                    settled ? FrictionCurvature::tangent : FrictionCurvature::secant);
    });
    for (std::size_t i = 0; i < local.size(); ++i)
        assembly.add_stencil(friction_[i].pair.key.vertices, friction_[i].pair.vertex_count(), local[i]);
    for (std::size_t i = 0; i < pull_.vertices.size(); ++i)
        assembly.add_diagonal(pull_.vertices[i], pull_.masked(i, Vec3::Constant(pull_.stiffness * pull_.mass[i])));
    assembly.finish();
}

std::vector<LaggedFriction> IncrementalPotential::lag_friction(const VecX& x, const ContactSet& contacts,
                                                               double stiffness) const {
    std::vector<LaggedFriction> result;
    if (world_.friction.frictionless()) return result;
    for (const Contact& contact : contacts.contacts) {
        // Nearly parallel edges have no tangent frame that is continuous; their point-edge neighbours carry the
        // friction.
        if (contact.kind == ContactKind::mollified_pair) continue;
        const Index a = world_.body_of_vertex[static_cast<std::size_t>(contact.vertices[0])];
        const Index b = world_.body_of_vertex[static_cast<std::size_t>(
            contact.vertices[static_cast<std::size_t>(contact.vertex_count() - 1)])];
        const double coefficient = world_.friction(a, b);
        if (coefficient == 0.0) continue;
        const double normal_force =
            stiffness * contact.multiplicity * barrier_force(contact.squared_gap(), dhat_ * dhat_);
        result.push_back({stencil_pair(contact, x), coefficient * normal_force, world_.friction.kinetic_ratio(a, b)});
    }
    return result;
}

}  // namespace stiction
