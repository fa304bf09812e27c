// Bending of flat sheets by the squared Laplacian of the positions, quadratic in the positions.
#pragma once

#include "stiction/fem/isometric_bending.hpp"

#include <Eigen/SparseCore>

#include <cstddef>
#include <string_view>
#include <vector>

namespace stiction {

/// Energy of an inner vertex i: 1/2 (k_b / m_i) |(L x)_i|^2 with the cotangent Laplacian of the sheet at rest,
/// (L x)_i = 1/2 sum_j (cot alpha_ij + cot beta_ij) (x_j - x_i), and a third of the area of its triangles as m_i.
/// Together 1/2 k_b x^T L^T M^-1 L x over inner vertices: 1/2 k_b times the integral of the square of the sum of the
/// principal curvatures, so that k_b is the flexural rigidity of a plate (flexural_rigidity() of
/// materials/membrane_moduli.hpp). Vertices of the boundary have no term: a flat sheet stores nothing under any affine
/// map. As with IsometricBending the Hessian is constant and positive semidefinite, the unbent state is the flat one
/// and the sheet should be stiff against stretch. A term reaches all neighbours of its vertex, so that the Hessian
/// couples vertices that are two edges apart.
struct LaplacianBending {
    std::vector<std::size_t> begin = {0};  ///< terms + 1: entries of term k are [begin[k], begin[k + 1])
    std::vector<Index> vertices;           ///< global vertex ids; the first of a term is its inner vertex
    std::vector<double> coefficients;      ///< row i of L, dimensionless, sum zero
    std::vector<double> stiffness;         ///< k_b / m_i of each term, N/m

    std::size_t size() const { return stiffness.size(); }
};

/// Appends the inner vertices of one body: those all of whose edges have two triangles.
/// @param rest               rest positions of the body's vertices, m
/// @param triangles          body-local vertex ids
/// @param bending_stiffness  k_b, N m, > 0
/// @throws InputError naming a triangle that is degenerate or refers to a vertex that is not there, and if the
/// stiffness is not positive
void append_laplacian_bending(LaplacianBending& elements, const std::vector<Vec3>& rest,
                              const std::vector<Triangle>& triangles, double bending_stiffness, Index vertex_offset = 0,
                              std::string_view source = {});

/// Sum of the energies (compensated, fixed order), in J.
/// @param x  stacked positions of all vertices, m; by differences, so that no digits are lost far from the origin
double laplacian_bending_energy(const LaplacianBending& elements, const VecX& x);

/// The constant scalar Hessian k_b L^T M^-1 L, in N/m, `vertex_count` x `vertex_count`, both triangles: it acts on each
/// coordinate alike.
Eigen::SparseMatrix<double> laplacian_bending_matrix(const LaplacianBending& elements, Index vertex_count);

/// Appends the same energy as a sum over pairs i < j of vertices that share a term, 1/2 sum -Q_ij |x_i - x_j|^2 with Q
/// the matrix of laplacian_bending_matrix(). Terms have either sign: a flat sheet stores what their rounding leaves.
/// @param vertex_count  largest vertex id in `elements` plus one, or more
/// @return number of pairs
std::size_t append_as_edges(const LaplacianBending& elements, Index vertex_count, IsometricBending& edges);

}  // namespace stiction
