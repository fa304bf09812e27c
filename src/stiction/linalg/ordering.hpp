// Fill-reducing elimination orders.
#pragma once

#include "stiction/linalg/block_pattern.hpp"

#include <memory>

namespace stiction {

/// Nested dissection (METIS) of the graph of nodes, one connected component after the other. A function of the pattern
/// alone: the same on every call and for every number of threads.
/// @return order[k] = the node eliminated at position k, a permutation of [0, nodes)
std::vector<Index> nested_dissection(const BlockPattern& pattern);

/// Measure of the work of a Cholesky factor in this order: squared numbers of blocks of the columns of L, summed.
double elimination_work(const BlockPattern& pattern, const std::vector<Index>& order);

/// An elimination order, and elimination_work() of the pattern that it was made for.
struct EliminationOrder {
    std::vector<Index> nodes;  ///< nodes[k] is eliminated at position k
    double work = 0.0;

    bool operator==(const EliminationOrder&) const = default;
};

/// That of nested_dissection().
EliminationOrder dissected_order(const BlockPattern& pattern);

/// Elimination orders of a matrix whose pattern changes now and then. A dissection takes as long as a factorisation or
/// two, and an order made for another pattern often loses little. It is kept until what its factorisations have lost is
/// worth a dissection. Work that a new order would have, too, counts as lost: it is not known without one.
class KeptOrder {
public:
    /// Begins anew. The next pattern takes this order, unless it loses too much; null: none.
    /// @return whether the present order is this one and stays
    bool start(std::shared_ptr<const EliminationOrder> first);
    /// The order for a pattern, from now on the present one.
    const std::vector<Index>& next(const BlockPattern& pattern);
    /// Call it after each factorisation in the present order.
    void count_factorization() { lost_ += loss_; }
    /// Whether the present pattern should get a new order.
    bool is_due() const { return loss_ > 0.0 && is_worth_a_dissection(); }

private:
    /// With the factorisation to come.
    bool is_worth_a_dissection() const;

    std::shared_ptr<const EliminationOrder> order_;
    double loss_ = 0.0;  ///< of a factorisation of the present pattern
    double lost_ = 0.0;  ///< by factorisations so far
};

}  // namespace stiction
