#include "stiction/fem/damping.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/mass.hpp"
#include "stiction/fem/tet10_elasticity.hpp"

#include <Eigen/Geometry>

namespace stiction {
namespace {

/// P K P, where P takes the rotations about the middle of an element out of the displacements of its nodes.
/// @param nodes  column by column
template <int N>
void remove_rotations(const Eigen::Matrix<double, 3, N>& nodes, Eigen::Matrix<double, 3 * N, 3 * N>& K) {
    Vec3 middle = nodes.col(0);
    for (int k = 1; k < N; ++k) middle += nodes.col(k);
    middle /= N;
    Eigen::Matrix<double, 3 * N, 3> turns;
    for (int k = 0; k < N; ++k) {
        for (int axis = 0; axis < 3; ++axis)
            turns.template block<3, 1>(3 * k, axis) = Vec3::Unit(axis).cross(Vec3(nodes.col(k) - middle));
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int before = 0; before < axis; ++before)
            turns.col(axis) -= turns.col(before).dot(turns.col(axis)) * turns.col(before);
        turns.col(axis).normalize();
    }
    const Eigen::Matrix<double, 3 * N, 3> product = K * turns;
    const Eigen::Matrix<double, 3 * N, 3 * N> half =
        (product - 0.5 * turns * (turns.transpose() * product)) * turns.transpose();
    K -= half + half.transpose();
}

}  // namespace

void freeze_rayleigh_damping(const TetElements& elements, const std::vector<double>& density,
                             const std::vector<RayleighCoefficients>& coefficients, const VecX& x_t,
                             QuadraticElements& out) {
    STICTION_CHECK(density.size() == elements.size(), "one density per element");
    STICTION_CHECK(coefficients.size() == elements.size(), "one pair of coefficients per element");
    constexpr bool project = true;
    out.vertices = elements.vertices;
    element_hessians(elements, x_t, project, out.matrices);
    parallel_for(elements.size(), [&](std::size_t e) {
        const Tet& tet = elements.vertices[e];
        if (coefficients[e].beta > 0.0) {
            Eigen::Matrix<double, 3, 4> corners;
            for (int k = 0; k < 4; ++k) corners.col(k) = x_t.segment<3>(3 * tet[static_cast<std::size_t>(k)]);
            remove_rotations<4>(corners, out.matrices[e]);
        }
        out.matrices[e] *= coefficients[e].beta;
        out.matrices[e].diagonal().array() += coefficients[e].alpha * 0.25 * density[e] * elements.volume[e];
    });
}

void freeze_rayleigh_damping(const Tet10Elements& elements, const std::vector<double>& density,
                             const std::vector<RayleighCoefficients>& coefficients, const VecX& x_t,
                             QuadraticForms<10>& out) {
    STICTION_CHECK(density.size() == elements.size(), "one density per element");
    STICTION_CHECK(coefficients.size() == elements.size(), "one pair of coefficients per element");
    constexpr bool project = true;
    out.vertices = elements.vertices;
    element_hessians(elements, x_t, project, out.matrices);
    parallel_for(elements.size(), [&](std::size_t e) {
        if (coefficients[e].beta > 0.0)
            remove_rotations<10>(node_positions(elements.vertices[e], x_t), out.matrices[e]);
        out.matrices[e] *= coefficients[e].beta;
        const std::array<double, 10> mass = lumped_mass(elements, e, density[e]);
        for (int a = 0; a < 10; ++a)
            out.matrices[e].diagonal().segment<3>(3 * a).array() +=
                coefficients[e].alpha * mass[static_cast<std::size_t>(a)];
    });
}

}  // namespace stiction
