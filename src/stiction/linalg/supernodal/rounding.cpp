#include "stiction/linalg/supernodal/rounding.hpp"

#include "stiction/math/compensated_sum.hpp"

#include <cmath>
#include <optional>

namespace stiction::supernodal {
namespace {

double rounded(double value) {
    return static_cast<double>(static_cast<float>(value));
}

/// P A 1, from the lower triangle of A.
std::vector<double> row_sums(const Eigen::SparseMatrix<double>& matrix, const std::vector<Index>& position) {
    std::vector<CompensatedSum> sums(position.size());
    for (Eigen::Index j = 0; j < matrix.outerSize(); ++j) {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
            if (entry.row() < j) continue;
            sums[static_cast<std::size_t>(position[static_cast<std::size_t>(entry.row())])] += entry.value();
            if (entry.row() > j) sums[static_cast<std::size_t>(position[static_cast<std::size_t>(j)])] += entry.value();
        }
    }
    std::vector<double> result;
    for (const CompensatedSum& sum : sums) result.push_back(sum.value());
    return result;
}

/// The d near `diagonal` with d (d + below) = rest. None where the two solutions of this equation are near each other,
/// so that d is not well defined.
std::optional<double> balanced_diagonal(double diagonal, double below, double rest) {
    constexpr double smallest_slope = 0.125, largest_change = 1e-4;  // of the diagonal
    const double slope = 2.0 * diagonal + below, square = below * below + 4.0 * rest;
    if (!(std::abs(slope) >= smallest_slope * diagonal) || !(square > 0.0)) return std::nullopt;
    const double root = std::copysign(std::sqrt(square), slope);
    // Of the two forms of the solution, the one without cancellation.
    const double d = (below < 0.0) == (root > 0.0) ? 0.5 * (root - below) : 2.0 * rest / (root + below);
    if (!(std::abs(d - diagonal) <= largest_change * diagonal)) return std::nullopt;
    return d;
}

}  // namespace

bool round_to_single_precision(const Eigen::SparseMatrix<double>& matrix, Factor& factor) {
    const Pattern& pattern = factor.pattern;
    // L u = P A 1 with u = L^T 1, solved column by column.
    std::vector<double> rest = row_sums(matrix, pattern.position), diagonal(rest.size());
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        const Index width = pattern.width(s), front = pattern.front(s), begin = pattern.column_begin[s];
        const Index* const rows_below = pattern.rows.data() + pattern.row_begin[s];
        const double* column = factor.block(s);
        for (Index j = 0; j < width; ++j, column += front) {
            double below = 0.0;
            for (Index i = j + 1; i < front; ++i) below += rounded(column[i]);
            const auto position = static_cast<std::size_t>(begin + j);
            const std::optional<double> d = balanced_diagonal(column[j], below, rest[position]);
            if (!d) return false;
            diagonal[position] = *d;
            const double sum = rest[position] / *d;
            for (Index i = j + 1; i < front; ++i)
                rest[static_cast<std::size_t>(i < width ? begin + i : rows_below[i - width])] -=
                    rounded(column[i]) * sum;
        }
    }
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        double* column = factor.values.data() + pattern.value_begin[s];
        const Index front = pattern.front(s);
        for (Index j = 0; j < pattern.width(s); ++j, column += front) {
            column[j] = diagonal[static_cast<std::size_t>(pattern.column_begin[s] + j)];
            for (Index i = j + 1; i < front; ++i) column[i] = rounded(column[i]);
        }
    }
    return true;
}

}  // namespace stiction::supernodal
