// How deep bodies overlap, for methods that do not promise to keep them apart.
#pragma once

#include "stiction/audit/audit.hpp"

namespace stiction::audit {

/// Signed solid angle (sr) of a triangle as seen from the origin (van Oosterom and Strackee 1983): positive where the
/// triangle turns clockwise, so that the sum over a closed surface that faces outwards is 4 pi inside and 0 outside.
double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c);

/// The largest distance (m) of a colliding vertex from the surface of another body that it is inside of, or behind a
/// half-space. Looked at are the pairs of bodies and the vertices that `report` names, each body's vertices against the
/// other's triangles where those are closed; inside is a winding number above one half. 0 where only edges cross.
/// @param report  of audit_state() at x
double penetration_depth(const World& world, const AuditReport& report, const VecX& x);

}  // namespace stiction::audit
