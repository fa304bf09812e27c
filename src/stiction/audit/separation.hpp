// Does a pair of primitives stay apart during a straight move? Proved in interval arithmetic, or not at all.
#pragma once

#include "stiction/audit/closest.hpp"

namespace stiction::audit {

enum class MoveVerdict : std::uint8_t {
    separate,      ///< proved: no common point at any time
    not_excluded,  ///< they touch, or come closer than the arithmetic can tell from touching
    work_limit,    ///< given up: no proof within the allowed work
};

/// A pair whose vertices move from x0 to x1 in straight lines at constant speed, in real arithmetic between the given
/// doubles.
struct PairMove {
    PairKind kind;
    std::array<Vec3, 4> x0, x1;
};

/// @param work_limit  time intervals that may be looked at; a hard pair takes some hundreds, nearly all take none
MoveVerdict certify_pair(const PairMove& move, int work_limit = 4000);

/// The same for a tet: does it keep a positive volume (det[x1 - x0, x2 - x0, x3 - x0] > 0) all the way?
MoveVerdict certify_tet(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1, int work_limit = 1000);

/// The same for a point p0 -> p1 and the half-space n . (x - o) > 0 whose origin moves from o0 to o1: exact, no work
/// limit.
MoveVerdict certify_half_space(const Vec3& normal, const Vec3& o0, const Vec3& o1, const Vec3& p0, const Vec3& p1);

}  // namespace stiction::audit
