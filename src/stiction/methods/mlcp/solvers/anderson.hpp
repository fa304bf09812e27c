// Anderson's acceleration of a fixed-point iteration.
#pragma once

#include "stiction/base/types.hpp"

#include <deque>

namespace stiction::mlcp {

/// x = g(x) from a few of the last pairs of x and g(x): the combination of them with the least |g - x| (Walker and Ni
/// 2011). For an affine g this is GMRES: it converges where the plain iteration does not contract.
class AndersonAcceleration {
public:
    /// @param depth    pairs that are kept
    /// @param damping  part of the way from x to g(x) that is gone
    AndersonAcceleration(std::size_t depth, double damping) : depth_(depth), damping_(damping) {}

    /// Forgets all pairs: the map is another now.
    void clear() { history_.clear(); }
    /// The next x; x and g have the size of those before, or clear() was called. Forgets the pairs when |g - x| has
    /// grown by more than ten.
    VecX next(const VecX& x, const VecX& g);

private:
    struct Pair {
        VecX x, f;
    };
    std::size_t depth_;
    double damping_;
    std::deque<Pair> history_;
};

}  // namespace stiction::mlcp
