#include "arrays.hpp"
#include "mesh.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/cell_list.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/write.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace stiction::python {
namespace {

template <std::size_t N>
using Elements = nb::ndarray<const std::int64_t, nb::shape<-1, static_cast<int>(N)>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Index checked_vertex(std::int64_t id, std::size_t vertices, const std::string& name, const std::string& field) {
    if (id < 0 || static_cast<std::size_t>(id) >= vertices)
        throw InputError(name, field, fmt::format("{}", id),
                         fmt::format("vertex ids from 0 to {}", static_cast<long>(vertices) - 1));
    return static_cast<Index>(id);
}

/// Rows of vertex ids, checked against the number of vertices.
template <class Element>
std::vector<Element> elements(const Elements<std::tuple_size_v<Element>>& array, std::size_t vertices,
                              const std::string& name, const char* field) {
    constexpr std::size_t n = std::tuple_size_v<Element>;
    std::vector<Element> result(array.shape(0));
    for (std::size_t e = 0; e < result.size(); ++e) {
        for (std::size_t i = 0; i < n; ++i)
            result[e][i] = checked_vertex(array.data()[n * e + i], vertices, name, fmt::format("{}[{}]", field, e));
    }
    return result;
}

void set_vertices(Mesh& mesh, const std::string& name, const VectorsArgument& vertices) {
    mesh.vertices.resize(vertices.shape(0));
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        mesh.vertices[v] = Eigen::Map<const Vec3>(vertices.data() + 3 * v);
        if (!mesh.vertices[v].allFinite())
            throw InputError(name, fmt::format("vertices[{}]", v), "not finite", "finite positions in metres");
    }
    if (mesh.vertices.empty()) throw InputError(name, "vertices", "none", "at least one vertex");
}

Mesh mesh_of_arrays(const std::string& name, const VectorsArgument& vertices, const Elements<4>& tets,
                    const Elements<3>& triangles, const Elements<2>& edges) {
    Mesh mesh;
    set_vertices(mesh, name, vertices);
    mesh.tets = elements<Tet>(tets, mesh.vertices.size(), name, "tets");
    mesh.triangles = elements<Triangle>(triangles, mesh.vertices.size(), name, "triangles");
    mesh.edges = elements<Edge>(edges, mesh.vertices.size(), name, "edges");
    if (mesh.tets.empty() && mesh.triangles.empty() && mesh.edges.empty()) {
        mesh.points.resize(mesh.vertices.size());
        for (std::size_t v = 0; v < mesh.points.size(); ++v) mesh.points[v] = static_cast<Index>(v);
    }
    return mesh;
}

CellList cell_list(const std::string& name, const Numbers& types, const Numbers& offsets, const Numbers& nodes,
                   std::size_t vertices) {
    const std::size_t count = types.shape(0);
    if (offsets.shape(0) != count + 1 || offsets.data()[0] != 0 ||
        offsets.data()[count] != static_cast<std::int64_t>(nodes.shape(0)) ||
        !std::is_sorted(offsets.data(), offsets.data() + count + 1))
        throw InputError(name, "offsets", fmt::format("{} for {} cells", offsets.shape(0), count),
                         fmt::format("{} that rise from 0 to the number of vertex ids, {}", count + 1, nodes.shape(0)));
    CellList cells;
    for (std::size_t c = 0; c < count; ++c) {
        std::vector<Index> cell;
        for (std::int64_t k = offsets.data()[c]; k < offsets.data()[c + 1]; ++k)
            cell.push_back(checked_vertex(nodes.data()[k], vertices, name, fmt::format("cells[{}]", c)));
        if (const auto refusal = refused_cell(types.data()[c], cell.size()))
            throw InputError(name, fmt::format("cells[{}]", c), refusal->found, refusal->expected);
        cells.add(types.data()[c], cell);
    }
    if (const auto refusal = refused_orders(cells)) throw InputError(name, "cells", refusal->found, refusal->expected);
    return cells;
}

/// Groups that the arrays of cells say, then further ones.
std::vector<CellGroup> cell_groups(const std::string& name, const CellList& cells, const nb::dict& arrays,
                                   const Elements<2>& pairs) {
    std::vector<GroupArray> candidates;
    for (const auto& [key, array] : arrays) {
        const auto rank = group_array_rank(nb::cast<std::string>(key));
        const auto values = nb::cast<Values>(array);
        if (rank && values.shape(0) == cells.size())
            candidates.push_back({*rank, {values.data(), values.data() + values.shape(0)}});
    }
    std::vector<CellGroup> groups = groups_of_arrays(cells, std::move(candidates));
    for (std::size_t g = 0; g < pairs.shape(0); ++g) {
        const std::int64_t cell = pairs.data()[2 * g], id = pairs.data()[2 * g + 1];
        if (cell < 0 || static_cast<std::size_t>(cell) >= cells.size() || id != static_cast<int>(id))
            throw InputError(name, fmt::format("groups[{}]", g), fmt::format("cell {}, group {}", cell, id),
                             fmt::format("a cell below {} and a group of 32 bits", cells.size()));
        groups.push_back({cell, static_cast<int>(id)});
    }
    return groups;
}

Mesh mesh_of_cells(const std::string& name, const VectorsArgument& vertices, const Numbers& types,
                   const Numbers& offsets, const Numbers& nodes, const nb::dict& arrays, const Elements<2>& pairs) {
    Mesh mesh;
    set_vertices(mesh, name, vertices);
    const CellList cells = cell_list(name, types, offsets, nodes, mesh.vertices.size());
    add_cells(mesh, cells, cell_groups(name, cells, arrays, pairs));
    check_mid_nodes(name, mesh);
    complete_mesh(mesh);
    return mesh;
}

template <class T>
nb::bytes raw(const std::vector<T>& list) {
    return nb::bytes(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
}

template <class T>
void restore(std::vector<T>& list, const nb::handle& bytes) {
    const auto source = nb::cast<nb::bytes>(bytes);
    list.resize(source.size() / sizeof(T));
    if (!list.empty()) std::memcpy(static_cast<void*>(list.data()), source.c_str(), list.size() * sizeof(T));
}

nb::tuple state_of(const Mesh& mesh) {
    return nb::make_tuple(raw(mesh.vertices), raw(mesh.tets), raw(mesh.triangles), raw(mesh.edges), raw(mesh.points),
                          raw(mesh.triangle_tags), raw(mesh.tet_tags), raw(mesh.further_triangle_tags),
                          raw(mesh.further_tet_tags), mesh.split_cells, raw(mesh.mid_nodes));
}

Mesh mesh_of_state(const nb::tuple& state) {
    Mesh mesh;
    restore(mesh.vertices, state[0]);
    restore(mesh.tets, state[1]);
    restore(mesh.triangles, state[2]);
    restore(mesh.edges, state[3]);
    restore(mesh.points, state[4]);
    restore(mesh.triangle_tags, state[5]);
    restore(mesh.tet_tags, state[6]);
    restore(mesh.further_triangle_tags, state[7]);
    restore(mesh.further_tet_tags, state[8]);
    mesh.split_cells = nb::cast<std::size_t>(state[9]);
    restore(mesh.mid_nodes, state[10]);
    return mesh;
}

Array<double> positions(const MeshPointer& mesh) {
    return vectors(mesh->vertices.empty() ? nullptr : mesh->vertices.front().data(), mesh->vertices.size(),
                   keep_alive(mesh));
}

template <class Element>
Array<Index> ids(const MeshPointer& mesh, const std::vector<Element>& list) {
    return view<Index>(list.empty() ? nullptr : list.front().data(), {list.size(), std::tuple_size_v<Element>},
                       keep_alive(mesh));
}

/// (k, 2): an element and a group that it is in, ascending by element; elements without a group are not there.
nb::object groups(const std::vector<int>& tags, const std::vector<FurtherTag>& further) {
    std::vector<std::array<std::int64_t, 2>> pairs;
    for (std::size_t e = 0; e < tags.size(); ++e)
        if (tags[e] != 0) pairs.push_back({static_cast<std::int64_t>(e), tags[e]});
    for (const FurtherTag& tag : further) pairs.push_back({tag.element, tag.tag});
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
    std::vector<std::int64_t> flat;
    for (const auto& pair : pairs) flat.insert(flat.end(), pair.begin(), pair.end());
    return copied(flat, {pairs.size(), 2});
}

}  // namespace

void bind_mesh(nb::module_& module) {
    nb::class_<MeshPointer>(module, "Mesh", "A mesh in memory: vertices (m), elements and groups.")
        .def(
            "__init__",
            [](MeshPointer* self, const std::string& name, const VectorsArgument& vertices, const Elements<4>& tets,
               const Elements<3>& triangles, const Elements<2>& edges) {
                new (self) MeshPointer(std::make_shared<Mesh>(mesh_of_arrays(name, vertices, tets, triangles, edges)));
            },
            nb::arg("name"), nb::arg("vertices"), nb::arg("tets"), nb::arg("triangles"), nb::arg("edges"),
            "A mesh of arrays: positions (n, 3) in metres, vertex ids (k, 4), (k, 3) and (k, 2). `name` begins "
            "messages.")
        .def("__getstate__", [](const MeshPointer& mesh) { return state_of(*mesh); })
        .def("__setstate__",
             [](MeshPointer& mesh, const nb::tuple& state) {
                 new (&mesh) MeshPointer(std::make_shared<Mesh>(mesh_of_state(state)));
             })
        .def_static(
            "read",
            [](const std::filesystem::path& file) { return MeshPointer(std::make_shared<Mesh>(read_mesh(file))); },
            nb::arg("file"), "Reads a mesh file. Raises InputError naming it.")
        .def_static(
            "of_cells",
            [](const std::string& name, const VectorsArgument& vertices, const Numbers& types, const Numbers& offsets,
               const Numbers& nodes, const nb::dict& arrays, const Elements<2>& pairs) {
                return MeshPointer(
                    std::make_shared<Mesh>(mesh_of_cells(name, vertices, types, offsets, nodes, arrays, pairs)));
            },
            nb::arg("name"), nb::arg("vertices"), nb::arg("types"), nb::arg("offsets"), nb::arg("nodes"),
            nb::arg("arrays"), nb::arg("groups"),
            "A mesh of cells, as a file of them is read. Cell i has VTK's type types[i] and the vertices "
            "nodes[offsets[i]:offsets[i + 1]]. `arrays`: names and one float a cell, of which those that docs/scene.md "
            "names are groups; `groups` (g, 2): further pairs of a cell and its group.")
        .def(
            "write", [](const MeshPointer& mesh, const std::filesystem::path& file) { write_mesh(file, *mesh); },
            nb::arg("file"), "Writes by extension: .msh, .vtu, .obj, .ply.")
        .def(
            "info", [](const MeshPointer& mesh) { return to_text(inspect(*mesh)); },
            "What `stiction info` says of the mesh.")
        .def_prop_ro("vertices", &positions, nb::rv_policy::automatic, "Positions (n, 3) in metres, read-only.")
        .def_prop_ro(
            "tets", [](const MeshPointer& mesh) { return ids(mesh, mesh->tets); }, nb::rv_policy::automatic,
            "Vertex ids (k, 4).")
        .def_prop_ro(
            "mid_nodes", [](const MeshPointer& mesh) { return ids(mesh, mesh->mid_nodes); }, nb::rv_policy::automatic,
            "Vertex ids (k, 6) on the edges 01, 12, 20, 03, 13 and 23 of tets of second order; (0, 6) of linear tets.")
        .def_prop_ro(
            "triangles", [](const MeshPointer& mesh) { return ids(mesh, mesh->triangles); }, nb::rv_policy::automatic,
            "Vertex ids (k, 3).")
        .def_prop_ro(
            "edges", [](const MeshPointer& mesh) { return ids(mesh, mesh->edges); }, nb::rv_policy::automatic,
            "Vertex ids (k, 2).")
        .def_prop_ro(
            "points",
            [](const MeshPointer& mesh) {
                return view<Index>(mesh->points.data(), {mesh->points.size()}, keep_alive(mesh));
            },
            nb::rv_policy::automatic, "Ids (k) of the vertices that are points by themselves.")
        .def_prop_ro(
            "surface_groups",
            [](const MeshPointer& mesh) { return groups(mesh->triangle_tags, mesh->further_triangle_tags); },
            "Pairs (g, 2) of a triangle and a surface id of it.")
        .def_prop_ro(
            "regions", [](const MeshPointer& mesh) { return groups(mesh->tet_tags, mesh->further_tet_tags); },
            "Pairs (g, 2) of a tet and a region id of it.");
}

}  // namespace stiction::python
