#include "stiction/fem/tet10_elements.hpp"

#include "stiction/base/error.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

NodePositions rest_positions(const std::vector<Vec3>& rest, const Tet10& nodes, std::size_t index,
                             std::string_view source) {
    NodePositions result;
    for (std::size_t a = 0; a < nodes.size(); ++a) {
        if (nodes[a] < 0 || static_cast<std::size_t>(nodes[a]) >= rest.size())
            throw InputError(source, fmt::format("tet {}", index), fmt::format("vertex {}", nodes[a]),
                             fmt::format("a vertex index in [0, {})", rest.size()));
        result.col(static_cast<Eigen::Index>(a)) = rest[at(nodes[a])];
    }
    return result;
}

/// As for linear tets, a determinant counts as positive above 1e-12 of the product of the edges at the first corner.
void check_shape(const NodePositions& nodes, const BernsteinCoefficients& determinant, std::size_t index,
                 std::string_view source) {
    const double least = *std::ranges::min_element(determinant);
    const double box = (nodes.col(1) - nodes.col(0)).norm() * (nodes.col(2) - nodes.col(0)).norm() *
                       (nodes.col(3) - nodes.col(0)).norm();
    if (least > 1e-12 * box) return;  // false for NaN too
    throw InputError(
        source, fmt::format("tet {} of second order", index),
        fmt::format("turned inside out or too curved: the determinant of its map may fall to {:.6g} m^3", least),
        "a determinant whose lower bound, the least of its Bernstein coefficients, is positive");
}

/// Of the map from the reference element to the rest shape, at one of the four points: its inverse transpose is what
/// turns gradients in the reference element into those in the rest shape.
Mat3 rest_jacobian(const Tet10Elements& elements, std::size_t e, std::size_t point) {
    const ReferenceGradients reference = quadratic_gradients(energy_points[point]);
    const Mat3 inverse_transpose =
        elements.gradients[e][point] * reference.transpose() * (reference * reference.transpose()).inverse();
    return inverse_transpose.inverse().transpose();
}

}  // namespace

Mat3 corner_deformation_gradient(const Tet10Elements& elements, std::size_t e, std::size_t corner, const VecX& x) {
    // The Jacobian is linear in the element: its value at a corner follows from those at the four points.
    constexpr double far = -outer_coordinate / (inner_coordinate - outer_coordinate), near = 1.0 - 3.0 * far;
    Mat3 jacobian = Mat3::Zero();
    for (std::size_t q = 0; q < 4; ++q) jacobian += (q == corner ? near : far) * rest_jacobian(elements, e, q);
    TetCoordinates place{};
    place[corner] = 1.0;
    return node_positions(elements.vertices[e], x) * quadratic_gradients(place).transpose() * jacobian.inverse();
}

void append_tets(Tet10Elements& elements, const std::vector<Vec3>& rest, const std::vector<Tet10>& tets,
                 const LameParameters& lame, Index vertex_offset, std::string_view source) {
    for (std::size_t t = 0; t < tets.size(); ++t) {
        const NodePositions nodes = rest_positions(rest, tets[t], t, source);
        const BernsteinCoefficients determinant = determinant_coefficients(corner_jacobians(nodes));
        check_shape(nodes, determinant, t, source);
        auto& gradients = elements.gradients.emplace_back();
        auto& weight = elements.weight.emplace_back();
        for (std::size_t q = 0; q < energy_points.size(); ++q) {
            const ReferenceGradients reference = quadratic_gradients(energy_points[q]);
            const Mat3 jacobian = nodes * reference.transpose();
            gradients[q] = jacobian.inverse().transpose() * reference;
            weight[q] = jacobian.determinant() / 24.0;
        }
        // The integral of the cubic: every Bernstein polynomial has the same.
        double sum = 0.0;
        for (const double coefficient : determinant) sum += coefficient;
        elements.volume.push_back(sum / 120.0);
        Tet10 global = tets[t];
        for (Index& vertex : global) vertex += vertex_offset;
        elements.vertices.push_back(global);
        elements.rest_determinant.push_back(determinant);
        elements.mu.push_back(lame.mu);
        elements.lambda.push_back(lame.lambda);
    }
}

}  // namespace stiction
