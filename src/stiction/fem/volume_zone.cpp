#include "stiction/fem/volume_zone.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/topology.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr std::string_view field = "volume zone";

Vec3 position(const VecX& x, Index vertex) {
    return x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

VecX stack(const std::vector<Vec3>& positions) {
    VecX x(3 * static_cast<Eigen::Index>(positions.size()));
    for (std::size_t v = 0; v < positions.size(); ++v) x.segment<3>(3 * static_cast<Eigen::Index>(v)) = positions[v];
    return x;
}

Mat3 cross_matrix(const Vec3& v) {
    Mat3 m;
    m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
    return m;
}

template <class Elements>
void check_indices(const Elements& elements, std::size_t vertex_count, std::string_view kind, std::string_view source) {
    if (elements.empty()) throw InputError(source, field, "nothing", fmt::format("at least one {}", kind));
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (const Index vertex : elements[e]) {
            if (vertex >= 0 && static_cast<std::size_t>(vertex) < vertex_count) continue;
            throw InputError(source, field, fmt::format("{} {} has vertex {}", kind, e, vertex),
                             fmt::format("vertex indices in [0, {})", vertex_count));
        }
        auto sorted = elements[e];
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
            throw InputError(source, field, fmt::format("{} {} has a vertex twice", kind, e), "different vertices");
    }
}

std::string describe(const EdgeDefect& defect) {
    const std::size_t count = defect.forward + defect.backward;
    const std::string where = fmt::format("edge between vertices {} and {}", defect.edge[0], defect.edge[1]);
    if (count == 1) return where + " is open (one triangle)";
    if (count == 2) return where + " has two triangles that run along it in the same direction";
    return where + fmt::format(" is non-manifold ({} triangles)", count);
}

/// Rejects surfaces that do not enclose a positive volume. The area is the scale, so that it does not matter how far
/// apart parts of the zone lie.
/// @param fix  what the surface should have been
void check_volume(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles, double volume,
                  std::string_view source, std::string_view fix) {
    const auto at = [&](Index vertex) -> const Vec3& { return rest[static_cast<std::size_t>(vertex)]; };
    double area = 0.0;
    for (const auto& [a, b, c] : triangles) area += 0.5 * (at(b) - at(a)).cross(at(c) - at(a)).norm();
    const double flat = 1e-12 * std::pow(area, 1.5);
    if (volume > flat && std::isfinite(volume)) return;
    if (volume < -flat) throw InputError(source, field, fmt::format("inside out, volume {:.6g} m^3", volume), fix);
    throw InputError(source, field, fmt::format("volume {:.6g} m^3", volume),
                     "a surface that encloses a volume above 0 m^3");
}

void check_closed(const std::vector<Triangle>& triangles, ClosedBy by, std::string_view source,
                  std::string_view expected) {
    if (const auto defect = first_edge_defect(triangles, by))
        throw InputError(source, field, describe(*defect), expected);
}

constexpr std::string_view watertight =
    "a watertight surface: every edge in exactly two triangles that run along it in opposite directions";

/// Upper triangle of the second derivative of a . (b x c) / 6: d2/dadb = -[c] / 6 and so on around the triangle.
template <class Block>
void fill_block(const Vec3& a, const Vec3& b, const Vec3& c, double scale, Block& block) {
    block.setZero();
    const Mat3 A = scale / 6.0 * cross_matrix(a), B = scale / 6.0 * cross_matrix(b), C = scale / 6.0 * cross_matrix(c);
    block.template block<3, 3>(0, 3) = -C;  // and its transpose, since [c]^T = -[c]
    block.template block<3, 3>(3, 0) = C;
    block.template block<3, 3>(0, 6) = B;
    block.template block<3, 3>(6, 0) = -B;
    block.template block<3, 3>(3, 6) = -A;
    block.template block<3, 3>(6, 3) = A;
}

template <class Block>
void fill_blocks(const std::vector<Triangle>& triangles, const std::vector<Index>& reference, const VecX& x,
                 double scale, std::vector<Block>& out) {
    out.resize(triangles.size());
    parallel_for(triangles.size(), [&](std::size_t t) {
        const Vec3 origin = position(x, reference[t]);
        fill_block(position(x, triangles[t][0]) - origin, position(x, triangles[t][1]) - origin,
                   position(x, triangles[t][2]) - origin, scale, out[t]);
    });
}

}  // namespace

VolumeZone VolumeZone::from_tets(const std::vector<Vec3>& rest, const std::vector<Tet>& tets, Index vertex_offset,
                                 std::string_view source) {
    check_indices(tets, rest.size(), "tet", source);
    const std::vector<Triangle> triangles = boundary_triangles(tets);
    if (triangles.empty()) throw InputError(source, field, "tets without outer faces", "tets given once each");
    check_closed(triangles, ClosedBy::balance, source,
                 "positively oriented tets, each given once and at most two at a face");
    VolumeZone zone(rest, triangles, vertex_offset);
    check_volume(rest, triangles, zone.rest_volume_, source, "positively oriented tets");
    return zone;
}

VolumeZone VolumeZone::from_surface(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                                    Index vertex_offset, std::string_view source) {
    check_indices(triangles, rest.size(), "triangle", source);
    check_closed(triangles, ClosedBy::manifold, source, watertight);
    VolumeZone zone(rest, triangles, vertex_offset);
    check_volume(
        rest, triangles, zone.rest_volume_, source,
        "triangles counter-clockwise seen from outside: turn them over, or give the inner wall of a body as a cavity");
    return zone;
}

VolumeZone VolumeZone::cavity(const std::vector<Vec3>& rest, const std::vector<Triangle>& wall, Index vertex_offset,
                              std::string_view source) {
    check_indices(wall, rest.size(), "triangle", source);
    check_closed(wall, ClosedBy::manifold, source, watertight);
    const std::vector<Triangle> triangles = turned_over(wall);
    VolumeZone zone(rest, triangles, vertex_offset);
    check_volume(rest, triangles, zone.rest_volume_, source,
                 "the wall of a cavity, whose triangles face away from the material: give an outer surface as a zone");
    return zone;
}

VolumeZone::VolumeZone(const std::vector<Vec3>& rest, std::vector<Triangle> triangles, Index vertex_offset)
    : triangles_(std::move(triangles)), reference_(triangles_.size()) {
    for (const SurfaceComponent& component : split_surface(rest, triangles_).components) {
        for (const std::size_t t : component.triangles) reference_[t] = triangles_[component.triangles[0]][0];
    }
    rest_volume_ = volume(stack(rest));  // before the ids become global

    for (Triangle& triangle : triangles_) {
        for (Index& vertex : triangle) vertex += vertex_offset;
        vertices_.insert(vertices_.end(), triangle.begin(), triangle.end());
    }
    for (Index& vertex : reference_) vertex += vertex_offset;
    std::sort(vertices_.begin(), vertices_.end());
    vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());

    const auto local = [&](Index vertex) {
        return static_cast<std::size_t>(std::lower_bound(vertices_.begin(), vertices_.end(), vertex) -
                                        vertices_.begin());
    };
    first_.assign(vertices_.size() + 1, 0);
    for (const Triangle& triangle : triangles_) {
        for (const Index vertex : triangle) ++first_[local(vertex) + 1];
    }
    for (std::size_t i = 0; i < vertices_.size(); ++i) first_[i + 1] += first_[i];
    std::vector<std::size_t> cursor(first_.begin(), first_.end() - 1);
    incident_.resize(3 * triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
        for (const Index vertex : triangles_[t]) incident_[cursor[local(vertex)]++] = t;
    }
}

double VolumeZone::volume(const VecX& x) const {
    const auto six_volumes = [&](std::size_t t) {
        const Vec3 origin = position(x, reference_[t]);
        const Vec3 a = position(x, triangles_[t][0]) - origin;
        const Vec3 b = position(x, triangles_[t][1]) - origin;
        const Vec3 c = position(x, triangles_[t][2]) - origin;
        return a.dot(b.cross(c));
    };
    return parallel_sum(triangles_.size(), CompensatedSum(), six_volumes).value() / 6.0;
}

/// Twice the area times the unit normal. Around a vertex of a closed surface the sum of these equals that of the cross
/// products of the two other corners, which is the derivative of 6 V, but needs no origin.
Vec3 VolumeZone::area_vector(std::size_t triangle, const VecX& x) const {
    const auto& [a, b, c] = triangles_[triangle];
    const Vec3 origin = position(x, a);
    return (position(x, b) - origin).cross(position(x, c) - origin);
}

void VolumeZone::gradient(const VecX& x, VecX& out) const {
    out.resize(3 * static_cast<Eigen::Index>(vertices_.size()));
    parallel_for(vertices_.size(), [&](std::size_t i) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) sum += area_vector(incident_[k], x);
        out.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum / 6.0;
    });
}

double VolumeZone::directional_derivative(const VecX& x, const VecX& p) const {
    const auto six_fluxes = [&](std::size_t t) {
        const auto& [a, b, c] = triangles_[t];
        return area_vector(t, x).dot(position(p, a) + position(p, b) + position(p, c));
    };
    return parallel_sum(triangles_.size(), CompensatedSum(), six_fluxes).value() / 6.0;
}

void VolumeZone::hessian_product(const VecX& x, const VecX& p, VecX& out) const {
    out.resize(3 * static_cast<Eigen::Index>(vertices_.size()));
    const auto area_vector_change = [&](std::size_t t) -> Vec3 {
        const auto& [a, b, c] = triangles_[t];
        const Vec3 x_a = position(x, a), p_a = position(p, a);
        return (position(p, b) - p_a).cross(position(x, c) - x_a) + (position(x, b) - x_a).cross(position(p, c) - p_a);
    };
    parallel_for(vertices_.size(), [&](std::size_t i) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) sum += area_vector_change(incident_[k]);
        out.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum / 6.0;
    });
}

void VolumeZone::hessian_blocks(const VecX& x, double scale, std::vector<Mat9>& out) const {
    fill_blocks(triangles_, reference_, x, scale, out);
}

void VolumeZone::hessian_blocks(const VecX& x, double scale, std::vector<Mat12>& out) const {
    fill_blocks(triangles_, reference_, x, scale, out);
}

std::vector<std::array<Index, 4>> VolumeZone::stencils() const {
    std::vector<std::array<Index, 4>> elements;
    elements.reserve(triangles_.size());
    for (const auto& [a, b, c] : triangles_) elements.push_back({a, b, c, -1});
    return elements;
}

void VolumeZone::add(const VecX& zone_vector, double scale, VecX& out) const {
    STICTION_CHECK(zone_vector.size() == 3 * static_cast<Eigen::Index>(vertices_.size()),
                   "a vector of the zone's vertices");
    parallel_for(vertices_.size(), [&](std::size_t i) {
        out.segment<3>(3 * static_cast<Eigen::Index>(vertices_[i])) +=
            scale * zone_vector.segment<3>(3 * static_cast<Eigen::Index>(i));
    });
}

double VolumeEnergy::value(const VecX& x) const {
    return law.value(zone.volume(x), rest_volume);
}

double VolumeEnergy::pressure(const VecX& x) const {
    return law.pressure(zone.volume(x), rest_volume);
}

VolumeExpansion VolumeEnergy::expand(const VecX& x) const {
    VolumeExpansion at;
    at.volume = zone.volume(x);
    at.value = law.value(at.volume, rest_volume);
    at.slope = law.derivative(at.volume, rest_volume);
    at.curvature = law.second_derivative(at.volume, rest_volume);
    zone.gradient(x, at.gradient);
    return at;
}

void VolumeEnergy::add_gradient(const VolumeExpansion& at, double scale, VecX& out) const {
    zone.add(at.gradient, scale * at.slope, out);
}

void VolumeEnergy::add_hessian_product(const VolumeExpansion& at, const VecX& x, const VecX& p, VolumeHessian parts,
                                       double scale, VecX& out) const {
    if (parts != VolumeHessian::sparse)
        zone.add(at.gradient, scale * at.curvature * zone.directional_derivative(x, p), out);
    if (parts == VolumeHessian::rank_one) return;
    VecX product;
    zone.hessian_product(x, p, product);
    zone.add(product, scale * at.slope, out);
}

}  // namespace stiction
