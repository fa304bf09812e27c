// Shape functions of tets of second order, and the points at which their energies are integrated.
#pragma once

#include "stiction/base/types.hpp"

#include <array>

namespace stiction {

/// Barycentric coordinates in a tet.
using TetCoordinates = std::array<double, 4>;

/// Value of the shape function of each node of Tet10.
std::array<double, 10> quadratic_shapes(const TetCoordinates& point);

/// Column a: gradient of the shape function of node a in the coordinates of corners 1 to 3.
using ReferenceGradients = Eigen::Matrix<double, 3, 10>;
ReferenceGradients quadratic_gradients(const TetCoordinates& point);

/// Four points of equal weight, exact for polynomials of second degree (Hammer, Marlowe and Stroud 1956): the energy of
/// a straight-sided element near rest is one.
inline constexpr double inner_coordinate = 0.58541019662496845, outer_coordinate = 0.13819660112501051;
inline constexpr std::array<TetCoordinates, 4> energy_points{
    {{inner_coordinate, outer_coordinate, outer_coordinate, outer_coordinate},
     {outer_coordinate, inner_coordinate, outer_coordinate, outer_coordinate},
     {outer_coordinate, outer_coordinate, inner_coordinate, outer_coordinate},
     {outer_coordinate, outer_coordinate, outer_coordinate, inner_coordinate}}};

struct WeightedPoint {
    TetCoordinates point;
    double weight;  ///< share of the volume
};
/// Fourteen points, exact for polynomials of fifth degree (Walkington 2000): the mass of a straight-sided element is of
/// fourth.
const std::array<WeightedPoint, 14>& mass_points();

}  // namespace stiction
