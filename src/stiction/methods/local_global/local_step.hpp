// The local step: what every element wants, as forces on its corners. Functions over arrays.
#pragma once

#include "stiction/methods/local_global/element_arrays.hpp"

namespace stiction::local_global {

// The projected state p = F - V P(F) / w of an element enters the global system as w G^T (F - p) = V G^T P(F): the
// gradient of its energy. For ARAP with w = 2 mu V, p is the rotation of F; for other laws the iteration is that of
// Liu, Bouaziz and Kavan (2017).

/// Energies V psi(F) (J; +inf where a law is not defined) and their gradients (N) of the tets of a block.
/// @param x       positions of all vertices, 3 each (m)
/// @param energy  one a tet
/// @param force   3 numbers a corner, corner c of tet e at 3 (c count + e)
void local_step(const TetArrays& tets, const double* x, double* energy, double* force);
/// The same of triangles.
void local_step(const TriangleArrays& triangles, const double* x, double* energy, double* force);

/// out_i += scale * sum of the corners' forces of vertex vertices[i], 3 numbers each.
void gather(const ElementArrays& arrays, const double* force, const Index* vertices, std::size_t count, double scale,
            double* out);

/// Tets of barrier laws whose volume ratio is below that from which their law is continued.
std::size_t count_extrapolated(const ElementArrays& arrays, const double* x);

}  // namespace stiction::local_global
