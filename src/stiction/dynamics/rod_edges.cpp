#include "stiction/dynamics/rod_edges.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiction {

std::string broken_rod(const World& world, const VecX& x) {
    const auto at = [&](Index v) { return Vec3(x.segment<3>(3 * static_cast<Eigen::Index>(v))); };
    std::string folded;
    for (const SheetGroup& group : world.sheets) {
        if (const auto* rods = std::get_if<RodStretch>(&group.elements)) {
            for (std::size_t e = 0; e < rods->size(); ++e) {
                const auto [i, j] = rods->vertices[e];
                if ((at(j) - at(i)).norm() > 0.0) continue;
                const Body& body = world.bodies[static_cast<std::size_t>(group.body[e])];
                return fmt::format("body '{}': edge {} ({}, {}) of the rod is pressed to no length", body.name,
                                   group.body_element[e], i - body.first_vertex, j - body.first_vertex);
            }
        } else if (const auto* corners = std::get_if<RodBending>(&group.elements)) {
            for (std::size_t c = 0; c < corners->size() && folded.empty(); ++c) {
                const auto [i, j, k] = corners->vertices[c];
                if (std::isfinite(rod_curvature(at(i), at(j), at(k)))) continue;
                const Body& body = world.bodies[static_cast<std::size_t>(group.body[c])];
                folded = fmt::format("body '{}': the edges ({}, {}) and ({}, {}) of the rod are folded onto each other",
                                     body.name, i - body.first_vertex, j - body.first_vertex, j - body.first_vertex,
                                     k - body.first_vertex);
            }
        }
    }
    return folded;
}

}  // namespace stiction
