// Legacy VTK files, versions 1 to 5, unstructured grids and polygonal data. Binary data are big-endian.
#include "stiction/mesh/cell_list.hpp"
#include "stiction/mesh/readers.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace stiction::detail {
namespace {

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
    void read_field(bool of_cells);
    void read_array(const std::string& name, std::size_t count, const std::string& type);
    void read_attributes(bool of_cells);
    void read_scalars(bool of_cells, std::size_t count);
    double any_number(const std::string& type, std::string_view what);
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
    CellList list_;
    std::vector<GroupArray> groups_;
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
    const bool is_unsigned = type.find("unsigned") == 0 || type.find("vtktypeu") == 0;
    switch (size_of(type)) {
        case 8: return in_.binary<std::int64_t>(what);
        case 4: return is_unsigned ? in_.binary<std::uint32_t>(what) : in_.binary<std::int32_t>(what);
        case 2: return is_unsigned ? in_.binary<std::uint16_t>(what) : in_.binary<std::int16_t>(what);
        default: return is_unsigned ? in_.binary<std::uint8_t>(what) : in_.binary<std::int8_t>(what);
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
    if (const auto refusal = refused_cell(type, nodes.size())) in_.fail(refusal->found, refusal->expected);
    list_.add(type, nodes);
}

void VtkReader::add_all(const Cells& cells, std::int64_t type) {
    for (std::size_t i = 0; i < cells.size(); ++i) add_cell(type, nodes_of(cells, i));
}

/// Arrays of a FIELD. Of those of cells, groups are kept.
void VtkReader::read_field(bool of_cells) {
    in_.word("a field's name");
    const std::size_t arrays = in_.plausible_count(in_.integer("a number of arrays"), 8, "arrays");
    for (std::size_t a = 0; a < arrays; ++a) {
        in_.set_binary(false);
        std::string name(in_.word("an array's name"));
        while (name == "METADATA") {
            skip_metadata();
            name = in_.word("an array's name");
        }
        const std::size_t components = in_.plausible_count(in_.integer("a number of components"), 0, "components");
        const std::size_t tuples = in_.plausible_count(in_.integer("a number of tuples"), 0, "tuples");
        const std::string type = lower_case(in_.word("a type"));
        read_array(of_cells && components == 1 && tuples == list_.size() ? name : "", components * tuples, type);
    }
    in_.set_binary(false);
}

/// Values of an array, kept where its name is that of groups.
void VtkReader::read_array(const std::string& name, std::size_t count, const std::string& type) {
    if (type == "string" || type == "utf8_string" || type == "variant")
        return skip_lines(count, type != "variant" && binary_);
    const bool bits = type == "bit";
    const std::size_t bytes = bits ? 1 : size_of(type);
    const std::size_t stored = bits && binary_ ? (count + 7) / 8 : count;  // bits stand eight to a byte
    in_.plausible_count(static_cast<std::int64_t>(stored), binary_ ? bytes : 2, "field values");
    const auto rank = bits ? std::nullopt : group_array_rank(name);
    begin_data();
    if (!rank) {
        if (binary_)
            in_.skip(stored * bytes, "field values");
        else
            for (std::size_t i = 0; i < stored; ++i) in_.word("a field value");
        return;
    }
    GroupArray array{*rank, {}};
    for (std::size_t i = 0; i < count; ++i) array.values.push_back(any_number(type, "a field value"));
    groups_.push_back(std::move(array));
}

/// A number that need not be finite.
double VtkReader::any_number(const std::string& type, std::string_view what) {
    if (binary_) {
        if (type == "float") return in_.binary<float>(what);
        if (type == "double") return in_.binary<double>(what);
        return static_cast<double>(integer(type, what));
    }
    double value = 0;
    return parse_number(in_.word(what), value) ? value : std::numeric_limits<double>::quiet_NaN();
}

/// What stands behind POINT_DATA or CELL_DATA, up to the next of the two.
void VtkReader::read_attributes(bool of_cells) {
    const std::int64_t announced = in_.integer("a number of values");
    const std::size_t count = of_cells ? list_.size() : mesh_.vertices.size();
    if (announced != static_cast<std::int64_t>(count))
        in_.fail(fmt::format("{} values", announced), fmt::format("{}", count));
    static const std::map<std::string, std::size_t> widths{{"vectors", 3},   {"normals", 3},    {"tensors", 9},
                                                           {"tensors6", 6},  {"global_ids", 1}, {"pedigree_ids", 1},
                                                           {"edge_flags", 1}};
    while (!in_.skip_space()) {
        in_.set_binary(false);
        const std::size_t start = in_.position();
        const std::string word(in_.word("an attribute")), keyword = lower_case(word);
        if (keyword == "point_data" || keyword == "cell_data") return in_.seek(start);
        if (keyword == "field")
            read_field(of_cells);
        else if (keyword == "metadata")
            skip_metadata();
        else if (keyword == "scalars")
            read_scalars(of_cells, count);
        else if (keyword == "lookup_table" || keyword == "color_scalars") {
            in_.word("a name");
            const std::size_t width = in_.plausible_count(in_.integer("a size"), 0, "values");
            read_array("", keyword == "lookup_table" ? 4 * width : count * width, "unsigned_char");
        } else if (keyword == "texture_coordinates") {
            in_.word("a name");
            const std::size_t width = in_.plausible_count(in_.integer("a dimension"), 0, "values");
            read_array("", count * width, lower_case(in_.word("a type")));
        } else if (widths.contains(keyword)) {
            in_.word("a name");
            read_array("", count * widths.at(keyword), lower_case(in_.word("a type")));
        } else {
            in_.fail(word, "an attribute such as SCALARS, VECTORS or FIELD");
        }
    }
}

/// SCALARS name type [components], then LOOKUP_TABLE name, then the values.
void VtkReader::read_scalars(bool of_cells, std::size_t count) {
    const std::string name(in_.word("a name")), type = lower_case(in_.word("a type"));
    std::int64_t components = 1;
    const std::string rest(in_.line());
    const std::size_t digit = rest.find_first_not_of(" \t\r");
    if (digit != std::string::npos) {
        const std::string word = rest.substr(digit, rest.find_last_not_of(" \t\r") + 1 - digit);
        if (!parse_integer(word, components) || components < 1 || components > 4) in_.fail(word, "1 to 4 components");
    }
    in_.expect("LOOKUP_TABLE");
    in_.word("a name");
    read_array(of_cells && components == 1 ? name : "", count * static_cast<std::size_t>(components), type);
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
    static const std::map<std::string, int> polydata{// types of cells, as vtkCellType.h numbers them

                                                     {"vertices", 2},
                                                     {"lines", 4},
                                                     {"polygons", 7},
                                                     {"triangle_strips", 6}};
    while (!in_.skip_space()) {
        in_.set_binary(false);
        const std::string word(in_.word("a section"));
        const std::string keyword = lower_case(word);
        if (keyword == "points")
            read_points();
        else if (keyword == "cells" && grid)
            cells_ = read_cells();
        else if (keyword == "cell_types" && grid)
            read_cell_types();
        else if (!grid && polydata.contains(keyword))
            add_all(read_cells(), polydata.at(keyword));
        else if (keyword == "point_data" || keyword == "cell_data")
            read_attributes(keyword == "cell_data");
        else if (keyword == "field")
            read_field(false);
        else if (keyword == "metadata")
            skip_metadata();
        else
            in_.fail(word,
                     grid ? "POINTS, CELLS or CELL_TYPES" : "POINTS, VERTICES, LINES, POLYGONS or TRIANGLE_STRIPS");
    }
    in_.set_binary(false);
    if (cells_.size() > 0) in_.fail("CELLS without types", "a CELL_TYPES section");
    if (const auto refusal = refused_orders(list_)) in_.fail(refusal->found, refusal->expected);
    add_cells(mesh_, list_, groups_of_arrays(list_, std::move(groups_)));
    return std::move(mesh_);
}

}  // namespace

Mesh read_vtk(ByteReader& in) {
    return VtkReader(in).read();
}

}  // namespace stiction::detail
