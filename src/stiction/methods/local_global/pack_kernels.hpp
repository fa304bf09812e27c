// SIMD kernels of the local step: corotated laws and ARAP by the polar rotation, neo-Hookean laws, St.
// Venant-Kirchhoff.
#pragma once

#include "stiction/methods/local_global/element_arrays.hpp"

namespace stiction::local_global {

// All work on the elements [begin, end) of a block, with the arguments of local_step.hpp. An element that the kernel
// cannot do, inverted or collapsed, gets the energy NaN and no forces; the caller does it one by one.

/// Fixed corotated tets, psi = mu |F - R|^2 + lambda/2 (J - 1)^2, or ARAP (lambda = 0) if not `with_volume`. R is
/// the gradient of tr S, F = R S, which is a root of a quartic polynomial (Lin, Chitalu and Komura 2022).
void corotated_tets(const TetArrays& tets, bool with_volume, std::size_t begin, std::size_t end, const double* x,
                    double* energy, double* force);
/// The same for sheets, with lambda of plane stress and R in closed form.
void corotated_triangles(const TriangleArrays& triangles, bool with_area, std::size_t begin, std::size_t end,
                         const double* x, double* energy, double* force);
/// Neo-Hookean tets where J is at least `extrapolate_below`, psi = mu/2 (|F|^2 - 3 - 2 ln J) + lambda/2 (ln J)^2.
void neo_hookean_tets(const TetArrays& tets, std::size_t begin, std::size_t end, const double* x, double* energy,
                      double* force);
/// Stable neo-Hookean tets, psi = mu/2 (|F|^2 - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2.
void stable_neo_hookean_tets(const TetArrays& tets, std::size_t begin, std::size_t end, const double* x, double* energy,
                             double* force);
/// St. Venant-Kirchhoff tets, psi = mu |E|^2 + lambda/2 (tr E)^2.
void saint_venant_kirchhoff_tets(const TetArrays& tets, std::size_t begin, std::size_t end, const double* x,
                                 double* energy, double* force);
/// The same for sheets, with lambda of plane stress.
void saint_venant_kirchhoff_triangles(const TriangleArrays& triangles, std::size_t begin, std::size_t end,
                                      const double* x, double* energy, double* force);
/// Neo-Hookean sheets, psi = mu/2 (|F|^2 - 2 - 2 ln J) + lambda/2 (ln J)^2.
void neo_hookean_triangles(const TriangleArrays& triangles, std::size_t begin, std::size_t end, const double* x,
                           double* energy, double* force);

}  // namespace stiction::local_global
