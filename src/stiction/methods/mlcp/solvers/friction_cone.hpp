// Projection onto the cone of Coulomb's law.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::mlcp {

/// The nearest point of K = {f : |f_t| <= mu f_n}, and its derivative. Entries are normal, tangent, tangent.
struct ConeProjection {
    Vec3 value;       ///< P_K(f)
    Mat3 derivative;  ///< symmetric, eigenvalues in [0, 1]; one of the generalised derivatives where f is on an edge
};

/// @param friction  mu >= 0; 0: K is the half-line of normal forces
ConeProjection project_onto_cone(const Vec3& f, double friction);

}  // namespace stiction::mlcp
