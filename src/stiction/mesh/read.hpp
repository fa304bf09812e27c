// Mesh files -> Mesh.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace stiction {

/// Extensions of the files that read_mesh reads, in lower case.
inline constexpr std::array<std::string_view, 8> mesh_extensions{".msh", ".vtk", ".obj", ".seg",
                                                                 ".pt",  ".ply", ".stl", ".ele"};
/// mesh_extensions for messages: ".msh, .vtk, ...".
std::string mesh_extension_list();
/// Extension of a file in lower case, with its dot; "" when it has none.
std::string lower_extension(const std::filesystem::path& file);
/// Whether the file is named as one that read_mesh reads.
bool has_mesh_extension(const std::filesystem::path& file);

/// Reads a mesh; the extension (any case) tells the format:
///   .msh  Gmsh 2.0-2.2, 4.0 and 4.1, ASCII and binary (either byte order); unknown sections are skipped
///   .vtk  legacy VTK 1-5, unstructured grid or polydata, ASCII and binary
///   .obj  Wavefront: v (two coordinates: z = 0), f, l, p; negative indices; .pt is the same; in .seg `s` is an edge
///   .ply  ASCII, binary of either byte order
///   .ele  TetGen: tets, with the vertices of the .node file beside it, numbered from 0 or 1
///   .stl  ASCII and binary; vertices at exactly the same place are merged
/// Quadrangles and polygons become fans of triangles around their first vertex. Hexahedra, voxels, prisms (wedges) and
/// pyramids of .msh and .vtk become tets, with quadrangles cut through their lowest vertex; quadrangles beside them are
/// cut alike. Other cells that are not linear points, lines, triangles, polygons or tets are refused by name. Vertices
/// that no element uses are kept, in the file's order. A file that has vertices but no element at all is a set of
/// points. What Mesh promises holds: `edges` keeps only edges that are none of a triangle or tet, `points` only
/// vertices that nothing else uses (a Gmsh file lists those of its geometry, too). Triangles of a tet mesh stay, with
/// their surface ids. Tags of a Gmsh file: the physical group of each element, or 0; without any physical group in that
/// dimension, the tag of the geometric entity. Tags of a VTK file: groups_of_arrays of its cells (mesh/cell_list.hpp).
/// Left empty when all are 0 and by formats that have none. Orientation is what the file has: see orient_tets and
/// orient_triangles (mesh/topology.hpp).
/// @throws InputError naming the file, the line (or byte of a binary file), the value and what was expected, for a file
/// that cannot be
///         read, an unknown extension, a truncated or malformed file, a coordinate that is not finite, an index out of
///         range
Mesh read_mesh(const std::filesystem::path& file);

/// Makes what a file or a program listed as Mesh promises: without any element all vertices are points; edges and
/// points of other elements go, and ids that are all 0.
void complete_mesh(Mesh& mesh);

}  // namespace stiction
