#include "stiction/linalg/supernodal/inverse_products.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/supernodal/kernels.hpp"

#include <algorithm>

namespace stiction::supernodal {
namespace {

constexpr int pieces = 128;

/// Ends of about `count` runs of [0, cost.size()) of about equal cost.
std::vector<Index> cut_evenly(const std::vector<double>& cost, int count) {
    double total = 0.0, sum = 0.0;
    for (const double c : cost) total += c;
    std::vector<Index> ends;
    for (std::size_t i = 0; i < cost.size(); ++i) {
        sum += cost[i];
        if (sum * count >= total * static_cast<double>(ends.size() + 1) || i + 1 == cost.size())
            ends.push_back(static_cast<Index>(i + 1));
    }
    return ends;
}

}  // namespace

InverseProducts::InverseProducts(SparseInverse inverse)
    : inverse_(std::move(inverse)), input_(3 * rows()), half_(3 * rows()) {
    const auto n = static_cast<std::size_t>(inverse_.unknowns);
    supernode_of_.resize(n);
    std::vector<double> row_cost(n), supernode_cost(inverse_.supernodes());
    for (std::size_t s = 0; s < inverse_.supernodes(); ++s) {
        const Index begin = inverse_.column_begin[s], end = inverse_.column_begin[s + 1];
        const Index columns = end - inverse_.column_begin[inverse_.first_descendant[s]];
        for (Index k = begin; k < end; ++k) {
            supernode_of_[k] = static_cast<Index>(s);
            row_cost[k] = columns;
        }
        supernode_cost[s] = static_cast<double>(inverse_.value_begin[s + 1] - inverse_.value_begin[s]);
    }
    position_.resize(n);
    for (std::size_t k = 0; k < n; ++k) position_[inverse_.order[k]] = static_cast<Index>(k);
    row_ends_ = cut_evenly(row_cost, pieces);
    supernode_ends_ = cut_evenly(supernode_cost, pieces);
}

void InverseProducts::solve(const double* right_hand_side, double* solution) const {
    multiply(right_hand_side);
    multiply_transposed(solution);
}

void InverseProducts::solve_first_half(const double* right_hand_side, double* half) const {
    multiply(right_hand_side);
    parallel_for(
        rows(),
        [&](std::size_t k) {
            for (std::size_t c = 0; c < 3; ++c) half[3 * k + c] = half_[c * rows() + k];
        },
        2048);
}

void InverseProducts::solve_second_half(const double* half, double* solution) const {
    parallel_for(
        rows(),
        [&](std::size_t k) {
            for (std::size_t c = 0; c < 3; ++c) half_[c * rows() + k] = half[3 * k + c];
        },
        2048);
    multiply_transposed(solution);
}

// half_ = S P b
void InverseProducts::multiply(const double* right_hand_side) const {
    parallel_for(
        rows(),
        [&](std::size_t k) {
            const double* row = right_hand_side + 3 * static_cast<std::size_t>(inverse_.order[k]);
            for (std::size_t c = 0; c < 3; ++c) input_[c * rows() + k] = row[c];
        },
        2048);
    parallel_for(
        row_ends_.size(),
        [&](std::size_t piece) {
            for (Index k = piece == 0 ? 0 : row_ends_[piece - 1]; k < row_ends_[piece];)
                k = multiply_rows(k, row_ends_[piece]);
        },
        1);
}

// P^T S^T half_
void InverseProducts::multiply_transposed(double* solution) const {
    parallel_for(
        supernode_ends_.size(),
        [&](std::size_t piece) {
            for (Index s = piece == 0 ? 0 : supernode_ends_[piece - 1]; s < supernode_ends_[piece]; ++s)
                multiply_transposed(static_cast<std::size_t>(s), solution);
        },
        1);
}

void InverseProducts::append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const {
    STICTION_CHECK(unknown >= 0 && unknown < inverse_.unknowns, "half column of an unknown that does not exist");
    const Index column = position_[unknown];
    const auto s = static_cast<std::size_t>(supernode_of_[column]);
    const Index width = inverse_.width(s);
    Index row = column - inverse_.column_begin[s];
    const double* value = inverse_.row(s, s, row) + row;
    for (Index t = supernode_of_[column]; t >= 0; t = inverse_.parent[t], row = 0) {
        for (; row < inverse_.width(static_cast<std::size_t>(t)); ++row, value += width) {
            rows.push_back(inverse_.column_begin[t] + row);
            values.push_back(*value);
        }
    }
}

std::size_t InverseProducts::bytes() const {
    return inverse_.bytes() + sizeof(double) * (input_.size() + half_.size()) +
           sizeof(Index) * (supernode_of_.size() + position_.size() + row_ends_.size() + supernode_ends_.size());
}

// Rows from `begin` on of S P b, as many as stand in one supernode and fit a kernel; returns the row behind them.
Index InverseProducts::multiply_rows(Index begin, Index end) const {
    const auto t = static_cast<std::size_t>(supernode_of_[begin]);
    end = std::min({end, inverse_.column_begin[t + 1], begin + RowProduct::max_rows});
    const Index first = begin - inverse_.column_begin[t], n = inverse_.unknowns;
    RowProduct product(end - begin);
    for (auto s = static_cast<std::size_t>(inverse_.first_descendant[t]); s <= t; ++s) {
        product.add(inverse_.row(s, t, first), inverse_.width(s), input_.data() + inverse_.column_begin[s], n);
    }
    product.store(half_.data() + begin, n);
    return end;
}

// Entries of P^T S^T h that belong to a supernode.
void InverseProducts::multiply_transposed(std::size_t s, double* solution) const {
    const Index n = inverse_.unknowns, width = inverse_.width(s);
    for (Index c = 0; c < width;) {
        const Index* unknowns = inverse_.order.data() + inverse_.column_begin[s] + c;
        const auto columns = [&](auto product) {
            const double* block = inverse_.block(s) + c;
            for (auto t = static_cast<Index>(s); t >= 0; t = inverse_.parent[t]) {
                const Index rows = inverse_.width(static_cast<std::size_t>(t));
                product.add(block, width, rows, half_.data() + inverse_.column_begin[t], n);
                block += static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
            }
            product.store(unknowns, solution);
        };
        if (width - c >= 8)
            columns(ColumnProduct<8>()), c += 8;
        else if (width - c >= 4)
            columns(ColumnProduct<4>()), c += 4;
        else if (width - c >= 2)
            columns(ColumnProduct<2>()), c += 2;
        else
            columns(ColumnProduct<1>()), ++c;
    }
}

}  // namespace stiction::supernodal
