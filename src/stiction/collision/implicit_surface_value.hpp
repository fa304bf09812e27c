// Value, gradient and Hessian of the implicit function of one stencil; value and gradient on any scalar.
#pragma once

#include "stiction/collision/implicit_surface.hpp"
#include "stiction/math/dual.hpp"

#include <Eigen/Geometry>

#include <vector>

namespace stiction {

/// The weight function of a sample at distance s R, with its derivatives. With l = ln w and r the vector
/// from the sample to the query point: grad l = slope r, Hess l = slope I + bend r r^T.
template <class Scalar>
struct ImplicitWeight {
    Scalar weight;
    Scalar slope;  ///< 1/m^2
};

/// w = t (1 - s)^2 (1 + 2 s) / (t + s^2) = t (2 s^3 - 3 s^2 + 1) / (t + s^2) for s < 1: 1 at the sample, zero with zero
/// slope at s = 1.
/// @param s in [0, 1)
template <class Scalar>
ImplicitWeight<Scalar> implicit_weight(const Scalar& s, const ImplicitKernel& kernel) {
    const double t = kernel.smoothing;
    const Scalar hermite = (1.0 - s) * (1.0 + 2.0 * s);  // the factor (1 - s) set apart does not cancel near s = 1
    const Scalar width = t + s * s;
    return {t * (1.0 - s) * hermite / width, -(6.0 / hermite + 2.0 / width) / (kernel.radius * kernel.radius)};
}
/// The coefficient of r r^T in the Hessian of ln w (1/m^4); 0 at s = 0, where the product with r r^T vanishes.
double implicit_weight_bend(double s, const ImplicitKernel& kernel);

/// The contribution of one sample at one configuration.
template <class Scalar>
struct ImplicitTerm {
    using Vector = Eigen::Matrix<Scalar, 3, 1>;
    std::size_t sample;                ///< place in the stencil
    Scalar s;                          ///< distance over R
    Scalar share;                      ///< w over the sum of all w
    Scalar slope;                      ///< ImplicitWeight::slope
    Scalar height;                     ///< f = n . (x - p) (m)
    Vector offset;                     ///< r = x - p (m)
    Vector normal;                     ///< unit normal n of the triangle
    std::array<Scalar, 3> foot;        ///< barycentric coordinates of the projection of x on the triangle's plane
    std::array<Vector, 3> foot_slope;  ///< their gradients (1/m), in the plane
};

/// psi = sum w_i n_i . (x - p_i) / sum w_i and its gradient. Vectors have one entry a vertex of the stencil. A reused
/// object allocates only for a larger stencil.
template <class Scalar>
struct ImplicitValue {
    using Vector = Eigen::Matrix<Scalar, 3, 1>;
    bool active = false;           ///< false: no sample within R, so no contact, and the other members are undefined
    Scalar psi{};                  ///< m; negative inside. About the signed distance near the surface
    std::vector<Vector> gradient;  ///< d psi / d vertex. Sums to zero, as does its moment about any point
    /// Weights of the relative motion of the vertex and the surface, sum_k weights[k] v_k: 1 for the vertex. The motion
    /// of the surface is that of its triangles at the projections of the vertex, blended with the weights of psi. They
    /// sum to zero.
    std::vector<Scalar> weights;
    std::vector<ImplicitTerm<Scalar>> terms;  ///< samples within R
};

namespace detail {

/// Fills all of a term but its share; `weight` is not yet divided by the sum. False if the sample lies beyond R or has
/// no normal.
template <class Scalar, class Positions>
bool make_implicit_term(const ImplicitSurfaces& surfaces, const StencilSample& member,
                        const Eigen::Matrix<Scalar, 3, 1>& x, const Positions& position, ImplicitTerm<Scalar>& term) {
    using std::sqrt;
    using Vector = Eigen::Matrix<Scalar, 3, 1>;
    const auto index = static_cast<std::size_t>(member.sample);
    const SurfaceSample& sample = surfaces.samples[index];
    const ImplicitKernel& kernel = surfaces.kernels[static_cast<std::size_t>(surfaces.body_of_sample[index])];
    const Triangle& triangle = surfaces.triangles[static_cast<std::size_t>(sample.triangle)];
    const std::array<Vector, 3> y{position(triangle[0]), position(triangle[1]), position(triangle[2])};

    const Vec3& b = sample.barycentric;
    term.offset = b[0] * (x - y[0]) + b[1] * (x - y[1]) + b[2] * (x - y[2]);
    const Scalar squared = term.offset.squaredNorm();
    // At the sample itself s has no derivative, but its factor is zero.
    term.s = squared == Scalar(0.0) ? Scalar(0.0) : Scalar(sqrt(squared) / kernel.radius);
    if (!(term.s < Scalar(1.0))) return false;

    const Vector area = (y[1] - y[0]).cross(y[2] - y[0]);
    const Scalar area_squared = area.squaredNorm();
    if (!(area_squared > Scalar(0.0))) return false;
    const Scalar twice_area = sqrt(area_squared);
    term.normal = area / twice_area;
    term.height = term.normal.dot(term.offset);
    for (std::size_t k = 0; k < 3; ++k) {
        term.foot_slope[k] = term.normal.cross(y[(k + 2) % 3] - y[(k + 1) % 3]) / twice_area;
        term.foot[k] = b[static_cast<Eigen::Index>(k)] + term.foot_slope[k].dot(term.offset);
    }
    const ImplicitWeight<Scalar> weight = implicit_weight(term.s, kernel);
    term.share = weight.weight;
    term.slope = weight.slope;
    return true;
}

}  // namespace detail

/// Evaluates a stencil. Samples beyond R and triangles without area are ignored.
/// @tparam Scalar    double, or a Dual for derivatives of psi, its gradient and the weights along given directions
/// @param position  Eigen::Matrix<Scalar, 3, 1>(Index vertex): position of a vertex of the world (m)
template <class Scalar, class Positions>
void evaluate_implicit(const ImplicitSurfaces& surfaces, const ImplicitStencil& stencil, const Positions& position,
                       ImplicitValue<Scalar>& out) {
    using Vector = Eigen::Matrix<Scalar, 3, 1>;
    const Vector x = position(stencil.vertices[0]);
    out.terms.clear();
    Scalar sum(0.0);
    for (std::size_t i = 0; i < stencil.samples.size(); ++i) {
        ImplicitTerm<Scalar> term;
        if (!detail::make_implicit_term(surfaces, stencil.samples[i], x, position, term)) continue;
        term.sample = i;
        sum += term.share;
        out.terms.push_back(term);
    }
    out.active = sum > Scalar(0.0);
    if (!out.active) return;

    out.psi = Scalar(0.0);
    for (ImplicitTerm<Scalar>& term : out.terms) {
        term.share /= sum;
        out.psi += term.share * term.height;
    }
    out.gradient.assign(stencil.vertices.size(), Vector::Constant(Scalar(0.0)));
    out.weights.assign(stencil.vertices.size(), Scalar(0.0));
    out.weights[0] = Scalar(1.0);
    for (const ImplicitTerm<Scalar>& term : out.terms) {
        const StencilSample& member = stencil.samples[term.sample];
        const Vec3& b = surfaces.samples[static_cast<std::size_t>(member.sample)].barycentric;
        const Vector along_normal = term.share * term.normal;
        const Vector along_offset = (term.share * (term.height - out.psi) * term.slope) * term.offset;
        out.gradient[0] += along_normal + along_offset;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto local = static_cast<std::size_t>(member.local[k]);
            out.gradient[local] -= term.foot[k] * along_normal + b[static_cast<Eigen::Index>(k)] * along_offset;
            out.weights[local] -= term.share * term.foot[k];
        }
    }
}

/// The same at stacked positions of all vertices of the world.
void evaluate_implicit(const ImplicitSurfaces& surfaces, const ImplicitStencil& stencil, const VecX& x,
                       ImplicitValue<double>& out);

/// Second derivatives of psi on the vertices of the stencil (1/m): symmetric, indefinite, exact wherever no sample lies
/// at s = R.
/// @param value    result of evaluate_implicit; must be active
/// @param hessian  out: square, three rows a vertex in the order of the stencil
void implicit_hessian(const ImplicitSurfaces& surfaces, const ImplicitStencil& stencil,
                      const ImplicitValue<double>& value, Eigen::MatrixXd& hessian);

}  // namespace stiction
