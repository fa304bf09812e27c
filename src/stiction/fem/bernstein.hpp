// Bounds on the determinant of the map of a tet of second order.
#pragma once

#include "stiction/base/types.hpp"

#include <array>

namespace stiction {

/// det J of a quadratic tet is a cubic polynomial. These are its coefficients in the Bernstein basis: it lies between
/// the least and the largest of them, and equals the first four at the corners (Johnen, Remacle, Geuzaine 2013).
using BernsteinCoefficients = std::array<double, 20>;

/// The corners whose Jacobians each coefficient mixes: (k, k, k), (k, k, l), (k, l, m).
const std::array<std::array<std::size_t, 3>, 20>& bernstein_corners();

/// Jacobian of the map from the reference tet at each corner; linear in the positions of the nodes (m), or in moves of
/// them.
/// @param nodes  column a: node a of Tet10
std::array<Mat3, 4> corner_jacobians(const Eigen::Matrix<double, 3, 10>& nodes);

/// The symmetric bilinear form X(P, Q) with X(P, P) = 2 cof P.
Mat3 mixed_cofactor(const Mat3& P, const Mat3& Q);
/// The symmetric trilinear form D(P, Q, R) with D(P, P, P) = det P.
double mixed_determinant(const Mat3& P, const Mat3& Q, const Mat3& R);

/// det J (m^3): six times the volume, all of them, where the element is straight and its mid nodes are in the middle.
BernsteinCoefficients determinant_coefficients(const std::array<Mat3, 4>& jacobians);

/// The polynomial of these coefficients at a point, given by its barycentric coordinates.
double bernstein_value(const BernsteinCoefficients& coefficients, const std::array<double, 4>& point);

/// Gradient of a coefficient in the positions of the nodes (m^2), column by column.
Eigen::Matrix<double, 3, 10> coefficient_gradient(const std::array<Mat3, 4>& jacobians, std::size_t coefficient);
/// Adds factor times its second derivative (m).
void add_coefficient_hessian(const std::array<Mat3, 4>& jacobians, std::size_t coefficient, double factor, Mat30& out);

}  // namespace stiction
