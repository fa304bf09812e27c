// Closed surfaces whose triangles face inwards.
#pragma once

#include "stiction/mesh/mesh.hpp"

namespace stiction {

/// Closed parts of a surface (connected through edges, ClosedBy::balance) and those that bound a solid from outside.
struct OutwardParts {
    std::size_t outermost = 0;  ///< closed parts that lie in no other closed part
    std::size_t inward = 0;     ///< of these, the ones whose triangles face inwards
    /// Triangles of the parts that face inwards and of all parts within them, ascending.
    std::vector<std::size_t> triangles;
};

/// Finds outermost parts that face inwards. A part within another one is no fault of its own: facing inwards, it is the
/// wall of a cavity. Whether one part lies in another is told by the winding number about one of its triangles (solid
/// angles: van Oosterom and Strackee, The solid angle of a plane triangle, 1983).
OutwardParts find_inward_parts(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);

/// Turns the outermost parts that face inwards, each with all that lies within it, so that cavities stay cavities.
/// @return how many outermost parts were turned
std::size_t turn_outwards(const std::vector<Vec3>& vertices, std::vector<Triangle>& triangles);

}  // namespace stiction
