// TetGen: NAME.ele lists tetrahedra, NAME.node beside it their vertices. Both
// begin with a line of counts; every entry begins with its number, and those of
// the vertices run from 0 or from 1. `#` starts a comment. The first attribute
// of a tet is its region. NAME.face, where it exists, lists faces of the tets,
// with a marker that is their surface id. With `-o2` a tet has ten vertices,
// those on the edges 23, 03, 01, 12, 13 and 20 behind its corners, and a face
// six.
#include "stiction/mesh/readers.hpp"
#include "stiction/mesh/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace stiction::detail {
namespace {

/// The words of the next line that has any, without its comment; empty at the
/// end of the file.
std::vector<std::string_view> next_words(ByteReader& in) {
    std::vector<std::string_view> words;
    while (words.empty() && !in.skip_space()) {
        std::string_view line = in.line();
        line = line.substr(0, line.find('#'));
        constexpr std::string_view gaps = " \t\r\v\f";
        for (std::size_t begin = line.find_first_not_of(gaps); begin != std::string_view::npos;) {
            const std::size_t end = std::min(line.find_first_of(gaps, begin), line.size());
            words.push_back(line.substr(begin, end - begin));
            begin = line.find_first_not_of(gaps, end);
        }
    }
    return words;
}

std::int64_t tetgen_integer(const ByteReader& in, const std::vector<std::string_view>& words, std::size_t k,
                            std::string_view expected) {
    std::int64_t value = 0;
    if (k >= words.size()) in.fail("end of line", expected);
    if (!parse_integer(words[k], value)) in.fail(words[k], expected);
    return value;
}

/// @param[out] first  number of the first vertex
std::vector<Vec3> read_nodes(ByteReader& in, std::int64_t& first) {
    const auto header = next_words(in);
    const std::size_t count =
        in.plausible_count(tetgen_integer(in, header, 0, "the number of vertices"), 2, "vertices");
    if (tetgen_integer(in, header, 1, "the dimension, 3") != 3) in.fail(header[1], "the dimension, 3");
    std::vector<Vec3> vertices;
    for (std::size_t i = 0; i < count; ++i) {
        const auto words = next_words(in);
        const std::int64_t number = tetgen_integer(in, words, 0, fmt::format("{} vertices", count));
        if (i == 0) first = number;
        if (number != first + static_cast<std::int64_t>(i) || first < 0 || first > 1)
            in.fail(words[0], "numbers of vertices that rise by one, from 0 or 1");
        Vec3 x;
        for (std::size_t k = 0; k < 3; ++k) {
            if (words.size() < k + 2) in.fail("end of line", "three coordinates");
            if (!parse_number(words[k + 1], x[static_cast<Eigen::Index>(k)])) in.fail(words[k + 1], "a coordinate");
        }
        vertices.push_back(x);
    }
    return vertices;
}

/// The region of a tet: its first attribute, which TetGen writes as any number.
int region(const ByteReader& in, const std::vector<std::string_view>& words, std::size_t nodes) {
    double value = 0;
    if (words.size() < nodes + 2)
        in.fail("end of line", fmt::format("a region behind the {} vertices, as the first line announces", nodes));
    const std::string_view word = words[nodes + 1];
    if (!parse_number(word, value) || value != static_cast<double>(static_cast<int>(std::clamp(value, -2e9, 2e9))))
        in.fail(word, "a whole number, the region of the tet");
    return static_cast<int>(value);
}

/// @param nodes  vertices a tet
void read_tets(ByteReader& in, std::size_t count, std::size_t nodes, bool has_regions, std::int64_t first, Mesh& mesh) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto words = next_words(in);
        const auto node = [&](std::size_t k) {
            return in.index(tetgen_integer(in, words, k + 1, fmt::format("{} tets of {} vertices", count, nodes)),
                            first, mesh.vertices.size());
        };
        mesh.tets.push_back({node(0), node(1), node(2), node(3)});
        if (nodes == 10) mesh.mid_nodes.push_back({node(6), node(7), node(9), node(5), node(8), node(4)});
        if (has_regions) mesh.tet_tags.push_back(region(in, words, nodes));
    }
}

void read_faces(ByteReader& in, std::int64_t first, Mesh& mesh) {
    const std::size_t nodes = mesh.mid_nodes.empty() ? 3 : 6;
    const auto header = next_words(in);
    const std::size_t count = in.plausible_count(tetgen_integer(in, header, 0, "the number of faces"), 2, "faces");
    const bool marked = header.size() > 1 && tetgen_integer(in, header, 1, "0 or 1 markers a face") != 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto words = next_words(in);
        Triangle face;
        for (std::size_t k = 0; k < 3; ++k)
            face[k] = in.index(tetgen_integer(in, words, k + 1, fmt::format("{} faces of {} vertices", count, nodes)),
                               first, mesh.vertices.size());
        mesh.triangles.push_back(face);
        mesh.triangle_tags.push_back(
            marked ? static_cast<int>(
                         tetgen_integer(in, words, nodes + 1, fmt::format("a marker behind the {} vertices", nodes)))
                   : 0);
    }
    const std::vector<bool> on_tet = triangles_on_tets(mesh);
    const auto stray = std::find(on_tet.begin(), on_tet.end(), false);
    if (stray != on_tet.end())
        in.fail(fmt::format("face {}", first + (stray - on_tet.begin())),
                "faces of the tets in the .ele file of that name; remove a .face "
                "file that belongs to another mesh");
}

}  // namespace

Mesh read_ele(ByteReader& in) {
    ByteReader nodes(std::filesystem::path(in.file()).replace_extension(".node"));
    std::int64_t first = 0;
    Mesh mesh;
    mesh.vertices = read_nodes(nodes, first);
    const auto header = next_words(in);
    const std::size_t count = in.plausible_count(tetgen_integer(in, header, 0, "the number of tets"), 2, "tets");
    const std::int64_t nodes_each = header.size() > 1 ? tetgen_integer(in, header, 1, "4 or 10 vertices a tet") : 4;
    if (nodes_each != 4 && nodes_each != 10) in.fail(header[1], "4 or 10 vertices a tet");
    const bool has_regions = header.size() > 2 && tetgen_integer(in, header, 2, "a number of attributes") > 0;
    read_tets(in, count, static_cast<std::size_t>(nodes_each), has_regions, first, mesh);
    const std::filesystem::path faces = std::filesystem::path(in.file()).replace_extension(".face");
    if (std::filesystem::exists(faces)) {
        ByteReader face_file(faces);
        read_faces(face_file, first, mesh);
    }
    return mesh;
}

}  // namespace stiction::detail
