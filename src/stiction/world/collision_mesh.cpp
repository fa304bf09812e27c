#include "stiction/world/collision_mesh.hpp"

#include "stiction/base/error.hpp"
#include "stiction/collision/bvh.hpp"
#include "stiction/collision/distance.hpp"
#include "stiction/fem/quadratic_shape.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/world/affine_frame.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

constexpr double smallest_weight = 1e-12;
/// Of a vertex outside of the tet that carries it: larger weights, of slivers near it, would magnify the tet's motion.
constexpr double least_weight = -1.0, greatest_weight = 2.0;

/// Finds the tet that carries a point.
class TetFinder {
public:
    TetFinder(const std::vector<Vec3>& vertices, const std::vector<Tet>& tets) : vertices_(vertices), tets_(tets) {
        std::vector<Box> boxes(tets.size());
        Box whole;
        for (std::size_t t = 0; t < tets.size(); ++t) {
            for (const Index v : tets[t]) boxes[t].add(position(v));
            whole.add(boxes[t]);
        }
        reach_ = farthest_outside * (whole.upper - whole.lower).norm();
        for (Box& box : boxes) box.inflate(smallest_weight * (whole.upper - whole.lower).norm());
        tree_.build(boxes);
    }

    /// m; points farther outside are carried by no tet.
    double reach() const { return reach_; }

    /// -1 where all tets are too far.
    Index carrier(const Vec3& point) const {
        const Index inside = best(point, 0.0, [&](Index t) { return outsideness(t, point); });
        if (inside >= 0 && outsideness(inside, point) <= smallest_weight) return inside;
        const Index nearest = best(point, reach_, [&](Index t) { return distance(t, point); });
        return nearest >= 0 && distance(nearest, point) <= reach_ ? nearest : -1;
    }

private:
    Vec3 position(Index vertex) const { return vertices_[at(vertex)]; }
    const Tet& tet(Index t) const { return tets_[static_cast<std::size_t>(t)]; }

    /// Of the tets within `reach` of a point that with the least `cost`, the first of several.
    template <class Cost>
    Index best(const Vec3& point, double reach, const Cost& cost) const {
        Box box;
        box.add(point);
        box.inflate(reach);
        Index found = -1;
        double least = std::numeric_limits<double>::infinity();
        tree_.query(
            box, 0, [](Index) { return false; },
            [&](Index t) {
                const double here = cost(t);
                if (here > least || (here == least && t > found)) return;
                least = here;
                found = t;
            });
        return found;
    }

    /// Minus the least barycentric coordinate; at most 0 inside.
    double outsideness(Index t, const Vec3& point) const {
        const std::array<double, 4> weights = FrameCoordinates(vertices_, tet(t))(point);
        return std::max(0.0, -*std::min_element(weights.begin(), weights.end()));
    }

    /// Of a point outside the tet (m).
    double distance(Index t, const Vec3& point) const {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t left_out = 0; left_out < 4; ++left_out) {
            Vec3 x[4] = {point, {}, {}, {}};
            for (std::size_t k = 1; k < 4; ++k) x[k] = position(tet(t)[(left_out + k) % 4]);
            least = std::min(least, closest_squared_distance(PairKind::point_triangle, x));
        }
        return std::sqrt(least);
    }

    const std::vector<Vec3>& vertices_;
    const std::vector<Tet>& tets_;
    double reach_ = 0.0;
    Bvh tree_;
};

/// Coordinates in the tet, those that are rounding taken out; sum 1.
std::array<double, 4> clean_weights(const std::vector<Vec3>& vertices, const Tet& tet, const Vec3& point) {
    std::array<double, 4> weights = FrameCoordinates(vertices, tet)(point);
    double sum = 0.0;
    for (double& weight : weights) {
        if (std::abs(weight) < smallest_weight) weight = 0.0;
        sum += weight;
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

/// Coordinates of a point in a quadratic tet by Newton's method, which begins with those among its corners.
TetCoordinates coordinates_in(const std::vector<Vec3>& vertices, const Tet10& nodes, TetCoordinates place,
                              const Vec3& point, const std::string& name, std::size_t number) {
    Eigen::Matrix<double, 3, 10> positions;
    for (int a = 0; a < 10; ++a) positions.col(a) = vertices[at(nodes[static_cast<std::size_t>(a)])];
    constexpr int most_steps = 20;
    const double size = (positions.col(1) - positions.col(0)).norm();
    for (int step = 0; step < most_steps; ++step) {
        const std::array<double, 10> shapes = quadratic_shapes(place);
        const Vec3 miss = point - positions * Eigen::Map<const Eigen::Matrix<double, 10, 1>>(shapes.data());
        if (miss.norm() <= 1e-14 * size) return place;
        const Vec3 move = (positions * quadratic_gradients(place).transpose()).partialPivLu().solve(miss);
        for (int k = 0; k < 3; ++k) place[static_cast<std::size_t>(k) + 1] += move[k];
        place[0] -= move.sum();
        if (move.norm() <= smallest_weight) return place;
    }
    throw InputError(name, fmt::format("collision mesh: vertex {}", number),
                     "no place in the curved tetrahedron near it",
                     "a vertex inside of the tetrahedra, or nearer to them");
}

}  // namespace

std::vector<EmbeddedVertex> hang_in_tets(const std::string& name, const std::vector<Vec3>& vertices, const Mesh& mesh,
                                         const std::vector<Vec3>& points) {
    const std::vector<Tet>& tets = mesh.tets;
    const TetFinder finder(vertices, tets);
    std::vector<EmbeddedVertex> result;
    result.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Index carrier = finder.carrier(points[i]);
        if (carrier < 0)
            throw InputError(name, fmt::format("collision mesh: vertex {}", i),
                             fmt::format("more than {:.3g} m outside the tetrahedra", finder.reach()),
                             fmt::format("at most {:g} of the diagonal of the body", farthest_outside));
        const Tet& tet = tets[static_cast<std::size_t>(carrier)];
        const std::array<double, 4> weights = clean_weights(vertices, tet, points[i]);
        const auto [least, greatest] = std::minmax_element(weights.begin(), weights.end());
        if (*least < least_weight || *greatest > greatest_weight)
            throw InputError(
                name, fmt::format("collision mesh: vertex {}", i),
                fmt::format("hangs in a tetrahedron with weights from {:.3g} to {:.3g}", *least, *greatest),
                fmt::format("weights from {:g} to {:g}", least_weight, greatest_weight));
        const auto vertex = static_cast<Index>(i);
        if (mesh.mid_nodes.empty()) {
            result.emplace_back(vertex, tet, weights);
        } else {
            const Tet10 nodes = tet10(mesh, at(carrier));
            result.emplace_back(vertex, nodes,
                                quadratic_shapes(coordinates_in(vertices, nodes, weights, points[i], name, i)));
        }
    }
    return result;
}

void add_to_carriers(std::span<const EmbeddedVertex> embedded, VecX& forces) {
    for (const EmbeddedVertex& entry : embedded) {
        const Vec3 force = forces.segment<3>(3 * static_cast<Eigen::Index>(entry.vertex));
        for (const Carrier& carrier : entry.carriers())
            forces.segment<3>(3 * static_cast<Eigen::Index>(carrier.vertex)) += carrier.weight * force;
    }
}

void carry(std::span<const EmbeddedVertex> embedded, VecX& u) {
    for (const EmbeddedVertex& entry : embedded) {
        Vec3 sum = Vec3::Zero();
        for (const Carrier& carrier : entry.carriers())
            sum += carrier.weight * u.segment<3>(3 * static_cast<Eigen::Index>(carrier.vertex));
        u.segment<3>(3 * static_cast<Eigen::Index>(entry.vertex)) = sum;
    }
}

}  // namespace stiction
