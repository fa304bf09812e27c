#include "stiction/fem/damping.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"

namespace stiction {

void freeze_rayleigh_damping(const TetElements& elements, const std::vector<double>& density,
                             const std::vector<RayleighCoefficients>& coefficients, const VecX& x_t,
                             QuadraticElements& out) {
    STICTION_CHECK(density.size() == elements.size(), "one density per element");
    STICTION_CHECK(coefficients.size() == elements.size(), "one pair of coefficients per element");
    constexpr bool project = true;
    out.vertices = elements.vertices;
    element_hessians(elements, x_t, project, out.matrices);
    parallel_for(elements.size(), [&](std::size_t e) {
        out.matrices[e] *= coefficients[e].beta;
        out.matrices[e].diagonal().array() += coefficients[e].alpha * 0.25 * density[e] * elements.volume[e];
    });
}

}  // namespace stiction
