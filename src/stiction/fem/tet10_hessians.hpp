// Element Hessians of quadratic tets from dP/dF at their points.
#pragma once

#include "stiction/fem/tet10_elements.hpp"

namespace stiction {

/// dP/dF at the four points of an element, times their weights: entry (i + 3 k, j + 3 l) belongs to dP_ik and dF_jl.
using PointStiffness = std::array<Mat9, 4>;

/// out[e] = sum over the points of B^T stiffness B for `count` elements, four at a time in SIMD registers: vec(F) = B
/// x. Symmetric to the last bit. The result of each element depends on no other.
void assemble_tet10_hessians(const PointStiffness* stiffness,
                             const std::array<Tet10Elements::Gradients, 4>* const* gradients, std::size_t count,
                             Mat30* out);

}  // namespace stiction
