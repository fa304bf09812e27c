#include "stiction/fem/inversion.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/materials/stretches.hpp"
#include "stiction/math/cubic.hpp"
#include "stiction/mesh/marked_vertices.hpp"

namespace stiction {
namespace {

/// det(Ds + t Dp) / det(Ds) = 1 + c t + b t^2 + a t^3, by the mixed cofactors of both matrices.
double element_bound(const Mat3& Ds, const Mat3& Dp, double remaining_fraction) {
    const Mat3 cofactor_s = cofactor(Ds), cofactor_p = cofactor(Dp);
    const double volume = Ds.col(0).dot(cofactor_s.col(0));
    if (!(volume > 0.0)) return 0.0;
    const double c = cofactor_s.cwiseProduct(Dp).sum() / volume;
    const double b = cofactor_p.cwiseProduct(Ds).sum() / volume;
    const double a = Dp.col(0).dot(cofactor_p.col(0)) / volume;
    return smallest_positive_root(a, b, c, 1.0 - remaining_fraction, 1.0).value_or(1.0);
}

/// Coefficients of D(P + t dP, Q + t dQ, R + t dR) from t^0 to t^3.
std::array<double, 4> mixed_cubic(const Mat3& P, const Mat3& Q, const Mat3& R, const Mat3& dP, const Mat3& dQ,
                                  const Mat3& dR) {
    const Mat3 start = mixed_cofactor(P, Q), end = mixed_cofactor(dP, dQ),
               mixed = mixed_cofactor(P, dQ) + mixed_cofactor(dP, Q);
    const auto with = [](const Mat3& a, const Mat3& b) { return a.cwiseProduct(b).sum() / 6.0; };
    return {with(start, R), with(start, dR) + with(mixed, R), with(mixed, dR) + with(end, R), with(end, dR)};
}

double element_bound(const NodePositions& nodes, const NodePositions& step, double remaining_fraction) {
    const std::array<Mat3, 4> jacobians = corner_jacobians(nodes), change = corner_jacobians(step);
    double bound = 1.0;
    for (const auto& [a, b, c] : bernstein_corners()) {
        const auto [start, linear, quadratic, cubic] =
            mixed_cubic(jacobians[a], jacobians[b], jacobians[c], change[a], change[b], change[c]);
        if (!(start > 0.0)) return 0.0;
        bound =
            smallest_positive_root(cubic / start, quadratic / start, linear / start, 1.0 - remaining_fraction, bound)
                .value_or(bound);
        if (bound <= 0.0) return 0.0;
    }
    return bound;
}

}  // namespace

double inversion_step_bound(const TetElements& elements, const VecX& x, const VecX& p, double remaining_fraction,
                            const std::vector<char>& marked) {
    STICTION_CHECK(remaining_fraction > 0.0 && remaining_fraction < 1.0, "remaining fraction in (0, 1)");
    return parallel_min(elements.size(), 1.0, [&](std::size_t e) {
        if (!any_marked(elements.vertices[e], marked)) return 1.0;
        return element_bound(edge_matrix(elements.vertices[e], x), edge_matrix(elements.vertices[e], p),
                             remaining_fraction);
    });
}

double inversion_step_bound(const Tet10Elements& elements, const VecX& x, const VecX& p, double remaining_fraction,
                            const std::vector<char>& marked) {
    STICTION_CHECK(remaining_fraction > 0.0 && remaining_fraction < 1.0, "remaining fraction in (0, 1)");
    return parallel_min(elements.size(), 1.0, [&](std::size_t e) {
        if (!any_marked(elements.vertices[e], marked)) return 1.0;
        return element_bound(node_positions(elements.vertices[e], x), node_positions(elements.vertices[e], p),
                             remaining_fraction);
    });
}

}  // namespace stiction
