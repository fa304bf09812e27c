// FactoredOperator that keeps L.
#pragma once

#include "stiction/linalg/factored_operator.hpp"
#include "stiction/linalg/supernodal/packed_factor.hpp"
#include "stiction/linalg/supernodal/schedule.hpp"

namespace stiction::supernodal {

/// solve() walks the tree of supernodes up and down; append_half_column() substitutes along the path from the unknown
/// to the root.
class TriangularSolves final : public FactoredOperator {
public:
    explicit TriangularSolves(Factor factor);

    const Pattern& pattern() const { return pattern_; }
    /// L, made anew from how it is kept.
    Factor factor() const { return packed_.unpack(pattern_); }
    bool single_precision() const { return packed_.single_precision(); }
    Index size() const override { return pattern_.unknowns; }
    void solve(const double* right_hand_side, double* solution) const override;
    void solve_first_half(const double* right_hand_side, double* half) const override;
    void solve_second_half(const double* half, double* solution) const override;
    void find_part(const std::vector<Index>& unknowns, OperatorPart& part) const override;
    void solve_part(const OperatorPart& part, const double* right_hand_side, double* solution) const override;
    Index position(Index unknown) const override { return pattern_.position[unknown]; }
    void append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const override;
    std::size_t bytes() const override;
    double entries() const override { return static_cast<double>(pattern_.value_begin.back()); }

private:
    /// Numbers of a row of three columns: a zero stands behind them, for SIMD.
    static constexpr std::size_t row_size = 4;

    void make_children();
    void make_targets();
    void make_fronts();
    template <class Needed>
    void forward_all(const Needed& needed, const double* right_hand_side) const;
    template <class Needed>
    void backward_all(const Needed& needed, double* solution) const;
    void take_right_hand_side(Index begin, Index end, const double* right_hand_side) const;
    void clear_buffer(std::size_t s) const;
    void add_buffer(std::size_t child, std::size_t parent) const;
    double* load_own_rows(std::size_t s) const;
    void store_own_rows(std::size_t s) const;
    void forward(std::size_t s) const;
    void backward(std::size_t s, double* solution) const;
    double* row(std::size_t index) const { return rows_.data() + row_size * index; }
    double* own_rows(std::size_t s) const { return row(static_cast<std::size_t>(pattern_.column_begin[s])); }

    Pattern pattern_;
    PackedFactor packed_;
    Schedule schedule_;
    std::vector<std::size_t> children_begin_;
    std::vector<Index> children_;
    /// Of every row below a supernode, as `Pattern::rows`: the row of rows_ that its forward substitution changes.
    /// Within a subtree of the schedule it is the row of that position. All that leaves a subtree, or a supernode above
    /// them, goes to a buffer of its own, which the parent adds: no two that run at the same time write to one row.
    std::vector<Index> targets_;
    std::vector<Index> buffer_;          ///< of a supernode that has one: its first row in rows_; else -1
    mutable AlignedArray<double> rows_;  ///< of row_size: of all positions, then the buffers
    /// Of every supernode: where its front is in fronts_ while it is eliminated. Those of a subtree share a place.
    std::vector<std::size_t> front_begin_;
    mutable AlignedArray<double> fronts_;
};

}  // namespace stiction::supernodal
