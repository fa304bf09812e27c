// Element Hessians of tets from their dP/dF in principal axes.
#pragma once

#include "stiction/materials/principal_hessian.hpp"

#include <cstddef>

namespace stiction {

/// out[e] = volume B^T (dP/dF) B for `count` tets, four at a time in SIMD registers: vec(F) = B x, with x the positions
/// of the four corners and rows of Dm^-1 (`rest_inverse`, 1/m) in B. Symmetric to the last bit, in J/m^2. The result of
/// each tet depends on no other.
void assemble_tet_hessians(const PrincipalHessian* hessians, const Mat3* rest_inverse, const double* volume,
                           std::size_t count, Mat12* out);

}  // namespace stiction
