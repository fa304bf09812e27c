#include "stiction/linalg/element_scatter.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <limits>

namespace stiction {

ElementScatter::ElementScatter(std::shared_ptr<const BlockPattern> pattern,
                               const std::vector<std::array<Index, 4>>& elements)
    : pattern_(std::move(pattern)), elements_(elements.size()) {
    STICTION_CHECK(elements_ < std::numeric_limits<std::uint32_t>::max() / 16, "too many elements for one scatter");
    constexpr Index unused = -2;
    std::vector<Index> slots(16 * elements_, unused);
    // Every local block on or below the diagonal; of a node that appears twice both mixed blocks fall on the diagonal.
    parallel_for(elements_, [&](std::size_t e) {
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < 4; ++b) {
                const Index i = elements[e][a], j = elements[e][b];
                if (i >= 0 && j >= 0 && i >= j) slots[16 * e + 4 * a + b] = pattern_->slot(i, j);
            }
        }
    });
    const auto count = static_cast<std::size_t>(pattern_->slots());
    begin_.assign(count + 1, 0);
    for (const Index s : slots) {
        STICTION_CHECK(s != -1, "the pattern lacks a pair of nodes of an element");
        if (s >= 0) ++begin_[s + 1];
    }
    for (std::size_t s = 0; s < count; ++s) begin_[s + 1] += begin_[s];
    parts_.resize(begin_[count]);
    std::vector<std::size_t> cursor(begin_.begin(), begin_.end() - 1);
    for (std::size_t part = 0; part < slots.size(); ++part) {
        if (slots[part] >= 0) parts_[cursor[slots[part]]++] = static_cast<std::uint32_t>(part);
    }
}

void ElementScatter::add(const std::vector<Mat12>& hessians, double scale, BlockSystem& system) const {
    STICTION_CHECK(hessians.size() == elements_, "scatter: another number of Hessians than of elements");
    if (elements_ == 0) return;
    STICTION_CHECK(system.pattern() == pattern_ || *system.pattern() == *pattern_,
                   "scatter: the system has another pattern");
    parallel_for(
        begin_.size() - 1,
        [&](std::size_t s) {
            if (begin_[s] == begin_[s + 1]) return;
            Mat3 sum = Mat3::Zero();
            for (std::size_t p = begin_[s]; p < begin_[s + 1]; ++p) {
                const std::uint32_t part = parts_[p];
                sum +=
                    hessians[part / 16].block<3, 3>(3 * static_cast<int>(part / 4 % 4), 3 * static_cast<int>(part % 4));
            }
            system.value(static_cast<Index>(s)) += scale * sum;
        },
        256);
}

std::vector<Edge> element_pairs(const std::vector<std::array<Index, 4>>& elements) {
    std::vector<Edge> pairs;
    pairs.reserve(6 * elements.size());
    for (const auto& nodes : elements) {
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = a + 1; b < 4; ++b) {
                if (nodes[a] >= 0 && nodes[b] >= 0 && nodes[a] != nodes[b]) pairs.push_back({nodes[a], nodes[b]});
            }
        }
    }
    return pairs;
}

}  // namespace stiction
