// From the unknowns of a solve to the vertices of the world.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/world/embedding.hpp"

#include <span>
#include <vector>

namespace stiction {

/// Vertex position = sum over its entries of weight * (unknown 3-vector `node`). A deformable vertex has one entry of
/// weight 1; a fully driven vertex has none; an embedded vertex has those of the four vertices that carry it, with
/// their weights, but for those that are driven or weigh nothing. Everything that is assembled goes through this map,
/// so no stencil asks what it touches.
class DofMap {
public:
    struct Entry {
        Index node;
        double weight;
        bool operator==(const Entry&) const = default;
    };

    /// @param driven_axes per vertex: bits of coordinates that are prescribed; 7 removes the vertex from the unknowns.
    /// @param embedded     vertices that hang on others, not driven themselves (World::embedded)
    explicit DofMap(const std::vector<std::uint8_t>& driven_axes, const std::vector<EmbeddedVertex>& embedded = {});

    /// Per vertex: bits of coordinates that are prescribed.
    const std::vector<std::uint8_t>& driven_axes() const { return driven_axes_; }
    Index node_count() const { return static_cast<Index>(vertex_of_node_.size()); }
    std::span<const Entry> entries(Index vertex) const {
        const auto v = static_cast<std::size_t>(vertex);
        return {entries_.data() + offsets_[v], offsets_[v + 1] - offsets_[v]};
    }
    /// The node of a vertex with exactly one entry of weight 1, else -1: of an unknown vertex.
    Index node(Index vertex) const {
        const auto list = entries(vertex);
        return list.size() == 1 && list.front().weight == 1.0 ? list.front().node : -1;
    }
    /// The vertex whose position a node is.
    Index vertex(Index node) const { return vertex_of_node_[static_cast<std::size_t>(node)]; }
    /// Bits of the coordinates of a node that are prescribed although the node is an unknown.
    std::uint8_t masked_axes(Index node) const { return masked_axes_[static_cast<std::size_t>(node)]; }
    /// Nodes with at least one prescribed coordinate.
    const std::vector<Index>& masked_nodes() const { return masked_nodes_; }
    bool any_masked() const { return !masked_nodes_.empty(); }
    /// Zeroes the rows of prescribed coordinates of node `row`, and the columns of those of node `column`.
    void mask(Index row, Index column, Mat3& block) const;

    /// Gathers a stacked vertex gradient into a stacked node vector; prescribed coordinates get 0.
    void restrict_gradient(const VecX& vertex_gradient, VecX& node_gradient) const;
    /// Of a stacked vector of positions, moves or velocities what it has at the vertices that are nodes; prescribed
    /// coordinates get 0.
    void pick_nodes(const VecX& vertex_values, VecX& node_values) const;
    /// Spreads a stacked node step to the vertices; driven vertices and prescribed coordinates get 0, and what hangs on
    /// a partly driven vertex gets nothing from those.
    void expand_step(const VecX& node_step, VecX& vertex_step) const;

    bool operator==(const DofMap& other) const {
        return driven_axes_ == other.driven_axes_ && entries_ == other.entries_;
    }

private:
    void zero_masked(VecX& node_vector) const;
    void spread(const VecX& node_step, VecX& vertex_step) const;

    std::vector<std::uint8_t> driven_axes_;
    std::vector<std::size_t> offsets_;
    std::vector<Entry> entries_;
    std::vector<Index> vertex_of_node_;
    std::vector<std::uint8_t> masked_axes_;
    std::vector<Index> masked_nodes_;
};

}  // namespace stiction
