// The sides of triangles, sorted so that those of one edge follow each other.
#pragma once

#include "stiction/base/types.hpp"

#include <vector>

namespace stiction {

/// One of the three sides of a triangle.
struct TriangleSide {
    Edge edge;             ///< lower vertex first
    std::size_t triangle;  ///< index of the triangle
    std::size_t corner;    ///< in [0, 3): the side goes from this corner to the next one
    bool forward;          ///< whether it goes from the lower to the higher vertex
};

/// Sides of all triangles, by edge, then by triangle.
std::vector<TriangleSide> sorted_triangle_sides(const std::vector<Triangle>& triangles);

/// Calls visit(begin, end) for the range of sides of each edge.
template <class Visit>
void for_each_edge(const std::vector<TriangleSide>& sides, const Visit& visit) {
    for (std::size_t begin = 0; begin < sides.size();) {
        std::size_t end = begin + 1;
        while (end < sides.size() && sides[end].edge == sides[begin].edge) ++end;
        visit(begin, end);
        begin = end;
    }
}

}  // namespace stiction
