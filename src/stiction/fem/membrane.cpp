#include "stiction/fem/membrane.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/materials/membrane_isotropic.hpp"
#include "stiction/math/compensated_sum.hpp"
#include "stiction/mesh/marked_vertices.hpp"

namespace stiction {
namespace {

template <class Law>
Law law_of(const TriangleElements& elements, std::size_t e) {
    return Law::from_lame({elements.mu[e], elements.lambda[e]});
}

double rest_volume(const TriangleElements& elements, std::size_t e) {
    return elements.thickness[e] * elements.area[e];
}

template <class Law>
double energy_of(const TriangleElements& elements, std::size_t e, const VecX& x) {
    return rest_volume(elements, e) * membrane_energy_density(law_of<Law>(elements, e), elements.strain_limit[e],
                                                              deformation_gradient(elements, e, x));
}

/// Block (a, b) of B^T (dP/dF) B in principal axes, before the left rotation: ga and gb are turned shape gradients.
Mat3 principal_block(const MembraneHessian& hessian, const Vec2& ga, const Vec2& gb) {
    const double alpha = 0.5 * (hessian.flip + hessian.twist), beta = 0.5 * (hessian.flip - hessian.twist);
    Mat3 block = Mat3::Zero();
    for (int i = 0; i < 2; ++i) {
        const int j = 1 - i;
        block(i, i) = hessian.scaling(i, i) * ga[i] * gb[i] + alpha * ga[j] * gb[j];
        block(i, j) = hessian.scaling(i, j) * ga[i] * gb[j] + beta * ga[j] * gb[i];
    }
    block(2, 2) = hessian.normal[0] * ga[0] * gb[0] + hessian.normal[1] * ga[1] * gb[1];
    return block;
}

/// volume * B^T (dP/dF) B. Three 3x3 blocks are computed in principal axes and turned; corner 0 follows from the sum of
/// all shape functions being one.
void assemble_element(const MembraneHessian& hessian, const Mat2& rest_inverse, double volume, Mat9& out) {
    const Mat2 shape_gradients = (rest_inverse * hessian.V).transpose();  // column a: corner a + 1
    const auto turned = [&](int a, int b) -> Mat3 {
        const Mat3 half = volume * hessian.U * principal_block(hessian, shape_gradients.col(a), shape_gradients.col(b));
        return half * hessian.U.transpose();
    };
    const auto symmetric = [](const Mat3& block) -> Mat3 { return 0.5 * (block + block.transpose()); };
    const Mat3 H11 = symmetric(turned(0, 0)), H22 = symmetric(turned(1, 1)), H12 = turned(0, 1);
    const Mat3 H01 = -(H11 + H12.transpose()), H02 = -(H12 + H22);
    out.block<3, 3>(0, 0) = symmetric(-(H01 + H02));
    out.block<3, 3>(3, 3) = H11;
    out.block<3, 3>(6, 6) = H22;
    out.block<3, 3>(0, 3) = H01;
    out.block<3, 3>(3, 0) = H01.transpose();
    out.block<3, 3>(0, 6) = H02;
    out.block<3, 3>(6, 0) = H02.transpose();
    out.block<3, 3>(3, 6) = H12;
    out.block<3, 3>(6, 3) = H12.transpose();
}

/// Gives store(i, hessian) for element begin + i.
template <class Store>
void hessians_of(const TriangleElements& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                 const Store& store) {
    visit_membrane_law(elements.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        parallel_for(end - begin, [&](std::size_t i) {
            const std::size_t e = begin + i;
            MembraneHessian hessian = membrane_hessian(law_of<Law>(elements, e), elements.strain_limit[e],
                                                       deformation_gradient(elements, e, x));
            if (project) project_psd(hessian);
            Mat9 assembled;
            assemble_element(hessian, elements.rest_inverse[e], rest_volume(elements, e), assembled);
            store(i, assembled);
        });
    });
}

}  // namespace

void membrane_energies(const TriangleElements& elements, const VecX& x, std::vector<double>& out) {
    out.resize(elements.size());
    visit_membrane_law(elements.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        parallel_for(elements.size(), [&](std::size_t e) { out[e] = energy_of<Law>(elements, e, x); });
    });
}

double membrane_energy(const TriangleElements& elements, const VecX& x) {
    return visit_membrane_law(elements.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        const auto energy = [&](std::size_t e) { return energy_of<Law>(elements, e, x); };
        return parallel_sum(elements.size(), CompensatedSum(), energy).value();
    });
}

void membrane_gradients(const TriangleElements& elements, const VecX& x, std::vector<Vec9>& out,
                        const std::vector<char>& marked) {
    out.resize(elements.size());
    visit_membrane_law(elements.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        parallel_for(elements.size(), [&](std::size_t e) {
            if (!any_marked(elements.vertices[e], marked)) {
                out[e].setZero();
                return;
            }
            const Mat32 P = membrane_stress(law_of<Law>(elements, e), elements.strain_limit[e],
                                            deformation_gradient(elements, e, x));
            const Mat32 corners = rest_volume(elements, e) * P * elements.rest_inverse[e].transpose();
            out[e].template segment<3>(3) = corners.col(0);
            out[e].template segment<3>(6) = corners.col(1);
            out[e].template head<3>() = -corners.rowwise().sum();
        });
    });
}

void membrane_hessians(const TriangleElements& elements, const VecX& x, bool project, std::vector<Mat9>& out) {
    out.resize(elements.size());
    hessians_of(elements, x, project, 0, elements.size(),
                [&](std::size_t i, const Mat9& hessian) { out[i] = hessian; });
}

void membrane_hessians(const TriangleElements& elements, const VecX& x, bool project, std::size_t begin,
                       std::size_t end, Mat12* out) {
    hessians_of(elements, x, project, begin, end, [&](std::size_t i, const Mat9& hessian) {
        out[i].setZero();
        out[i].topLeftCorner<9, 9>() = hessian;
    });
}

Mat3 cauchy_stress(const TriangleElements& elements, std::size_t e, const VecX& x) {
    return visit_membrane_law(elements.law, [&](auto type) {
        using Law = typename decltype(type)::type;
        const Mat32 F = deformation_gradient(elements, e, x);
        const Mat32 P = membrane_stress(law_of<Law>(elements, e), elements.strain_limit[e], F);
        const Mat3 sigma = P * F.transpose() / sheet_svd(F).s.prod();
        return Mat3(0.5 * (sigma + sigma.transpose()));
    });
}

Vec2 principal_stretches(const TriangleElements& elements, std::size_t e, const VecX& x) {
    return sheet_svd(deformation_gradient(elements, e, x)).s;
}

}  // namespace stiction
