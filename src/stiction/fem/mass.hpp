// Lumped and consistent mass of tetrahedra.
#pragma once

#include "stiction/fem/quadratic_elements.hpp"
#include "stiction/fem/tet10_elements.hpp"
#include "stiction/fem/tet_elements.hpp"

namespace stiction {

/// Adds rho V / 4 of every element to its four corners.
/// @param density     kg/m^3, one per element
/// @param nodal_mass  kg, one per vertex of the scene (ALL vertices); added to
void add_lumped_mass(const TetElements& elements, const std::vector<double>& density, std::vector<double>& nodal_mass);

/// 4x4 scalar mass matrix of a linear tet: rho V / 20 (1 + delta_ij), in kg; row sums are the lumped masses.
Eigen::Matrix4d consistent_mass(double density, double volume);

/// Consistent mass as a quadratic term: Q(u) = 1/2 u^T M u with the 4x4 weights times the 3x3 identity. With u = x -
/// x_hat it is the inertia term of a time step; with u = v the kinetic energy.
QuadraticElements consistent_mass_elements(const TetElements& elements, const std::vector<double>& density);

/// 10x10 scalar mass matrix of a quadratic tet at rest, in kg: integral of rho N_a N_b. Its row sums are negative at
/// corners.
Eigen::Matrix<double, 10, 10> consistent_mass(const Tet10Elements& elements, std::size_t e, double density);
/// The diagonal of consistent_mass(), scaled to the mass of the element (Hinton, Rock and Zienkiewicz 1976): V/36 at
/// corners and 4V/27 at mid nodes where the element is straight.
std::array<double, 10> lumped_mass(const Tet10Elements& elements, std::size_t e, double density);
/// Adds lumped_mass() of every element to its nodes.
void add_lumped_mass(const Tet10Elements& elements, const std::vector<double>& density,
                     std::vector<double>& nodal_mass);
QuadraticForms<10> consistent_mass_elements(const Tet10Elements& elements, const std::vector<double>& density);

}  // namespace stiction
