#include "stiction/fem/rod.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"
#include "stiction/math/psd.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace stiction {
namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;

/// Above this 2 tan(phi / 2) a corner counts as folded onto itself: the energy around it is beyond doubles' use.
constexpr double folded_curvature = 1e6;
/// Sine of a turn below which a plane of bending cannot be told from rounding.
constexpr double straight_sine = 1e-14;

Vec3 vertex_at(const VecX& x, Index vertex) {
    return x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

void check_positive(std::string_view source, const char* what, double value, const char* unit) {
    if (!(value > 0.0) || !std::isfinite(value))
        throw InputError(source, what, fmt::format("{:.6g} {}", value, unit), fmt::format("a finite {} > 0", what));
}

/// tan(phi / 2) of the angle phi between unit vectors; infinite where they are opposite.
double half_tangent(const Vec3& t0, const Vec3& t1) {
    return (t1 - t0).norm() / (t1 + t0).norm();
}

Vec3 edge_of(const RodStretch& elements, std::size_t e, const VecX& x) {
    return vertex_at(x, elements.vertices[e][1]) - vertex_at(x, elements.vertices[e][0]);
}

double energy_of(const RodStretch& elements, std::size_t e, const VecX& x) {
    const double L = elements.rest_length[e], strain = (edge_of(elements, e, x).norm() - L) / L;
    return 0.5 * elements.stiffness[e] * L * strain * strain;
}

double energy_of(const RodBending& elements, std::size_t c, const VecX& x) {
    const Triangle& v = elements.vertices[c];
    const double excess =
        rod_curvature(vertex_at(x, v[0]), vertex_at(x, v[1]), vertex_at(x, v[2])) - elements.rest_curvature[c];
    return 0.5 * elements.stiffness[c] * excess * excess;
}

/// A corner with its turn phi, energy f(phi) = w / 2 (kappa - kappa_rest)^2 and derivatives. With u = tan(phi / 2):
/// kappa = 2 u, dkappa / dphi = 1 + u^2, sin(phi) = 2 u / (1 + u^2).
struct Corner {
    Vec3 t0, t1;             // directions of both edges
    double a, b;             // their lengths, m
    Vec3 turn;               // t0 x t1, as long as sin(phi)
    double cosine;           // of phi
    double u, secant2;       // tan(phi / 2) and 1 + u^2
    double slope_over_sine;  // f' / sin(phi): finite when straight, for a straight rod at rest
    double slope, curvature;

    Corner(const RodBending& elements, std::size_t c, const VecX& x) {
        const Triangle& v = elements.vertices[c];
        t0 = vertex_at(x, v[1]) - vertex_at(x, v[0]);
        t1 = vertex_at(x, v[2]) - vertex_at(x, v[1]);
        a = t0.norm();
        b = t1.norm();
        t0 /= a;
        t1 /= b;
        turn = t0.cross(t1);
        cosine = t0.dot(t1);
        u = half_tangent(t0, t1);
        secant2 = 1.0 + u * u;
        const double w = elements.stiffness[c], rest = elements.rest_curvature[c];
        slope = w * (2.0 * u - rest) * secant2;
        curvature = w * (secant2 * secant2 + (2.0 * u - rest) * u * secant2);
        slope_over_sine = w * secant2 * secant2;
        if (rest > 0.0 && !undirected()) slope_over_sine *= 1.0 - 0.5 * rest / u;
    }

    bool undirected() const { return turn.norm() < straight_sine; }
};

/// By the edges x1 - x0 and x2 - x1. The gradients of phi are -p0 / a and -p1 / b, with unit vectors p0 and p1 in the
/// plane of the turn; turn x t0 is sin(phi) p0, t1 x turn is sin(phi) p1.
std::array<Vec3, 2> edge_gradients(const Corner& corner) {
    return {Vec3(-corner.slope_over_sine / corner.a * corner.turn.cross(corner.t0)),
            Vec3(-corner.slope_over_sine / corner.b * corner.t1.cross(corner.turn))};
}

/// Second derivatives of f(phi) by both edges: f'' of the angle's gradient, f' of its Hessian. phi is the polar angle
/// of an edge about the other, so its Hessian is (t p^T + p t^T + cot(phi) n n^T) / length^2 with the normal n of the
/// turn, and the mixed one is -n n^T / (a b sin(phi)).
Mat6 edge_hessian(const Corner& corner) {
    // The rounding of a small turn has a part along the edges.
    const Vec3 across = corner.turn - corner.t0 * corner.t0.dot(corner.turn);
    const Vec3 n = corner.undirected() ? corner.t0.unitOrthogonal() : Vec3(across.normalized());
    const Vec3 p0 = n.cross(corner.t0), p1 = corner.t1.cross(n);
    const double a = corner.a, b = corner.b;
    // A straight corner has no side: any plane serves where the rod is straight at rest.
    const double slope = corner.undirected() ? 0.0 : corner.slope;
    const Mat3 normal = corner.slope_over_sine * n * n.transpose();
    const Mat3 twice0 = corner.t0 * p0.transpose(), twice1 = corner.t1 * p1.transpose();
    Mat6 H;
    H.block<3, 3>(0, 0) =
        (corner.curvature * p0 * p0.transpose() + slope * (twice0 + twice0.transpose()) + corner.cosine * normal) /
        (a * a);
    H.block<3, 3>(3, 3) =
        (corner.curvature * p1 * p1.transpose() + slope * (twice1 + twice1.transpose()) + corner.cosine * normal) /
        (b * b);
    H.block<3, 3>(0, 3) = (corner.curvature * p0 * p1.transpose() - normal) / (a * b);
    H.block<3, 3>(3, 0) = H.block<3, 3>(0, 3).transpose();
    return 0.5 * (H + H.transpose());  // symmetric but for rounding
}

/// From edges to the orthonormal, translation-free coordinates y0 = (x0 - x1) / sqrt(2),
/// y1 = (x0 + x1 - 2 x2) / sqrt(6): x1 - x0 = -sqrt(2) y0, x2 - x1 = y0 / sqrt(2) - sqrt(3/2) y1. Projecting the 6x6
/// matrix there is projecting the 9x9 one.
Mat6 to_orthonormal(const Mat6& by_edges) {
    Mat6 G = Mat6::Zero();
    G.block<3, 3>(0, 0).diagonal().setConstant(-std::sqrt(2.0));
    G.block<3, 3>(3, 0).diagonal().setConstant(std::sqrt(0.5));
    G.block<3, 3>(3, 3).diagonal().setConstant(-std::sqrt(1.5));
    const Mat6 result = G.transpose() * by_edges * G;
    return 0.5 * (result + result.transpose());
}

/// Back to the vertices; each block beside its transpose, so that the matrix is exactly symmetric.
void to_vertices(const Mat6& orthonormal, Mat12& out) {
    const double s = std::sqrt(0.5), t = std::sqrt(1.0 / 6.0);
    const double T[2][3] = {{s, -s, 0.0}, {t, t, -2.0 * t}};
    out.setZero();
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            Mat3 block = Mat3::Zero();
            for (int m = 0; m < 2; ++m) {
                for (int n = 0; n < 2; ++n) block += T[m][i] * T[n][j] * orthonormal.block<3, 3>(3 * m, 3 * n);
            }
            if (i == j) block = Mat3(0.5 * (block + block.transpose()));
            out.block<3, 3>(3 * i, 3 * j) = block;
            out.block<3, 3>(3 * j, 3 * i) = block.transpose();
        }
    }
}

}  // namespace

void append_rod_edges(RodStretch& elements, const std::vector<Vec3>& rest, const std::vector<Edge>& edges,
                      double stiffness, double area, Index vertex_offset, std::string_view source) {
    check_positive(source, "stretching stiffness", stiffness, "N");
    check_positive(source, "cross-section", area, "m^2");
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto [i, j] = edges[e];
        const double length = (rest.at(static_cast<std::size_t>(j)) - rest.at(static_cast<std::size_t>(i))).norm();
        if (!(length > 0.0) || !std::isfinite(length))
            throw InputError(source, fmt::format("edge {} ({}, {})", e, i, j), fmt::format("{} m long", length),
                             "an edge with a length");
        elements.vertices.push_back({i + vertex_offset, j + vertex_offset});
        elements.rest_length.push_back(length);
        elements.stiffness.push_back(stiffness);
        elements.area.push_back(area);
    }
}

std::vector<Triangle> rod_corners(const std::vector<Edge>& edges) {
    std::vector<std::array<Index, 2>> sides;  // (vertex, other end)
    for (const Edge& e : edges) {
        sides.push_back({e[0], e[1]});
        sides.push_back({e[1], e[0]});
    }
    std::sort(sides.begin(), sides.end());
    std::vector<Triangle> corners;
    for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
        while (end < sides.size() && sides[end][0] == sides[begin][0]) ++end;
        if (end - begin == 2) corners.push_back({sides[begin][1], sides[begin][0], sides[begin + 1][1]});
    }
    return corners;
}

double rod_curvature(const Vec3& x0, const Vec3& x1, const Vec3& x2) {
    const Vec3 t0 = (x1 - x0).normalized(), t1 = (x2 - x1).normalized();
    return 2.0 * half_tangent(t0, t1);
}

void append_rod_corners(RodBending& elements, const std::vector<Vec3>& rest, const std::vector<Triangle>& corners,
                        double stiffness, RodRestShape rest_shape, Index vertex_offset, std::string_view source) {
    check_positive(source, "bending stiffness", stiffness, "N m^2");
    for (const Triangle& corner : corners) {
        const auto at = [&](std::size_t k) -> const Vec3& { return rest.at(static_cast<std::size_t>(corner[k])); };
        const double curvature = rod_curvature(at(0), at(1), at(2));
        if (!(curvature < folded_curvature))
            throw InputError(source,
                             fmt::format("edges ({}, {}) and ({}, {})", corner[0], corner[1], corner[1], corner[2]),
                             "folded onto each other", "two edges with an angle between them");
        const double span = 0.5 * ((at(1) - at(0)).norm() + (at(2) - at(1)).norm());
        elements.vertices.push_back({corner[0] + vertex_offset, corner[1] + vertex_offset, corner[2] + vertex_offset});
        elements.rest_curvature.push_back(rest_shape == RodRestShape::straight ? 0.0 : curvature);
        elements.stiffness.push_back(stiffness / span);
    }
}

void rod_energies(const RodStretch& elements, const VecX& x, std::vector<double>& out) {
    out.resize(elements.size());
    parallel_for(elements.size(), [&](std::size_t e) { out[e] = energy_of(elements, e, x); });
}

void rod_energies(const RodBending& elements, const VecX& x, std::vector<double>& out) {
    out.resize(elements.size());
    parallel_for(elements.size(), [&](std::size_t c) { out[c] = energy_of(elements, c, x); });
}

double rod_energy(const RodStretch& elements, const VecX& x) {
    return parallel_sum(elements.size(), CompensatedSum(), [&](std::size_t e) { return energy_of(elements, e, x); })
        .value();
}

double rod_energy(const RodBending& elements, const VecX& x) {
    return parallel_sum(elements.size(), CompensatedSum(), [&](std::size_t c) { return energy_of(elements, c, x); })
        .value();
}

void rod_gradients(const RodStretch& elements, const VecX& x, std::vector<Vec12>& out) {
    out.assign(elements.size(), Vec12::Zero());
    parallel_for(elements.size(), [&](std::size_t e) {
        const Vec3 edge = edge_of(elements, e, x);
        const double length = edge.norm();
        const Vec3 pull = elements.stiffness[e] * (length / elements.rest_length[e] - 1.0) / length * edge;
        out[e].head<3>() = -pull;
        out[e].segment<3>(3) = pull;
    });
}

void rod_gradients(const RodBending& elements, const VecX& x, std::vector<Vec12>& out) {
    out.assign(elements.size(), Vec12::Zero());
    parallel_for(elements.size(), [&](std::size_t c) {
        const auto [first, second] = edge_gradients(Corner(elements, c, x));
        out[c].head<3>() = -first;
        out[c].segment<3>(3) = first - second;
        out[c].segment<3>(6) = second;
    });
}

void rod_hessians(const RodStretch& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                  Mat12* out) {
    parallel_for(end - begin, [&](std::size_t i) {
        const std::size_t e = begin + i;
        const Vec3 edge = edge_of(elements, e, x);
        const double length = edge.norm();
        const Mat3 along = edge * edge.transpose() / (length * length);
        double across = 1.0 - elements.rest_length[e] / length;  // the only eigenvalue that may be negative
        if (project) across = std::max(across, 0.0);
        const Mat3 block =
            elements.stiffness[e] / elements.rest_length[e] * (along + across * (Mat3::Identity() - along));
        out[i].setZero();
        out[i].block<3, 3>(0, 0) = out[i].block<3, 3>(3, 3) = block;
        out[i].block<3, 3>(0, 3) = out[i].block<3, 3>(3, 0) = -block;
    });
}

void rod_hessians(const RodBending& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                  Mat12* out) {
    parallel_for(end - begin, [&](std::size_t i) {
        Mat6 orthonormal = to_orthonormal(edge_hessian(Corner(elements, begin + i, x)));
        if (project) project_psd<6>(orthonormal);
        to_vertices(orthonormal, out[i]);
    });
}

Mat3 cauchy_stress(const RodStretch& elements, std::size_t e, const VecX& x) {
    const Vec3 edge = edge_of(elements, e, x);
    const double length = edge.norm();
    const double tension = elements.stiffness[e] * (length / elements.rest_length[e] - 1.0) / elements.area[e];
    return tension / (length * length) * edge * edge.transpose();
}

}  // namespace stiction
