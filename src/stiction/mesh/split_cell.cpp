#include "stiction/mesh/split_cell.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>

namespace stiction {
namespace {

using CellFace =
    std::array<int, 4>;  // corners of the cell, counterclockwise seen from outside; the last -1: a triangle

std::span<const CellFace> faces_of(std::size_t corners) {
    static constexpr CellFace pyramid[] = {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}};
    static constexpr CellFace prism[] = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
    static constexpr CellFace hexahedron[] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                              {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    switch (corners) {
        case 5: return pyramid;
        case 6: return prism;
        case 8: return hexahedron;
        default: throw InternalError("a cell of 5, 6 or 8 corners");
    }
}

/// The triangles of a polygon around its lowest vertex.
template <class Visit>
void for_each_triangle(std::span<const Index> polygon, const Visit& visit) {
    const auto n = polygon.size();
    const auto lowest = static_cast<std::size_t>(std::min_element(polygon.begin(), polygon.end()) - polygon.begin());
    for (std::size_t k = 1; k + 1 < n; ++k)
        visit(Triangle{polygon[lowest], polygon[(lowest + k) % n], polygon[(lowest + k + 1) % n]});
}

}  // namespace

std::size_t add_cell_as_tets(Mesh& mesh, std::span<const Index> nodes) {
    const Index apex = *std::min_element(nodes.begin(), nodes.end());
    const std::size_t before = mesh.tets.size();
    for (const CellFace& face : faces_of(nodes.size())) {
        std::vector<Index> polygon;
        for (const int corner : face) {
            if (corner >= 0) polygon.push_back(nodes[static_cast<std::size_t>(corner)]);
        }
        if (std::find(polygon.begin(), polygon.end(), apex) != polygon.end()) continue;
        for_each_triangle(polygon, [&](const Triangle& t) { mesh.tets.push_back({apex, t[0], t[1], t[2]}); });
    }
    ++mesh.split_cells;
    return mesh.tets.size() - before;
}

void Quadrangles::add(Mesh& mesh, const std::array<Index, 4>& nodes) {
    added_.push_back({mesh.triangles.size(), nodes});
    mesh.triangles.push_back({nodes[0], nodes[1], nodes[2]});
    mesh.triangles.push_back({nodes[0], nodes[2], nodes[3]});
}

void Quadrangles::finish(Mesh& mesh) const {
    if (mesh.split_cells == 0) return;
    for (const Added& added : added_) {
        std::size_t at = added.triangle;
        for_each_triangle(added.nodes, [&](const Triangle& t) { mesh.triangles[at++] = t; });
    }
}

}  // namespace stiction
