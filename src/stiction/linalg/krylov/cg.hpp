// Preconditioned conjugate gradients.
#pragma once

#include "stiction/linalg/vector_ops.hpp"

#include <functional>

namespace stiction {

struct CgOptions {
    double tolerance = 1e-8;  ///< stop when |r| <= tolerance |b|, Euclidean norms, r by recurrence
    int max_iterations = 1000;
    /// Asked in every iteration with the number of those before; false: the end is `stopped`. Empty: goes on.
    std::function<bool(int iterations)> go_on = {};
};

struct CgResult {
    enum class End { converged, iteration_limit, not_positive_definite, stopped };
    End end = End::iteration_limit;
    int iterations = 0;
    double relative_residual = 0.0;  ///< |b - A x| / |b|, computed anew from the x returned; 0 when b is zero
};

/// Solves A x = b for symmetric positive definite A and preconditioner M (Hestenes and Stiefel 1952; Saad, Iterative
/// Methods for Sparse Linear Systems, algorithm 9.1).
/// @param A  has `void multiply(const VecX& x, VecX& y) const`: y = A x
/// @param M  has `void apply(const VecX& r, VecX& z) const`: z = M^-1 r
/// @param x  initial guess on entry (size of b), solution on return; the last iterate if the end is not `converged`
template <class Operator, class Preconditioner>
CgResult conjugate_gradient(const Operator& A, const Preconditioner& M, const VecX& b, VecX& x,
                            const CgOptions& options = {}) {
    CgResult result;
    const double length = norm(b);
    if (length == 0.0) {
        x.setZero(b.size());
        result.end = CgResult::End::converged;
        return result;
    }
    VecX r, z, p, Ap;
    A.multiply(x, Ap);
    r = b - Ap;
    M.apply(r, z);
    p = z;
    double rz = dot(r, z);
    for (; norm(r) > options.tolerance * length; ++result.iterations) {
        if (result.iterations == options.max_iterations) break;
        if (options.go_on && !options.go_on(result.iterations)) {
            result.end = CgResult::End::stopped;
            break;
        }
        A.multiply(p, Ap);
        const double curvature = dot(p, Ap);
        if (!(curvature > 0.0) || !(rz > 0.0)) {  // false for NaN too
            result.end = CgResult::End::not_positive_definite;
            break;
        }
        const double alpha = rz / curvature;
        x += alpha * p;
        r -= alpha * Ap;
        M.apply(r, z);
        const double next_rz = dot(r, z);
        p = z + (next_rz / rz) * p;
        rz = next_rz;
    }
    if (norm(r) <= options.tolerance * length) result.end = CgResult::End::converged;
    A.multiply(x, Ap);
    r = b - Ap;
    result.relative_residual = norm(r) / length;
    return result;
}

/// M = I, for plain conjugate gradients.
struct IdentityPreconditioner {
    void apply(const VecX& r, VecX& z) const { z = r; }
};

}  // namespace stiction
