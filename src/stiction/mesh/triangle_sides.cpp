#include "stiction/mesh/triangle_sides.hpp"

#include <algorithm>
#include <tuple>

namespace stiction {

std::vector<TriangleSide> sorted_triangle_sides(const std::vector<Triangle>& triangles) {
    std::vector<TriangleSide> sides;
    sides.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const Index a = triangles[t][corner], b = triangles[t][(corner + 1) % 3];
            sides.push_back({{std::min(a, b), std::max(a, b)}, t, corner, a < b});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const TriangleSide& a, const TriangleSide& b) {
        return std::tie(a.edge, a.triangle) < std::tie(b.edge, b.triangle);
    });
    return sides;
}

}  // namespace stiction
