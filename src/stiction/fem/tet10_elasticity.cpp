#include "stiction/fem/tet10_elasticity.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/fem/element_laws.hpp"
#include "stiction/fem/inversion_barrier.hpp"
#include "stiction/fem/tet10_hessians.hpp"
#include "stiction/math/compensated_sum.hpp"
#include "stiction/math/signed_svds.hpp"
#include "stiction/mesh/marked_vertices.hpp"

#include <algorithm>
#include <limits>

namespace stiction {
namespace {

using PointGradients = std::array<Mat3, 4>;

PointGradients deformation_gradients(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes) {
    PointGradients F;
    for (std::size_t q = 0; q < F.size(); ++q) F[q] = nodes * elements.gradients[e][q].transpose();
    return F;
}

template <class LawOf>
double energy_of(const Tet10Elements& elements, const LawOf& law_of, std::size_t e, const VecX& x) {
    const NodePositions nodes = node_positions(elements.vertices[e], x);
    double sum = elements.invertible() ? 0.0 : inversion_barrier(elements, e, nodes);
    if (sum == std::numeric_limits<double>::infinity()) return sum;
    const PointGradients F = deformation_gradients(elements, e, nodes);
    for (std::size_t q = 0; q < F.size(); ++q) sum += elements.weight[e][q] * energy_density(law_of(e), F[q]);
    return sum;
}

template <class LawOf>
Vec30 gradient_of(const Tet10Elements& elements, const LawOf& law_of, std::size_t e, const VecX& x) {
    const NodePositions nodes = node_positions(elements.vertices[e], x);
    const PointGradients F = deformation_gradients(elements, e, nodes);
    PointGradients P;
    if constexpr (is_direct<LawOf>) {
        for (std::size_t q = 0; q < F.size(); ++q) P[q] = first_piola(law_of(e), F[q]);
    } else {
        std::array<SignedSvd, 4> svds;
        signed_svds(F.data(), F.size(), svds.data());
        for (std::size_t q = 0; q < F.size(); ++q) P[q] = stress_of_stretches(law_of(e), svds[q]);
    }
    NodePositions forces = NodePositions::Zero();
    for (std::size_t q = 0; q < F.size(); ++q) forces += (elements.weight[e][q] * P[q]) * elements.gradients[e][q];
    Vec30 result = forces.reshaped();
    if (!elements.invertible()) add_inversion_barrier_gradient(elements, e, nodes, result);
    return result;
}

template <class LawOf>
PointStiffness stiffness_of(const Tet10Elements& elements, const LawOf& law_of, std::size_t e,
                            const NodePositions& nodes, bool project) {
    const PointGradients F = deformation_gradients(elements, e, nodes);
    std::array<SignedSvd, 4> svds;
    constexpr bool by_stretches = has_stretch_hessian<decltype(law_of(std::size_t{}))>;
    if constexpr (by_stretches) signed_svds(F.data(), F.size(), svds.data());
    PointStiffness result;
    for (std::size_t q = 0; q < F.size(); ++q) {
        PrincipalHessian hessian;
        if constexpr (by_stretches)
            hessian = hessian_of_stretches(law_of(e), svds[q]);
        else
            hessian = principal_hessian(law_of(e), F[q]);
        if (project) project_psd(hessian);
        result[q] = elements.weight[e][q] * expand(hessian);
    }
    return result;
}

/// Elements that share the registers of the kernel.
constexpr std::size_t elements_at_once = 4;

/// Hessians of the elements that element(0) to element(count - 1) number.
template <class ElementOf>
void hessians_of(const Tet10Elements& elements, const VecX& x, bool project, const ElementOf& element,
                 std::size_t count, Mat30* out) {
    with_laws(elements, [&](const auto& law_of) {
        parallel_for((count + elements_at_once - 1) / elements_at_once, [&](std::size_t batch) {
            const std::size_t first = batch * elements_at_once, some = std::min(elements_at_once, count - first);
            std::array<PointStiffness, elements_at_once> stiffness;
            std::array<const std::array<Tet10Elements::Gradients, 4>*, elements_at_once> gradients;
            for (std::size_t k = 0; k < some; ++k) {
                const std::size_t e = element(first + k);
                gradients[k] = &elements.gradients[e];
                stiffness[k] = stiffness_of(elements, law_of, e, node_positions(elements.vertices[e], x), project);
            }
            assemble_tet10_hessians(stiffness.data(), gradients.data(), some, out + first);
            for (std::size_t k = 0; k < some && !elements.invertible(); ++k) {
                const std::size_t e = element(first + k);
                add_inversion_barrier_hessian(elements, e, node_positions(elements.vertices[e], x), project,
                                              out[first + k]);
            }
        });
    });
}

}  // namespace

void element_energies(const Tet10Elements& elements, const VecX& x, std::vector<double>& out,
                      const std::vector<char>& marked) {
    out.resize(elements.size());
    with_laws(elements, [&](const auto& law_of) {
        parallel_for(elements.size(), [&](std::size_t e) {
            out[e] = any_marked(elements.vertices[e], marked) ? energy_of(elements, law_of, e, x) : 0.0;
        });
    });
}

double elastic_energy(const Tet10Elements& elements, const VecX& x) {
    return with_laws(elements, [&](const auto& law_of) {
        const auto energy = [&](std::size_t e) { return energy_of(elements, law_of, e, x); };
        return parallel_sum(elements.size(), CompensatedSum(), energy).value();
    });
}

void element_gradients(const Tet10Elements& elements, const VecX& x, std::vector<Vec30>& out,
                       const std::vector<char>& marked) {
    out.resize(elements.size());
    with_laws(elements, [&](const auto& law_of) {
        parallel_for(elements.size(), [&](std::size_t e) {
            if (any_marked(elements.vertices[e], marked))
                out[e] = gradient_of(elements, law_of, e, x);
            else
                out[e].setZero();
        });
    });
}

void element_hessians(const Tet10Elements& elements, const VecX& x, bool project, std::vector<Mat30>& out) {
    out.resize(elements.size());
    hessians_of(
        elements, x, project, [](std::size_t e) { return e; }, elements.size(), out.data());
}

void element_hessians(const Tet10Elements& elements, const VecX& x, bool project, std::span<const Index> chosen,
                      Mat30* out) {
    hessians_of(
        elements, x, project, [&](std::size_t k) { return at(chosen[k]); }, chosen.size(), out);
}

namespace {

Mat3 stress_of(const Tet10Elements& elements, std::size_t e, const Mat3& F) {
    return with_laws(elements, [&](const auto& law_of) {
        const Mat3 sigma = first_piola(law_of(e), F) * F.transpose() / F.determinant();
        return Mat3(0.5 * (sigma + sigma.transpose()));
    });
}

}  // namespace

Mat3 cauchy_stress(const Tet10Elements& elements, std::size_t e, std::size_t point, const VecX& x) {
    return stress_of(elements, e, deformation_gradient(elements, e, point, x));
}

Mat3 corner_stress(const Tet10Elements& elements, std::size_t e, std::size_t corner, const VecX& x) {
    return stress_of(elements, e, corner_deformation_gradient(elements, e, corner, x));
}

Mat3 mean_stress(const Tet10Elements& elements, std::size_t e, const VecX& x) {
    Mat3 sum = Mat3::Zero();
    double weights = 0.0;
    for (std::size_t q = 0; q < 4; ++q) {
        sum += elements.weight[e][q] * cauchy_stress(elements, e, q, x);
        weights += elements.weight[e][q];
    }
    return sum / weights;
}

}  // namespace stiction
