#include "stiction/linalg/supernodal/factor.hpp"

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/linalg/sparse_factor.hpp"
#include "stiction/linalg/supernodal/schedule.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction::supernodal {
namespace {

using Front = Eigen::MatrixXd;  // lower triangle

/// Columns of P A P^T, lower triangle: entries that come twice stay two.
struct PermutedColumns {
    std::vector<std::size_t> begin;
    std::vector<Index> rows;
    std::vector<double> values;
    std::vector<double> diagonal;
};

PermutedColumns permute(const Eigen::SparseMatrix<double>& matrix, const std::vector<Index>& position) {
    const std::size_t n = position.size();
    PermutedColumns columns{std::vector<std::size_t>(n + 1, 0), {}, {}, std::vector<double>(n, 0.0)};
    const auto visit_lower = [&](const auto& visit) {
        for (Eigen::Index j = 0; j < matrix.outerSize(); ++j) {
            for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
                if (entry.row() >= j) visit(std::minmax(position[entry.row()], position[j]), entry);
            }
        }
    };
    visit_lower([&](const auto& ends, const auto& entry) {
        ++columns.begin[ends.first + 1];
        if (!std::isfinite(entry.value())) {
            throw NotPositiveDefinite(
                static_cast<Index>(entry.row()),
                fmt::format("entry ({}, {}) of the matrix is {}", entry.row(), entry.col(), entry.value()));
        }
    });
    for (std::size_t k = 0; k < n; ++k) columns.begin[k + 1] += columns.begin[k];
    columns.rows.resize(columns.begin[n]);
    columns.values.resize(columns.begin[n]);
    std::vector<std::size_t> cursor(columns.begin.begin(), columns.begin.end() - 1);
    visit_lower([&](const auto& ends, const auto& entry) {
        columns.rows[cursor[ends.first]] = ends.second;
        columns.values[cursor[ends.first]++] = entry.value();
        if (ends.first == ends.second) columns.diagonal[ends.first] += entry.value();
    });
    return columns;
}

class Factorization {
public:
    Factorization(Factor& factor, const PermutedColumns& columns)
        : factor_(factor),
          columns_(columns),
          updates_(factor.pattern.supernodes()),
          failed_column_(factor.pattern.supernodes(), -1),
          failed_pivot_(factor.pattern.supernodes(), 0.0),
          children_(factor.pattern.supernodes()) {
        for (std::size_t s = 0; s < factor.pattern.supernodes(); ++s) {
            if (factor.pattern.parent[s] >= 0) children_[factor.pattern.parent[s]].push_back(s);
        }
    }

    void run() {
        make_schedule(factor_.pattern).from_leaves([&](std::size_t s) { eliminate(s); });
        report_failure();
    }

private:
    void eliminate(std::size_t s) {
        const Pattern& pattern = factor_.pattern;
        // What stands on a failed child is not defined; the first failure is the one that is reported.
        for (const std::size_t child : children_[s]) {
            if (failed_column_[child] >= 0)
                failed_column_[s] = failed_column_[child], failed_pivot_[s] = failed_pivot_[child];
            if (failed_column_[s] >= 0) return;
        }
        const Index w = pattern.width(s), r = pattern.below(s);
        Front front = Front::Zero(w + r, w + r);
        add_matrix(s, front);
        for (const std::size_t child : children_[s]) add_update(child, front);
        if (!factor_pivots(s, front)) return;
        auto below = front.bottomLeftCorner(r, w);
        front.topLeftCorner(w, w).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
        Eigen::Map<Eigen::MatrixXd> block(factor_.values.data() + pattern.value_begin[s], w + r, w);
        block = front.leftCols(w);
        block.topRows(w).triangularView<Eigen::StrictlyUpper>().setZero();
        if (r == 0) return;
        updates_[s] = front.bottomRightCorner(r, r);
        updates_[s].selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
    }

    void add_matrix(std::size_t s, Front& front) const {
        const Pattern& pattern = factor_.pattern;
        const Index begin = pattern.column_begin[s], end = pattern.column_begin[s + 1];
        const auto first = pattern.rows.begin() + static_cast<std::ptrdiff_t>(pattern.row_begin[s]);
        const auto last = pattern.rows.begin() + static_cast<std::ptrdiff_t>(pattern.row_begin[s + 1]);
        for (Index column = begin; column < end; ++column) {
            for (std::size_t e = columns_.begin[column]; e < columns_.begin[column + 1]; ++e) {
                const Index row = columns_.rows[e];
                const auto at = row < end ? row - begin : end - begin + (std::lower_bound(first, last, row) - first);
                front(at, column - begin) += columns_.values[e];
            }
        }
    }

    /// Adds what the elimination of a child left, and frees it.
    void add_update(std::size_t child, Front& front) {
        Eigen::MatrixXd update;
        update.swap(updates_[child]);
        const Index* place = factor_.pattern.in_parent.data() + factor_.pattern.row_begin[child];
        for (Eigen::Index j = 0; j < update.cols(); ++j) {
            double* column = &front(0, place[j]);
            for (Eigen::Index i = j; i < update.rows(); ++i) column[place[i]] += update(i, j);
        }
    }

    /// L of the first `width` rows and columns, in panels; false where a pivot has no digits left.
    bool factor_pivots(std::size_t s, Front& front) {
        constexpr Eigen::Index panel = 32;
        const Eigen::Index w = factor_.pattern.width(s);
        for (Eigen::Index k = 0; k < w; k += panel) {
            const Eigen::Index b = std::min(panel, w - k), rest = w - k - b;
            for (Eigen::Index j = k; j < k + b; ++j) {
                const double pivot = front(j, j) - front.row(j).segment(k, j - k).squaredNorm();
                const Index column = factor_.pattern.column_begin[s] + static_cast<Index>(j);
                if (!(pivot >= smallest_pivot_ratio * columns_.diagonal[column]) || !(pivot > 0.0) ||
                    !std::isfinite(pivot)) {
                    failed_column_[s] = column;
                    failed_pivot_[s] = pivot;
                    return false;
                }
                front(j, j) = std::sqrt(pivot);
                for (Eigen::Index i = j + 1; i < k + b; ++i) {
                    double value = front(i, j);
                    for (Eigen::Index c = k; c < j; ++c) value -= front(i, c) * front(j, c);
                    front(i, j) = value / front(j, j);
                }
            }
            auto below = front.block(k + b, k, rest, b);
            front.block(k, k, b, b).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
            front.block(k + b, k + b, rest, rest).selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
        }
        return true;
    }

    void report_failure() const {
        std::size_t worst = failed_column_.size();
        for (std::size_t s = 0; s < failed_column_.size(); ++s) {
            if (failed_column_[s] >= 0 && (worst == failed_column_.size() || failed_column_[s] < failed_column_[worst]))
                worst = s;
        }
        if (worst == failed_column_.size()) return;
        const Index column = failed_column_[worst], unknown = factor_.pattern.order[column];
        throw NotPositiveDefinite(
            unknown, fmt::format("the matrix is not positive definite: pivot {:.3e} of diagonal {:.3e} at unknown {}",
                                 failed_pivot_[worst], columns_.diagonal[column], unknown));
    }

    Factor& factor_;
    const PermutedColumns& columns_;
    std::vector<Eigen::MatrixXd> updates_;  // lower triangle, what a supernode leaves to its parent
    std::vector<Index> failed_column_;
    std::vector<double> failed_pivot_;
    std::vector<std::vector<std::size_t>> children_;
};

}  // namespace

Factor factorize(const Eigen::SparseMatrix<double>& matrix) {
    Factor factor{analyze(matrix), {}};
    factor.values.resize(factor.pattern.value_begin.back());
    const PermutedColumns columns = permute(matrix, factor.pattern.position);
    Factorization(factor, columns).run();
    return factor;
}

}  // namespace stiction::supernodal
