// The local step of the laws in the polar rotation, and of neo-Hookean sheets, several elements at a time.
#pragma once

#include "stiction/methods/local_global/element_arrays.hpp"

namespace stiction::local_global {

// Elements [begin, end) of a block; arguments as in local_step.hpp. An element that the closed form or the iteration
// cannot do (inverted, collapsed) has an energy of NaN, and no forces: the caller does it alone.

/// psi = mu |F - R|^2 + lambda/2 (J - 1)^2: fixed corotated tets; ARAP with `with_volume` false, which ignores lambda.
/// R by Newton's iteration for the polar factor (Higham 1986).
void corotated_tets(const TetArrays& tets, bool with_volume, std::size_t begin, std::size_t end, const double* x,
                    double* energy, double* force);
/// The same of sheets, with lambda of plane stress; R in closed form.
void corotated_triangles(const TriangleArrays& triangles, bool with_area, std::size_t begin, std::size_t end,
                         const double* x, double* energy, double* force);
/// psi = mu/2 (|F|^2 - 2 - 2 ln J) + lambda/2 (ln J)^2 of sheets.
void neo_hookean_triangles(const TriangleArrays& triangles, std::size_t begin, std::size_t end, const double* x,
                           double* energy, double* force);

}  // namespace stiction::local_global
