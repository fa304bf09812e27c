// FactoredOperator that keeps L.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/linalg/supernodal/factor.hpp"
#include "stiction/linalg/supernodal/schedule.hpp"

namespace stiction::supernodal {

/// solve() walks the tree of supernodes up and down; append_half_column() substitutes along the path from the unknown
/// to the root.
class TriangularSolves final : public FactoredOperator {
public:
    explicit TriangularSolves(Factor factor);

    const Factor& factor() const { return factor_; }
    Index size() const override { return factor_.pattern.unknowns; }
    void solve(const double* right_hand_side, double* solution) const override;
    void solve_first_half(const double* right_hand_side, double* half) const override;
    void solve_second_half(const double* half, double* solution) const override;
    void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const override;
    std::size_t bytes() const override;
    double entries() const override { return static_cast<double>(factor_.values.size()); }

private:
    void forward(std::size_t s, const double* right_hand_side) const;
    void backward(std::size_t s, double* solution) const;
    void store_half(std::size_t s, double* half) const;
    void load_half(std::size_t s, const double* half) const;
    /// Three columns of a front, one after the other.
    double* front(std::size_t s) const { return fronts_.data() + 3 * factor_.pattern.front_begin(s); }

    Factor factor_;
    Schedule schedule_;
    std::vector<std::size_t> children_begin_;
    std::vector<Index> children_;
    mutable std::vector<double> fronts_;
};

}  // namespace stiction::supernodal
