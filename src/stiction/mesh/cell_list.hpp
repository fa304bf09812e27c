// Cells by the numbers of VTK's types, as files and other programs' objects list them, as elements of a Mesh.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stiction {

/// Cell i is of type types[i] (numbers of vtkCellType.h) and has the nodes [offsets[i], offsets[i + 1]).
struct CellList {
    std::vector<std::int64_t> types;
    std::vector<std::int64_t> offsets{0};
    std::vector<Index> nodes;

    std::size_t size() const { return types.size(); }
    std::span<const Index> nodes_of(std::size_t cell) const {
        return {nodes.data() + offsets[cell], nodes.data() + offsets[cell + 1]};
    }
    void add(std::int64_t type, std::span<const Index> cell);
};

/// A cell belongs to a group of its file.
struct CellGroup {
    std::int64_t cell;
    int id;
};

/// Whole numbers of cells, one each.
struct GroupArray {
    std::size_t rank;  ///< group_array_rank of its name
    std::vector<double> values;
};

/// The groups that arrays say: for surface cells, and for solid cells, those of the first array by rank that is not 0
/// on all of them. Arrays with other numbers than whole ones are no groups.
std::vector<CellGroup> groups_of_arrays(const CellList& cells, std::vector<GroupArray> arrays);

/// Why a cell is not read.
struct CellRefusal {
    std::string found, expected;
};

/// Nothing for a cell that add_cells takes.
std::optional<CellRefusal> refused_cell(std::int64_t type, std::size_t nodes);

/// Nothing for cells whose orders go together: solid cells are all linear or all quadratic, and quadratic edges and
/// triangles, which are read by their corners, stand beside quadratic tets.
std::optional<CellRefusal> refused_orders(const CellList& cells);

/// Appends the elements of cells that are not refused: polygons and strips as triangles, polylines as edges, hexahedra,
/// voxels, wedges and pyramids as tets. Groups become ids of the triangles and tets, in the order given; id 0 is none.
/// Wedges are taken in either of the two orders that are in use (see cell_list.cpp).
/// A triangle, quadrangle or solid cell that is listed again with another group is the same cell in both groups, which
/// is how MSH 2.2 lists them.
void add_cells(Mesh& mesh, const CellList& cells, std::span<const CellGroup> groups);

/// Names of arrays of cells whose whole numbers are groups, in lower case. The first that is there counts.
inline constexpr std::array<std::string_view, 20> group_array_names{
    "gmsh:physical", "cellentityids", "medit:ref", "cell_tags",   "tetgen:ref", "su2:tag",         "avsucd:material",
    "surface_id",    "region_id",     "group_id",  "material_id", "physical",   "region",          "group",
    "material",      "marker",        "tag",       "label",       "regionid",   "gmsh:geometrical"};

/// Place of an array in group_array_names, whatever the case of its name; nothing when its values are no groups.
std::optional<std::size_t> group_array_rank(std::string_view name);

}  // namespace stiction
