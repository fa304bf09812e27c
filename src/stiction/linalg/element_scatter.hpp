// Adds the Hessians of many elements of up to four nodes to a BlockSystem, in parallel and in a fixed order.
#pragma once

#include "stiction/linalg/block_system.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace stiction {

/// For each slot of a pattern, the list of (element, local block) that add up to it, in the order of the elements.
/// Every slot is then summed by one thread: the same bits for any number of threads.
class ElementScatter {
public:
    ElementScatter() = default;

    /// @param pattern   must hold all pairs of nodes of each element; kept
    /// @param elements  nodes of each element; -1 = a node outside the system, whose rows and columns are left out. A
    /// node may appear twice. Throws InternalError when the pattern lacks a pair.
    ElementScatter(std::shared_ptr<const BlockPattern> pattern, const std::vector<std::array<Index, 4>>& elements);

    /// system += scale * hessians. hessians[e] is the symmetric 12x12 of element e: rows and columns 3 a .. 3 a + 2
    /// belong to its node a. What stands at nodes -1 is not read. Throws InternalError when the sizes differ or the
    /// system has another pattern.
    void add(const std::vector<Mat12>& hessians, double scale, BlockSystem& system) const;

    std::size_t elements() const { return elements_; }

private:
    std::shared_ptr<const BlockPattern> pattern_;
    std::size_t elements_ = 0;
    std::vector<std::size_t> begin_;    // slots + 1 entries into parts_
    std::vector<std::uint32_t> parts_;  // 16 element + 4 a + b
};

/// All pairs of different nodes of the elements, for BlockSystem::set_pattern; nodes -1 are left out. Duplicates are
/// not removed.
std::vector<Edge> element_pairs(const std::vector<std::array<Index, 4>>& elements);

}  // namespace stiction
