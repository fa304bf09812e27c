#include "stiction/methods/local_global/objective.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stiction::local_global {
namespace {

using Triplets = std::vector<Eigen::Triplet<double, std::int64_t>>;

ScalarRows rows(Index vertices, const Triplets& entries) {
    ScalarRows result(vertices, vertices);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

ScalarRows bending_rows(const World& world) {
    Triplets entries;
    for (const SheetGroup& group : world.sheets) {
        const auto* hinges = std::get_if<IsometricBending>(&group.elements);
        if (hinges == nullptr) continue;
        for (std::size_t h = 0; h < hinges->size(); ++h) {
            const Eigen::Vector4d& K = hinges->coefficients[h];
            const auto vertices = static_cast<int>(
                std::count_if(hinges->vertices[h].begin(), hinges->vertices[h].end(), [](Index v) { return v >= 0; }));
            for (int a = 0; a < vertices; ++a) {
                for (int b = 0; b < vertices; ++b) {
                    entries.emplace_back(hinges->vertices[h][static_cast<std::size_t>(a)],
                                         hinges->vertices[h][static_cast<std::size_t>(b)],
                                         hinges->stiffness[h] * (K[a] * K[b]));
                }
            }
        }
    }
    return rows(world.vertex_count(), entries);
}

ScalarRows hinge_rows(const World& world, const Hinges& hinges) {
    Triplets entries;
    hinges.add_weights(entries);
    return rows(world.vertex_count(), entries);
}

ScalarRows mass_rows(const World& world) {
    Triplets entries;
    for (const ElasticGroup& group : world.elastic) {
        for (std::size_t e = 0; e < group.consistent_mass.size(); ++e) {
            for (int a = 0; a < 4; ++a) {
                for (int b = 0; b < 4; ++b) {
                    const Tet& tet = group.consistent_mass.vertices[e];
                    entries.emplace_back(tet[static_cast<std::size_t>(a)], tet[static_cast<std::size_t>(b)],
                                         group.consistent_mass.matrices[e](3 * a, 3 * b));
                }
            }
        }
    }
    return rows(world.vertex_count(), entries);
}

}  // namespace

Objective::Objective(const World& world, const ElementArrays& elements)
    : world_(world),
      elements_(elements),
      hinges_(world),
      bending_(bending_rows(world)),
      hinge_weights_(hinge_rows(world, hinges_)),
      consistent_mass_(mass_rows(world)),
      fillings_(world),
      damping_(world.elastic.size()),
      corner_force_(3 * elements.corner_count) {
    for (const TetArrays& block : elements.tets)
        stiffness_ += std::accumulate(block.weight.begin(), block.weight.end(), 0.0);
    for (const TriangleArrays& block : elements.triangles)
        stiffness_ += std::accumulate(block.weight.begin(), block.weight.end(), 0.0);
    stiffness_ += hinges_.stiffness();
    for (Index v = 0; v < world.vertex_count(); ++v) lumped_.push_back(world.has_lumped_inertia(v));
    for (const RigidBody& body : world.rigid_bodies)
        frames_.insert(frames_.end(), body.frame.begin(), body.frame.end());
    const bool damped = std::any_of(world.elastic.begin(), world.elastic.end(),
                                    [](const ElasticGroup& group) { return group.damped(); });
    if (damped) damping_force_ = displacement_ = VecX::Zero(3 * world.vertex_count());
}

void Objective::begin(const State& state, const StepInput& input, const std::vector<Index>& unknowns) {
    unknowns_ = &unknowns;
    h_ = input.h;
    start_ = state.x;
    predicted_ = state.x + h_ * state.v;
    force_ = input.external_force;
    add_to_carriers(world_.embedded, force_);
    // A vertex that no element uses stays where it is along the axes that no motion drives.
    for (const Index v : unknowns) {
        if (world_.mass[v] == 0.0) force_.segment<3>(3 * static_cast<Eigen::Index>(v)).setZero();
    }
    fillings_.begin(input);
    for (std::size_t g = 0; g < world_.elastic.size(); ++g) {
        const ElasticGroup& group = world_.elastic[g];
        if (group.damped()) freeze_rayleigh_damping(group.elements, group.density, group.damping, start_, damping_[g]);
    }
}

/// Gradient of the quadratic terms, over the unknowns.
void Objective::add_quadratic(const VecX& x, VecX& out) {
    if (damping_force_.size() > 0) {
        displacement_ = x - start_;
        damping_force_.setZero();
        for (std::size_t g = 0; g < damping_.size(); ++g) {
            if (!world_.elastic[g].damped()) continue;
            damping_[g].gradients(displacement_, damping_local_);
            world_.elastic[g].gather.add(damping_local_, damping_force_);
        }
    }
    const std::vector<Index>& unknowns = *unknowns_;
    parallel_for(unknowns.size(), [&](std::size_t i) {
        const Index v = unknowns[i];
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
        const Vec3 here = x.segment<3>(at);
        Vec3 sum = -h_ * h_ * force_.segment<3>(at);
        if (lumped_[static_cast<std::size_t>(v)] != 0) {
            sum += world_.mass[v] * (here - predicted_.segment<3>(at));
        } else {
            for (ScalarRows::InnerIterator entry(consistent_mass_, v); entry; ++entry) {
                sum += entry.value() * (x.segment<3>(3 * entry.col()) - predicted_.segment<3>(3 * entry.col()));
            }
        }
        // Rows of B sum to zero. Differences of positions keep the digits far from the origin.
        for (ScalarRows::InnerIterator entry(bending_, v); entry; ++entry)
            sum += h_ * h_ * entry.value() * (x.segment<3>(3 * entry.col()) - here);
        if (v < world_.sheet_damping.size()) sum += h_ * world_.sheet_damping[v] * (here - start_.segment<3>(at));
        if (damping_force_.size() > 0) sum += h_ * damping_force_.segment<3>(at);
        out.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum;
    });
}

void Objective::evaluate(Evaluation& evaluation) {
    const auto unknowns = static_cast<Eigen::Index>(unknowns_->size());
    evaluation.energy.resize(elements_.element_count + hinges_.count());
    evaluation.quadratic.resize(3 * unknowns);
    add_quadratic(evaluation.x, evaluation.quadratic);
    for (std::size_t b = 0; b < elements_.tets.size(); ++b) {
        local_step(elements_.tets[b], evaluation.x.data(), evaluation.energy.data() + elements_.tets[b].first_element,
                   corner_force_.data() + 3 * elements_.first_tet_corner[b]);
    }
    for (std::size_t b = 0; b < elements_.triangles.size(); ++b) {
        local_step(elements_.triangles[b], evaluation.x.data(),
                   evaluation.energy.data() + elements_.triangles[b].first_element,
                   corner_force_.data() + 3 * elements_.first_triangle_corner[b]);
    }
    evaluation.gradient = evaluation.quadratic;
    gather(elements_, corner_force_.data(), unknowns_->data(), unknowns_->size(), h_ * h_, evaluation.gradient.data());
    if (hinges_.count() > 0) add_hinges(evaluation);
    fillings_.evaluate(evaluation.x, *unknowns_, h_ * h_, evaluation.filling, evaluation.gradient);
    evaluation.elastic = sum_.total(evaluation.energy.size(), [&](std::size_t e) { return evaluation.energy[e]; });
}

void Objective::add_hinges(Evaluation& evaluation) {
    hinges_.evaluate(evaluation.x, evaluation.energy.data() + elements_.element_count, hinge_gradient_);
    for (Eigen::Index i = 0; i < evaluation.gradient.size() / 3; ++i)
        evaluation.gradient.segment<3>(3 * i) +=
            h_ * h_ *
            hinge_gradient_.segment<3>(3 * static_cast<Eigen::Index>((*unknowns_)[static_cast<std::size_t>(i)]));
}

double Objective::difference(const Evaluation& a, const Evaluation& b) {
    const std::vector<Index>& unknowns = *unknowns_;
    // The trapezoidal rule is exact for the quadratic terms.
    const double quadratic = sum_(unknowns.size(), [&](std::size_t i) {
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(unknowns[i]), here = 3 * static_cast<Eigen::Index>(i);
        return 0.5 * (b.x.segment<3>(at) - a.x.segment<3>(at))
                         .dot(a.quadratic.segment<3>(here) + b.quadratic.segment<3>(here));
    });
    CompensatedSum elastic = b.elastic;
    elastic -= a.elastic;
    double filling = 0.0;
    for (std::size_t k = 0; k < b.filling.energy.size(); ++k) filling += b.filling.energy[k] - a.filling.energy[k];
    return quadratic + h_ * h_ * (elastic.value() + filling);
}

/// Frames of rigid bodies are rounded as they are placed, and their gradient holds the forces that keep their shape.
double Objective::rounding(const Evaluation& evaluation) const {
    double placed = 0.0;
    for (const Index v : frames_) {
        const auto unknown = std::lower_bound(unknowns_->begin(), unknowns_->end(), v) - unknowns_->begin();
        placed += evaluation.x.segment<3>(3 * static_cast<Eigen::Index>(v)).norm() *
                  evaluation.quadratic.segment<3>(3 * unknown).norm();
    }
    return rounding_of(elastic(evaluation)) +
           8.0 * std::numeric_limits<double>::epsilon() * (placed + h_ * h_ * evaluation.filling.rounding);
}

double Objective::rounding_of(double energy) const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double stiffness = h_ * h_ * stiffness_;
    return 8.0 * epsilon * (std::sqrt(std::abs(energy) * stiffness) + energy + epsilon * stiffness);
}

double Objective::elastic(const Evaluation& evaluation) const {
    return h_ * h_ * evaluation.elastic.value();
}

}  // namespace stiction::local_global
