// FactoredOperator that keeps L.
#include "stiction/base/error.hpp"
#include "stiction/linalg/factored_operator.hpp"
#include "stiction/linalg/supernodal/factor.hpp"
#include "stiction/linalg/supernodal/kernels.hpp"
#include "stiction/linalg/supernodal/schedule.hpp"

#include <algorithm>

namespace stiction {
namespace {

using supernodal::Factor;
using supernodal::Pattern;

class TriangularSolves final : public FactoredOperator {
public:
    explicit TriangularSolves(Factor factor)
        : factor_(std::move(factor)), schedule_(supernodal::make_schedule(factor_.pattern)), fronts_(3 * factor_.pattern.front_rows()) {
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

    Index size() const override { return factor_.pattern.unknowns; }

    void solve(const double* right_hand_side, double* solution) const override {
        schedule_.from_leaves([&](std::size_t s) { forward(s, right_hand_side); });
        schedule_.from_roots([&](std::size_t s) { backward(s, solution); });
    }

    void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const override;

    std::size_t bytes() const override {
        return factor_.pattern.bytes() + sizeof(double) * (factor_.values.size() + fronts_.size()) + sizeof(std::size_t) * children_begin_.size() +
               sizeof(Index) * (children_.size() + schedule_.above.size() + 2 * schedule_.subtrees.size());
    }

private:
    /// Three columns of a front, one after the other.
    double* front(std::size_t s) const { return fronts_.data() + 3 * factor_.pattern.front_begin(s); }

    /// y of the supernode's own rows; below them, what they and all descendants take from the right-hand side of the rows above.
    void forward(std::size_t s, const double* right_hand_side) const {
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
        supernodal::substitute_forward(factor_.block(s), w, f, values);
    }

    void backward(std::size_t s, double* solution) const {
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
        supernodal::substitute_backward(factor_.block(s), w, f, values);
        for (Index i = 0; i < w; ++i) {
            double* row = solution + 3 * static_cast<std::size_t>(pattern.order[pattern.column_begin[s] + i]);
            for (Index k = 0; k < 3; ++k) row[k] = values[k * f + i];
        }
    }

    Factor factor_;
    supernodal::Schedule schedule_;
    std::vector<std::size_t> children_begin_;
    std::vector<Index> children_;
    mutable std::vector<double> fronts_;
};

/// Substitution along the path from the unknown to the root, where alone its column of S is not zero.
void TriangularSolves::append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const {
    const Pattern& pattern = factor_.pattern;
    STICTION_CHECK(unknown >= 0 && unknown < pattern.unknowns, "half column of an unknown that does not exist");
    const Index start = pattern.position[unknown];
    const std::size_t first = rows.size(), shift = values.size() - first;
    for (Index s = pattern.supernode_of[start]; s >= 0; s = pattern.parent[s]) {
        for (Index k = std::max(start, pattern.column_begin[s]); k < pattern.column_begin[s + 1]; ++k) rows.push_back(k);
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

}  // namespace

std::unique_ptr<FactoredOperator> factor_for_triangular_solves(const Eigen::SparseMatrix<double>& matrix) {
    return std::make_unique<TriangularSolves>(supernodal::factorize(matrix));
}

}  // namespace stiction
