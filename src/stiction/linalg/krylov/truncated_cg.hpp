// Conjugate gradients for a Newton direction where the matrix need not be positive definite.
#pragma once

#include "stiction/linalg/vector_ops.hpp"

namespace stiction {

struct TruncatedCgOptions {
    double tolerance = 0.1;  ///< stop when |r| <= tolerance |b| in the norm of M^-1
    int max_iterations = 10;
    double min_curvature =
        1e-2;  ///< curvature along a direction, relative to that of M, below which it counts as negative
};

struct TruncatedCgResult {
    enum class End { converged, iteration_limit, negative_curvature };
    End end = End::iteration_limit;
    int iterations = 0;  ///< products with A that went into x
};

/// Minimises x.A x / 2 - b.x by conjugate gradients from zero until A curves too little along a direction (Steihaug
/// 1983, without his trust region; Nocedal and Wright, Numerical Optimization, algorithm 7.1). x.b > 0 whatever A is:
/// with b = -g, x is a direction of descent. Where already the first direction M^-1 b fails, x is that direction at the
/// length that M gives it.
/// @param A  symmetric; has `void multiply(const VecX& x, VecX& y) const`: y = A x
/// @param M  symmetric positive definite; callable as `void(const VecX& r, VecX& z)`: z = M^-1 r
/// @param first  null, or a direction with first.b > 0 that comes before M^-1 b: for a rough M, the solution of a
/// system
///               that is near. All later directions are conjugate to it (Erhel and Guyomarc'h, SIAM J. Matrix Anal.
///               Appl. 21, 2000). Where A curves along it by less than min_curvature times first.b, x is `first`.
template <class Operator, class Preconditioner>
TruncatedCgResult truncated_conjugate_gradient(const Operator& A, const Preconditioner& M, const VecX& b, VecX& x,
                                               const TruncatedCgOptions& options = {}, const VecX* first = nullptr) {
    TruncatedCgResult result;
    x.setZero(b.size());
    VecX r = b, z, Ad;
    M(r, z);
    double rz = dot(r, z);
    if (rz == 0.0) {
        result.end = TruncatedCgResult::End::converged;
        return result;
    }
    const double enough = options.tolerance * options.tolerance * rz;
    VecX A_first;
    double first_curvature = 0.0;
    const auto conjugate_to_first = [&](VecX& direction) {
        if (first) direction -= (dot(z, A_first) / first_curvature) * *first;
    };
    if (first) {
        A.multiply(*first, A_first);
        first_curvature = dot(*first, A_first);
        const double descent = dot(b, *first);
        if (!(first_curvature > options.min_curvature * descent)) {  // true for NaN
            x = *first;
            result.end = TruncatedCgResult::End::negative_curvature;
            return result;
        }
        x = (descent / first_curvature) * *first;
        r -= (descent / first_curvature) * A_first;
        ++result.iterations;
        M(r, z);
        rz = dot(r, z);
        if (rz <= enough) {
            result.end = TruncatedCgResult::End::converged;
            return result;
        }
    }
    VecX d = z;
    conjugate_to_first(d);
    double model_curvature = rz;  // d.M d, by recurrence: directions are conjugate, residuals orthogonal in M^-1
    while (result.iterations < options.max_iterations && rz > 0.0) {
        A.multiply(d, Ad);
        const double curvature = dot(d, Ad);
        if (!(curvature > options.min_curvature * model_curvature)) {  // true for NaN
            if (result.iterations == 0) x = d;
            result.end = TruncatedCgResult::End::negative_curvature;
            return result;
        }
        const double alpha = rz / curvature;
        x += alpha * d;
        r -= alpha * Ad;
        ++result.iterations;
        M(r, z);
        const double next = dot(r, z);
        if (!(next >= 0.0)) {  // true for NaN: M is not positive definite
            result.end = TruncatedCgResult::End::negative_curvature;
            return result;
        }
        if (next <= enough) {
            result.end = TruncatedCgResult::End::converged;
            return result;
        }
        const double beta = next / rz;
        d = z + beta * d;
        conjugate_to_first(d);
        model_curvature = next + beta * beta * model_curvature;
        rz = next;
    }
    return result;
}

}  // namespace stiction
