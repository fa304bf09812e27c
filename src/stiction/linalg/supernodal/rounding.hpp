// A Cholesky factor whose numbers fit single precision.
#pragma once

#include "stiction/linalg/supernodal/factor.hpp"

namespace stiction::supernodal {

/// Rounds L off its diagonal to single precision, and sets the diagonal anew so that L L^T 1 = A 1 holds to double
/// precision, as in modified incomplete factorisations (Gustafsson 1978). A holds masses and differences of
/// neighbours: what all unknowns have in common, such as the motion of a free body, is then solved for as exactly as
/// before. The rest of A changes by about 1e-7 of its largest entries.
/// @param factor  of `matrix`
/// @return whether it was done. The factor stays as it is where some diagonal entry would change by much, or not be
/// positive: where positive numbers off the diagonal outweigh the others.
bool round_to_single_precision(const Eigen::SparseMatrix<double>& matrix, Factor& factor);

}  // namespace stiction::supernodal
