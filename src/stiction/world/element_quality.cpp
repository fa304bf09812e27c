#include "stiction/world/element_quality.hpp"

#include "stiction/base/parallel.hpp"

#include <Eigen/Geometry>

#include <limits>

namespace stiction {
namespace {

/// The elements with the least and the largest volume over that at rest among some; of sheets area, of rods length.
/// A sum is that of both sets, of equal elements the first.
struct Volumes {
    double least = std::numeric_limits<double>::infinity(), largest = 0.0;
    std::size_t of_least = 0, of_largest = 0;

    Volumes& operator+=(const Volumes& other) {
        if (other.least < least) {
            least = other.least;
            of_least = other.of_least;
        }
        if (other.largest > largest) {
            largest = other.largest;
            of_largest = other.of_largest;
        }
        return *this;
    }
};

double volume(const TetElements& elements, std::size_t e, const VecX& x) {
    return edge_matrix(elements.vertices[e], x).determinant() / (6.0 * elements.volume[e]);
}

/// Of quadratic tets the coefficient of det J that has lost most of itself, which bounds it from below.
double volume(const Tet10Elements& elements, std::size_t e, const VecX& x) {
    const BernsteinCoefficients now =
        determinant_coefficients(corner_jacobians(node_positions(elements.vertices[e], x)));
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < now.size(); ++i) least = std::min(least, now[i] / elements.rest_determinant[e][i]);
    return least;
}

double volume(const TriangleElements& elements, std::size_t e, const VecX& x) {
    const Triangle& triangle = elements.vertices[e];
    const Vec3 origin = x.segment<3>(3 * triangle[0]);
    const Vec3 a = x.segment<3>(3 * triangle[1]) - origin, b = x.segment<3>(3 * triangle[2]) - origin;
    return a.cross(b).norm() / (2.0 * elements.area[e]);
}

double volume(const RodStretch& elements, std::size_t e, const VecX& x) {
    const auto& [a, b] = elements.vertices[e];
    return (x.segment<3>(3 * b) - x.segment<3>(3 * a)).norm() / elements.rest_length[e];
}

template <class Group, class Elements>
void widen(const Group& group, const Elements& elements, const VecX& x, ElementQuality& worst) {
    const Volumes found = parallel_sum(elements.size(), Volumes{}, [&](std::size_t e) {
        const double ratio = volume(elements, e, x);
        return Volumes{ratio, ratio, e, e};
    });
    const auto consider = [&](double quality, std::size_t e) {
        if (quality < worst.value)
            worst = {quality, static_cast<int>(group.body[e]), static_cast<int>(group.body_element[e])};
    };
    consider(found.least, found.of_least);
    if (found.largest > 0.0) consider(1.0 / found.largest, found.of_largest);
}

}  // namespace

ElementQuality worst_element(const World& world, const VecX& x) {
    ElementQuality worst;
    world.for_each_tet_group([&](const auto& group) {
        if (!group.frames) widen(group, group.elements, x, worst);
    });
    for (const SheetGroup& group : world.sheets) {
        if (const auto* triangles = std::get_if<TriangleElements>(&group.elements)) widen(group, *triangles, x, worst);
        if (const auto* edges = std::get_if<RodStretch>(&group.elements)) widen(group, *edges, x, worst);
    }
    return worst;
}

}  // namespace stiction
