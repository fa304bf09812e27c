#include "stiction/base/error.hpp"
#include "stiction/mesh/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {

Mesh generate_polyline(const std::vector<Vec3>& points, bool closed, double edge_length) {
    const std::size_t least = closed ? 3 : 2;
    if (points.size() < least)
        throw InputError("", "points", fmt::format("{} of them", points.size()),
                         fmt::format("at least {}{}", least, closed ? " of a closed line" : ""));
    detail::require_positive("edge_length", edge_length);
    Mesh mesh;
    const std::size_t spans = closed ? points.size() : points.size() - 1;
    for (std::size_t i = 0; i < spans; ++i) {
        const Vec3 &from = points[i], &to = points[(i + 1) % points.size()];
        const double length = (to - from).norm();
        if (!(length > 0.0) || !std::isfinite(length))
            throw InputError("", fmt::format("points[{}]", (i + 1) % points.size()),
                             fmt::format("{} m from the one before", length), "another point");
        const int pieces = detail::division(length, edge_length, 1);
        detail::require_vertices("edge_length", static_cast<double>(mesh.vertices.size()) + pieces);
        for (int k = 0; k < pieces; ++k) {
            const auto vertex = static_cast<Index>(mesh.vertices.size());
            mesh.vertices.push_back(from + static_cast<double>(k) / pieces * (to - from));
            mesh.edges.push_back({vertex, vertex + 1});
        }
    }
    if (closed)
        mesh.edges.back()[1] = 0;
    else
        mesh.vertices.push_back(points.back());
    return mesh;
}

}  // namespace stiction
