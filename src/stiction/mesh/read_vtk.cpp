// Legacy VTK files, versions 1 to 5, unstructured grids and polygonal data. Binary data are big-endian.
#include "stiction/mesh/readers.hpp"
#include "stiction/mesh/split_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace stiction::detail {
namespace {

enum CellType {
    vertex = 1,
    poly_vertex = 2,
    line = 3,
    poly_line = 4,
    triangle = 5,
    triangle_strip = 6,
    polygon = 7,
    pixel = 8,
    quad = 9,
    tetra = 10,
    hexahedron = 12,
    wedge = 13,
    pyramid = 14
};

std::string cell_name(std::int64_t type) {
    static const std::map<std::int64_t, const char*> names{{0, "empty cell"},
                                                           {11, "voxel"},
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

/// Cells as VTK 5 stores them: cell i has connectivity[offsets[i] .. offsets[i + 1]).
struct Cells {
    std::vector<std::int64_t> offsets{0};
    std::vector<Index> connectivity;
    std::size_t size() const { return offsets.size() - 1; }
};

class VtkReader {
public:
    explicit VtkReader(ByteReader& in) : in_(in) {}
    Mesh read();

private:
    void read_header();
    void read_points();
    Cells read_cells();
    Cells read_counted_cells(std::size_t cells, std::int64_t entries);
    Cells read_offset_cells(std::int64_t offsets, std::int64_t entries);
    void read_cell_types();
    void skip_field();
    void skip_lines(std::size_t count, bool with_length);
    void skip_metadata();
    void add_cell(std::int64_t type, const std::vector<Index>& nodes);
    void add_all(const Cells& cells, std::int64_t type);
    std::vector<Index> nodes_of(const Cells& cells, std::size_t i) const;

    std::size_t size_of(const std::string& type) const;
    std::int64_t integer(const std::string& type, std::string_view what);
    double number(const std::string& type, std::string_view what);
    /// Ends the line of a keyword; what follows are numbers, in text or binary.
    void begin_data() {
        in_.line();
        in_.set_binary(binary_);
    }
    Index vertex_index(std::int64_t value) const { return in_.index(value, 0, mesh_.vertices.size()); }

    ByteReader& in_;
    bool binary_ = false;
    bool has_points_ = false;
    int major_version_ = 0;
    Cells cells_;
    Mesh mesh_;
    Quadrangles quadrangles_;
};

void VtkReader::read_header() {
    const std::string first(in_.line());
    const std::string_view start = "# vtk DataFile Version ";
    if (first.substr(0, start.size()) != start || first.size() == start.size())
        in_.fail(first, "# vtk DataFile Version N");
    major_version_ = first[start.size()] - '0';
    if (major_version_ < 1 || major_version_ > 5) in_.fail(first.substr(start.size()), "version 1 to 5");
    in_.line();  // title
    const std::string encoding = lower_case(in_.word("ASCII or BINARY"));
    if (encoding != "ascii" && encoding != "binary") in_.fail(encoding, "ASCII or BINARY");
    binary_ = encoding == "binary";
    in_.set_swapped(std::endian::native == std::endian::little);
}

std::size_t VtkReader::size_of(const std::string& type) const {
    static const std::map<std::string, std::size_t> sizes{
        {"float", 4},          {"double", 8},        {"int", 4},          {"unsigned_int", 4},
        {"long", 8},           {"unsigned_long", 8}, {"vtktypeint64", 8}, {"vtktypeuint64", 8},
        {"vtktypeint32", 4},   {"vtktypeuint32", 4}, {"vtkidtype", 4},    {"short", 2},
        {"unsigned_short", 2}, {"char", 1},          {"signed_char", 1},  {"unsigned_char", 1}};
    const auto found = sizes.find(type);
    if (found == sizes.end()) in_.fail(type, "a type of numbers such as double or vtktypeint64");
    return found->second;
}

std::int64_t VtkReader::integer(const std::string& type, std::string_view what) {
    if (!binary_) return in_.integer(what);
    if (type == "float" || type == "double") in_.fail(type, "a type of integers");
    switch (size_of(type)) {
        case 8: return in_.binary<std::int64_t>(what);
        case 4: return in_.binary<std::int32_t>(what);
        case 2: return in_.binary<std::int16_t>(what);
        default: return in_.binary<std::int8_t>(what);
    }
}

double VtkReader::number(const std::string& type, std::string_view what) {
    if (!binary_) return in_.number(what);
    if (type == "float") return in_.binary_finite<float>(what);
    if (type == "double") return in_.binary_finite<double>(what);
    return static_cast<double>(integer(type, what));
}

void VtkReader::read_points() {
    const std::int64_t announced = in_.integer("a number of points");
    const std::string type = lower_case(in_.word("a type"));
    const std::size_t count = in_.plausible_count(announced, binary_ ? 3 * size_of(type) : 6, "points");
    if (std::exchange(has_points_, true)) in_.fail("POINTS", "only one POINTS section");
    begin_data();
    mesh_.vertices.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double x = number(type, "a point's x"), y = number(type, "a point's y"), z = number(type, "a point's z");
        mesh_.vertices.emplace_back(x, y, z);
    }
}

Cells VtkReader::read_cells() {
    const std::int64_t first = in_.integer("a number of cells");
    const std::int64_t second = in_.integer("a size");
    return major_version_ < 5 ? read_counted_cells(in_.plausible_count(first, binary_ ? 4 : 2, "cells"), second)
                              : read_offset_cells(first, second);
}

/// Versions before 5: each cell is its number of vertices and their indices.
Cells VtkReader::read_counted_cells(std::size_t count, std::int64_t entries) {
    in_.plausible_count(entries, binary_ ? 4 : 2, "cell entries");
    begin_data();
    Cells cells;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t nodes =
            in_.plausible_count(integer("int", "a cell's number of vertices"), binary_ ? 4 : 2, "cell vertices");
        for (std::size_t k = 0; k < nodes; ++k)
            cells.connectivity.push_back(vertex_index(integer("int", "a vertex of a cell")));
        cells.offsets.push_back(static_cast<std::int64_t>(cells.connectivity.size()));
    }
    if (cells.connectivity.size() + count != static_cast<std::size_t>(entries)) {
        in_.fail(fmt::format("{} cell entries", cells.connectivity.size() + count),
                 fmt::format("{}, as announced", entries));
    }
    return cells;
}

/// Version 5: arrays OFFSETS (one more than there are cells) and CONNECTIVITY.
Cells VtkReader::read_offset_cells(std::int64_t offsets, std::int64_t entries) {
    Cells cells;
    if (offsets == 0 && entries == 0) return cells;
    in_.expect("OFFSETS");
    std::string type = lower_case(in_.word("a type"));
    const std::size_t count = in_.plausible_count(offsets, binary_ ? size_of(type) : 2, "offsets");
    begin_data();
    cells.offsets.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t offset = integer(type, "an offset");
        const std::int64_t least = cells.offsets.empty() ? 0 : cells.offsets.back();
        if (offset < least || offset > entries || (i == 0 && offset != 0)) {
            in_.fail(fmt::format("offset {}", offset),
                     fmt::format("offsets that start with 0 and rise to {}", entries));
        }
        cells.offsets.push_back(offset);
    }
    if (cells.offsets.empty() || cells.offsets.back() != entries) {
        in_.fail(fmt::format("last offset {}", cells.offsets.empty() ? -1 : cells.offsets.back()),
                 fmt::format("{}", entries));
    }
    in_.set_binary(false);
    in_.expect("CONNECTIVITY");
    type = lower_case(in_.word("a type"));
    const std::size_t size = in_.plausible_count(entries, binary_ ? size_of(type) : 2, "cell vertices");
    begin_data();
    cells.connectivity.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
        cells.connectivity.push_back(vertex_index(integer(type, "a vertex of a cell")));
    return cells;
}

std::vector<Index> VtkReader::nodes_of(const Cells& cells, std::size_t i) const {
    return {cells.connectivity.begin() + cells.offsets[i], cells.connectivity.begin() + cells.offsets[i + 1]};
}

void VtkReader::read_cell_types() {
    const std::size_t count = in_.plausible_count(in_.integer("a number of cells"), binary_ ? 4 : 2, "cell types");
    if (count != cells_.size())
        in_.fail(fmt::format("{} cell types", count), fmt::format("{}, one a cell", cells_.size()));
    begin_data();
    for (std::size_t i = 0; i < count; ++i) add_cell(integer("int", "a cell type"), nodes_of(cells_, i));
    cells_ = Cells();
}

void VtkReader::add_cell(std::int64_t type, const std::vector<Index>& nodes) {
    const auto need = [&](std::size_t least, std::size_t most) {
        if (nodes.size() < least || nodes.size() > most) {
            in_.fail(fmt::format("a cell of type {} with {} vertices", type, nodes.size()),
                     fmt::format("{} vertices", least));
        }
    };
    constexpr std::size_t any = std::size_t(-1);
    switch (type) {
        case vertex: need(1, 1); [[fallthrough]];
        case poly_vertex: mesh_.points.insert(mesh_.points.end(), nodes.begin(), nodes.end()); break;
        case line: need(2, 2); [[fallthrough]];
        case poly_line:
            need(2, any);
            add_polyline(mesh_, nodes);
            break;
        case triangle:
            need(3, 3);
            add_polygon(mesh_, nodes);
            break;
        case quad:
            need(4, 4);
            quadrangles_.add(mesh_, {nodes[0], nodes[1], nodes[2], nodes[3]});
            break;
        case polygon:
            need(3, any);
            add_polygon(mesh_, nodes);
            break;
        case pixel:
            need(4, 4);
            quadrangles_.add(mesh_, {nodes[0], nodes[1], nodes[3], nodes[2]});
            break;
        case triangle_strip:
            need(3, any);
            for (std::size_t k = 2; k < nodes.size(); ++k) {
                // every second triangle of a strip is listed the other way round
                if (k % 2 == 0)
                    mesh_.triangles.push_back({nodes[k - 2], nodes[k - 1], nodes[k]});
                else
                    mesh_.triangles.push_back({nodes[k - 1], nodes[k - 2], nodes[k]});
            }
            break;
        case tetra:
            need(4, 4);
            mesh_.tets.push_back({nodes[0], nodes[1], nodes[2], nodes[3]});
            break;
        case hexahedron:
        case wedge:
        case pyramid: {
            const std::size_t corners = type == hexahedron ? 8 : type == wedge ? 6 : 5;
            need(corners, corners);
            add_cell_as_tets(mesh_, nodes);
            break;
        }
        default:
            in_.fail(cell_name(type),
                     "linear vertices, lines, triangles, polygons, tetrahedra, hexahedra, wedges or pyramids");
    }
}

void VtkReader::add_all(const Cells& cells, std::int64_t type) {
    for (std::size_t i = 0; i < cells.size(); ++i) add_cell(type, nodes_of(cells, i));
}

void VtkReader::skip_field() {
    in_.word("a field's name");
    const std::size_t arrays = in_.plausible_count(in_.integer("a number of arrays"), 8, "arrays");
    for (std::size_t a = 0; a < arrays; ++a) {
        in_.set_binary(false);
        std::string_view name = in_.word("an array's name");
        if (name == "METADATA") {
            skip_metadata();
            name = in_.word("an array's name");
        }
        const std::size_t components = in_.plausible_count(in_.integer("a number of components"), 0, "components");
        const std::size_t tuples = in_.plausible_count(in_.integer("a number of tuples"), 0, "tuples");
        const std::string type = lower_case(in_.word("a type"));
        if (type == "string" || type == "utf8_string" || type == "variant") {
            skip_lines(components * tuples, type != "variant" && binary_);
            continue;
        }
        if (type == "bit" && binary_) {  // eight to a byte
            begin_data();
            in_.skip(in_.plausible_count(static_cast<std::int64_t>((components * tuples + 7) / 8), 1, "field values"),
                     "field values");
            continue;
        }
        const std::size_t bytes = type == "bit" ? 1 : size_of(type);
        const std::size_t count =
            in_.plausible_count(static_cast<std::int64_t>(components * tuples), binary_ ? bytes : 2, "field values");
        begin_data();
        if (binary_)
            in_.skip(count * bytes, "field values");
        else
            for (std::size_t i = 0; i < count; ++i) in_.word("a field value");
    }
}

/// Texts and variants stand on a line each, and may be empty. Texts of binary files have their length before them, in
/// 1, 2, 4 or 8 bytes as the two highest bits of the first byte say (11, 10, 01, 00).
void VtkReader::skip_lines(std::size_t count, bool with_length) {
    begin_data();
    for (std::size_t i = 0; i < count; ++i) {
        if (!with_length) {
            in_.require(1, "a line of text");
            in_.line();
            continue;
        }
        in_.require(1, "the length of a text");
        const int kind = static_cast<unsigned char>(in_.bytes()[in_.position()]) >> 6;
        std::size_t length = 0;
        for (int k = 0; k < (1 << (3 - kind)); ++k) {
            const std::size_t byte = in_.binary<std::uint8_t>("the length of a text");
            length = length << 8 | (k == 0 ? byte & 0x3f : byte);
        }
        in_.skip(length, "a text");
    }
}

void VtkReader::skip_metadata() {
    in_.line();
    while (in_.remaining() > 0 && !in_.line().empty()) {
    }  // ends with an empty line
}

Mesh VtkReader::read() {
    read_header();
    in_.expect("DATASET");
    const std::string dataset = lower_case(in_.word("a dataset"));
    const bool grid = dataset == "unstructured_grid";
    if (!grid && dataset != "polydata") in_.fail(dataset, "UNSTRUCTURED_GRID or POLYDATA");
    static const std::map<std::string, int> polydata{
        {"vertices", poly_vertex}, {"lines", poly_line}, {"polygons", polygon}, {"triangle_strips", triangle_strip}};
    while (!in_.skip_space()) {
        in_.set_binary(false);
        const std::string word(in_.word("a section"));
        const std::string keyword = lower_case(word);
        if (keyword == "point_data" || keyword == "cell_data") break;  // what follows are fields
        if (keyword == "points")
            read_points();
        else if (keyword == "cells" && grid)
            cells_ = read_cells();
        else if (keyword == "cell_types" && grid)
            read_cell_types();
        else if (!grid && polydata.contains(keyword))
            add_all(read_cells(), polydata.at(keyword));
        else if (keyword == "field")
            skip_field();
        else if (keyword == "metadata")
            skip_metadata();
        else
            in_.fail(word,
                     grid ? "POINTS, CELLS or CELL_TYPES" : "POINTS, VERTICES, LINES, POLYGONS or TRIANGLE_STRIPS");
    }
    in_.set_binary(false);
    if (cells_.size() > 0) in_.fail("CELLS without types", "a CELL_TYPES section");
    quadrangles_.finish(mesh_);
    return std::move(mesh_);
}

}  // namespace

Mesh read_vtk(ByteReader& in) {
    return VtkReader(in).read();
}

}  // namespace stiction::detail
