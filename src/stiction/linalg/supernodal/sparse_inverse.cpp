#include "stiction/linalg/supernodal/sparse_inverse.hpp"

#include "stiction/linalg/supernodal/schedule.hpp"

#include <Eigen/Dense>

namespace stiction::supernodal {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of an array that one task computes; fixed, because the bits of a product may depend on the size of its factors.
constexpr Index tile_rows = 256;

/// Rows of a supernode below its own that belong to one ancestor: rows[begin, end).
struct AncestorRows {
    std::size_t ancestor;
    std::size_t begin, end;
};

class Inversion {
public:
    Inversion(const Factor& factor, SparseInverse& inverse) : factor_(factor), inverse_(inverse) {}

    void compute(std::size_t s) {
        const Pattern& pattern = factor_.pattern;
        const Index w = pattern.width(s), r = pattern.below(s);
        const Eigen::Map<const Eigen::MatrixXd> block(factor_.block(s), w + r, w);
        Eigen::MatrixXd own = Eigen::MatrixXd::Identity(w, w);
        block.topRows(w).triangularView<Eigen::Lower>().solveInPlace(own);
        // The solver leaves rounding above the diagonal neither zero by name nor by value.
        own.triangularView<Eigen::StrictlyUpper>().setZero();
        double* const values = inverse_.values.data() + inverse_.value_begin[s];
        Eigen::Map<RowMajor>(values, w, w) = own;
        if (r == 0) return;
        const RowMajor below = -block.bottomRows(r) * own;
        const std::vector<AncestorRows> groups = group_rows(s);
        const Index rest = inverse_.path_length[s] - w;
        parallel_for(
            static_cast<std::size_t>((rest + tile_rows - 1) / tile_rows),
            [&](std::size_t tile) {
                const Index begin = static_cast<Index>(tile) * tile_rows, end = std::min(rest, begin + tile_rows);
                Eigen::Map<RowMajor> target(values + static_cast<std::size_t>(w + begin) * static_cast<std::size_t>(w),
                                            end - begin, w);
                target.setZero();
                for (const AncestorRows& group : groups) add_group(s, group, below, rest, begin, target);
            },
            1);
    }

private:
    std::vector<AncestorRows> group_rows(std::size_t s) const {
        const Pattern& pattern = factor_.pattern;
        std::vector<AncestorRows> groups;
        for (std::size_t e = pattern.row_begin[s]; e < pattern.row_begin[s + 1]; ++e) {
            const auto ancestor = static_cast<std::size_t>(pattern.supernode_of[pattern.rows[e]]);
            if (groups.empty() || groups.back().ancestor != ancestor) groups.push_back({ancestor, e, e});
            ++groups.back().end;
        }
        return groups;
    }

    /// Adds what the rows of one ancestor contribute to the rows [begin, begin + target.rows()) of the path above s.
    void add_group(std::size_t s, const AncestorRows& group, const RowMajor& below, Index rest, Index begin,
                   Eigen::Map<RowMajor>& target) const {
        const Pattern& pattern = factor_.pattern;
        const std::size_t u = group.ancestor;
        const Index start = rest - inverse_.path_length[u], end = begin + static_cast<Index>(target.rows());
        const Index from = std::max(start, begin);
        if (from >= end) return;
        const Index width = inverse_.width(u), columns = static_cast<Index>(group.end - group.begin);
        const double* row = inverse_.row(u, u, from - start);
        RowMajor picked(end - from, columns);
        for (Index i = 0; i < end - from; ++i, row += width) {
            for (Index k = 0; k < columns; ++k) {
                picked(i, k) = row[pattern.rows[group.begin + static_cast<std::size_t>(k)] - pattern.column_begin[u]];
            }
        }
        target.middleRows(from - begin, end - from).noalias() +=
            picked * below.middleRows(static_cast<Eigen::Index>(group.begin - pattern.row_begin[s]), columns);
    }

    const Factor& factor_;
    SparseInverse& inverse_;
};

}  // namespace

std::size_t SparseInverse::bytes() const {
    return array_bytes(order) + array_bytes(column_begin) + array_bytes(parent) + array_bytes(first_descendant) +
           array_bytes(path_length) + array_bytes(value_begin) + array_bytes(values);
}

SparseInverse invert(const Factor& factor) {
    const Pattern& pattern = factor.pattern;
    SparseInverse inverse;
    inverse.unknowns = pattern.unknowns;
    inverse.order = pattern.order;
    inverse.column_begin = pattern.column_begin;
    inverse.parent = pattern.parent;
    inverse.first_descendant = pattern.first_descendant;
    inverse.path_length.resize(pattern.supernodes());
    for (std::size_t s = pattern.supernodes(); s-- > 0;) {
        inverse.path_length[s] =
            pattern.width(s) + (pattern.parent[s] < 0 ? 0 : inverse.path_length[pattern.parent[s]]);
    }
    inverse.value_begin.assign(1, 0);
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        inverse.value_begin.push_back(inverse.value_begin.back() + static_cast<std::size_t>(inverse.path_length[s]) *
                                                                       static_cast<std::size_t>(inverse.width(s)));
    }
    inverse.values.resize(inverse.value_begin.back());
    Inversion inversion(factor, inverse);
    make_schedule(pattern).from_roots([&](std::size_t s) { inversion.compute(s); });
    return inverse;
}

}  // namespace stiction::supernodal
