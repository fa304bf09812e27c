// The least motion of bodies that keeps given distances along given directions.
#pragma once

#include "stiction/base/types.hpp"

#include <vector>

namespace stiction::repair {

/// normal . (shift of first - shift of second) >= bound.
struct Constraint {
    Index first = -1;
    Index second = -1;
    Vec3 normal = Vec3::Zero();  ///< unit length
    double bound = 0.0;          ///< m
};

/// The shifts s (m, one a body) with the smallest sum of m |s|^2 that satisfy all constraints, by Hildreth's method
/// (Hildreth 1957): one constraint after the other is met by moving its two bodies by their inverse masses, or eased
/// where it holds more than it has to. Where the constraints contradict each other, the shifts satisfy not all of them.
/// @param inverse_mass  1/kg, one a body; 0: does not move
/// @param tolerance     by how much (m) a constraint may be missed
std::vector<Vec3> least_motion(const std::vector<double>& inverse_mass, const std::vector<Constraint>& constraints,
                               double tolerance);

}  // namespace stiction::repair
