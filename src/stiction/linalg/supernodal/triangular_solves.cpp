#include "stiction/linalg/supernodal/triangular_solves.hpp"

#include "stiction/base/error.hpp"
#include "stiction/math/pack.hpp"

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
    for (std::size_t k = 0; k < 4; ++k) row[k] += from[k];
}

using simd::Pack;

/// Rows of three columns as three arrays that are `stride` apart: row_at(i) is that of the i-th numbers, begin <= i <
/// end.
template <class RowAt>
void rows_to_columns(Index begin, Index end, const RowAt& row_at, double* columns, Index stride) {
    Index i = begin;
    for (; i + 4 <= end; i += 4) {
        const Pack rows[4] = {Pack::load(row_at(i)), Pack::load(row_at(i + 1)), Pack::load(row_at(i + 2)),
                              Pack::load(row_at(i + 3))};
        Pack turned[3];
        simd::transpose(rows, turned);
        for (Index k = 0; k < 3; ++k) turned[k].store(columns + k * stride + i);
    }
    for (; i < end; ++i) {
        for (Index k = 0; k < 3; ++k) columns[k * stride + i] = row_at(i)[k];
    }
}

/// Calls take(i, row) for rows of four numbers, the last of them zero.
template <class Take>
void columns_to_rows(Index begin, Index end, const double* columns, Index stride, const Take& take) {
    Index i = begin;
    for (; i + 4 <= end; i += 4) {
        const Pack turned[4] = {Pack::load(columns + i), Pack::load(columns + stride + i),
                                Pack::load(columns + 2 * stride + i), Pack(0.0)};
        Pack rows[4];
        simd::transpose4(turned, rows);
        for (Index k = 0; k < 4; ++k) take(i + k, rows[k]);
    }
    for (; i < end; ++i) take(i, Pack(Pack::Lanes{columns[i], columns[stride + i], columns[2 * stride + i], 0.0}));
}

}  // namespace

TriangularSolves::TriangularSolves(Factor factor) : packed_(factor), schedule_(make_schedule(factor.pattern)) {
    pattern_ = std::move(factor.pattern);
    make_children();
    make_targets();
    make_fronts();
}

void TriangularSolves::make_children() {
    const Pattern& pattern = pattern_;
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
}

void TriangularSolves::make_fronts() {
    constexpr std::size_t line = 8;  // numbers of a cache line
    front_begin_.resize(pattern_.supernodes());
    std::size_t end = 0;
    const auto front_size = [&](std::size_t s) {
        const auto size = 3 * static_cast<std::size_t>(PackedFactor::stride(pattern_.front(s)));
        return (size + line - 1) / line * line;
    };
    for (const auto& [begin, end_of_subtree] : schedule_.subtrees) {
        std::size_t largest = 0;
        for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end_of_subtree); ++s) {
            front_begin_[s] = end;
            largest = std::max(largest, front_size(s));
        }
        end += largest;
    }
    for (const Index above : schedule_.above) {
        front_begin_[static_cast<std::size_t>(above)] = end;
        end += front_size(static_cast<std::size_t>(above));
    }
    fronts_.assign(end, 0.0);
}

void TriangularSolves::make_targets() {
    const Pattern& pattern = pattern_;
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
    const Pattern& pattern = pattern_;
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
    STICTION_CHECK(part.touched.size() == pattern_.supernodes(), "a part of another operator");
    const auto touched = [&](std::size_t s) { return part.touched[s] != 0; };
    forward_all(touched, right_hand_side);
    backward_all(touched, solution);
}

std::size_t TriangularSolves::bytes() const {
    return pattern_.bytes() + packed_.bytes() + sizeof(double) * (rows_.size() + fronts_.size()) +
           sizeof(std::size_t) * (children_begin_.size() + front_begin_.size()) +
           sizeof(Index) * (children_.size() + targets_.size() + buffer_.size() + schedule_.above.size() +
                            2 * schedule_.subtrees.size());
}

// y of the positions of all supernodes that are needed: right-hand side less what comes from the rows before, over the
// diagonal.
template <class Needed>
void TriangularSolves::forward_all(const Needed& needed, const double* right_hand_side) const {
    const Pattern& pattern = pattern_;
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
        copy_row(right_hand_side + 3 * static_cast<std::size_t>(pattern_.order[at]), row(at));
    }
}

void TriangularSolves::clear_buffer(std::size_t s) const {
    std::fill_n(row(static_cast<std::size_t>(buffer_[s])), row_size * static_cast<std::size_t>(pattern_.below(s)), 0.0);
}

void TriangularSolves::add_buffer(std::size_t child, std::size_t parent) const {
    const Pattern& pattern = pattern_;
    const Index width = pattern.width(parent), first = pattern.column_begin[parent];
    for (Index i = 0; i < pattern.below(child); ++i) {
        const Index place = pattern.in_parent[pattern.row_begin[child] + static_cast<std::size_t>(i)];
        add_row(row(static_cast<std::size_t>(buffer_[child] + i)),
                row(static_cast<std::size_t>(place < width ? first + place : buffer_[parent] + place - width)));
    }
}

/// The front of a supernode, with zeros below its own rows.
double* TriangularSolves::load_own_rows(std::size_t s) const {
    const Index width = pattern_.width(s), stride = PackedFactor::stride(pattern_.front(s));
    double* const front = fronts_.data() + front_begin_[s];
    const double* const own = own_rows(s);
    rows_to_columns(
        0, width, [&](Index i) { return own + row_size * static_cast<std::size_t>(i); }, front, stride);
    for (Index k = 0; k < 3; ++k) std::fill(front + k * stride + width, front + (k + 1) * stride, 0.0);
    return front;
}

void TriangularSolves::store_own_rows(std::size_t s) const {
    double* const own = own_rows(s);
    columns_to_rows(0, pattern_.width(s), fronts_.data() + front_begin_[s], PackedFactor::stride(pattern_.front(s)),
                    [&](Index i, const Pack& from) { from.store(own + row_size * static_cast<std::size_t>(i)); });
}

void TriangularSolves::forward(std::size_t s) const {
    double* const front = load_own_rows(s);
    packed_.substitute_forward(pattern_, s, front);
    store_own_rows(s);
    const Index width = pattern_.width(s), rows = pattern_.front(s);
    const Index* const target = targets_.data() + pattern_.row_begin[s];
    columns_to_rows(width, rows, front, PackedFactor::stride(rows), [&](Index i, const Pack& change) {
        double* const at = row(static_cast<std::size_t>(target[i - width]));
        (Pack::load(at) + change).store(at);
    });
}

void TriangularSolves::backward(std::size_t s, double* solution) const {
    double* const front = load_own_rows(s);
    const Index width = pattern_.width(s), rows = pattern_.front(s);
    const Index* const below = pattern_.rows.data() + pattern_.row_begin[s];
    rows_to_columns(
        width, rows, [&](Index i) { return row(static_cast<std::size_t>(below[i - width])); }, front,
        PackedFactor::stride(rows));
    packed_.substitute_backward(pattern_, s, front);
    store_own_rows(s);
    const Index* const unknown = pattern_.order.data() + pattern_.column_begin[s];
    const double* const own = own_rows(s);
    for (Index i = 0; i < width; ++i)
        std::copy_n(own + row_size * static_cast<std::size_t>(i), 3,
                    solution + 3 * static_cast<std::size_t>(unknown[i]));
}

// Substitution along the path from the unknown to the root, where alone its column of S is not zero.
void TriangularSolves::append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const {
    const Pattern& pattern = pattern_;
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
        const Index w = pattern.width(s), skipped = std::max(start - pattern.column_begin[s], 0);
        for (Index j = skipped; j < w; ++j) {
            const std::size_t at = own + static_cast<std::size_t>(j - skipped);
            const double value = y[at] /= packed_.diagonal(pattern.column_begin[s] + j);
            std::size_t row = own;
            packed_.below_diagonal(pattern, s, j, [&](Index i, double entry) {
                if (i < w) {
                    y[at + static_cast<std::size_t>(i - j)] -= entry * value;
                    return;
                }
                const Index target = pattern.rows[pattern.row_begin[s] + static_cast<std::size_t>(i - w)];
                while (path[row] != target) ++row;
                y[row] -= entry * value;
            });
        }
        own += static_cast<std::size_t>(w - skipped);
    }
}

}  // namespace stiction::supernodal
