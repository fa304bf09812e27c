#include "stiction/dynamics/hessian_assembly.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>

namespace stiction {

void HessianAssembly::choose(SystemSolver wanted, int max_cg_iterations) {
    const auto factor_work = [this] { return element_orders_.factor_work(map_->driven_axes(), *element_pattern_); };
    newton_.choose(wanted, {map_->node_count(), factor_work}, max_cg_iterations);
}

void HessianAssembly::set_positions(const VecX& x) {
    if (newton_.solver() != SystemSolver::multigrid) return;
    VecX node_positions = VecX::Zero(3 * static_cast<Eigen::Index>(map_->node_count()));
    for (Index vertex = 0; vertex < world_.vertex_count(); ++vertex) {
        if (const Index node = map_->node(vertex); node >= 0)
            node_positions.segment<3>(3 * static_cast<Eigen::Index>(node)) =
                x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
    }
    newton_.set_positions(std::move(node_positions));
}

bool HessianAssembly::moves(const Stencil& vertices, int count) const {
    return std::any_of(vertices.begin(), vertices.begin() + count,
                       [&](Index vertex) { return !map_->entries(vertex).empty(); });
}

void HessianAssembly::add_mass(double scale) {
    for (Index vertex = 0; vertex < world_.vertex_count(); ++vertex) {
        if (world_.has_lumped_inertia(vertex)) add_diagonal(vertex, Vec3::Constant(scale * world_.mass[vertex]));
    }
    for (std::size_t g = 0; g < world_.elastic.size(); ++g) {
        if (world_.elastic[g].consistent_mass.size() > 0)
            add_elements(g, world_.elastic[g].consistent_mass.matrices, scale);
    }
    for (std::size_t g = 0; g < world_.quadratic.size(); ++g) {
        if (world_.quadratic[g].consistent_mass.size() > 0)
            add_elements(g, world_.quadratic[g].consistent_mass.matrices, scale);
    }
}

template <std::size_t N, class ElementMatrix>
void HessianAssembly::mask(const std::array<Index, N>& vertices, ElementMatrix& hessian) const {
    for (int a = 0; a < static_cast<int>(N); ++a) {
        if (vertices[static_cast<std::size_t>(a)] < 0) continue;
        const Index node = map_->node(vertices[static_cast<std::size_t>(a)]);
        if (node < 0) continue;
        for (int axis = 0; axis < 3; ++axis) {
            if (map_->masked_axes(node) >> axis & 1) {
                hessian.row(3 * a + axis).setZero();
                hessian.col(3 * a + axis).setZero();
            }
        }
    }
}

template <std::size_t N, class Scatter, class ElementMatrix>
void HessianAssembly::scatter_all(const Scatter& scatter, const std::vector<std::array<Index, N>>& stencils,
                                  const std::vector<ElementMatrix>& hessians, double scale) {
    if (!map_->any_masked()) {
        scatter.add(hessians, scale, newton_.sparse());
        return;
    }
    STICTION_CHECK(hessians.size() == stencils.size(), "another number of Hessians than of elements");
    const typename Scatter::Fill copy = [&](std::span<const Index> elements, ElementMatrix* out) {
        for (std::size_t k = 0; k < elements.size(); ++k) out[k] = hessians[at(elements[k])];
    };
    std::vector<ElementMatrix> scratch;
    scatter_parts(scatter, stencils, copy, scale, scratch);
}

template <std::size_t N, class Scatter, class ElementMatrix>
void HessianAssembly::scatter_parts(const Scatter& scatter, const std::vector<std::array<Index, N>>& stencils,
                                    const typename Scatter::Fill& fill, double scale,
                                    std::vector<ElementMatrix>& scratch) {
    if (!map_->any_masked()) {
        scatter.add(fill, scale, newton_.sparse(), scratch);
        return;
    }
    const typename Scatter::Fill masked = [&](std::span<const Index> elements, ElementMatrix* out) {
        fill(elements, out);
        parallel_for(elements.size(), [&](std::size_t k) { mask(stencils[at(elements[k])], out[k]); });
    };
    scatter.add(masked, scale, newton_.sparse(), scratch);
}

void HessianAssembly::add_elements(std::size_t group, const std::vector<Mat12>& hessians, double scale) {
    scatter_all(scatters_[group], *element_stencils()[group], hessians, scale);
}

void HessianAssembly::add_elements(std::size_t group, const ElementScatter::Fill& fill, double scale) {
    scatter_parts(scatters_[group], *element_stencils()[group], fill, scale, scratch_);
}

void HessianAssembly::add_elements(std::size_t group, const std::vector<Mat30>& hessians, double scale) {
    scatter_all(quadratic_scatters_[group], world_.quadratic[group].elements.vertices, hessians, scale);
}

void HessianAssembly::add_elements(std::size_t group, const NodeScatter<10>::Fill& fill, double scale) {
    scatter_parts(quadratic_scatters_[group], world_.quadratic[group].elements.vertices, fill, scale,
                  quadratic_scratch_);
}

void HessianAssembly::add_rank_one(double c, const VecX& vertex_vector) {
    VecX node_vector;
    map_->restrict_gradient(vertex_vector, node_vector);
    newton_.rank_one().add(c, node_vector, node_vector);
}

void HessianAssembly::spread_symmetric(Index a, Index b, const Mat3& block, ColumnShare share) {
    for (const auto& left : map_->entries(a)) {
        for (const auto& right : map_->entries(b)) {
            if (!share.owns(std::min(left.node, right.node))) continue;
            const Mat3 part = weighted(left, right, block);
            if (left.node != right.node) {
                // On the diagonal of the stencil both orders of a pair of nodes occur: each carries half of the pair.
                if (a != b || left.node < right.node) newton_.sparse().add(left.node, right.node, part);
            } else {
                newton_.sparse().add_diagonal(left.node, a == b ? part : Mat3(part + part.transpose()));
            }
        }
    }
}

void HessianAssembly::add_stencil(const Stencil& vertices, int count, const Mat12& hessian, ColumnShare share) {
    for (int a = 0; a < count; ++a) {
        for (int b = a; b < count; ++b) {
            spread_symmetric(vertices[static_cast<std::size_t>(a)], vertices[static_cast<std::size_t>(b)],
                             hessian.block<3, 3>(3 * a, 3 * b), share);
        }
    }
}

std::vector<double> HessianAssembly::vertex_stiffness() const {
    std::vector<double> result(at(world_.vertex_count()));
    parallel_for(result.size(), [&](std::size_t vertex) {
        double compliance = 0.0;
        for (const DofMap::Entry& entry : map_->entries(static_cast<Index>(vertex)))
            compliance += entry.weight * entry.weight / (newton_.sparse().block(entry.node, entry.node).trace() / 3.0);
        result[vertex] = 1.0 / compliance;
    });
    return result;
}

void HessianAssembly::add_diagonal(Index vertex, const Vec3& value) {
    const auto entries = map_->entries(vertex);
    for (const auto& left : entries) {
        for (const auto& right : entries) {
            if (left.node == right.node) {  // a diagonal couples nothing: prescribed coordinates may keep theirs
                newton_.sparse().add_diagonal(left.node, (left.weight * right.weight * value).asDiagonal());
            } else if (left.node < right.node) {
                newton_.sparse().add(left.node, right.node, weighted(left, right, value.asDiagonal()));
            }
        }
    }
}

void HessianAssembly::finish() {
    for (const Index node : map_->masked_nodes()) {
        Mat3 identity = Mat3::Zero();
        for (int axis = 0; axis < 3; ++axis) identity(axis, axis) = (map_->masked_axes(node) >> axis & 1) ? 1.0 : 0.0;
        newton_.sparse().add_diagonal(node, identity);
    }
}

void HessianAssembly::add_shift(double shift) {
    for (Index vertex = 0; vertex < world_.vertex_count(); ++vertex) {
        add_diagonal(vertex,
                     Vec3::Constant(shift * (world_.mass[vertex] > 0.0 ? world_.mass[vertex] : world_.mean_mass)));
    }
}

bool HessianAssembly::solve(const VecX& vertex_gradient, VecX& vertex_step) {
    map_->restrict_gradient(vertex_gradient, node_gradient_);
    if (node_gradient_.size() == 0) {
        vertex_step.setZero(vertex_gradient.size());
        return true;
    }
    node_gradient_ = -node_gradient_;
    if (!newton_.solve(node_gradient_, node_step_)) return false;
    map_->expand_step(node_step_, vertex_step);
    return vertex_step.allFinite();
}

void HessianAssembly::refine(const VecX& vertex_gradient, VecX& vertex_step) {
    map_->restrict_gradient(vertex_gradient, node_gradient_);
    node_gradient_ = -node_gradient_;
    newton_.refine(node_gradient_, node_step_);
    map_->expand_step(node_step_, vertex_step);
}

}  // namespace stiction
