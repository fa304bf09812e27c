// Energies of thin elastic rods: chains of bare edges that resist stretch and bending. Twist is not modelled.
#pragma once

#include "stiction/base/types.hpp"

#include <string_view>
#include <vector>

namespace stiction {

/// Energy of an edge: 1/2 EA L (l / L - 1)^2, l its length and L that at rest (Bergou, Wardetzky, Robinson, Audoly and
/// Grinspun 2008 take rods as inextensible; this is the stretching energy of their later codes and of linear elasticity
/// for small strains).
struct RodStretch {
    std::vector<Edge> vertices;       ///< global vertex ids
    std::vector<double> rest_length;  ///< L, m
    std::vector<double> stiffness;    ///< EA, N
    std::vector<double> area;         ///< of the cross-section at rest, m^2; enters the stress only

    std::size_t size() const { return vertices.size(); }
};

/// Energy at a vertex x1 between two edges, x0 x1 and x1 x2, which turn by the angle phi in [0, pi]:
/// w / 2 (kappa - kappa_rest)^2 with kappa = 2 tan(phi / 2), the length of the curvature binormal of Bergou et al. 2008
/// (equation 1), and w = EI / D with half the sum D of both lengths at rest (their section 4.2, isotropic
/// cross-section; their energy is that with kappa_rest = 0). Straight is phi = 0. The energy is infinite where the
/// edges are folded onto each other (phi = pi). Rest curvature is a number and has no direction, since no material
/// frame is carried along: a curved rod that is pulled straight may bend back to any side.
struct RodBending {
    std::vector<Triangle> vertices;      ///< global vertex ids (x0, x1, x2)
    std::vector<double> rest_curvature;  ///< kappa_rest, without unit
    std::vector<double> stiffness;       ///< w, J

    std::size_t size() const { return vertices.size(); }
};

/// What a rod wants to be when nothing acts on it.
enum class RodRestShape {
    as_given,  ///< curved as in the rest positions
    straight,
};

/// Appends the edges of one body.
/// @param rest           rest positions of the body's vertices, m
/// @param edges          body-local vertex ids
/// @param stiffness      EA, N, > 0
/// @param area           m^2, > 0
/// @param vertex_offset  added to the ids
/// @param source         file or body name for messages
/// @throws InputError naming an edge without length, and for a stiffness or area that is not positive
void append_rod_edges(RodStretch& elements, const std::vector<Vec3>& rest, const std::vector<Edge>& edges,
                      double stiffness, double area, Index vertex_offset = 0, std::string_view source = {});

/// The corners (x0, x1, x2) at which a rod bends, ordered by x1: vertices of exactly two edges. Where three edges or
/// more meet they turn freely, as around a ball joint.
std::vector<Triangle> rod_corners(const std::vector<Edge>& edges);

/// Appends the corners of one body.
/// @param corners    as from rod_corners, body-local vertex ids
/// @param stiffness  EI, N m^2, > 0
/// @throws InputError naming a vertex whose edges have no length or are folded onto each other at rest, and for a
///         stiffness that is not positive
void append_rod_corners(RodBending& elements, const std::vector<Vec3>& rest, const std::vector<Triangle>& corners,
                        double stiffness, RodRestShape rest_shape = RodRestShape::as_given, Index vertex_offset = 0,
                        std::string_view source = {});

/// 2 tan(phi / 2) of the turn phi from x1 - x0 to x2 - x1; infinite where they are opposite.
double rod_curvature(const Vec3& x0, const Vec3& x1, const Vec3& x2);

// x is the stacked vector of ALL vertices' positions, in m. Outputs are resized to one entry an element. Element
// vectors are ordered x0, x1, x2 and padded with zeros. Loops run in parallel and write element by element. Where an
// edge has no length its derivatives, and bending beside it, are not defined (not finite).

/// Energies, in J.
void rod_energies(const RodStretch& elements, const VecX& x, std::vector<double>& out);
void rod_energies(const RodBending& elements, const VecX& x, std::vector<double>& out);
/// Their sums (compensated, fixed order), in J.
double rod_energy(const RodStretch& elements, const VecX& x);
double rod_energy(const RodBending& elements, const VecX& x);
/// Their gradients, in N (minus the nodal forces); exact. That of a curved corner which is exactly straight is zero,
/// the mean over all sides that it may bend to.
void rod_gradients(const RodStretch& elements, const VecX& x, std::vector<Vec12>& out);
void rod_gradients(const RodBending& elements, const VecX& x, std::vector<Vec12>& out);
/// Their Hessians, in N/m, symmetric; exact. That of a curved corner which is exactly straight, where the energy has a
/// ridge, is the one of a straight rod.
/// @param project     replace each by the nearest positive semidefinite matrix (Frobenius norm)
/// @param begin, end  elements whose Hessians go to out[0], out[1], ...
void rod_hessians(const RodStretch& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                  Mat12* out);
void rod_hessians(const RodBending& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                  Mat12* out);

/// Cauchy stress of edge e in Pa, EA (l / L - 1) over the area along the edge; tension positive.
Mat3 cauchy_stress(const RodStretch& elements, std::size_t e, const VecX& x);

}  // namespace stiction
