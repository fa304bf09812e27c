#include "stiction/mesh/msh_elements.hpp"

#include <fmt/format.h>

#include <map>

namespace stiction::detail {

int node_count(std::int64_t type) {
    switch (type) {
        case point1: return 1;
        case line2: return 2;
        case line3:
        case triangle3: return 3;
        case quadrangle4:
        case tet4: return 4;
        case pyramid5: return 5;
        case prism6:
        case triangle6: return 6;
        case hexahedron8: return 8;
        case tet10: return 10;
        default: return 0;
    }
}

std::string element_name(std::int64_t type) {
    static const std::map<std::int64_t, const char*> names{
        {8, "second-order line"},         {9, "second-order triangle"},    {10, "second-order quadrangle"},
        {11, "second-order tetrahedron"}, {12, "second-order hexahedron"}, {13, "second-order prism"},
        {14, "second-order pyramid"},     {16, "second-order quadrangle"}, {17, "second-order hexahedron"},
        {18, "second-order prism"},       {19, "second-order pyramid"},    {20, "third-order triangle"},
        {21, "third-order triangle"},     {22, "fourth-order triangle"},   {23, "fourth-order triangle"},
        {24, "fifth-order triangle"},     {25, "fifth-order triangle"},    {26, "third-order line"},
        {27, "fourth-order line"},        {28, "fifth-order line"},        {29, "third-order tetrahedron"},
        {30, "fourth-order tetrahedron"}, {31, "fifth-order tetrahedron"}};
    const auto found = names.find(type);
    return fmt::format("element type {} ({})", type, found == names.end() ? "not linear" : found->second);
}

}  // namespace stiction::detail
