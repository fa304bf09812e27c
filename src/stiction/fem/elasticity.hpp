// Elastic energy of linear tetrahedra and its derivatives, element by element.
#pragma once

#include "stiction/fem/tet_elements.hpp"

#include <span>

namespace stiction {

// x is always the stacked vector of ALL vertices' positions (3 per vertex), in m. Outputs are resized to one entry per
// element; element vectors are ordered corner by corner (x0 y0 z0 x1 ... z3). All loops run in parallel and write
// element by element, so results do not depend on the number of threads.

/// volume * psi(F), in J; +inf where an element of a barrier law has J <= 0.
/// @param marked  optional, of every vertex: elements without a marked vertex are left out, their energy is 0
void element_energies(const TetElements& elements, const VecX& x, std::vector<double>& out,
                      const std::vector<char>& marked = {});

/// Sum of the element energies (compensated, fixed order), in J; +inf if an element of a barrier law has J <= 0.
double elastic_energy(const TetElements& elements, const VecX& x);

/// Gradients of the element energies, in N (minus the nodal forces). NaN where a barrier law has J <= 0.
/// @param marked  optional, of every vertex: elements without a marked vertex are left out, their gradient is 0
void element_gradients(const TetElements& elements, const VecX& x, std::vector<Vec12>& out,
                       const std::vector<char>& marked = {});

/// Hessians of the element energies, in N/m, symmetric. NaN where a barrier law has J <= 0.
/// @param project  positive semidefinite projection of dP/dF in principal axes (materials/principal_hessian.hpp) first
void element_hessians(const TetElements& elements, const VecX& x, bool project, std::vector<Mat12>& out);
/// The same of some elements alone, to out[0], out[1], ...
void element_hessians(const TetElements& elements, const VecX& x, bool project, std::span<const Index> chosen,
                      Mat12* out);

/// Cauchy stress P F^T / J of element e, in Pa, symmetric; tension positive. For J < 0 the formula is applied as it
/// stands; J = 0 and barrier laws with J <= 0 give values that are not finite.
Mat3 cauchy_stress(const TetElements& elements, std::size_t e, const VecX& x);

}  // namespace stiction
