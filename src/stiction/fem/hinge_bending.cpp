#include "stiction/fem/hinge_bending.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/bending.hpp"
#include "stiction/math/compensated_sum.hpp"
#include "stiction/math/psd.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

Vec3 position(const HingeBending& elements, std::size_t h, std::size_t corner, const VecX& x) {
    return x.segment<3>(3 * elements.vertices[h][corner]);
}

/// HingeWing with its derivatives.
struct Wing {
    Vec3 rate;
    double foot;
    Mat3 by_edge, by_apex;  // derivatives of rate
    Vec3 foot_by_edge;      // derivative of foot; that by the apex is e / |e|^2
};

Mat3 skew(const Vec3& a) {
    Mat3 result;
    result << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
    return result;
}

Wing make_wing(const Vec3& e, const Vec3& apex, double sign) {
    const Vec3 n = sign * e.cross(apex);
    const double nn = n.squaredNorm(), ee = e.squaredNorm(), length = std::sqrt(ee);
    const HingeWing first(e, apex, sign);
    Wing wing;
    wing.rate = first.rate;
    wing.foot = first.foot;
    const Mat3 reflection = length / nn * (Mat3::Identity() - 2.0 / nn * n * n.transpose());
    wing.by_edge = n * e.transpose() / (length * nn) - sign * reflection * skew(apex);
    wing.by_apex = sign * reflection * skew(e);
    wing.foot_by_edge = (apex - 2.0 * wing.foot * e) / ee;
    return wing;
}

/// The angle with its first two derivatives by the differences x1 - x0, x2 - x0, x3 - x0.
struct HingeAngle {
    double excess;  // theta - theta_rest
    Vec9 gradient;
    Wing first, second;

    HingeAngle(const HingeBending& elements, std::size_t h, const VecX& x) {
        const Vec3 x0 = position(elements, h, 0, x), x1 = position(elements, h, 1, x);
        const Vec3 x2 = position(elements, h, 2, x), x3 = position(elements, h, 3, x);
        excess = dihedral_angle(x0, x1, x2, x3) - elements.rest_angle[h];
        first = make_wing(x1 - x0, x2 - x0, 1.0);
        second = make_wing(x1 - x0, x3 - x0, -1.0);
        gradient << first.foot * first.rate + second.foot * second.rate, -first.rate, -second.rate;
    }

    Mat9 hessian() const {
        Mat9 H = Mat9::Zero();
        for (const Wing* wing : {&first, &second}) {
            H.block<3, 3>(0, 0) += wing->rate * wing->foot_by_edge.transpose() + wing->foot * wing->by_edge;
            const int a = wing == &first ? 3 : 6;
            H.block<3, 3>(a, 0) = -wing->by_edge;
            H.block<3, 3>(0, a) = -wing->by_edge.transpose();
            H.block<3, 3>(a, a) = -wing->by_apex;
        }
        return 0.5 * (H + H.transpose());  // symmetric but for rounding
    }
};

/// From differences to the orthonormal, translation-free coordinates y = T x,
///   T = 1/2 [1 1 -1 -1; 1 -1 1 -1; 1 -1 -1 1]:  x1 - x0 = -(y1 + y2), x2 - x0 = -(y0 + y2), x3 - x0 = -(y0 + y1).
/// Projecting the 9x9 matrix there is projecting the 12x12 one.
Mat9 to_orthonormal(const Mat9& by_differences) {
    Eigen::Matrix3d G;
    G << 0, -1, -1, -1, 0, -1, -1, -1, 0;
    Mat9 result = Mat9::Zero();
    for (int m = 0; m < 3; ++m) {
        for (int n = 0; n < 3; ++n) {
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    if (i == m || j == n) continue;
                    result.block<3, 3>(3 * m, 3 * n) += G(i, m) * G(j, n) * by_differences.block<3, 3>(3 * i, 3 * j);
                }
            }
        }
    }
    return 0.5 * (result + result.transpose());
}

/// T^T H T.
void to_corners(const Mat9& orthonormal, Mat12& out) {
    constexpr std::array<std::array<double, 4>, 3> T = {{{1, 1, -1, -1}, {1, -1, 1, -1}, {1, -1, -1, 1}}};
    for (int a = 0; a < 4; ++a) {
        for (int b = a; b < 4; ++b) {
            Mat3 block = Mat3::Zero();
            for (std::size_t m = 0; m < 3; ++m) {
                for (std::size_t n = 0; n < 3; ++n) {
                    const double weight = 0.25 * T[m][static_cast<std::size_t>(a)] * T[n][static_cast<std::size_t>(b)];
                    block += weight * orthonormal.block<3, 3>(3 * static_cast<int>(m), 3 * static_cast<int>(n));
                }
            }
            if (a == b) block = Mat3(0.5 * (block + block.transpose()));
            out.block<3, 3>(3 * a, 3 * b) = block;
            out.block<3, 3>(3 * b, 3 * a) = block.transpose();
        }
    }
}

double energy_of(const HingeBending& elements, std::size_t h, const VecX& x) {
    return hinge_energy(position(elements, h, 0, x), position(elements, h, 1, x), position(elements, h, 2, x),
                        position(elements, h, 3, x), elements.rest_angle[h], elements.stiffness[h]);
}

}  // namespace

void append_hinges(HingeBending& elements, const std::vector<Vec3>& rest, const std::vector<Tet>& hinges,
                   double bending_stiffness, RestAngles rest_angles, Index vertex_offset, std::string_view source) {
    if (!(bending_stiffness > 0.0) || !std::isfinite(bending_stiffness)) {
        throw InputError(source, "bending stiffness", fmt::format("{:.6g} N m", bending_stiffness),
                         "a finite stiffness > 0");
    }
    const std::vector<HingeGeometry> geometry = rest_geometry(rest, hinges, source);
    for (std::size_t h = 0; h < hinges.size(); ++h) {
        const HingeGeometry& g = geometry[h];
        Tet global = hinges[h];
        for (Index& vertex : global) vertex += vertex_offset;
        elements.vertices.push_back(global);
        elements.rest_angle.push_back(rest_angles == RestAngles::flat ? 0.0 : g.angle);
        elements.stiffness.push_back(bending_stiffness * g.edge_length * g.edge_length / (g.area0 + g.area1));
    }
}

void hinge_energies(const HingeBending& elements, const VecX& x, std::vector<double>& out) {
    out.resize(elements.size());
    parallel_for(elements.size(), [&](std::size_t h) { out[h] = energy_of(elements, h, x); });
}

double hinge_energy(const HingeBending& elements, const VecX& x) {
    return parallel_sum(elements.size(), CompensatedSum(), [&](std::size_t h) { return energy_of(elements, h, x); })
        .value();
}

void hinge_gradients(const HingeBending& elements, const VecX& x, std::vector<Vec12>& out) {
    out.resize(elements.size());
    parallel_for(elements.size(), [&](std::size_t h) {
        out[h] = hinge_gradient(position(elements, h, 0, x), position(elements, h, 1, x), position(elements, h, 2, x),
                                position(elements, h, 3, x), elements.rest_angle[h], elements.stiffness[h]);
    });
}

void hinge_hessians(const HingeBending& elements, const VecX& x, bool project, std::vector<Mat12>& out) {
    out.resize(elements.size());
    hinge_hessians(elements, x, project, 0, elements.size(), out.data());
}

void hinge_hessians(const HingeBending& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                    Mat12* out) {
    parallel_for(end - begin, [&](std::size_t i) {
        const std::size_t h = begin + i;
        const HingeAngle angle(elements, h, x);
        const Mat9 by_differences =
            elements.stiffness[h] * (angle.gradient * angle.gradient.transpose() + angle.excess * angle.hessian());
        Mat9 orthonormal = to_orthonormal(by_differences);
        if (project) project_psd<9>(orthonormal);
        to_corners(orthonormal, out[i]);
    });
}

}  // namespace stiction
