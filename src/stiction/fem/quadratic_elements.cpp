#include "stiction/fem/quadratic_elements.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"

namespace stiction {
namespace {

template <int N>
typename QuadraticForms<N>::ElementVector node_values(const std::array<Index, N>& nodes, const VecX& u) {
    typename QuadraticForms<N>::ElementVector values = QuadraticForms<N>::ElementVector::Zero();
    for (int a = 0; a < N; ++a) {
        const Index vertex = nodes[static_cast<std::size_t>(a)];
        if (vertex >= 0) values.template segment<3>(3 * a) = u.segment<3>(3 * vertex);
    }
    return values;
}

template <int N>
double element_energy(const QuadraticForms<N>& elements, std::size_t e, const VecX& u) {
    const auto values = node_values<N>(elements.vertices[e], u);
    return 0.5 * values.dot(elements.matrices[e] * values);
}

}  // namespace

template <int N>
void QuadraticForms<N>::energies(const VecX& u, std::vector<double>& out) const {
    out.resize(size());
    parallel_for(size(), [&](std::size_t e) { out[e] = element_energy(*this, e, u); });
}

template <int N>
double QuadraticForms<N>::energy(const VecX& u) const {
    return parallel_sum(size(), CompensatedSum(), [&](std::size_t e) { return element_energy(*this, e, u); }).value();
}

template <int N>
void QuadraticForms<N>::gradients(const VecX& u, std::vector<ElementVector>& out) const {
    out.resize(size());
    parallel_for(size(), [&](std::size_t e) { out[e].noalias() = matrices[e] * node_values<N>(vertices[e], u); });
}

template struct QuadraticForms<4>;
template struct QuadraticForms<10>;

}  // namespace stiction
