#include "stiction/fem/isometric_bending.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/bending.hpp"
#include "stiction/math/compensated_sum.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiction {
namespace {

/// |e| times the jump of the gradient of a function that is linear on each triangle: foot (1 - foot) are the cotangents
/// at x0 and x1 divided by |e| / height.
Eigen::Vector4d jump_coefficients(const HingeGeometry& g) {
    const double length2 = g.edge_length * g.edge_length;
    const double K2 = 0.5 * length2 / g.area0, K3 = 0.5 * length2 / g.area1;
    const double K1 = -(g.foot0 * K2 + g.foot1 * K3);
    return {-(K1 + K2 + K3), K1, K2, K3};
}

/// Sum of K_i x_i; by differences, so that it does not lose digits far from the origin.
Vec3 jump(const IsometricBending& elements, std::size_t h, const VecX& x) {
    const Tet& hinge = elements.vertices[h];
    const Vec3 origin = x.segment<3>(3 * hinge[0]);
    Vec3 result = Vec3::Zero();
    for (int a = 1; a < 4 && hinge[static_cast<std::size_t>(a)] >= 0; ++a) {
        result += elements.coefficients[h][a] * (x.segment<3>(3 * hinge[static_cast<std::size_t>(a)]) - origin);
    }
    return result;
}

double energy_of(const IsometricBending& elements, std::size_t h, const VecX& x) {
    return 0.5 * elements.stiffness[h] * jump(elements, h, x).squaredNorm();
}

}  // namespace

void append_isometric_bending(IsometricBending& elements, const std::vector<Vec3>& rest, const std::vector<Tet>& hinges,
                              double bending_stiffness, Index vertex_offset, std::string_view source) {
    if (!(bending_stiffness > 0.0) || !std::isfinite(bending_stiffness)) {
        throw InputError(source, "bending stiffness", fmt::format("{:.6g} N m", bending_stiffness),
                         "a finite stiffness > 0");
    }
    const std::vector<HingeGeometry> geometry = rest_geometry(rest, hinges, source);
    for (std::size_t h = 0; h < hinges.size(); ++h) {
        Tet global = hinges[h];
        for (Index& vertex : global) vertex += vertex_offset;
        elements.vertices.push_back(global);
        elements.coefficients.push_back(jump_coefficients(geometry[h]));
        elements.stiffness.push_back(bending_stiffness / (geometry[h].area0 + geometry[h].area1));
    }
}

void isometric_energies(const IsometricBending& elements, const VecX& x, std::vector<double>& out) {
    out.resize(elements.size());
    parallel_for(elements.size(), [&](std::size_t h) { out[h] = energy_of(elements, h, x); });
}

double isometric_energy(const IsometricBending& elements, const VecX& x) {
    return parallel_sum(elements.size(), CompensatedSum(), [&](std::size_t h) { return energy_of(elements, h, x); })
        .value();
}

void isometric_gradients(const IsometricBending& elements, const VecX& x, std::vector<Vec12>& out) {
    out.resize(elements.size());
    parallel_for(elements.size(), [&](std::size_t h) {
        const Vec3 force = elements.stiffness[h] * jump(elements, h, x);
        for (int a = 0; a < 4; ++a) out[h].segment<3>(3 * a) = elements.coefficients[h][a] * force;
    });
}

void isometric_hessians(const IsometricBending& elements, std::vector<Mat12>& out) {
    out.resize(elements.size());
    isometric_hessians(elements, 0, elements.size(), out.data());
}

void isometric_hessians(const IsometricBending& elements, std::size_t begin, std::size_t end, Mat12* out) {
    parallel_for(end - begin, [&](std::size_t i) {
        const std::size_t h = begin + i;
        const Eigen::Vector4d& K = elements.coefficients[h];
        out[i].setZero();
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                out[i].block<3, 3>(3 * a, 3 * b).diagonal().setConstant(elements.stiffness[h] * (K[a] * K[b]));
            }
        }
    });
}

}  // namespace stiction
