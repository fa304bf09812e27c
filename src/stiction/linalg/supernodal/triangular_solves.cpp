#include "stiction/linalg/supernodal/triangular_solves.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/supernodal/kernels.hpp"

#include <algorithm>

namespace stiction::supernodal {

TriangularSolves::TriangularSolves(Factor factor)
    : factor_(std::move(factor)), schedule_(make_schedule(factor_.pattern)), fronts_(3 * factor_.pattern.front_rows()) {
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
}

void TriangularSolves::solve(const double* right_hand_side, double* solution) const {
    schedule_.from_leaves([&](std::size_t s) { forward(s, right_hand_side); });
    schedule_.from_roots([&](std::size_t s) { backward(s, solution); });
}

void TriangularSolves::solve_first_half(const double* right_hand_side, double* half) const {
    schedule_.from_leaves([&](std::size_t s) {
        forward(s, right_hand_side);
        store_half(s, half);
    });
}

void TriangularSolves::solve_second_half(const double* half, double* solution) const {
    schedule_.from_roots([&](std::size_t s) {
        load_half(s, half);
        backward(s, solution);
    });
}

std::size_t TriangularSolves::bytes() const {
    return factor_.pattern.bytes() + sizeof(double) * (factor_.values.size() + fronts_.size()) +
           sizeof(std::size_t) * children_begin_.size() +
           sizeof(Index) * (children_.size() + schedule_.above.size() + 2 * schedule_.subtrees.size());
}

// y of the supernode's own rows; below them, what they and all descendants take from the right-hand side of the rows
// above.
void TriangularSolves::forward(std::size_t s, const double* right_hand_side) const {
    const Pattern& pattern = factor_.pattern;
    const Index w = pattern.width(s), f = pattern.front(s);
    double* const values = front(s);
    std::fill(values, values + 3 * f, 0.0);
    for (Index i = 0; i < w; ++i) {
        const double* row = right_hand_side + 3 * static_cast<std::size_t>(pattern.order[pattern.column_begin[s] + i]);
        for (Index k = 0; k < 3; ++k) values[k * f + i] = row[k];
    }
    for (std::size_t c = children_begin_[s]; c < children_begin_[s + 1]; ++c) {
        const auto child = static_cast<std::size_t>(children_[c]);
        const Index cw = pattern.width(child), cf = pattern.front(child);
        const Index* place = pattern.in_parent.data() + pattern.row_begin[child];
        const double* from = front(child) + cw;
        for (Index k = 0; k < 3; ++k) {
            for (Index i = 0; i < cf - cw; ++i) values[k * f + place[i]] += from[k * cf + i];
        }
    }
    substitute_forward(factor_.block(s), w, f, values);
}

void TriangularSolves::backward(std::size_t s, double* solution) const {
    const Pattern& pattern = factor_.pattern;
    const Index w = pattern.width(s), f = pattern.front(s);
    double* const values = front(s);
    if (pattern.parent[s] >= 0) {
        const auto p = static_cast<std::size_t>(pattern.parent[s]);
        const Index pf = pattern.front(p);
        const Index* place = pattern.in_parent.data() + pattern.row_begin[s];
        const double* from = front(p);
        for (Index k = 0; k < 3; ++k) {
            for (Index i = 0; i < f - w; ++i) values[k * f + w + i] = from[k * pf + place[i]];
        }
    }
    substitute_backward(factor_.block(s), w, f, values);
    for (Index i = 0; i < w; ++i) {
        double* row = solution + 3 * static_cast<std::size_t>(pattern.order[pattern.column_begin[s] + i]);
        for (Index k = 0; k < 3; ++k) row[k] = values[k * f + i];
    }
}

// The supernode's own rows of y, from its front and back.
void TriangularSolves::store_half(std::size_t s, double* half) const {
    const Pattern& pattern = factor_.pattern;
    const Index w = pattern.width(s), f = pattern.front(s);
    const double* const values = front(s);
    double* row = half + 3 * static_cast<std::size_t>(pattern.column_begin[s]);
    for (Index i = 0; i < w; ++i, row += 3) {
        for (Index k = 0; k < 3; ++k) row[k] = values[k * f + i];
    }
}

void TriangularSolves::load_half(std::size_t s, const double* half) const {
    const Pattern& pattern = factor_.pattern;
    const Index w = pattern.width(s), f = pattern.front(s);
    double* const values = front(s);
    const double* row = half + 3 * static_cast<std::size_t>(pattern.column_begin[s]);
    for (Index i = 0; i < w; ++i, row += 3) {
        for (Index k = 0; k < 3; ++k) values[k * f + i] = row[k];
    }
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
