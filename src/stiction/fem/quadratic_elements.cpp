#include "stiction/fem/quadratic_elements.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"

namespace stiction {
namespace {

Vec12 corner_values(const Tet& tet, const VecX& u) {
    Vec12 values = Vec12::Zero();
    for (int a = 0; a < 4; ++a) {
        const Index vertex = tet[static_cast<std::size_t>(a)];
        if (vertex >= 0) values.segment<3>(3 * a) = u.segment<3>(3 * vertex);
    }
    return values;
}

double element_energy(const QuadraticElements& elements, std::size_t e, const VecX& u) {
    const Vec12 values = corner_values(elements.vertices[e], u);
    return 0.5 * values.dot(elements.matrices[e] * values);
}

}  // namespace

void QuadraticElements::energies(const VecX& u, std::vector<double>& out) const {
    out.resize(size());
    parallel_for(size(), [&](std::size_t e) { out[e] = element_energy(*this, e, u); });
}

double QuadraticElements::energy(const VecX& u) const {
    return parallel_sum(size(), CompensatedSum(), [&](std::size_t e) { return element_energy(*this, e, u); }).value();
}

void QuadraticElements::gradients(const VecX& u, std::vector<Vec12>& out) const {
    out.resize(size());
    parallel_for(size(), [&](std::size_t e) { out[e].noalias() = matrices[e] * corner_values(vertices[e], u); });
}

}  // namespace stiction
