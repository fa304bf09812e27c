// Membrane energy of linear triangles and its derivatives, element by element.
#pragma once

#include "stiction/fem/triangle_elements.hpp"

namespace stiction {

// x is always the stacked vector of ALL vertices' positions (3 per vertex), in m. Outputs are resized to one entry per
// element; element vectors are ordered corner by corner (x0 y0 z0 x1 ... z2). All loops run in parallel and write
// element by element, so results do not depend on the number of threads. Energies are +inf where a triangle of a
// barrier law is collapsed (J = 0) and where a stretch reaches its strain limit; derivatives are not defined there (NaN
// or infinite).

/// thickness * area * psi(F), in J, strain limit included.
void membrane_energies(const TriangleElements& elements, const VecX& x, std::vector<double>& out);

/// Sum of the element energies (compensated, fixed order), in J.
double membrane_energy(const TriangleElements& elements, const VecX& x);

/// Gradients of the element energies, in N (minus the nodal forces).
/// @param marked  optional, of every vertex: elements without a marked vertex are left out, their gradient is 0
void membrane_gradients(const TriangleElements& elements, const VecX& x, std::vector<Vec9>& out,
                        const std::vector<char>& marked = {});

/// Hessians of the element energies, in N/m, symmetric.
/// @param project  positive semidefinite projection of dP/dF in principal axes (materials/membrane_isotropic.hpp) first
void membrane_hessians(const TriangleElements& elements, const VecX& x, bool project, std::vector<Mat9>& out);
/// The same of elements [begin, end) alone, to the first nine rows and columns of out[0], out[1], ...; the others are
/// 0.
void membrane_hessians(const TriangleElements& elements, const VecX& x, bool project, std::size_t begin,
                       std::size_t end, Mat12* out);

/// Cauchy stress P F^T / J of element e in Pa, symmetric, zero across the sheet: force per rest thickness and present
/// width; tension positive. Not finite for a collapsed triangle.
Mat3 cauchy_stress(const TriangleElements& elements, std::size_t e, const VecX& x);

/// Principal stretches of element e, the largest first.
Vec2 principal_stretches(const TriangleElements& elements, std::size_t e, const VecX& x);

}  // namespace stiction
