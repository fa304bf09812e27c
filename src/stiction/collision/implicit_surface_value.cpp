#include "stiction/collision/implicit_surface_value.hpp"

#include "stiction/base/error.hpp"

namespace stiction {

double implicit_weight_bend(double s, const ImplicitKernel& kernel) {
    if (s == 0.0) return 0.0;
    const double hermite = (1.0 - s) * (1.0 + 2.0 * s), width = kernel.smoothing + s * s;
    const double squared = kernel.radius * kernel.radius;
    return (6.0 * (1.0 - 4.0 * s) / (hermite * hermite * s) + 4.0 / (width * width)) / (squared * squared);
}

void evaluate_implicit(const ImplicitSurfaces& surfaces, const ImplicitStencil& stencil, const VecX& x,
                       ImplicitValue<double>& out) {
    evaluate_implicit(
        surfaces, stencil, [&](Index vertex) -> Vec3 { return x.segment<3>(3 * static_cast<Eigen::Index>(vertex)); },
        out);
}

namespace {

/// share times [Hess f + grad l grad f^T + grad f grad l^T + (f - psi) (Hess l + grad l grad l^T)] of one sample, with
/// l = ln w, on the query point (block 0) and the triangle's vertices. f depends on vertex a through c~_a = (1, -foot),
/// l through c_a = (1, -barycentric).
void add_term(const ImplicitTerm<double>& term, const SurfaceSample& sample, double psi, double bend,
              const std::array<Eigen::Index, 4>& rows, Eigen::MatrixXd& hessian) {
    const Vec3& n = term.normal;
    const Vec3& r = term.offset;
    const std::array<double, 4> moving{1.0, -term.foot[0], -term.foot[1], -term.foot[2]};
    const std::array<double, 4> fixed{1.0, -sample.barycentric[0], -sample.barycentric[1], -sample.barycentric[2]};
    const std::array<Vec3, 4> g{Vec3::Zero(), term.foot_slope[0], term.foot_slope[1], term.foot_slope[2]};
    const double excess = term.height - psi;
    const Mat3 curvature =
        excess * (term.slope * Mat3::Identity() + (bend + term.slope * term.slope) * r * r.transpose());
    const Mat3 rn = term.slope * r * n.transpose();
    const Mat3 nn = n * n.transpose();
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
            const Mat3 block = -moving[a] * g[b] * n.transpose() - moving[b] * n * g[a].transpose() -
                               term.height * g[a].dot(g[b]) * nn + fixed[a] * moving[b] * rn +
                               moving[a] * fixed[b] * rn.transpose() + fixed[a] * fixed[b] * curvature;
            hessian.block<3, 3>(rows[a], rows[b]) += term.share * block;
        }
    }
}

}  // namespace

void implicit_hessian(const ImplicitSurfaces& surfaces, const ImplicitStencil& stencil,
                      const ImplicitValue<double>& value, Eigen::MatrixXd& hessian) {
    STICTION_CHECK(value.active && value.gradient.size() == stencil.vertices.size(),
                   "the value belongs to the stencil and is active");
    const auto size = 3 * static_cast<Eigen::Index>(stencil.vertices.size());
    hessian.setZero(size, size);
    VecX weight_gradient = VecX::Zero(size);  // of ln sum w
    VecX gradient(size);
    for (std::size_t k = 0; k < value.gradient.size(); ++k)
        gradient.segment<3>(3 * static_cast<Eigen::Index>(k)) = value.gradient[k];
    for (const ImplicitTerm<double>& term : value.terms) {
        const StencilSample& member = stencil.samples[term.sample];
        const SurfaceSample& sample = surfaces.samples[static_cast<std::size_t>(member.sample)];
        const ImplicitKernel& kernel = surfaces.kernels[static_cast<std::size_t>(stencil.body)];
        const std::array<Eigen::Index, 4> rows{0, 3 * member.local[0], 3 * member.local[1], 3 * member.local[2]};
        add_term(term, sample, value.psi, implicit_weight_bend(term.s, kernel), rows, hessian);
        const Vec3 along = term.share * term.slope * term.offset;
        weight_gradient.head<3>() += along;
        for (std::size_t k = 0; k < 3; ++k)
            weight_gradient.segment<3>(rows[k + 1]) -= sample.barycentric[static_cast<Eigen::Index>(k)] * along;
    }
    hessian.noalias() -= weight_gradient * gradient.transpose();
    hessian.noalias() -= gradient * weight_gradient.transpose();
}

}  // namespace stiction
