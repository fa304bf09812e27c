// Iterative refinement of a direct solution.
#pragma once

#include "stiction/linalg/vector_ops.hpp"

namespace stiction {

/// Improves x, the solution of A x = b by a factor that need not be exact or up to date, against the present A; stops
/// early when a step no longer helps, and keeps the best x (Higham, Accuracy and Stability of Numerical Algorithms,
/// section 12.1).
/// @param system  has `void multiply(const VecX&, VecX&) const` and `void solve(const VecX&, VecX&)`
/// @return |b - A x| / |b| in the Euclidean norm of the x that is returned (0 when b is zero)
template <class System>
double refine_solution(System& system, const VecX& b, VecX& x, int steps) {
    const double length = norm(b);
    if (length == 0.0) return 0.0;
    const auto residual = [&](const VecX& at, VecX& r) {
        system.multiply(at, r);
        r = b - r;
        return norm(r);
    };
    VecX r, correction, candidate, next_r;
    double best = residual(x, r);
    for (int k = 0; k < steps && best > 0.0; ++k) {
        system.solve(r, correction);
        candidate = x + correction;
        const double next = residual(candidate, next_r);
        if (!(next < best)) break;
        x.swap(candidate);
        r.swap(next_r);
        best = next;
    }
    return best / length;
}

}  // namespace stiction
