#include "stiction/fem/elasticity.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/fem/element_laws.hpp"
#include "stiction/fem/tet_hessians.hpp"
#include "stiction/math/compensated_sum.hpp"
#include "stiction/math/signed_svds.hpp"
#include "stiction/mesh/marked_vertices.hpp"

#include <algorithm>
#include <array>

namespace stiction {
namespace {

template <class LawOf>
double energy_of(const TetElements& elements, const LawOf& law_of, std::size_t e, const VecX& x) {
    return elements.volume[e] * energy_density(law_of(e), deformation_gradient(elements, e, x));
}

/// Tets that share the registers of a SIMD kernel, a few times over.
constexpr std::size_t tets_at_once = 16;

/// Calls body(first, count) for all tets of [0, n), `tets_at_once` at a time.
template <class Body>
void in_batches(std::size_t n, const Body& body) {
    parallel_for((n + tets_at_once - 1) / tets_at_once,
                 [&](std::size_t batch) {
                     const std::size_t first = batch * tets_at_once;
                     body(first, std::min(tets_at_once, n - first));
                 },
                 4);
}

/// Calls with_svd(e, its decomposition) for every tet with a marked vertex, and otherwise(e) for the rest.
template <class WithSvd, class Otherwise>
void for_each_svd(const TetElements& elements, const VecX& x, const std::vector<char>& marked, const WithSvd& with_svd,
                  const Otherwise& otherwise) {
    std::vector<std::size_t> chosen;  // first, so that registers are full
    if (!marked.empty()) {
        for (std::size_t e = 0; e < elements.size(); ++e) {
            if (any_marked(elements.vertices[e], marked))
                chosen.push_back(e);
            else
                otherwise(e);
        }
    }
    const auto tet = [&](std::size_t i) { return marked.empty() ? i : chosen[i]; };
    in_batches(marked.empty() ? elements.size() : chosen.size(), [&](std::size_t first, std::size_t count) {
        std::array<Mat3, tets_at_once> F;
        std::array<SignedSvd, tets_at_once> svds;
        for (std::size_t k = 0; k < count; ++k) F[k] = deformation_gradient(elements, tet(first + k), x);
        signed_svds(F.data(), count, svds.data());
        for (std::size_t k = 0; k < count; ++k) with_svd(tet(first + k), svds[k]);
    });
}

/// Hessians of the tets that tet(k) numbers, up to `tets_at_once` of them.
template <class LawOf, class TetOf>
void hessians_of(const TetElements& elements, const LawOf& law_of, const VecX& x, bool project, const TetOf& tet,
                 std::size_t count, Mat12* out) {
    std::array<Mat3, tets_at_once> F;
    std::array<SignedSvd, tets_at_once> svds;
    std::array<PrincipalHessian, tets_at_once> hessians;
    std::array<Mat3, tets_at_once> rest_inverse;
    std::array<double, tets_at_once> volume;
    for (std::size_t k = 0; k < count; ++k) {
        F[k] = deformation_gradient(elements, tet(k), x);
        rest_inverse[k] = elements.rest_inverse[tet(k)];
        volume[k] = elements.volume[tet(k)];
    }
    constexpr bool by_stretches = has_stretch_hessian<decltype(law_of(std::size_t{}))>;
    if constexpr (by_stretches) signed_svds(F.data(), count, svds.data());
    for (std::size_t k = 0; k < count; ++k) {
        if constexpr (by_stretches)
            hessians[k] = hessian_of_stretches(law_of(tet(k)), svds[k]);
        else
            hessians[k] = principal_hessian(law_of(tet(k)), F[k]);
        if (project) project_psd(hessians[k]);
    }
    assemble_tet_hessians(hessians.data(), rest_inverse.data(), volume.data(), count, out);
}

/// Hessians of the tets that tet(0) to tet(count - 1) number.
template <class TetOf>
void hessians_of(const TetElements& elements, const VecX& x, bool project, const TetOf& tet, std::size_t count,
                 Mat12* out) {
    with_laws(elements, [&](const auto& law_of) {
        parallel_for((count + tets_at_once - 1) / tets_at_once,
                     [&](std::size_t batch) {
                         const std::size_t first = batch * tets_at_once;
                         hessians_of(
                             elements, law_of, x, project, [&](std::size_t k) { return tet(first + k); },
                             std::min(tets_at_once, count - first), out + first);
                     },
                     4);
    });
}

}  // namespace

void element_energies(const TetElements& elements, const VecX& x, std::vector<double>& out,
                      const std::vector<char>& marked) {
    out.resize(elements.size());
    with_laws(elements, [&]<class LawOf>(const LawOf& law_of) {
        const auto none = [&](std::size_t e) { out[e] = 0.0; };
        if constexpr (is_direct<LawOf>) {
            parallel_for(elements.size(), [&](std::size_t e) {
                if (any_marked(elements.vertices[e], marked))
                    out[e] = energy_of(elements, law_of, e, x);
                else
                    none(e);
            });
        } else {
            const auto energy = [&](std::size_t e, const SignedSvd& svd) {
                out[e] = elements.volume[e] * law_of(e).value(svd.s);
            };
            for_each_svd(elements, x, marked, energy, none);
        }
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
    const auto none = [&](std::size_t e) { out[e].setZero(); };
    const auto store = [&](std::size_t e, const Mat3& P) {
        const Mat3 corners = elements.volume[e] * P * elements.rest_inverse[e].transpose();  // columns: corners 1 to 3
        for (int a = 0; a < 3; ++a) out[e].segment<3>(3 * a + 3) = corners.col(a);
        out[e].head<3>() = -corners.rowwise().sum();
    };
    with_laws(elements, [&]<class LawOf>(const LawOf& law_of) {
        if constexpr (is_direct<LawOf>) {
            parallel_for(elements.size(), [&](std::size_t e) {
                if (any_marked(elements.vertices[e], marked))
                    store(e, first_piola(law_of(e), deformation_gradient(elements, e, x)));
                else
                    none(e);
            });
        } else {
            const auto gradient = [&](std::size_t e, const SignedSvd& svd) {
                store(e, stress_of_stretches(law_of(e), svd));
            };
            for_each_svd(elements, x, marked, gradient, none);
        }
    });
}

void element_hessians(const TetElements& elements, const VecX& x, bool project, std::vector<Mat12>& out) {
    out.resize(elements.size());
    hessians_of(
        elements, x, project, [](std::size_t e) { return e; }, elements.size(), out.data());
}

void element_hessians(const TetElements& elements, const VecX& x, bool project, std::span<const Index> chosen,
                      Mat12* out) {
    hessians_of(
        elements, x, project, [&](std::size_t k) { return at(chosen[k]); }, chosen.size(), out);
}

Mat3 cauchy_stress(const TetElements& elements, std::size_t e, const VecX& x) {
    return with_laws(elements, [&](const auto& law_of) {
        const Mat3 F = deformation_gradient(elements, e, x);
        const Mat3 sigma = first_piola(law_of(e), F) * F.transpose() / F.determinant();
        return Mat3(0.5 * (sigma + sigma.transpose()));
    });
}

}  // namespace stiction
