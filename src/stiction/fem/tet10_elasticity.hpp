// Elastic energy of quadratic tetrahedra and its derivatives, element by element.
#pragma once

#include "stiction/fem/tet10_elements.hpp"

#include <span>

namespace stiction {

// As in fem/elasticity.hpp; element vectors are ordered node by node. Elements of barrier laws have the energy of
// fem/inversion_barrier.hpp, too, and are infinite where it is.

/// Sum over the four points of weight * psi(F), in J.
void element_energies(const Tet10Elements& elements, const VecX& x, std::vector<double>& out,
                      const std::vector<char>& marked = {});
/// Sum of the element energies (compensated, fixed order), in J.
double elastic_energy(const Tet10Elements& elements, const VecX& x);
/// Gradients of the element energies, in N.
void element_gradients(const Tet10Elements& elements, const VecX& x, std::vector<Vec30>& out,
                       const std::vector<char>& marked = {});
/// Hessians of the element energies, in N/m, symmetric.
/// @param project  positive semidefinite projection of dP/dF at each point, and of the barrier's Hessian
void element_hessians(const Tet10Elements& elements, const VecX& x, bool project, std::vector<Mat30>& out);
/// The same of some elements alone, to out[0], out[1], ...
void element_hessians(const Tet10Elements& elements, const VecX& x, bool project, std::span<const Index> chosen,
                      Mat30* out);

/// Cauchy stress P F^T / J of element e at one of its four points, in Pa, symmetric; tension positive.
Mat3 cauchy_stress(const Tet10Elements& elements, std::size_t e, std::size_t point, const VecX& x);
/// The same at one of its corners.
Mat3 corner_stress(const Tet10Elements& elements, std::size_t e, std::size_t corner, const VecX& x);
/// Mean over the rest volume, by the four points.
Mat3 mean_stress(const Tet10Elements& elements, std::size_t e, const VecX& x);

}  // namespace stiction
