#include "stiction/linalg/supernodal/triangular_solves.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>
#include <limits>

namespace stiction::supernodal {
namespace {

constexpr std::size_t row_grain = 4096;

constexpr auto all = [](std::size_t) { return true; };

void copy_row(const double* from, double* row) {
    std::copy_n(from, 3, row);
    row[3] = 0.0;
}

void add_row(const double* from, double* row) {
    for (std::size_t k = 0; k < row_size; ++k) row[k] += from[k];
}

}  // namespace

TriangularSolves::TriangularSolves(Factor factor)
    : factor_(std::move(factor)), schedule_(make_schedule(factor_.pattern)) {
    const Pattern& pattern = factor_.pattern;
    children_begin_.assign(pattern.supernodes() + 1, 0);
    for (const Index parent : pattern.parent) {
        if (parent >= 0) ++children_begin_[parent + 1];
    }
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) children_begin_[s + 1] += children_begin_[s];
    children_.resize(children_begin_.back());
    std::vector<std::size_t> cursor(children_begin_.begin(), children_begin_.end() - 1);
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        if (pattern.parent[s] >= 0) children_[cursor[pattern.parent[s]]++] = static_cast<Index>(s);
    }
    make_targets();
}

void TriangularSolves::make_targets() {
    const Pattern& pattern = factor_.pattern;
    Index end = pattern.unknowns;
    buffer_.assign(pattern.supernodes(), -1);
    const auto give_buffer = [&](std::size_t s) {
        STICTION_CHECK(end <= std::numeric_limits<Index>::max() - pattern.below(s), "rows of buffers have 31 bits");
        buffer_[s] = end;
        end += pattern.below(s);
    };
    for (const Schedule::Range& subtree : schedule_.subtrees) give_buffer(static_cast<std::size_t>(subtree.end) - 1);
    for (const Index s : schedule_.above) give_buffer(static_cast<std::size_t>(s));
    rows_.assign(row_size * static_cast<std::size_t>(end), 0.0);

    targets_.resize(pattern.rows.size());
    const auto first_row = [&](std::size_t s) {
        return pattern.rows.begin() + static_cast<std::ptrdiff_t>(pattern.row_begin[s]);
    };
    // All rows below a subtree are rows below its root.
    const auto fill = [&](std::size_t s, std::size_t root) {
        const Index inside = pattern.column_begin[root + 1];
        const auto first = first_row(root), last = first_row(root + 1);
        for (std::size_t i = pattern.row_begin[s]; i < pattern.row_begin[s + 1]; ++i) {
            const Index at = pattern.rows[i];
            targets_[i] =
                at < inside ? at : buffer_[root] + static_cast<Index>(std::lower_bound(first, last, at) - first);
        }
    };
    for (const auto& [begin, end_of_subtree] : schedule_.subtrees) {
        for (Index s = begin; s < end_of_subtree; ++s)
            fill(static_cast<std::size_t>(s), static_cast<std::size_t>(end_of_subtree) - 1);
    }
    for (const Index s : schedule_.above) fill(static_cast<std::size_t>(s), static_cast<std::size_t>(s));
}

void TriangularSolves::solve(const double* right_hand_side, double* solution) const {
    forward_all(all, right_hand_side);
    backward_all(all, solution);
}

void TriangularSolves::solve_first_half(const double* right_hand_side, double* half) const {
    forward_all(all, right_hand_side);
    parallel_for(
        static_cast<std::size_t>(size()), [&](std::size_t k) { std::copy_n(row(k), 3, half + 3 * k); }, row_grain);
}

void TriangularSolves::solve_second_half(const double* half, double* solution) const {
    parallel_for(
        static_cast<std::size_t>(size()), [&](std::size_t k) { copy_row(half + 3 * k, row(k)); }, row_grain);
    backward_all(all, solution);
}

void TriangularSolves::find_part(const std::vector<Index>& unknowns, OperatorPart& part) const {
    const Pattern& pattern = factor_.pattern;
    part.touched.assign(pattern.supernodes(), 0);
    part.entries = 0.0;
    for (const Index unknown : unknowns) {
        STICTION_CHECK(unknown >= 0 && unknown < pattern.unknowns, "part of an operator with an unknown it has not");
        for (Index s = pattern.supernode_of[pattern.position[unknown]]; s >= 0 && part.touched[s] == 0;
             s = pattern.parent[s]) {
            part.touched[s] = 1;
            part.entries += static_cast<double>(pattern.value_begin[s + 1] - pattern.value_begin[s]);
        }
    }
}

// A supernode that is not touched has only untouched descendants, and y is zero in its rows. Its rows and its buffer
// hold old numbers, which nobody reads.
void TriangularSolves::solve_part(const OperatorPart& part, const double* right_hand_side, double* solution) const {
    STICTION_CHECK(part.touched.size() == factor_.pattern.supernodes(), "a part of another operator");
    const auto touched = [&](std::size_t s) { return part.touched[s] != 0; };
    forward_all(touched, right_hand_side);
    backward_all(touched, solution);
}

std::size_t TriangularSolves::bytes() const {
    return factor_.pattern.bytes() + sizeof(double) * (factor_.values.size() + rows_.size()) +
           sizeof(std::size_t) * children_begin_.size() +
           sizeof(Index) * (children_.size() + targets_.size() + buffer_.size() + schedule_.above.size() +
                            2 * schedule_.subtrees.size());
}

// y of the positions of all supernodes that are needed: right-hand side less what comes from the rows before, over the
// diagonal.
template <class Needed>
void TriangularSolves::forward_all(const Needed& needed, const double* right_hand_side) const {
    const Pattern& pattern = factor_.pattern;
    schedule_.from_leaves(
        [&](const Schedule::Range& subtree) {
            const auto begin = static_cast<std::size_t>(subtree.begin), end = static_cast<std::size_t>(subtree.end);
            if (!needed(end - 1)) return;
            clear_buffer(end - 1);
            // Rows of the subtree's supernodes change each other: all are set before the first one is eliminated.
            for (std::size_t s = begin; s < end; ++s) {
                if (needed(s))
                    take_right_hand_side(pattern.column_begin[s], pattern.column_begin[s + 1], right_hand_side);
            }
            for (std::size_t s = begin; s < end; ++s) {
                if (needed(s)) forward(s);
            }
        },
        [&](std::size_t s) {
            if (!needed(s)) return;
            take_right_hand_side(pattern.column_begin[s], pattern.column_begin[s + 1], right_hand_side);
            clear_buffer(s);
            for (std::size_t c = children_begin_[s]; c < children_begin_[s + 1]; ++c) {
                const auto child = static_cast<std::size_t>(children_[c]);
                if (needed(child)) add_buffer(child, s);
            }
            forward(s);
        });
}

template <class Needed>
void TriangularSolves::backward_all(const Needed& needed, double* solution) const {
    schedule_.from_roots([&](std::size_t s) {
        if (needed(s)) backward(s, solution);
    });
}

void TriangularSolves::take_right_hand_side(Index begin, Index end, const double* right_hand_side) const {
    for (Index k = begin; k < end; ++k) {
        const auto at = static_cast<std::size_t>(k);
        copy_row(right_hand_side + 3 * static_cast<std::size_t>(factor_.pattern.order[at]), row(at));
    }
}

void TriangularSolves::clear_buffer(std::size_t s) const {
    std::fill_n(row(static_cast<std::size_t>(buffer_[s])),
                row_size * static_cast<std::size_t>(factor_.pattern.below(s)), 0.0);
}

void TriangularSolves::add_buffer(std::size_t child, std::size_t parent) const {
    const Pattern& pattern = factor_.pattern;
    const Index width = pattern.width(parent), first = pattern.column_begin[parent];
    for (Index i = 0; i < pattern.below(child); ++i) {
        const Index place = pattern.in_parent[pattern.row_begin[child] + static_cast<std::size_t>(i)];
        add_row(row(static_cast<std::size_t>(buffer_[child] + i)),
                row(static_cast<std::size_t>(place < width ? first + place : buffer_[parent] + place - width)));
    }
}

void TriangularSolves::forward(std::size_t s) const {
    const Pattern& pattern = factor_.pattern;
    substitute_forward(factor_.block(s), pattern.width(s), pattern.front(s), own_rows(s),
                       targets_.data() + pattern.row_begin[s], rows_.data());
}

void TriangularSolves::backward(std::size_t s, double* solution) const {
    const Pattern& pattern = factor_.pattern;
    const Index w = pattern.width(s);
    double* const own = own_rows(s);
    substitute_backward(factor_.block(s), w, pattern.front(s), own, pattern.rows.data() + pattern.row_begin[s],
                        rows_.data());
    const Index* const unknown = pattern.order.data() + pattern.column_begin[s];
    for (Index i = 0; i < w; ++i)
        std::copy_n(own + row_size * static_cast<std::size_t>(i), 3,
                    solution + 3 * static_cast<std::size_t>(unknown[i]));
}

// Substitution along the path from the unknown to the root, where alone its column of S is not zero.
void TriangularSolves::append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const {
    const Pattern& pattern = factor_.pattern;
    STICTION_CHECK(unknown >= 0 && unknown < pattern.unknowns, "half column of an unknown that does not exist");
    const Index start = pattern.position[unknown];
    const std::size_t first = rows.size(), shift = values.size() - first;
    for (Index s = pattern.supernode_of[start]; s >= 0; s = pattern.parent[s]) {
        for (Index k = std::max(start, pattern.column_begin[s]); k < pattern.column_begin[s + 1]; ++k)
            rows.push_back(k);
    }
    values.resize(rows.size() + shift, 0.0);
    double* const y = values.data() + first + shift;
    const Index* const path = rows.data() + first;
    y[0] = 1.0;
    std::size_t own = 0;  // where the supernode's rows stand on the path
    for (Index node = pattern.supernode_of[start]; node >= 0; node = pattern.parent[node]) {
        const auto s = static_cast<std::size_t>(node);
        const Index f = pattern.front(s), w = pattern.width(s), skipped = std::max(start - pattern.column_begin[s], 0);
        const double* column = factor_.block(s) + static_cast<std::size_t>(skipped) * static_cast<std::size_t>(f);
        for (Index j = skipped; j < w; ++j, column += f) {
            const std::size_t at = own + static_cast<std::size_t>(j - skipped);
            const double value = y[at] /= column[j];
            for (Index i = j + 1; i < w; ++i) y[at + static_cast<std::size_t>(i - j)] -= column[i] * value;
            std::size_t row = own;
            for (Index i = w; i < f; ++i) {
                const Index target = pattern.rows[pattern.row_begin[s] + static_cast<std::size_t>(i - w)];
                while (path[row] != target) ++row;
                y[row] -= column[i] * value;
            }
        }
        own += static_cast<std::size_t>(w - skipped);
    }
}

}  // namespace stiction::supernodal
