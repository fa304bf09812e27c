// TetGen: NAME.ele lists tetrahedra, NAME.node beside it their vertices. Both begin with a line of counts; every entry
// begins with its number, and those of the vertices run from 0 or from 1. `#` starts a comment.
#include "stiction/mesh/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace stiction::detail {
namespace {

/// The words of the next line that has any, without its comment; empty at the end of the file.
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

}  // namespace

Mesh read_ele(ByteReader& in) {
    ByteReader nodes(std::filesystem::path(in.file()).replace_extension(".node"));
    std::int64_t first = 0;
    Mesh mesh;
    mesh.vertices = read_nodes(nodes, first);
    const auto header = next_words(in);
    const std::size_t count = in.plausible_count(tetgen_integer(in, header, 0, "the number of tets"), 2, "tets");
    const std::int64_t corners = header.size() > 1 ? tetgen_integer(in, header, 1, "4 vertices a tet") : 4;
    if (corners != 4) in.fail(header[1], "4 vertices a tet");
    for (std::size_t i = 0; i < count; ++i) {
        const auto words = next_words(in);
        Tet tet;
        for (std::size_t k = 0; k < 4; ++k)
            tet[k] = in.index(tetgen_integer(in, words, k + 1, fmt::format("{} tets of 4 vertices", count)), first,
                              mesh.vertices.size());
        mesh.tets.push_back(tet);
    }
    return mesh;
}

}  // namespace stiction::detail
