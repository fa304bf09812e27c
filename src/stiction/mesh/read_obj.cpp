// Wavefront OBJ: the lines v, f, l and p; everything else (normals, groups, materials) is passed over.
#include "stiction/mesh/readers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction::detail {
namespace {

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr std::string_view blanks = " \t\r\v\f";
    for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

Vec3 parse_vertex(const ByteReader& in, const std::vector<std::string_view>& words) {
    if (words.size() < 3) in.fail(fmt::format("{} coordinates", words.size() - 1), "a vertex with 2 or 3 coordinates");
    Vec3 position(0, 0, 0);
    for (std::size_t k = 1; k < std::min<std::size_t>(words.size(), 4); ++k) {
        if (!parse_number(words[k], position[static_cast<Eigen::Index>(k) - 1])) {
            in.fail(words[k], "a coordinate (a finite number)");
        }
    }
    return position;
}

/// A reference to a vertex that may follow later in the file, and where it stands.
struct Reference {
    std::int64_t vertex;  // counted from 1
    std::size_t position;
};

/// "7", "7/1", "7//3" or "7/1/3"; negative counts back from the latest vertex.
Reference parse_reference(const ByteReader& in, std::string_view word, std::size_t vertices, std::size_t position) {
    std::int64_t vertex = 0;
    if (!parse_integer(word.substr(0, word.find('/')), vertex)) in.fail(word, "a vertex number");
    if (vertex < 0) {
        if (vertex < -static_cast<std::int64_t>(vertices)) {
            in.fail(fmt::format("vertex {}", vertex), fmt::format("a vertex from -{} to -1 or from 1", vertices));
        }
        vertex += static_cast<std::int64_t>(vertices) + 1;
    }
    return {vertex, position};
}

enum class Kind { face, line, point };
struct ObjElement {
    Kind kind;
    std::vector<Reference> references;
};

}  // namespace

Mesh read_obj(ByteReader& in, bool seg) {
    Mesh mesh;
    std::vector<ObjElement> elements;
    while (in.remaining() > 0) {
        const std::size_t position = in.position();
        const std::string_view text = in.line();
        const auto words = split(text.substr(0, text.find('#')));
        if (words.empty()) continue;
        if (words[0] == "v") {
            mesh.vertices.push_back(parse_vertex(in, words));
            continue;
        }
        Kind kind;
        if (words[0] == "f")
            kind = Kind::face;
        else if (words[0] == "l" || (seg && words[0] == "s"))
            kind = Kind::line;
        else if (words[0] == "p")
            kind = Kind::point;
        else
            continue;
        const std::size_t fewest = kind == Kind::face ? 3 : kind == Kind::line ? 2 : 1;
        if (words.size() < 1 + fewest) {
            in.fail(fmt::format("{} vertices", words.size() - 1),
                    fmt::format("`{}` with at least {} vertices", words[0], fewest));
        }
        ObjElement element{kind, {}};
        for (std::size_t k = 1; k < words.size(); ++k) {
            element.references.push_back(parse_reference(in, words[k], mesh.vertices.size(), position));
        }
        elements.push_back(std::move(element));
    }
    for (const ObjElement& element : elements) {
        std::vector<Index> indices;
        for (const Reference& reference : element.references) {
            in.seek(reference.position);
            indices.push_back(in.index(reference.vertex, 1, mesh.vertices.size()));
        }
        if (element.kind == Kind::face)
            add_polygon(mesh, indices);
        else if (element.kind == Kind::line)
            add_polyline(mesh, indices);
        else
            mesh.points.insert(mesh.points.end(), indices.begin(), indices.end());
    }
    return mesh;
}

}  // namespace stiction::detail
