// The mesh of a Gmsh file while it is read: its elements and their groups.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/mesh/msh_elements.hpp"
#include "stiction/mesh/split_cell.hpp"

#include <map>
#include <span>
#include <utility>

namespace stiction::detail {

/// Collects nodes and elements in the order of the file.
class MshMesh {
public:
    /// So far; without ids.
    const Mesh& so_far() const { return mesh_; }
    void reserve_nodes(std::size_t count) { mesh_.vertices.reserve(count); }
    void add_node(const Vec3& position) { mesh_.vertices.push_back(position); }

    /// An element of a type that is read. @param physical  its groups; the first may be 0: none
    void add_element(std::int64_t type, const Index* nodes, std::span<const int> physical, int geometric);
    /// Version 2 lists an element once for each of its groups: another listing of a cell or a face only adds a group.
    void add_listing(std::int64_t type, const Index* nodes, int physical, int geometric);

    /// The whole mesh. Ids are the physical tags, or the geometric ones where the file has no groups of that dimension.
    Mesh finish();

private:
    struct Listed {
        std::size_t first, end;     // the tets or triangles that it became
        std::vector<int> physical;  // its groups so far
    };

    Mesh mesh_;
    Quadrangles quadrangles_;
    std::vector<std::pair<int, int>> triangle_tags_;  // physical, geometric
    std::vector<std::pair<int, int>> tet_tags_;
    std::map<std::vector<Index>, Listed> listed_;  // grouped cells and faces of version 2, by their sorted nodes
};

}  // namespace stiction::detail
