// Anderson acceleration of a fixed-point iteration.
#pragma once

#include "stiction/base/types.hpp"

#include <deque>

namespace stiction::mlcp {

/// Anderson acceleration of x = g(x) (Walker and Ni 2011): combines the last pairs of x and g(x) so that |g - x| is
/// least. For an affine g this is GMRES; it converges where the plain iteration does not contract.
class AndersonAcceleration {
public:
    /// @param depth    number of pairs in the history
    /// @param damping  step length from x toward g(x)
    AndersonAcceleration(std::size_t depth, double damping) : depth_(depth), damping_(damping) {}

    /// Clears the history; needed when the map changes.
    void clear() { history_.clear(); }
    /// The next x. x and g have the size of the last ones, or clear() was called. Clears the history when |g - x| has
    /// grown by a factor of ten.
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
