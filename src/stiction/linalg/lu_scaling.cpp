#include "stiction/linalg/lu_scaling.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

Index first_zero(const VecX& x) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        if (x[i] == 0.0) return static_cast<Index>(i);
    }
    return -1;
}

/// The power of two in (x / 2, x]; 1 for a zero.
double power_of_two(double x) {
    return x > 0.0 ? std::ldexp(1.0, std::ilogb(x)) : 1.0;
}

}  // namespace

std::vector<Index> transposed_entries(const BlockPattern& pattern) {
    std::vector<Index> transposed(pattern.row_entries.size());
    std::vector<Index> first(static_cast<std::size_t>(pattern.slots()), -1);  // entry of each slot that was met first
    for (std::size_t e = 0; e < transposed.size(); ++e) {
        const auto slot = static_cast<std::size_t>(pattern.row_entries[e].slot);
        transposed[e] = static_cast<Index>(e);
        if (first[slot] < 0) {
            first[slot] = static_cast<Index>(e);
        } else {
            transposed[e] = first[slot];
            transposed[first[slot]] = static_cast<Index>(e);
        }
    }
    return transposed;
}

void LuScaling::set(const BlockPattern& pattern, const std::vector<Mat3>& values,
                    const std::vector<Index>& transposed) {
    constexpr int max_sweeps = 30;  // errors of the logarithms halve in each
    constexpr double near = 2.0;    // to unit size
    const Eigen::Index n = 3 * static_cast<Eigen::Index>(pattern.nodes);
    rows.setOnes(n);
    for (Index i = 0; i < pattern.nodes; ++i) {
        Index e = pattern.row_begin[i];
        while (pattern.row_entries[e].column != i) ++e;
        for (int c = 0; c < 3; ++c) {
            const double diagonal = std::abs(values[e](c, c));
            if (diagonal > 0.0) rows[3 * static_cast<Eigen::Index>(i) + c] = 1.0 / std::sqrt(diagonal);
        }
    }
    columns = rows;
    zero_row = zero_column = -1;
    VecX row_size(n), column_size(n);
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        parallel_for(static_cast<std::size_t>(pattern.nodes), [&](std::size_t node) {
            const auto i = 3 * static_cast<Eigen::Index>(node);
            Vec3 row = Vec3::Zero(), column = Vec3::Zero();
            for (Index e = pattern.row_begin[node]; e < pattern.row_begin[node + 1]; ++e) {
                const auto j = 3 * static_cast<Eigen::Index>(pattern.row_entries[e].column);
                const Mat3 right = values[e].cwiseAbs() * columns.segment<3>(j).asDiagonal();
                const Mat3 below = rows.segment<3>(j).asDiagonal() * values[transposed[e]].cwiseAbs();
                row = row.cwiseMax(right.rowwise().maxCoeff());
                column = column.cwiseMax(below.colwise().maxCoeff().transpose());
            }
            row_size.segment<3>(i) = row.cwiseProduct(rows.segment<3>(i));
            column_size.segment<3>(i) = column.cwiseProduct(columns.segment<3>(i));
        });
        if (sweep == 0) {
            zero_row = first_zero(row_size);
            zero_column = first_zero(column_size);
            if (zero_row >= 0 || zero_column >= 0) return;
        }
        if (std::max(row_size.maxCoeff(), column_size.maxCoeff()) <= near &&
            std::min(row_size.minCoeff(), column_size.minCoeff()) >= 1.0 / near)
            break;
        rows = rows.cwiseQuotient(row_size.cwiseSqrt());
        columns = columns.cwiseQuotient(column_size.cwiseSqrt());
    }
    rows = rows.unaryExpr(&power_of_two);
    columns = columns.unaryExpr(&power_of_two);
}

}  // namespace stiction
