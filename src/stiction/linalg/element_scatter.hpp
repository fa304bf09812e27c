// Adds the Hessians of many elements of N nodes to a BlockSystem, in parallel and in a fixed order.
#pragma once

#include "stiction/linalg/block_system.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace stiction {

/// Elements are taken in parts of fixed size. For each part, and each slot of a pattern that the part adds to, there is
/// the list of (element, local block) in the order of the elements. Every slot is then summed by one thread: the same
/// bits for any number of threads. The Hessians of one part are in memory at a time.
template <int N>
class NodeScatter {
public:
    using Nodes = std::array<Index, N>;
    using ElementMatrix = Eigen::Matrix<double, 3 * N, 3 * N>;

    NodeScatter() = default;

    /// @param pattern   must hold all pairs of nodes of each element; kept
    /// @param elements  nodes of each element; -1 = a node outside the system, whose rows and columns are left out. A
    /// node may appear twice. Throws InternalError when the pattern lacks a pair.
    NodeScatter(std::shared_ptr<const BlockPattern> pattern, const std::vector<Nodes>& elements);

    /// Goes over to another pattern, which must hold all pairs of the elements, too; much faster than a new scatter.
    /// Throws InternalError when it lacks one.
    void set_pattern(std::shared_ptr<const BlockPattern> pattern);

    /// system += scale * hessians. hessians[e] is the symmetric matrix of element e: rows and columns 3 a .. 3 a + 2
    /// belong to its node a. What stands at nodes -1 is not read. Throws InternalError when the sizes differ or the
    /// system has another pattern.
    void add(const std::vector<ElementMatrix>& hessians, double scale, BlockSystem& system) const;

    /// Writes the Hessians of some elements, ascending, to out[0], out[1], ...
    using Fill = std::function<void(std::span<const Index> elements, ElementMatrix* out)>;
    /// The same for Hessians that `fill` computes, part by part; elements without a node in the system are left out.
    /// `scratch` keeps the memory of a part.
    void add(const Fill& fill, double scale, BlockSystem& system, std::vector<ElementMatrix>& scratch) const;

    std::size_t elements() const { return elements_; }

private:
    /// A slot, and where its blocks begin in blocks_; they end where those of the next row begin.
    struct Row {
        Index slot;
        std::uint32_t begin;
    };

    void sort_blocks(const std::vector<Index>& slots);
    void check(std::size_t elements, const BlockSystem& system) const;
    std::size_t parts() const { return rows_of_part_.size() - 1; }
    /// hessian_of(k) is that of the part's element k.
    template <class HessianOf>
    void add_part(std::size_t part, const HessianOf& hessian_of, double scale, BlockSystem& system) const;
    /// Its elements.
    std::span<const Index> elements_of(std::size_t part) const;

    std::shared_ptr<const BlockPattern> pattern_;
    std::size_t elements_ = 0;
    std::vector<Index> chosen_;                 // elements with nodes, ascending; parts are pieces of this list
    std::vector<std::size_t> rows_of_part_{0};  // parts + 1 entries into rows_
    std::vector<Row> rows_;                     // of all parts, and one at the end
    std::vector<std::uint32_t> blocks_;         // N N element + N a + b, the element counted from the first of its part
};

extern template class NodeScatter<4>;
extern template class NodeScatter<10>;
using ElementScatter = NodeScatter<4>;

/// All pairs of different nodes of the elements, for BlockSystem::set_pattern; nodes -1 are left out. Duplicates are
/// not removed.
template <std::size_t N>
std::vector<Edge> element_pairs(const std::vector<std::array<Index, N>>& elements);

}  // namespace stiction
