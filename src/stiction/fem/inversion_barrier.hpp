// What keeps quadratic tets of barrier laws from turning inside out between their points of integration.
#pragma once

#include "stiction/fem/tet10_elements.hpp"

namespace stiction {

/// Ratio of a coefficient of det J to its rest value below which the barrier acts.
inline constexpr double barrier_ratio = 0.1;

/// A law that is infinite at J = 0 is asked at four points only, and its integral stays finite while det J reaches 0 at
/// a corner. So every element of such a law has the energy
///   mu V / 20 sum over the Bernstein coefficients c_i of det J of b(c_i / c_i at rest),
///   b(r) = -(r - r0)^2 ln(r / r0) for r < r0 = barrier_ratio, else 0.
/// It is twice continuously differentiable, changes nothing before a coefficient has lost nine tenths, and is infinite
/// where one is 0: det J is positive wherever the energy is finite. Newton's method so sees the bound of
/// inversion_step_bound() before it gets there.
double inversion_barrier(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes);
/// Adds its gradient (N), node by node.
void add_inversion_barrier_gradient(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes,
                                    Vec30& out);
/// Adds its Hessian (N/m).
/// @param project  to be positive semidefinite
void add_inversion_barrier_hessian(const Tet10Elements& elements, std::size_t e, const NodePositions& nodes,
                                   bool project, Mat30& out);

}  // namespace stiction
