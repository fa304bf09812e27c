// Element types of Gmsh files (Gmsh reference manual, "MSH file format").
#pragma once

#include <cstdint>
#include <string>

namespace stiction::detail {

/// Those that are read.
enum ElementType {
    line2 = 1,
    triangle3 = 2,
    quadrangle4 = 3,
    tet4 = 4,
    hexahedron8 = 5,
    prism6 = 6,
    pyramid5 = 7,
    line3 = 8,  // of second order, as the next two: with a node in the middle of each edge
    triangle6 = 9,
    tet10 = 11,
    point1 = 15
};
/// Of an element type that is read.
inline constexpr int most_nodes = 10;

/// Number of nodes of an element type that is read, else 0.
int node_count(std::int64_t type);
/// Of a type that is not read, for messages.
std::string element_name(std::int64_t type);

}  // namespace stiction::detail
