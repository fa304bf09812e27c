// Bending of thin sheets by the angles between neighbouring triangles (discrete shells).
#pragma once

#include "stiction/base/types.hpp"

#include <string_view>

namespace stiction {

/// Energy of a hinge: 1/2 w (theta - theta_rest)^2 with w = k_b |e|^2 / (A0 + A1), theta of dihedral_angle()
/// (hinge_angle.hpp), k_b the bending stiffness in N m, edge length and areas at rest. This is the hinge of Grinspun,
/// Hirani, Desbrun and Schroeder 2003 with a third of their weight |e| / h = 3 |e|^2 / (A0 + A1): so a sheet of
/// equilateral triangles rolled to the radius R stores 1/2 k_b / R^2 per area, as a plate of flexural rigidity k_b
/// does. A code with 1/2 k 3 |e|^2 / (A0 + A1) is repeated by k_b = 3 k. Limits: docs/physics/shells.md. The energy
/// jumps where theta passes pi (a sheet folded through itself).
struct HingeBending {
    std::vector<Tet> vertices;       ///< global vertex ids (x0, x1, x2, x3), edge x0 x1, as from find_hinges
    std::vector<double> rest_angle;  ///< theta_rest, rad
    std::vector<double> stiffness;   ///< w, N m (J/rad^2)

    std::size_t size() const { return vertices.size(); }
};

/// Which angles cost nothing.
enum class RestAngles {
    as_given,  ///< those of the rest positions
    flat,      ///< zero: the sheet wants to be flat whatever its rest positions
};

/// Appends the hinges of one body.
/// @param rest               rest positions of the body's vertices, m
/// @param hinges             as from find_hinges, body-local vertex ids
/// @param bending_stiffness  k_b, N m, > 0 (flexural_rigidity() of materials/membrane_moduli.hpp)
/// @throws InputError as rest_geometry(), and if the stiffness is not positive
void append_hinges(HingeBending& elements, const std::vector<Vec3>& rest, const std::vector<Tet>& hinges,
                   double bending_stiffness, RestAngles rest_angles = RestAngles::as_given, Index vertex_offset = 0,
                   std::string_view source = {});

// x is the stacked vector of ALL vertices' positions, in m. Element vectors are ordered x0, x1, x2, x3. Loops run in
// parallel and write hinge by hinge. Where a triangle is collapsed the angle is not defined: energy +inf, derivatives
// not finite.

/// Energies of the hinges, in J; `out` is resized.
void hinge_energies(const HingeBending& elements, const VecX& x, std::vector<double>& out);
/// Their sum (compensated, fixed order), in J.
double hinge_energy(const HingeBending& elements, const VecX& x);
/// Their gradients, in N (minus the nodal forces); exact.
void hinge_gradients(const HingeBending& elements, const VecX& x, std::vector<Vec12>& out);
/// Their Hessians, in N/m, symmetric; exact, the second derivatives of the angle included.
/// @param project  replace each by the nearest positive semidefinite matrix (Frobenius norm)
void hinge_hessians(const HingeBending& elements, const VecX& x, bool project, std::vector<Mat12>& out);
/// The same of hinges [begin, end) alone, to out[0], out[1], ...
void hinge_hessians(const HingeBending& elements, const VecX& x, bool project, std::size_t begin, std::size_t end,
                    Mat12* out);

}  // namespace stiction
