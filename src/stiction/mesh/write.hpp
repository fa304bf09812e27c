// Mesh -> files. Every file appears whole or not at all (mesh/atomic_file.hpp); a path that cannot be written is an
// InputError naming it. Coordinates survive a round trip bit by bit: text holds the shortest decimal that reads back as
// the same double.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// Text or bytes, for formats that have both.
enum class Encoding { ascii, binary };

/// Gmsh MSH 2.2: all vertices, tets, triangles, edges and points in this order; the tag of a triangle or tet (0 without
/// tags) is both its physical and its geometric tag. Binary files have the byte order of this machine.
void write_msh(const std::filesystem::path& file, const Mesh& mesh, Encoding encoding = Encoding::binary);

/// Wavefront OBJ. A mesh with tets is written as its surface (surface_mesh: unused vertices dropped), any other mesh as
/// it is.
void write_obj(const std::filesystem::path& file, const Mesh& mesh);

/// PLY with coordinates as doubles; binary is little-endian. Tets as for OBJ. Isolated points are vertices that no
/// element uses.
void write_ply(const std::filesystem::path& file, const Mesh& mesh, Encoding encoding = Encoding::binary);

/// Named values at the points or cells of a VTU file.
struct VtuField {
    std::string name;
    int components = 1;          ///< 1 for a scalar, 3 for a vector, 9 for a tensor (row by row)
    std::vector<double> values;  ///< components values for each point (cell), one point (cell) after the other
    bool integer = false;        ///< stored as 64-bit integers (ids) instead of doubles
};

/// VTK unstructured grid (.vtu), XML with appended raw data; positions and fields in float64.
/// Points are all vertices; cells are tets, triangles, edges, points, in this order. Tets with mid nodes are of type
/// 24; where those are -1 the tet is a linear one beside them.
/// @param compress  zlib-compress the arrays
/// @throws InternalError when a field's size does not fit
void write_vtu(const std::filesystem::path& file, const Mesh& mesh, const std::vector<VtuField>& point_fields = {},
               const std::vector<VtuField>& cell_fields = {}, bool compress = false);

/// ParaView collection (.pvd): a time in seconds and a file (relative to the collection) each.
void write_pvd(const std::filesystem::path& file, const std::vector<std::pair<double, std::string>>& entries);

/// Writes by extension: .msh (binary), .vtu, .obj, .ply (binary). @throws InputError for any other extension
void write_mesh(const std::filesystem::path& file, const Mesh& mesh);

}  // namespace stiction
