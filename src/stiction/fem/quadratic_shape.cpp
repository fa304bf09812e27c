#include "stiction/fem/quadratic_shape.hpp"

#include "stiction/mesh/second_order.hpp"

#include <utility>

namespace stiction {

std::array<double, 10> quadratic_shapes(const TetCoordinates& point) {
    std::array<double, 10> shapes;
    for (std::size_t a = 0; a < 4; ++a) shapes[a] = point[a] * (2.0 * point[a] - 1.0);
    for (std::size_t k = 0; k < 6; ++k) shapes[4 + k] = 4.0 * point[mid_node_edges[k][0]] * point[mid_node_edges[k][1]];
    return shapes;
}

ReferenceGradients quadratic_gradients(const TetCoordinates& point) {
    const auto corner = [](std::size_t a) { return a == 0 ? Vec3(-Vec3::Ones()) : Vec3(Vec3::Unit(int(a) - 1)); };
    ReferenceGradients gradients;
    for (std::size_t a = 0; a < 4; ++a) gradients.col(int(a)) = (4.0 * point[a] - 1.0) * corner(a);
    for (std::size_t k = 0; k < 6; ++k) {
        const auto [a, b] = mid_node_edges[k];
        gradients.col(4 + int(k)) = 4.0 * (point[a] * corner(b) + point[b] * corner(a));
    }
    return gradients;
}

const std::array<WeightedPoint, 14>& mass_points() {
    static const std::array<WeightedPoint, 14> points = [] {
        std::array<WeightedPoint, 14> result;
        std::size_t next = 0;
        // Two orbits of points that have one coordinate of their own, and one of points that have two pairs.
        for (const auto& [equal, weight] : {std::pair{0.31088591926330060980, 0.11268792571801585080},
                                            std::pair{0.092735250310891226402, 0.073493043116361949544}}) {
            for (std::size_t own = 0; own < 4; ++own) {
                WeightedPoint& entry = result[next++];
                entry.point.fill(equal);
                entry.point[own] = 1.0 - 3.0 * equal;
                entry.weight = weight;
            }
        }
        constexpr double pair = 0.045503704125649649492;
        for (const auto& edge : mid_node_edges) {
            WeightedPoint& entry = result[next++];
            entry.point.fill(0.5 - pair);
            entry.point[edge[0]] = entry.point[edge[1]] = pair;
            entry.weight = 0.042546020777081466438;
        }
        return result;
    }();
    return points;
}

}  // namespace stiction
