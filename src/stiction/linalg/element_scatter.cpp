#include "stiction/linalg/element_scatter.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace stiction {
namespace {

/// Elements of a part: enough to share between threads, few enough for their Hessians to stay in the cache.
template <int N>
constexpr std::size_t part_size = N == 4 ? 2048 : 512;

}  // namespace

template <int N>
NodeScatter<N>::NodeScatter(std::shared_ptr<const BlockPattern> pattern, const std::vector<Nodes>& elements)
    : pattern_(std::move(pattern)), elements_(elements.size()) {
    STICTION_CHECK(elements_ < std::numeric_limits<std::uint32_t>::max() / (N * N),
                   "too many elements for one scatter");
    for (std::size_t e = 0; e < elements_; ++e) {
        if (std::ranges::any_of(elements[e], [](Index node) { return node >= 0; }))
            chosen_.push_back(static_cast<Index>(e));
    }
    constexpr Index unused = -2;
    std::vector<Index> slots(N * N * chosen_.size(), unused);
    // Every local block on or below the diagonal; of a node that appears twice both mixed blocks fall on the diagonal.
    parallel_for(chosen_.size(), [&](std::size_t k) {
        const Nodes& nodes = elements[at(chosen_[k])];
        for (std::size_t a = 0; a < N; ++a) {
            for (std::size_t b = 0; b < N; ++b) {
                const Index i = nodes[a], j = nodes[b];
                if (i >= 0 && j >= 0 && i >= j) slots[N * N * k + N * a + b] = pattern_->slot(i, j);
            }
        }
    });
    sort_blocks(slots);
}

/// Blocks go to their slots, and from there to their parts: each part then has its blocks in the order of slots, and
/// those of a slot in the order of elements.
template <int N>
void NodeScatter<N>::sort_blocks(const std::vector<Index>& slots) {
    const auto count = static_cast<std::size_t>(pattern_->slots());
    std::vector<std::uint32_t> begin(count + 1, 0);
    for (const Index s : slots) {
        STICTION_CHECK(s != -1, "the pattern lacks a pair of nodes of an element");
        if (s >= 0) ++begin[at(s) + 1];
    }
    for (std::size_t s = 0; s < count; ++s) begin[s + 1] += begin[s];
    std::vector<std::uint32_t> by_slot(begin[count]), cursor(begin.begin(), begin.end() - 1);
    for (std::size_t block = 0; block < slots.size(); ++block) {
        if (slots[block] >= 0) by_slot[cursor[at(slots[block])]++] = static_cast<std::uint32_t>(block);
    }

    const std::size_t part_count = (chosen_.size() + part_size<N> - 1) / part_size<N>;
    std::vector<Index> last_slot(part_count, -1);
    std::vector<std::uint32_t> next_block(part_count + 1, 0);
    std::vector<std::size_t> next_row(part_count + 1, 0);
    const auto for_all = [&](const auto& visit) {  // visit(part, slot, block), slot by slot
        for (std::size_t s = 0; s < count; ++s) {
            for (std::uint32_t i = begin[s]; i < begin[s + 1]; ++i)
                visit(by_slot[i] / (N * N * part_size<N>), static_cast<Index>(s), by_slot[i]);
        }
    };
    for_all([&](std::size_t part, Index slot, std::uint32_t) {
        ++next_block[part + 1];
        next_row[part + 1] += last_slot[part] == slot ? 0 : 1;
        last_slot[part] = slot;
    });
    for (std::size_t part = 0; part < part_count; ++part) {
        next_block[part + 1] += next_block[part];
        next_row[part + 1] += next_row[part];
    }
    rows_of_part_ = next_row;
    rows_.resize(next_row[part_count] + 1);
    blocks_.resize(begin[count]);
    last_slot.assign(part_count, -1);
    for_all([&](std::size_t part, Index slot, std::uint32_t block) {
        if (last_slot[part] != slot) rows_[next_row[part]++] = {slot, next_block[part]};
        last_slot[part] = slot;
        blocks_[next_block[part]++] = block - static_cast<std::uint32_t>(N * N * part_size<N> * part);
    });
    rows_.back() = {-1, begin[count]};
}

template <int N>
void NodeScatter<N>::set_pattern(std::shared_ptr<const BlockPattern> pattern) {
    STICTION_CHECK(pattern, "no pattern");
    if (pattern == pattern_) return;
    if (chosen_.empty()) {
        pattern_ = std::move(pattern);
        return;
    }
    STICTION_CHECK(pattern->nodes == pattern_->nodes, "scatter: a pattern of another size");
    // Slots are numbered by column and row: those that stay keep their order, and so do the entries of rows_.
    std::vector<Index> renumbered(at(pattern_->slots()), -1);
    parallel_for(at(pattern_->nodes), [&](std::size_t column) {
        Index to = pattern->column_begin[column];
        for (Index from = pattern_->column_begin[column]; from < pattern_->column_begin[column + 1]; ++from) {
            const Index row = pattern_->rows[at(from)], end = pattern->column_begin[column + 1];
            while (to < end && pattern->rows[at(to)] < row) ++to;
            if (to < end && pattern->rows[at(to)] == row) renumbered[at(from)] = to;
        }
    });
    const std::span<Row> rows(rows_.data(), rows_.size() - 1);  // the last one marks the end
    STICTION_CHECK(std::ranges::all_of(rows, [&](const Row& row) { return renumbered[at(row.slot)] >= 0; }),
                   "the pattern lacks a pair of nodes of an element");
    for (Row& row : rows) row.slot = renumbered[at(row.slot)];
    pattern_ = std::move(pattern);
}

template <int N>
void NodeScatter<N>::check(std::size_t elements, const BlockSystem& system) const {
    STICTION_CHECK(elements == elements_, "scatter: another number of Hessians than of elements");
    STICTION_CHECK(elements_ == 0 || system.pattern() == pattern_ || *system.pattern() == *pattern_,
                   "scatter: the system has another pattern");
}

template <int N>
std::span<const Index> NodeScatter<N>::elements_of(std::size_t part) const {
    const std::size_t first = part * part_size<N>;
    return std::span(chosen_).subspan(first, std::min(part_size<N>, chosen_.size() - first));
}

template <int N>
void NodeScatter<N>::add(const std::vector<ElementMatrix>& hessians, double scale, BlockSystem& system) const {
    check(hessians.size(), system);
    for (std::size_t part = 0; part < parts(); ++part) {
        const auto elements = elements_of(part);
        add_part(
            part, [&](std::size_t k) -> const ElementMatrix& { return hessians[at(elements[k])]; }, scale, system);
    }
}

template <int N>
void NodeScatter<N>::add(const Fill& fill, double scale, BlockSystem& system,
                         std::vector<ElementMatrix>& scratch) const {
    check(elements_, system);
    scratch.resize(std::min(chosen_.size(), part_size<N>));
    for (std::size_t part = 0; part < parts(); ++part) {
        fill(elements_of(part), scratch.data());
        add_part(
            part, [&](std::size_t k) -> const ElementMatrix& { return scratch[k]; }, scale, system);
    }
}

template <int N>
template <class HessianOf>
void NodeScatter<N>::add_part(std::size_t part, const HessianOf& hessian_of, double scale, BlockSystem& system) const {
    const std::size_t first = rows_of_part_[part];
    parallel_for(
        rows_of_part_[part + 1] - first,
        [&](std::size_t i) {
            const Row& row = rows_[first + i];
            Mat3 sum = Mat3::Zero();
            for (std::uint32_t b = row.begin; b < rows_[first + i + 1].begin; ++b) {
                const std::uint32_t block = blocks_[b];
                sum += hessian_of(block / (N * N))
                           .template block<3, 3>(3 * static_cast<int>(block / N % N), 3 * static_cast<int>(block % N));
            }
            system.value(row.slot) += scale * sum;
        },
        256);
}

template <std::size_t N>
std::vector<Edge> element_pairs(const std::vector<std::array<Index, N>>& elements) {
    std::vector<Edge> pairs;
    pairs.reserve(N * (N - 1) / 2 * elements.size());
    for (const auto& nodes : elements) {
        for (std::size_t a = 0; a < N; ++a) {
            for (std::size_t b = a + 1; b < N; ++b) {
                if (nodes[a] >= 0 && nodes[b] >= 0 && nodes[a] != nodes[b]) pairs.push_back({nodes[a], nodes[b]});
            }
        }
    }
    return pairs;
}

template class NodeScatter<4>;
template class NodeScatter<10>;
template std::vector<Edge> element_pairs<4>(const std::vector<std::array<Index, 4>>&);
template std::vector<Edge> element_pairs<10>(const std::vector<std::array<Index, 10>>&);

}  // namespace stiction
