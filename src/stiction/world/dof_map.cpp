#include "stiction/world/dof_map.hpp"

namespace stiction {

DofMap::DofMap(const std::vector<std::uint8_t>& driven_axes, const std::vector<EmbeddedVertex>& embedded)
    : driven_axes_(driven_axes) {
    std::vector<const EmbeddedVertex*> embedding(driven_axes.size(), nullptr);
    for (const EmbeddedVertex& entry : embedded) embedding[static_cast<std::size_t>(entry.vertex)] = &entry;
    std::vector<Index> node_of(driven_axes.size(), -1);
    for (std::size_t v = 0; v < driven_axes.size(); ++v) {
        if (driven_axes[v] == 7 || embedding[v]) continue;
        node_of[v] = static_cast<Index>(vertex_of_node_.size());
        vertex_of_node_.push_back(static_cast<Index>(v));
        masked_axes_.push_back(driven_axes[v]);
        if (driven_axes[v] != 0) masked_nodes_.push_back(node_of[v]);
    }
    offsets_.reserve(driven_axes.size() + 1);
    offsets_.push_back(0);
    for (std::size_t v = 0; v < driven_axes.size(); ++v) {
        if (node_of[v] >= 0) entries_.push_back({node_of[v], 1.0});
        if (embedding[v]) {
            for (const Carrier& carrier : embedding[v]->carriers()) {
                const Index node = node_of[static_cast<std::size_t>(carrier.vertex)];
                if (node >= 0) entries_.push_back({node, carrier.weight});
            }
        }
        offsets_.push_back(entries_.size());
    }
}

void DofMap::mask(Index row, Index column, Mat3& block) const {
    for (int axis = 0; axis < 3; ++axis) {
        if (masked_axes(row) >> axis & 1) block.row(axis).setZero();
        if (masked_axes(column) >> axis & 1) block.col(axis).setZero();
    }
}

void DofMap::zero_masked(VecX& node_vector) const {
    for (const Index node : masked_nodes_) {
        for (int axis = 0; axis < 3; ++axis) {
            if (masked_axes(node) >> axis & 1) node_vector[3 * node + axis] = 0.0;
        }
    }
}

void DofMap::restrict_gradient(const VecX& vertex_gradient, VecX& node_gradient) const {
    node_gradient.setZero(3 * node_count());
    for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) {
        for (const Entry& entry : entries(static_cast<Index>(v))) {
            node_gradient.segment<3>(3 * entry.node) +=
                entry.weight * vertex_gradient.segment<3>(3 * static_cast<Eigen::Index>(v));
        }
    }
    zero_masked(node_gradient);
}

void DofMap::pick_nodes(const VecX& vertex_values, VecX& node_values) const {
    node_values.setZero(3 * node_count());
    for (Index n = 0; n < node_count(); ++n) node_values.segment<3>(3 * n) += vertex_values.segment<3>(3 * vertex(n));
    zero_masked(node_values);
}

void DofMap::expand_step(const VecX& node_step, VecX& vertex_step) const {
    if (any_masked()) {
        VecX free_step = node_step;
        zero_masked(free_step);
        return spread(free_step, vertex_step);
    }
    spread(node_step, vertex_step);
}

void DofMap::spread(const VecX& node_step, VecX& vertex_step) const {
    vertex_step.setZero(3 * static_cast<Eigen::Index>(driven_axes_.size()));
    for (std::size_t v = 0; v + 1 < offsets_.size(); ++v) {
        for (const Entry& entry : entries(static_cast<Index>(v))) {
            vertex_step.segment<3>(3 * static_cast<Eigen::Index>(v)) +=
                entry.weight * node_step.segment<3>(3 * entry.node);
        }
    }
}

}  // namespace stiction
