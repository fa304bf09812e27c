#include "stiction/mesh/second_order.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

Edge sorted_edge(Index a, Index b) {
    return {std::min(a, b), std::max(a, b)};
}

}  // namespace

Tet10 tet10(const Mesh& mesh, std::size_t t) {
    STICTION_CHECK(mesh.mid_nodes.size() == mesh.tets.size(), "tets with mid nodes");
    Tet10 result;
    const auto end = std::copy(mesh.tets[t].begin(), mesh.tets[t].end(), result.begin());
    std::copy(mesh.mid_nodes[t].begin(), mesh.mid_nodes[t].end(), end);
    return result;
}

std::map<Edge, Index> middles_of_edges(const Mesh& mesh) {
    std::map<Edge, Index> middles;
    for (std::size_t t = 0; t < mesh.mid_nodes.size(); ++t) {
        for (std::size_t k = 0; k < 6; ++k) {
            const auto [low, high] =
                std::minmax(mesh.tets[t][mid_node_edges[k][0]], mesh.tets[t][mid_node_edges[k][1]]);
            middles[{low, high}] = mesh.mid_nodes[t][k];
        }
    }
    return middles;
}

void add_mid_nodes(Mesh& mesh) {
    if (!mesh.mid_nodes.empty()) return;
    std::map<Edge, Index> middle;
    mesh.mid_nodes.reserve(mesh.tets.size());
    for (const Tet& tet : mesh.tets) {
        std::array<Index, 6>& nodes = mesh.mid_nodes.emplace_back();
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const Edge edge = sorted_edge(tet[mid_node_edges[k][0]], tet[mid_node_edges[k][1]]);
            const auto [entry, added] = middle.try_emplace(edge, static_cast<Index>(mesh.vertices.size()));
            if (added) mesh.vertices.push_back(0.5 * (mesh.vertices[at(edge[0])] + mesh.vertices[at(edge[1])]));
            nodes[k] = entry->second;
        }
    }
}

void append_middles(const Mesh& mesh, std::vector<Vec3>& values) {
    const std::size_t known = values.size();
    values.resize(mesh.vertices.size());
    for (std::size_t t = 0; t < mesh.mid_nodes.size(); ++t) {
        for (std::size_t k = 0; k < 6; ++k) {
            const std::size_t node = at(mesh.mid_nodes[t][k]);
            if (node < known) continue;
            values[node] =
                0.5 * (values[at(mesh.tets[t][mid_node_edges[k][0]])] + values[at(mesh.tets[t][mid_node_edges[k][1]])]);
        }
    }
}

void check_mid_nodes(const std::string& name, const Mesh& mesh) {
    if (mesh.mid_nodes.empty()) return;
    std::vector<bool> is_corner(mesh.vertices.size(), false);
    for (const Tet& tet : mesh.tets)
        for (const Index v : tet) is_corner[at(v)] = true;
    std::map<Edge, Index> node_of;
    std::map<Index, Edge> edge_of;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (std::size_t k = 0; k < 6; ++k) {
            const Edge edge = sorted_edge(mesh.tets[t][mid_node_edges[k][0]], mesh.tets[t][mid_node_edges[k][1]]);
            const Index node = mesh.mid_nodes[t][k], known = node_of.try_emplace(edge, node).first->second;
            const Edge other = edge_of.try_emplace(node, edge).first->second;
            const auto refuse = [&](const std::string& found, const char* expected) {
                throw InputError(name, fmt::format("tets[{}]", t), found, expected);
            };
            if (is_corner[at(node)])
                refuse(fmt::format("vertex {} on the edge {}-{} is a corner, too", node, edge[0], edge[1]),
                       "a node of its own on each edge of a second-order tet");
            if (known != node)
                refuse(fmt::format("vertices {} and {} on the edge {}-{}", known, node, edge[0], edge[1]),
                       "one node on an edge that tets share: merge equal nodes in the program that made the mesh");
            if (other != edge)
                refuse(
                    fmt::format("vertex {} on the edges {}-{} and {}-{}", node, other[0], other[1], edge[0], edge[1]),
                    "a node of its own on each edge of a second-order tet");
        }
    }
}

std::vector<Triangle6> curved_boundary(const Mesh& mesh) {
    STICTION_CHECK(mesh.mid_nodes.size() == mesh.tets.size(), "tets with mid nodes");
    const std::map<Edge, Index> middle = middles_of_edges(mesh);
    std::vector<Triangle6> result;
    for (const Triangle& t : boundary_triangles(mesh.tets)) {
        const auto middle_of = [&](std::size_t a, std::size_t b) { return middle.at(sorted_edge(t[a], t[b])); };
        result.push_back({t[0], t[1], t[2], middle_of(0, 1), middle_of(1, 2), middle_of(2, 0)});
    }
    return result;
}

double curved_by(const Mesh& mesh) {
    double largest = 0.0;
    for (std::size_t t = 0; t < mesh.mid_nodes.size(); ++t) {
        for (std::size_t k = 0; k < 6; ++k) {
            const auto corner = [&](std::size_t end) -> const Vec3& {
                return mesh.vertices[at(mesh.tets[t][mid_node_edges[k][end]])];
            };
            const Vec3& node = mesh.vertices[at(mesh.mid_nodes[t][k])];
            largest = std::max(largest, (node - 0.5 * (corner(0) + corner(1))).norm());
        }
    }
    return largest;
}

}  // namespace stiction
