#include "stiction/dynamics/incremental_potential.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/stencil_gradients.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/tet10_elasticity.hpp"

#include <cmath>

namespace stiction {
namespace {

/// Hessians of any elements from a function of consecutive ones, fill(begin, end, out).
template <class FillRange>
ElementScatter::Fill by_runs(const FillRange& fill) {
    return [fill](std::span<const Index> elements, Mat12* out) {
        std::vector<std::size_t> runs;
        for (std::size_t k = 0; k < elements.size(); ++k) {
            if (k == 0 || elements[k] != elements[k - 1] + 1) runs.push_back(k);
        }
        runs.push_back(elements.size());
        // Runs of a region are short: each would be too little for several threads.
        parallel_for(
            runs.size() - 1,
            [&](std::size_t r) {
                const std::size_t first = at(elements[runs[r]]);
                fill(first, first + runs[r + 1] - runs[r], out + runs[r]);
            },
            4);
    };
}

}  // namespace

IncrementalPotential::IncrementalPotential(const World& world, const Stage& stage, const VecX& external_force,
                                           const VecX& x_start, const std::vector<double>& overpressure)
    : world_(world), inertia_(world, stage, external_force, x_start), q_bar_(stage.q_bar), scale_(stage.scale()) {
    STICTION_CHECK(overpressure.empty() || overpressure.size() == world.fillings.size(),
                   "an over-pressure for each filling");
    for (std::size_t k = 0; k < world.fillings.size(); ++k) {
        fillings_.push_back(world.fillings[k].energy);
        if (!overpressure.empty()) fillings_.back().law = world.fillings[k].law(overpressure[k]);
    }
}

PotentialValues IncrementalPotential::values(const VecX& x, const std::vector<char>& marked) const {
    PotentialValues result;
    for (const ElasticGroup& group : world_.elastic)
        element_energies(group.elements, x, result.elastic.emplace_back(), marked);
    for (const QuadraticGroup& group : world_.quadratic)
        element_energies(group.elements, x, result.elastic.emplace_back(), marked);
    for (const SheetGroup& group : world_.sheets) sheet_energies(group.elements, x, result.elastic.emplace_back());
    for (std::vector<double>& group : result.elastic) {
        for (double& value : group) value *= scale_ * scale_;
    }
    for (const VolumeEnergy& filling : fillings_) result.fillings.push_back(scale_ * scale_ * filling.value(x));
    return result;
}

EnergyDifference IncrementalPotential::difference(const VecX& x0, const PotentialValues& at0, const VecX& x1,
                                                  const PotentialValues& at1, double force_sum) const {
    EnergyDifferenceSum sum;
    add_difference(x0, at0, x1, at1, sum);
    return sum.result(x0.lpNorm<Eigen::Infinity>(), force_sum);
}

void IncrementalPotential::add_difference(const VecX& x0, const PotentialValues& at0, const VecX& x1,
                                          const PotentialValues& at1, EnergyDifferenceSum& sum) const {
    sum.add(inertia_.difference(x0, x1));
    sum.add(pull_.difference(x0, x1));
    for (std::size_t g = 0; g < at0.elastic.size(); ++g) {
        for (std::size_t e = 0; e < at0.elastic[g].size(); ++e) sum.add(at0.elastic[g][e], at1.elastic[g][e]);
    }
    for (std::size_t k = 0; k < at0.fillings.size(); ++k) sum.add(at0.fillings[k], at1.fillings[k]);
}

VecX IncrementalPotential::gradient(const VecX& x, double* force_sum, const std::vector<char>& marked) const {
    VecX elastic = VecX::Zero(x.size());
    const auto add = [&](const auto& gather, const auto& local) {
        gather.add(local, elastic);
        if (force_sum) *force_sum += scale_ * scale_ * absolute_sum(local);
    };
    std::vector<Vec12> local;
    for (const ElasticGroup& group : world_.elastic) {
        element_gradients(group.elements, x, local, marked);
        add(group.gather, local);
    }
    std::vector<Vec30> quadratic;
    for (const QuadraticGroup& group : world_.quadratic) {
        element_gradients(group.elements, x, quadratic, marked);
        add(group.gather, quadratic);
    }
    for (const SheetGroup& group : world_.sheets) {
        sheet_gradients(group.elements, x, local, marked);
        add(group.gather, local);
    }
    for (const VolumeEnergy& filling : fillings_) {
        const VolumeExpansion at = filling.expand(x);
        filling.add_gradient(at, 1.0, elastic);
        if (force_sum) *force_sum += scale_ * scale_ * std::abs(at.slope) * at.gradient.lpNorm<1>();
    }
    VecX result = scale_ * scale_ * elastic;
    inertia_.add_gradient(x, result);
    pull_.add_gradient(x, result);
    return result;
}

void IncrementalPotential::assemble(const VecX& x, bool project, HessianAssembly& assembly) const {
    assembly.set_zero();
    add_hessian(x, project, assembly);
    add_pull_hessian(assembly);
    assembly.finish();
}

void IncrementalPotential::assemble_invariant(const VecX& x, FillingMatrix fillings, double inertia_scale,
                                              HessianAssembly& assembly) const {
    STICTION_CHECK(fillings != FillingMatrix::by_edges, "projected edges of fillings resist translations");
    assembly.set_zero();
    if (inertia_scale != 0.0) assembly.add_mass(inertia_scale);
    constexpr bool project = true;
    add_hessian(x, project, assembly, fillings);
    add_pull_hessian(assembly);
    assembly.finish();
}

void IncrementalPotential::add_filling_product(const VecX& x, FillingMatrix fillings, const VecX& u,
                                               VecX& result) const {
    std::vector<Mat12> blocks;
    for (std::size_t k = 0; k < fillings_.size(); ++k) {
        const VolumeExpansion at = fillings_[k].expand(x);
        const double scale = scale_ * scale_;
        const VolumeZone& zone = fillings_[k].zone;
        if (fillings == FillingMatrix::by_triangles) {
            volume_triangle_hessians(zone, x, scale * at.slope, blocks);
            for (std::size_t t = 0; t < blocks.size(); ++t) {
                const Triangle& triangle = zone.triangles()[t];
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b)
                        result.segment<3>(3 * triangle[static_cast<std::size_t>(a)]) +=
                            blocks[t].block<3, 3>(3 * a, 3 * b) *
                            u.segment<3>(3 * triangle[static_cast<std::size_t>(b)]);
                }
            }
        } else {
            fillings_[k].add_hessian_product(at, x, u, VolumeHessian::sparse, scale, result);
        }
        if (world_.fillings[k].exact_matrix)
            fillings_[k].add_hessian_product(at, x, u, VolumeHessian::rank_one, scale, result);
    }
}

void IncrementalPotential::add_hessian(const VecX& x, bool project, HessianAssembly& assembly,
                                       FillingMatrix fillings) const {
    inertia_.add_hessian(assembly);
    for (std::size_t g = 0; g < world_.elastic.size(); ++g) {
        const ElementScatter::Fill fill = [&](std::span<const Index> elements, Mat12* out) {
            element_hessians(world_.elastic[g].elements, x, project, elements, out);
        };
        assembly.add_elements(g, fill, scale_ * scale_);
    }
    for (std::size_t g = 0; g < world_.quadratic.size(); ++g) {
        const NodeScatter<10>::Fill fill = [&](std::span<const Index> elements, Mat30* out) {
            element_hessians(world_.quadratic[g].elements, x, project, elements, out);
        };
        assembly.add_elements(g, fill, scale_ * scale_);
    }
    for (std::size_t g = 0; g < world_.sheets.size(); ++g) {
        const auto fill = by_runs([&](std::size_t begin, std::size_t end, Mat12* out) {
            sheet_hessians(world_.sheets[g].elements, x, project, begin, end, out);
        });
        assembly.add_elements(world_.elastic.size() + g, fill, scale_ * scale_);
    }
    for (std::size_t k = 0; k < fillings_.size(); ++k) {
        const VolumeExpansion at = fillings_[k].expand(x);
        const std::vector<Tet>& edges = world_.fillings[k].edges;
        const double slope = scale_ * scale_ * at.slope;
        const bool projected = project && fillings == FillingMatrix::by_edges;
        if (fillings == FillingMatrix::by_triangles) {
            std::vector<Mat12> blocks;
            volume_triangle_hessians(fillings_[k].zone, x, slope, blocks);
            assembly.add_stencils(blocks, [&](std::size_t t) {
                const Triangle& triangle = fillings_[k].zone.triangles()[t];
                return std::pair(HessianAssembly::Stencil{triangle[0], triangle[1], triangle[2], -1}, 3);
            });
        } else if (world_.fillings[k].edge_stencils.empty()) {
            std::vector<Mat12> blocks(edges.size());
            volume_edge_hessians(edges, x, slope, projected, 0, edges.size(), blocks.data());
            assembly.add_stencils(blocks, [&](std::size_t e) {
                return std::pair(HessianAssembly::Stencil{edges[e][0], edges[e][1], -1, -1}, 2);
            });
        } else {
            const auto fill = by_runs([&](std::size_t begin, std::size_t end, Mat12* out) {
                volume_edge_hessians(edges, x, slope, projected, begin, end, out);
            });
            assembly.add_elements(world_.elastic.size() + world_.sheets.size() + k, fill, 1.0);
        }
        if (!world_.fillings[k].exact_matrix || at.curvature == 0.0) continue;
        VecX direction = VecX::Zero(x.size());
        fillings_[k].zone.add(at.gradient, 1.0, direction);
        assembly.add_rank_one(scale_ * scale_ * at.curvature, direction);
    }
}

}  // namespace stiction
