// FactoredOperator that solves with L and takes half columns from S.
#pragma once

#include "stiction/linalg/supernodal/inverse_products.hpp"
#include "stiction/linalg/supernodal/triangular_solves.hpp"

#include <memory>
#include <mutex>

namespace stiction::supernodal {

/// Entries of S = L^-1 as SparseInverse would store them.
double inverse_entries(const Pattern& pattern);

/// OperatorKind::automatic. S has no fewer entries than L, so that solve() never gains by it; a column of S that is
/// there is a copy, one that is not costs all entries of L on its path.
class AutomaticOperator final : public FactoredOperator {
public:
    /// @param most_entries  of S that are made at all
    explicit AutomaticOperator(Factor factor, double most_entries = most_automatic_entries);

    Factor factor() const { return solves_.factor(); }
    Index size() const override { return solves_.size(); }
    void solve(const double* right_hand_side, double* solution) const override {
        solves_.solve(right_hand_side, solution);
    }
    void solve_first_half(const double* right_hand_side, double* half) const override {
        solves_.solve_first_half(right_hand_side, half);
    }
    void solve_second_half(const double* half, double* solution) const override {
        solves_.solve_second_half(half, solution);
    }
    void find_part(const std::vector<Index>& unknowns, OperatorPart& part) const override {
        solves_.find_part(unknowns, part);
    }
    void solve_part(const OperatorPart& part, const double* right_hand_side, double* solution) const override {
        solves_.solve_part(part, right_hand_side, solution);
    }
    Index position(Index unknown) const override { return solves_.position(unknown); }
    void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const override;
    std::size_t bytes() const override { return solves_.bytes() + (products_ ? products_->bytes() : 0); }
    double entries() const override { return solves_.entries(); }

private:
    TriangularSolves solves_;
    bool makes_inverse_;
    mutable std::once_flag once_;
    mutable std::unique_ptr<InverseProducts> products_;
};

}  // namespace stiction::supernodal
