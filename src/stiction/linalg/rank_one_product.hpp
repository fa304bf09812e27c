// A sparse matrix together with its rank-one terms, as iterative solvers multiply with it.
#pragma once

#include "stiction/linalg/low_rank_update.hpp"

namespace stiction {

/// y = (S + sum of the terms) x. Both are kept by reference.
/// @tparam Sparse  a matrix with multiply(x, y): BlockSystem, GeneralBlockSystem
template <class Sparse>
struct RankOneProduct {
    const Sparse& sparse;
    const LowRankUpdate& rank_one;
    void multiply(const VecX& x, VecX& y) const {
        sparse.multiply(x, y);
        rank_one.add_product(x, y);
    }
};

}  // namespace stiction
