// Bending of flat sheets that hardly stretch, quadratic in the positions.
#pragma once

#include "stiction/base/types.hpp"

#include <string_view>

namespace stiction {

/// Energy of a hinge: 1/2 w |K_0 x0 + K_1 x1 + K_2 x2 + K_3 x3|^2 with w = k_b / (A0 + A1), k_b the bending stiffness
/// in N m; K are sums of cotangents of the hinge at rest, laid flat (Bergou, Wardetzky, Harmon, Zorin and Grinspun
/// 2006, section 4, with a third of their weight 3 / (A0 + A1), so that k_b is the flexural rigidity: see
/// HingeBending). If the triangles keep their rest lengths, this is 1/2 k_b |e|^2 / (A0 + A1) (2 sin(theta / 2))^2: the
/// hinge model for small angles. The Hessian is constant and positive semidefinite. The unbent state is the flat one,
/// whatever the rest positions; stretch costs bending energy of a sheet that is bent, so the sheet should be stiff
/// against stretch.
///
/// Other quadratic models are sums of such terms too, with fewer vertices and weights of either sign
/// (append_as_edges() of laplacian_bending.hpp).
struct IsometricBending {
    std::vector<Tet> vertices;  ///< global vertex ids (x0, x1, x2, x3), edge x0 x1, as from find_hinges; -1: none
    std::vector<Eigen::Vector4d> coefficients;  ///< K, dimensionless, sum zero; 0 of a vertex that is not there
    std::vector<double> stiffness;              ///< w, N/m

    std::size_t size() const { return vertices.size(); }
};

/// Appends the hinges of one body.
/// @param rest               rest positions of the body's vertices, m
/// @param hinges             as from find_hinges, body-local vertex ids
/// @param bending_stiffness  k_b, N m, > 0 (flexural_rigidity() of materials/membrane_moduli.hpp)
/// @throws InputError as rest_geometry() of bending.hpp, and if the stiffness is not positive
void append_isometric_bending(IsometricBending& elements, const std::vector<Vec3>& rest, const std::vector<Tet>& hinges,
                              double bending_stiffness, Index vertex_offset = 0, std::string_view source = {});

// x is the stacked vector of ALL vertices' positions (not displacements), in m. Element vectors are ordered x0, x1,
// x2, x3. Loops run in parallel and write hinge by hinge. Defined for every x.

/// Energies of the hinges, in J; `out` is resized.
void isometric_energies(const IsometricBending& elements, const VecX& x, std::vector<double>& out);
/// Their sum (compensated, fixed order), in J.
double isometric_energy(const IsometricBending& elements, const VecX& x);
/// Their gradients, in N (minus the nodal forces).
void isometric_gradients(const IsometricBending& elements, const VecX& x, std::vector<Vec12>& out);
/// Their constant Hessians w K K^T (x) I, in N/m, symmetric of rank three, positive semidefinite where w > 0. With
/// `vertices` they make a QuadraticElements in the positions.
void isometric_hessians(const IsometricBending& elements, std::vector<Mat12>& out);
/// The same of hinges [begin, end) alone, to out[0], out[1], ...
void isometric_hessians(const IsometricBending& elements, std::size_t begin, std::size_t end, Mat12* out);

}  // namespace stiction
