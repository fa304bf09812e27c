#include "stiction/mesh/cell_list.hpp"

#include "stiction/mesh/byte_reader.hpp"
#include "stiction/mesh/readers.hpp"
#include "stiction/mesh/split_cell.hpp"
#include "stiction/mesh/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace stiction {
namespace {

/// Numbers of vtkCellType.h.
struct Vtk {
    enum : std::int64_t {
        vertex = 1,
        poly_vertex,
        line,
        poly_line,
        triangle,
        triangle_strip,
        polygon,
        pixel,
        quad,
        tetra,
        voxel,
        hexahedron,
        wedge,
        pyramid,
        quadratic_edge = 21,
        quadratic_triangle = 22,
        quadratic_tetra = 24
    };
};

std::string cell_name(std::int64_t type) {
    static const std::map<std::int64_t, const char*> names{{0, "empty cell"},
                                                           {21, "quadratic edge"},
                                                           {22, "quadratic triangle"},
                                                           {23, "quadratic quadrangle"},
                                                           {24, "quadratic tetrahedron"},
                                                           {25, "quadratic hexahedron"},
                                                           {26, "quadratic wedge"},
                                                           {27, "quadratic pyramid"},
                                                           {42, "polyhedron"},
                                                           {68, "Lagrange curve"},
                                                           {69, "Lagrange triangle"},
                                                           {71, "Lagrange tetrahedron"},
                                                           {75, "Bezier curve"},
                                                           {76, "Bezier triangle"},
                                                           {78, "Bezier tetrahedron"}};
    const auto found = names.find(type);
    return fmt::format("cell type {} ({})", type, found == names.end() ? "not linear" : found->second);
}

struct NodeCount {
    std::size_t least, most;
};

/// How many nodes cells of a type have; most 0: a type that is not read.
NodeCount node_count(std::int64_t type) {
    constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
    switch (type) {
        case Vtk::vertex: return {1, 1};
        case Vtk::poly_vertex: return {0, any};
        case Vtk::line: return {2, 2};
        case Vtk::poly_line: return {2, any};
        case Vtk::triangle: return {3, 3};
        case Vtk::triangle_strip:
        case Vtk::polygon: return {3, any};
        case Vtk::pixel:
        case Vtk::quad:
        case Vtk::tetra: return {4, 4};
        case Vtk::voxel:
        case Vtk::hexahedron: return {8, 8};
        case Vtk::wedge: return {6, 6};
        case Vtk::pyramid: return {5, 5};
        case Vtk::quadratic_edge: return {3, 3};
        case Vtk::quadratic_triangle: return {6, 6};
        case Vtk::quadratic_tetra: return {10, 10};
        default: return {0, 0};
    }
}

bool is_surface(std::int64_t type) {
    return (type >= Vtk::triangle && type <= Vtk::quad) || type == Vtk::quadratic_triangle;
}

bool is_solid(std::int64_t type) {
    return type >= Vtk::tetra && type != Vtk::quadratic_edge && type != Vtk::quadratic_triangle;
}

bool are_ids(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return std::abs(value) <= 2147483647.0 && value == std::trunc(value); });
}

void add_strip(Mesh& mesh, std::span<const Index> nodes) {
    for (std::size_t k = 2; k < nodes.size(); ++k) {
        // every second triangle of a strip is listed the other way round
        if (k % 2 == 0)
            mesh.triangles.push_back({nodes[k - 2], nodes[k - 1], nodes[k]});
        else
            mesh.triangles.push_back({nodes[k - 1], nodes[k - 2], nodes[k]});
    }
}

/// VTK's documentation has the base of a wedge face outwards, its examples and most programs inwards. Files of either
/// kind mean a positive volume.
void add_wedge(Mesh& mesh, std::span<const Index> nodes) {
    const std::size_t first = mesh.tets.size();
    add_cell_as_tets(mesh, nodes);
    double volume = 0.0;
    for (std::size_t t = first; t < mesh.tets.size(); ++t) volume += signed_volume(mesh, mesh.tets[t]);
    if (!(volume < 0.0)) return;
    for (std::size_t t = first; t < mesh.tets.size(); ++t) std::swap(mesh.tets[t][2], mesh.tets[t][3]);
}

void add_cell(Mesh& mesh, Quadrangles& quadrangles, std::int64_t type, std::span<const Index> nodes) {
    const std::vector<Index> list(nodes.begin(), nodes.end());
    switch (type) {
        case Vtk::vertex:
        case Vtk::poly_vertex: mesh.points.insert(mesh.points.end(), nodes.begin(), nodes.end()); break;
        case Vtk::line:
        case Vtk::poly_line: detail::add_polyline(mesh, list); break;
        case Vtk::triangle:
        case Vtk::polygon: detail::add_polygon(mesh, list); break;
        case Vtk::triangle_strip: add_strip(mesh, nodes); break;
        case Vtk::pixel: quadrangles.add(mesh, {nodes[0], nodes[1], nodes[3], nodes[2]}); break;
        case Vtk::quad: quadrangles.add(mesh, {nodes[0], nodes[1], nodes[2], nodes[3]}); break;
        case Vtk::tetra: mesh.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]}); break;
        case Vtk::quadratic_tetra:
            mesh.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]});
            mesh.mid_nodes.push_back({nodes[4], nodes[5], nodes[6], nodes[7], nodes[8], nodes[9]});
            break;
        case Vtk::quadratic_edge: mesh.edges.push_back({nodes[0], nodes[1]}); break;
        case Vtk::quadratic_triangle: mesh.triangles.push_back({nodes[0], nodes[1], nodes[2]}); break;
        case Vtk::voxel: {  // as pixels, row by row
            const std::array<Index, 8> around{nodes[0], nodes[1], nodes[3], nodes[2],
                                              nodes[4], nodes[5], nodes[7], nodes[6]};
            add_cell_as_tets(mesh, around);
            break;
        }
        case Vtk::wedge: add_wedge(mesh, nodes); break;
        default: add_cell_as_tets(mesh, nodes);
    }
}

/// The groups of each cell, none of them twice. Cells that only repeat an earlier one in another group are dropped.
class Grouping {
public:
    Grouping(const CellList& cells, std::span<const CellGroup> groups) : ids_(groups.empty() ? 0 : cells.size()) {
        for (const auto& [cell, id] : groups) {
            if (id != 0) add(static_cast<std::size_t>(cell), id);
        }
        if (!ids_.empty()) join_repeated(cells);
    }
    bool is_dropped(std::size_t cell) const { return !dropped_.empty() && dropped_[cell]; }
    std::span<const int> ids(std::size_t cell) const {
        return ids_.empty() ? std::span<const int>() : std::span<const int>(ids_[cell]);
    }

private:
    void add(std::size_t cell, int id) {
        if (std::find(ids_[cell].begin(), ids_[cell].end(), id) == ids_[cell].end()) ids_[cell].push_back(id);
    }
    void join_repeated(const CellList& cells) {
        dropped_.assign(cells.size(), false);
        std::map<std::vector<Index>, std::size_t> first;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (ids_[c].empty() || (!is_surface(cells.types[c]) && !is_solid(cells.types[c]))) continue;
            std::vector<Index> key(cells.nodes_of(c).begin(), cells.nodes_of(c).end());
            std::sort(key.begin(), key.end());
            key.push_back(static_cast<Index>(cells.types[c]));
            const auto [known, is_new] = first.try_emplace(std::move(key), c);
            const auto in_first = [&](int id) {
                const std::vector<int>& ids = ids_[known->second];
                return std::find(ids.begin(), ids.end(), id) != ids.end();
            };
            if (is_new || std::any_of(ids_[c].begin(), ids_[c].end(), in_first)) continue;
            for (const int id : ids_[c]) add(known->second, id);
            dropped_[c] = true;
        }
    }

    std::vector<std::vector<int>> ids_;
    std::vector<bool> dropped_;
};

/// Gives elements [first, end) the ids of their cell.
void add_ids(std::vector<int>& tags, std::vector<FurtherTag>& further, std::size_t first, std::size_t end,
             std::span<const int> ids) {
    tags.resize(end, ids.empty() ? 0 : ids.front());
    for (std::size_t k = 1; k < ids.size(); ++k)
        for (std::size_t e = first; e < end; ++e) further.push_back({static_cast<Index>(e), ids[k]});
    std::stable_sort(further.end() - static_cast<std::ptrdiff_t>((end - first) * (ids.empty() ? 0 : ids.size() - 1)),
                     further.end(), [](const FurtherTag& a, const FurtherTag& b) { return a.element < b.element; });
}

}  // namespace

void CellList::add(std::int64_t type, std::span<const Index> cell) {
    types.push_back(type);
    nodes.insert(nodes.end(), cell.begin(), cell.end());
    offsets.push_back(static_cast<std::int64_t>(nodes.size()));
}

std::vector<CellGroup> groups_of_arrays(const CellList& cells, std::vector<GroupArray> arrays) {
    std::erase_if(arrays, [](const GroupArray& array) { return !are_ids(array.values); });
    std::stable_sort(arrays.begin(), arrays.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    std::vector<CellGroup> groups;
    for (const auto& in_dimension : {is_surface, is_solid}) {
        for (const GroupArray& array : arrays) {
            const std::size_t before = groups.size();
            for (std::size_t c = 0; c < cells.size(); ++c) {
                if (in_dimension(cells.types[c]) && array.values[c] != 0.0)
                    groups.push_back({static_cast<std::int64_t>(c), static_cast<int>(array.values[c])});
            }
            if (groups.size() > before) break;
        }
    }
    return groups;
}

std::optional<CellRefusal> refused_cell(std::int64_t type, std::size_t nodes) {
    const NodeCount count = node_count(type);
    if (count.most == 0) {
        return CellRefusal{
            cell_name(type),
            "linear vertices, lines, triangles, polygons, tetrahedra, voxels, hexahedra, wedges or pyramids, or "
            "quadratic tetrahedra with their triangles and edges"};
    }
    if (nodes >= count.least && nodes <= count.most) return std::nullopt;
    return CellRefusal{fmt::format("a cell of type {} with {} vertices", type, nodes),
                       fmt::format("{} vertices", count.least)};
}

std::optional<CellRefusal> refused_orders(const CellList& cells) {
    const auto count = [&](const auto& is) { return std::count_if(cells.types.begin(), cells.types.end(), is); };
    const auto curved = count([](std::int64_t type) { return type == Vtk::quadratic_tetra; }),
               linear = count(is_solid) - curved,
               others = count(
                   [](std::int64_t type) { return type == Vtk::quadratic_edge || type == Vtk::quadratic_triangle; });
    if (curved > 0 && linear > 0)
        return CellRefusal{fmt::format("{} quadratic and {} linear solid cells", curved, linear),
                           "solid cells of one order: mesh the whole model with the same order"};
    if (curved == 0 && others > 0)
        return CellRefusal{fmt::format("{} quadratic edges and triangles (cell types 21 and 22)", others),
                           "these only beside quadratic tetrahedra: save the mesh with linear cells"};
    return std::nullopt;
}

void add_cells(Mesh& mesh, const CellList& cells, std::span<const CellGroup> groups) {
    const Grouping grouping(cells, groups);
    Quadrangles quadrangles;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        if (grouping.is_dropped(c)) continue;
        const std::size_t tets = mesh.tets.size(), triangles = mesh.triangles.size();
        add_cell(mesh, quadrangles, cells.types[c], cells.nodes_of(c));
        if (groups.empty()) continue;
        add_ids(mesh.tet_tags, mesh.further_tet_tags, tets, mesh.tets.size(), grouping.ids(c));
        add_ids(mesh.triangle_tags, mesh.further_triangle_tags, triangles, mesh.triangles.size(), grouping.ids(c));
    }
    quadrangles.finish(mesh);
}

std::optional<std::size_t> group_array_rank(std::string_view name) {
    const auto found = std::find(group_array_names.begin(), group_array_names.end(), detail::lower_case(name));
    if (found == group_array_names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - group_array_names.begin());
}

}  // namespace stiction
