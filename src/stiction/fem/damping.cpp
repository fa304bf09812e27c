#include "stiction/fem/damping.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/fem/elasticity.hpp"

#include <Eigen/Geometry>

namespace stiction {
namespace {

/// P K P, where P takes the rotations about the middle of an element out of the displacements of its corners.
void remove_rotations(const std::array<Vec3, 4>& corners, Mat12& K) {
    const Vec3 middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
    Eigen::Matrix<double, 12, 3> turns;
    for (int k = 0; k < 4; ++k) {
        for (int axis = 0; axis < 3; ++axis)
            turns.block<3, 1>(3 * k, axis) =
                Vec3::Unit(axis).cross(Vec3(corners[static_cast<std::size_t>(k)] - middle));
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int before = 0; before < axis; ++before)
            turns.col(axis) -= turns.col(before).dot(turns.col(axis)) * turns.col(before);
        turns.col(axis).normalize();
    }
    const Eigen::Matrix<double, 12, 3> product = K * turns;
    const Mat12 half = (product - 0.5 * turns * (turns.transpose() * product)) * turns.transpose();
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
            const auto corner = [&](std::size_t k) { return Vec3(x_t.segment<3>(3 * tet[k])); };
            remove_rotations({corner(0), corner(1), corner(2), corner(3)}, out.matrices[e]);
        }
        out.matrices[e] *= coefficients[e].beta;
        out.matrices[e].diagonal().array() += coefficients[e].alpha * 0.25 * density[e] * elements.volume[e];
    });
}

}  // namespace stiction
