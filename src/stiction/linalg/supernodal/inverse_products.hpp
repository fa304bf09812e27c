// FactoredOperator that keeps S = L^-1.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/linalg/supernodal/sparse_inverse.hpp"

namespace stiction::supernodal {

/// solve() is h = S P b, row by row, then P^T S^T h, supernode by supernode; append_half_column() copies a column.
class InverseProducts final : public FactoredOperator {
public:
    explicit InverseProducts(SparseInverse inverse);

    const SparseInverse& inverse() const { return inverse_; }
    Index size() const override { return inverse_.unknowns; }
    void solve(const double* right_hand_side, double* solution) const override;
    void solve_first_half(const double* right_hand_side, double* half) const override;
    void solve_second_half(const double* half, double* solution) const override;
    Index position(Index unknown) const override { return position_[unknown]; }
    void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const override;
    std::size_t bytes() const override;
    double entries() const override { return static_cast<double>(inverse_.values.size()); }

private:
    void multiply(const double* right_hand_side) const;
    void multiply_transposed(double* solution) const;
    Index multiply_rows(Index begin, Index end) const;
    void multiply_transposed(std::size_t s, double* solution) const;
    std::size_t rows() const { return static_cast<std::size_t>(inverse_.unknowns); }

    SparseInverse inverse_;
    std::vector<Index> supernode_of_, position_;
    std::vector<Index> row_ends_, supernode_ends_;  // pieces of about equal work
    mutable std::vector<double> input_, half_;      // P b and S P b, three columns of n
};

}  // namespace stiction::supernodal
