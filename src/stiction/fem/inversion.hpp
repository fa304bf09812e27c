// How far a step may go before a tetrahedron inverts.
#pragma once

#include "stiction/fem/tet10_elements.hpp"
#include "stiction/fem/tet_elements.hpp"

namespace stiction {

/// Largest fraction of the step p, at most 1, along which every element keeps at least `remaining_fraction` of its
/// present signed volume: the minimum over elements of the smallest positive root of
///   det(Ds + t Dp) = remaining_fraction det(Ds).
/// The cubic is divided by det(Ds), so the answer does not depend on units. Conservative: rounded down
/// (math/cubic.hpp). Positive from every start whose elements all have det(Ds) > 0 and for every finite p; 0 if an
/// element is already inverted or flat, or p is not finite. Callers use it for barrier laws only:
/// TetElements::invertible() says so.
/// @param x                   stacked positions of ALL vertices
/// @param p                   stacked step of ALL vertices
/// @param remaining_fraction  in (0, 1)
/// @param marked              optional, of every vertex: elements without a marked vertex are left out
double inversion_step_bound(const TetElements& elements, const VecX& x, const VecX& p, double remaining_fraction = 0.2,
                            const std::vector<char>& marked = {});

/// The same for quadratic tets: each of the twenty Bernstein coefficients of det J keeps at least `remaining_fraction`
/// of itself, and so does det J wherever it is. Exact where a corner is the first to invert, else early.
/// 0 if a coefficient is not positive at the start.
double inversion_step_bound(const Tet10Elements& elements, const VecX& x, const VecX& p,
                            double remaining_fraction = 0.2, const std::vector<char>& marked = {});

}  // namespace stiction
