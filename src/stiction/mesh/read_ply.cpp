// Stanford PLY: elements vertex (x, y, z), face (vertex_indices) and edge (vertex1, vertex2); all else is passed over.
#include "stiction/mesh/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace stiction::detail {
namespace {

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct Property {
    std::string name;
    Scalar type;
    std::optional<Scalar> count_type;  // set for lists
};

struct PlyElement {
    std::string name;
    std::size_t count;
    std::vector<Property> properties;
};

std::size_t size_of(Scalar type) {
    switch (type) {
        case Scalar::int8:
        case Scalar::uint8: return 1;
        case Scalar::int16:
        case Scalar::uint16: return 2;
        case Scalar::float64: return 8;
        default: return 4;
    }
}

class PlyReader {
public:
    explicit PlyReader(ByteReader& in) : in_(in) {}
    Mesh read();

private:
    void read_header();
    Scalar scalar(std::string_view name) const;
    void read_vertices(const PlyElement& element);
    void read_faces(const PlyElement& element);
    void read_edges(const PlyElement& element);
    void skip(const PlyElement& element);
    std::size_t property(const PlyElement& element, std::initializer_list<std::string_view> names, bool list) const;
    void check_count(const PlyElement& element) const;
    double value(Scalar type, std::string_view what);
    std::int64_t integer(Scalar type, std::string_view what);
    std::size_t list_size(const Property& property);
    void skip(const Property& property);
    Index vertex(std::int64_t number) const { return in_.index(number, 0, mesh_.vertices.size()); }

    ByteReader& in_;
    bool binary_ = false;
    std::vector<PlyElement> elements_;
    Mesh mesh_;
};

Scalar PlyReader::scalar(std::string_view name) const {
    static const std::map<std::string_view, Scalar> types{
        {"char", Scalar::int8},      {"int8", Scalar::int8},       {"uchar", Scalar::uint8},
        {"uint8", Scalar::uint8},    {"short", Scalar::int16},     {"int16", Scalar::int16},
        {"ushort", Scalar::uint16},  {"uint16", Scalar::uint16},   {"int", Scalar::int32},
        {"int32", Scalar::int32},    {"uint", Scalar::uint32},     {"uint32", Scalar::uint32},
        {"float", Scalar::float32},  {"float32", Scalar::float32}, {"double", Scalar::float64},
        {"float64", Scalar::float64}};
    const auto found = types.find(name);
    if (found == types.end()) in_.fail(name, "a type such as float, double, int or uchar");
    return found->second;
}

void PlyReader::read_header() {
    if (in_.line() != "ply") in_.fail("the first line", "ply");
    in_.expect("format");
    const std::string format(in_.word("a format"));
    if (format != "ascii" && format != "binary_little_endian" && format != "binary_big_endian") {
        in_.fail(format, "ascii, binary_little_endian or binary_big_endian");
    }
    binary_ = format != "ascii";
    in_.set_swapped((format == "binary_big_endian") != (std::endian::native == std::endian::big));
    in_.line();
    for (;;) {
        const std::string_view word = in_.word("end_header");
        if (word == "end_header") break;
        if (word == "element") {
            const std::string name(in_.word("an element's name"));
            elements_.push_back({name, in_.plausible_count(in_.integer("a count"), 0, "elements"), {}});
        } else if (word == "property") {
            if (elements_.empty()) in_.fail(word, "an element before its properties");
            std::string_view type = in_.word("a type");
            Property property;
            if (type == "list") {
                property.count_type = scalar(in_.word("the type of a list's length"));
                type = in_.word("a type");
            }
            property.type = scalar(type);
            property.name = in_.word("a property's name");
            elements_.back().properties.push_back(property);
        } else if (word != "comment" && word != "obj_info") {
            in_.fail(word, "element, property, comment or end_header");
        }
        in_.line();
    }
    in_.line();
    in_.set_binary(binary_);
}

double PlyReader::value(Scalar type, std::string_view what) {
    if (!binary_) return in_.number(what);
    if (type == Scalar::float32) return in_.binary_finite<float>(what);
    if (type == Scalar::float64) return in_.binary_finite<double>(what);
    return static_cast<double>(integer(type, what));
}

std::int64_t PlyReader::integer(Scalar type, std::string_view what) {
    if (!binary_) return in_.integer(what);
    switch (type) {
        case Scalar::int8: return in_.binary<std::int8_t>(what);
        case Scalar::uint8: return in_.binary<std::uint8_t>(what);
        case Scalar::int16: return in_.binary<std::int16_t>(what);
        case Scalar::uint16: return in_.binary<std::uint16_t>(what);
        case Scalar::int32: return in_.binary<std::int32_t>(what);
        case Scalar::uint32: return in_.binary<std::uint32_t>(what);
        default: in_.fail("a floating-point type", fmt::format("{} of an integer type", what));
    }
}

std::size_t PlyReader::list_size(const Property& property) {
    return in_.plausible_count(integer(*property.count_type, "a list's length"), binary_ ? size_of(property.type) : 2,
                               "list entries");
}

void PlyReader::skip(const Property& property) {
    const std::size_t count = property.count_type ? list_size(property) : 1;
    for (std::size_t k = 0; k < count; ++k) {
        if (binary_)
            in_.skip(size_of(property.type), property.name);
        else
            in_.word(property.name);
    }
}

/// Position of the property with one of the names; fails when there is none of the wanted kind.
std::size_t PlyReader::property(const PlyElement& element, std::initializer_list<std::string_view> names,
                                bool list) const {
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const Property& candidate = element.properties[p];
        if (std::find(names.begin(), names.end(), candidate.name) != names.end() &&
            candidate.count_type.has_value() == list)
            return p;
    }
    in_.fail(fmt::format("element {}", element.name),
             fmt::format("a {} {}", list ? "list property" : "property", *names.begin()));
}

void PlyReader::check_count(const PlyElement& element) const {
    std::size_t bytes = 0;
    for (const Property& p : element.properties) bytes += binary_ ? size_of(p.count_type.value_or(p.type)) : 2;
    in_.plausible_count(static_cast<std::int64_t>(element.count), bytes, element.name + " elements");
}

void PlyReader::read_vertices(const PlyElement& element) {
    const std::size_t axis[3] = {property(element, {"x"}, false), property(element, {"y"}, false),
                                 property(element, {"z"}, false)};
    mesh_.vertices.reserve(element.count);
    for (std::size_t i = 0; i < element.count; ++i) {
        Vec3 position(0, 0, 0);
        for (std::size_t p = 0; p < element.properties.size(); ++p) {
            const auto found = std::find(std::begin(axis), std::end(axis), p);
            if (found == std::end(axis))
                skip(element.properties[p]);
            else
                position[found - std::begin(axis)] = value(element.properties[p].type, "a vertex coordinate");
        }
        mesh_.vertices.push_back(position);
    }
}

void PlyReader::read_faces(const PlyElement& element) {
    const std::size_t corners = property(element, {"vertex_indices", "vertex_index"}, true);
    std::vector<Index> polygon;
    for (std::size_t i = 0; i < element.count; ++i) {
        for (std::size_t p = 0; p < element.properties.size(); ++p) {
            const Property& current = element.properties[p];
            if (p != corners) {
                skip(current);
                continue;
            }
            polygon.clear();
            const std::size_t count = list_size(current);
            if (count < 3) in_.fail(fmt::format("a face with {} vertices", count), "at least 3 vertices");
            for (std::size_t k = 0; k < count; ++k) polygon.push_back(vertex(integer(current.type, "a vertex number")));
            add_polygon(mesh_, polygon);
        }
    }
}

void PlyReader::read_edges(const PlyElement& element) {
    const std::size_t ends[2] = {property(element, {"vertex1"}, false), property(element, {"vertex2"}, false)};
    for (std::size_t i = 0; i < element.count; ++i) {
        Edge edge{0, 0};
        for (std::size_t p = 0; p < element.properties.size(); ++p) {
            const auto found = std::find(std::begin(ends), std::end(ends), p);
            if (found == std::end(ends))
                skip(element.properties[p]);
            else
                edge[static_cast<std::size_t>(found - std::begin(ends))] =
                    vertex(integer(element.properties[p].type, "a vertex number"));
        }
        mesh_.edges.push_back(edge);
    }
}

void PlyReader::skip(const PlyElement& element) {
    for (std::size_t i = 0; i < element.count; ++i) {
        for (const Property& p : element.properties) skip(p);
    }
}

Mesh PlyReader::read() {
    read_header();
    for (const PlyElement& element : elements_) {
        if (element.name == "tristrips") in_.fail("element tristrips", "faces as vertex_indices lists");
        if (element.properties.empty()) continue;
        check_count(element);
        if (element.name == "vertex")
            read_vertices(element);
        else if (element.name == "face")
            read_faces(element);
        else if (element.name == "edge")
            read_edges(element);
        else
            skip(element);
    }
    return std::move(mesh_);
}

}  // namespace

Mesh read_ply(ByteReader& in) {
    return PlyReader(in).read();
}

}  // namespace stiction::detail
