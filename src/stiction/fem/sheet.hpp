// Energies of thin sheets and rods behind one interface: membranes and both bending models, stretch and bending of
// rods, as terms on stencils of up to four vertices.
#pragma once

#include "stiction/fem/hinge_bending.hpp"
#include "stiction/fem/isometric_bending.hpp"
#include "stiction/fem/membrane.hpp"
#include "stiction/fem/rod.hpp"

#include <variant>

namespace stiction {

/// The triangles of one membrane law, hinges of one bending model, or the edges or corners of rods.
using SheetElements = std::variant<TriangleElements, HingeBending, IsometricBending, RodStretch, RodBending>;

/// Vertices of each element; those that it lacks of four are -1 (unused).
std::vector<Tet> sheet_stencils(const SheetElements& elements);

// x is the stacked vector of ALL vertices' positions (m). Outputs are resized to one entry an element, in the order of
// the stencils; what stands at an unused vertex is zero. Where triangles are collapsed: see membrane.hpp,
// hinge_bending.hpp; edges of rods: rod.hpp.

/// Energies (J).
void sheet_energies(const SheetElements& elements, const VecX& x, std::vector<double>& out);
/// Their sum (J), compensated, in a fixed order.
double sheet_energy(const SheetElements& elements, const VecX& x);
/// Their gradients (N), minus the nodal forces.
/// @param marked  optional, of every vertex: triangles without a marked vertex are left out, their gradient is 0
void sheet_gradients(const SheetElements& elements, const VecX& x, std::vector<Vec12>& out,
                     const std::vector<char>& marked = {});
/// Their Hessians (N/m), symmetric; if `project` each positive semidefinite, of quadratic bending their sum.
void sheet_hessians(const SheetElements& elements, const VecX& x, bool project, std::vector<Mat12>& out);
/// The same of elements [begin, end) alone, to out[0], out[1], ...
void sheet_hessians(const SheetElements& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                    Mat12* out);

/// Largest fraction in (0, 1] of the move from x to x + p along which every triangle that has a strain limit keeps it;
/// 1 where none has one. At most nine tenths of what is left of any limit are used up. The largest stretch is a convex
/// function of the positions, so the bound holds for the whole way.
double strain_limit_step_bound(const SheetElements& elements, const VecX& x, const VecX& p);

}  // namespace stiction
