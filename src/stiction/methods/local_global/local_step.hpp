// The local step: energy of every element, and its gradient as forces on the corners.
#pragma once

#include "stiction/methods/local_global/element_arrays.hpp"

namespace stiction::local_global {

// The paper's local step is a projected state p. Here p = F - V P(F) / w, the quasi-Newton form of Liu, Bouaziz and
// Kavan (2017), which is the rotation of F for ARAP with w = 2 mu V. It enters the global system as
// w G^T (F - p) = V G^T P(F), the gradient of the energy of the element: that is what is computed.

/// Energies V psi(F) and their gradients, of the tets of a block.
/// @param x       positions of all vertices, 3 each (m)
/// @param energy  output, one a tet (J); +inf where the law is not defined
/// @param force   output (N), 3 a corner: corner c of tet e at 3 (c count + e)
void local_step(const TetArrays& tets, const double* x, double* energy, double* force);
/// The same for triangles.
void local_step(const TriangleArrays& triangles, const double* x, double* energy, double* force);

/// out_i += scale * (sum of the forces of all corners of vertex vertices[i]), 3 numbers each.
void gather(const ElementArrays& arrays, const double* force, const Index* vertices, std::size_t count, double scale,
            double* out);

/// Number of tets of barrier laws whose volume ratio is below extrapolate_below.
std::size_t count_extrapolated(const ElementArrays& arrays, const double* x);

}  // namespace stiction::local_global
