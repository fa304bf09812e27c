#include "stiction/mesh/msh_mesh.hpp"

#include <algorithm>

namespace stiction::detail {
namespace {

void add_group(std::vector<FurtherTag>& tags, std::size_t first, std::size_t end, int physical) {
    for (std::size_t e = first; e < end; ++e) tags.push_back({static_cast<Index>(e), physical});
}

std::vector<int> chosen_tags(const std::vector<std::pair<int, int>>& tags) {
    const bool grouped = std::any_of(tags.begin(), tags.end(), [](const auto& tag) { return tag.first != 0; });
    std::vector<int> chosen;
    chosen.reserve(tags.size());
    for (const auto& [physical, geometric] : tags) chosen.push_back(grouped ? physical : geometric);
    return chosen;
}

}  // namespace

void MshMesh::add_element(std::int64_t type, const Index* nodes, std::span<const int> physical, int geometric) {
    const std::pair tags{physical.empty() ? 0 : physical.front(), geometric};
    const std::size_t tets = mesh_.tets.size(), triangles = mesh_.triangles.size();
    switch (type) {
        case point1: mesh_.points.push_back(nodes[0]); break;
        case line2:
        case line3: mesh_.edges.push_back({nodes[0], nodes[1]}); break;
        case tet4: mesh_.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]}); break;
        case triangle3:
        case triangle6: mesh_.triangles.push_back({nodes[0], nodes[1], nodes[2]}); break;
        case tet10:
            mesh_.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]});
            // Gmsh has the nodes of edges 23 and 13 the other way round
            mesh_.mid_nodes.push_back({nodes[4], nodes[5], nodes[6], nodes[7], nodes[9], nodes[8]});
            break;
        case quadrangle4: quadrangles_.add(mesh_, {nodes[0], nodes[1], nodes[2], nodes[3]}); break;
        default: add_cell_as_tets(mesh_, {nodes, static_cast<std::size_t>(node_count(type))});
    }
    tet_tags_.resize(mesh_.tets.size(), tags);
    triangle_tags_.resize(mesh_.triangles.size(), tags);
    for (std::size_t k = 1; k < physical.size(); ++k) {
        add_group(mesh_.further_tet_tags, tets, mesh_.tets.size(), physical[k]);
        add_group(mesh_.further_triangle_tags, triangles, mesh_.triangles.size(), physical[k]);
    }
}

void MshMesh::add_listing(std::int64_t type, const Index* nodes, int physical, int geometric) {
    const bool face = type == triangle3 || type == triangle6 || type == quadrangle4;
    const auto size = [&] { return face ? mesh_.triangles.size() : mesh_.tets.size(); };
    const std::size_t first = size();
    if (physical == 0 || type == point1 || type == line2 || type == line3) {
        add_element(type, nodes, std::span(&physical, 1), geometric);
        return;
    }
    std::vector<Index> key(nodes, nodes + node_count(type));
    std::sort(key.begin(), key.end());
    key.push_back(face ? 1 : 0);  // a tet and a quadrangle may have the same nodes
    const auto [found, is_new] = listed_.try_emplace(std::move(key), Listed{first, first, {}});
    Listed& listed = found->second;
    const bool known = std::find(listed.physical.begin(), listed.physical.end(), physical) != listed.physical.end();
    listed.physical.push_back(physical);
    if (!is_new && !known) {
        add_group(face ? mesh_.further_triangle_tags : mesh_.further_tet_tags, listed.first, listed.end, physical);
        return;
    }
    add_element(type, nodes, std::span(&physical, 1), geometric);
    if (is_new) listed.end = size();
}

Mesh MshMesh::finish() {
    quadrangles_.finish(mesh_);
    mesh_.triangle_tags = chosen_tags(triangle_tags_);
    mesh_.tet_tags = chosen_tags(tet_tags_);
    for (std::vector<FurtherTag>* tags : {&mesh_.further_triangle_tags, &mesh_.further_tet_tags})
        std::stable_sort(tags->begin(), tags->end(),
                         [](const auto& a, const auto& b) { return a.element < b.element; });
    return std::move(mesh_);
}

}  // namespace stiction::detail
