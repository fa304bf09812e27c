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

}  // namespace stiction
