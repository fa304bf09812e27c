#include "stiction/fem/elasticity.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/fem/marked_vertices.hpp"
#include "stiction/materials/extrapolated.hpp"
#include "stiction/materials/isotropic.hpp"
#include "stiction/math/compensated_sum.hpp"

namespace stiction {
namespace {

/// Calls body(law_of), where law_of(e) is the law of element e with its moduli.
template <class Body>
decltype(auto) with_laws(const TetElements& elements, const Body& body) {
    if (elements.law == MaterialLaw::sum) return body([&](std::size_t) { return HyperelasticSum{elements.terms}; });
    return visit_law(elements.law, elements.extrapolate_below, [&](const auto& make) -> decltype(auto) {
        return body([&](std::size_t e) { return make({elements.mu[e], elements.lambda[e]}); });
    });
}

template <class LawOf>
double energy_of(const TetElements& elements, const LawOf& law_of, std::size_t e, const VecX& x) {
    return elements.volume[e] * energy_density(law_of(e), deformation_gradient(elements, e, x));
}

/// Block (a, b) of B^T (dP/dF) B in principal axes, before the left rotation: ga and gb are shape gradients times V.
Mat3 principal_block(const PrincipalHessian& hessian, const Vec3& alpha, const Vec3& beta, const Vec3& ga,
                     const Vec3& gb) {
    Mat3 block;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        block(k, k) = hessian.scaling(k, k) * ga[k] * gb[k] + alpha[j] * ga[i] * gb[i] + alpha[i] * ga[j] * gb[j];
        block(i, j) = hessian.scaling(i, j) * ga[i] * gb[j] + beta[k] * ga[j] * gb[i];
        block(j, i) = hessian.scaling(j, i) * ga[j] * gb[i] + beta[k] * ga[i] * gb[j];
    }
    return block;
}

/// volume * B^T (dP/dF) B. Six 3x3 blocks are computed in principal axes and turned; corner 0 follows from the sum of
/// all shape functions being one.
void assemble_element(const PrincipalHessian& hessian, const Mat3& rest_inverse, double volume, Mat12& out) {
    const Mat3 shape_gradients = (rest_inverse * hessian.V).transpose();  // column a: corner a + 1
    const Mat3 U = std::sqrt(volume) * hessian.U;
    const Vec3 alpha = direct_factors(hessian), beta = crossed_factors(hessian);
    for (int a = 0; a < 3; ++a) {
        for (int b = a; b < 3; ++b) {
            const Mat3 half = U * principal_block(hessian, alpha, beta, shape_gradients.col(a), shape_gradients.col(b));
            Mat3 block = half * U.transpose();
            if (a == b) block = Mat3(0.5 * (block + block.transpose()));  // symmetric to the last bit
            out.block<3, 3>(3 * a + 3, 3 * b + 3) = block;
            if (a != b) out.block<3, 3>(3 * b + 3, 3 * a + 3) = block.transpose();
        }
    }
    for (int b = 1; b < 4; ++b) {
        const Mat3 block = -(out.block<3, 3>(3, 3 * b) + out.block<3, 3>(6, 3 * b) + out.block<3, 3>(9, 3 * b));
        out.block<3, 3>(0, 3 * b) = block;
        out.block<3, 3>(3 * b, 0) = block.transpose();
    }
    const Mat3 block = -(out.block<3, 3>(0, 3) + out.block<3, 3>(0, 6) + out.block<3, 3>(0, 9));
    out.block<3, 3>(0, 0) = 0.5 * (block + block.transpose());
}

}  // namespace

void element_energies(const TetElements& elements, const VecX& x, std::vector<double>& out,
                      const std::vector<char>& marked) {
    out.resize(elements.size());
    with_laws(elements, [&](const auto& law_of) {
        parallel_for(elements.size(), [&](std::size_t e) {
            out[e] = any_marked(elements.vertices[e], marked) ? energy_of(elements, law_of, e, x) : 0.0;
        });
    });
}

double elastic_energy(const TetElements& elements, const VecX& x) {
    return with_laws(elements, [&](const auto& law_of) {
        const auto energy = [&](std::size_t e) { return energy_of(elements, law_of, e, x); };
        return parallel_sum(elements.size(), CompensatedSum(), energy).value();
    });
}

void element_gradients(const TetElements& elements, const VecX& x, std::vector<Vec12>& out,
                       const std::vector<char>& marked) {
    out.resize(elements.size());
    with_laws(elements, [&](const auto& law_of) {
        parallel_for(elements.size(), [&](std::size_t e) {
            if (!any_marked(elements.vertices[e], marked)) {
                out[e].setZero();
                return;
            }
            const Mat3 P = first_piola(law_of(e), deformation_gradient(elements, e, x));
            const Mat3 corners =
                elements.volume[e] * P * elements.rest_inverse[e].transpose();  // columns: corners 1 to 3
            for (int a = 0; a < 3; ++a) out[e].template segment<3>(3 * a + 3) = corners.col(a);
            out[e].template head<3>() = -corners.rowwise().sum();
        });
    });
}

void element_hessians(const TetElements& elements, const VecX& x, bool project, std::vector<Mat12>& out) {
    out.resize(elements.size());
    element_hessians(elements, x, project, 0, elements.size(), out.data());
}

void element_hessians(const TetElements& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                      Mat12* out) {
    with_laws(elements, [&](const auto& law_of) {
        parallel_for(end - begin, [&](std::size_t i) {
            const std::size_t e = begin + i;
            PrincipalHessian hessian = principal_hessian(law_of(e), deformation_gradient(elements, e, x));
            if (project) project_psd(hessian);
            assemble_element(hessian, elements.rest_inverse[e], elements.volume[e], out[i]);
        });
    });
}

Mat3 cauchy_stress(const TetElements& elements, std::size_t e, const VecX& x) {
    return with_laws(elements, [&](const auto& law_of) {
        const Mat3 F = deformation_gradient(elements, e, x);
        const Mat3 sigma = first_piola(law_of(e), F) * F.transpose() / F.determinant();
        return Mat3(0.5 * (sigma + sigma.transpose()));
    });
}

}  // namespace stiction
