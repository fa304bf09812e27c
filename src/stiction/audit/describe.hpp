// Names of primitives for messages: bodies by name, vertices, triangles and tets by their number in the body's own
// mesh.
#pragma once

#include "stiction/audit/intersection.hpp"
#include "stiction/audit/interval_ccd.hpp"
#include "stiction/audit/inversion.hpp"

#include <string>

namespace stiction::audit {

/// One line each, in the manner of world/start_check.hpp. A triangle's number counts Body::surface; edges are named by
/// their two vertices.

/// "body 'ball' edge (12, 17) crosses obstacle 'floor' triangle 3 (4, 5, 6)"
std::string describe(const World& world, const Intersection& found);
/// "body 'ball' vertex 7 is 0.0012 m behind half-space 'ground'"; the distance is rounded, the side is not.
std::string describe(const World& world, const HalfSpaceViolation& found, const VecX& x);
/// "body 'ball' tet 41 (3, 8, 9, 12) is inverted"
std::string describe(const World& world, const InvertedTet& found);
/// "body 'ball' vertex 7 against obstacle 'floor' triangle 3 (4, 5, 6): touching is not excluded"
std::string describe(const World& world, const UnprovedPair& found);
/// "body 'ball' vertex 7"
std::string describe_vertex(const World& world, Index vertex);

}  // namespace stiction::audit
