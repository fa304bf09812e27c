// STL: triangles with their corners written out; corners at exactly the same place become one vertex.
#include "stiction/mesh/readers.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace stiction::detail {
namespace {

class CornerMerger {
public:
    explicit CornerMerger(Mesh& mesh) : mesh_(mesh) {}
    Index vertex(const Vec3& corner) {
        const std::array<double, 3> key{corner.x() + 0.0, corner.y() + 0.0, corner.z() + 0.0};  // -0 is 0
        const auto [found, is_new] = index_of_.emplace(key, static_cast<Index>(mesh_.vertices.size()));
        if (is_new) mesh_.vertices.push_back(corner);
        return found->second;
    }

private:
    Mesh& mesh_;
    std::map<std::array<double, 3>, Index> index_of_;
};

constexpr std::size_t header_size = 84;
constexpr std::size_t record_size = 50;

Mesh read_binary(ByteReader& in) {
    in.set_swapped(std::endian::native == std::endian::big);
    in.set_binary(true);
    in.skip(80, "an 80-byte header");
    const std::size_t count =
        in.plausible_count(in.binary<std::uint32_t>("a number of triangles"), record_size, "triangles");
    Mesh mesh;
    mesh.triangles.reserve(count);
    CornerMerger merger(mesh);
    for (std::size_t t = 0; t < count; ++t) {
        in.skip(12, "a triangle's normal");
        Triangle triangle;
        for (Index& v : triangle) {
            const double x = in.binary_finite<float>("a corner's x");
            const double y = in.binary_finite<float>("a corner's y");
            const double z = in.binary_finite<float>("a corner's z");
            v = merger.vertex({x, y, z});
        }
        in.skip(2, "a triangle's attribute");
        mesh.triangles.push_back(triangle);
    }
    return mesh;
}

Mesh read_ascii(ByteReader& in) {
    Mesh mesh;
    CornerMerger merger(mesh);
    bool inside = false;
    while (!in.skip_space()) {
        const std::string_view word = in.word("facet");
        if (!inside) {
            if (word != "solid") in.fail(word, "solid");
            in.line();  // the rest is a name
            inside = true;
            continue;
        }
        if (word == "endsolid") {
            in.line();
            inside = false;
            continue;
        }
        if (word != "facet") in.fail(word, "facet or endsolid");
        in.expect("normal");
        for (int k = 0; k < 3; ++k) in.word("a component of the normal");  // not used: some files write nan
        in.expect("outer");
        in.expect("loop");
        Triangle triangle;
        for (Index& v : triangle) {
            in.expect("vertex");
            const double x = in.number("a corner's x"), y = in.number("a corner's y"), z = in.number("a corner's z");
            v = merger.vertex({x, y, z});
        }
        in.expect("endloop");
        in.expect("endfacet");
        mesh.triangles.push_back(triangle);
    }
    if (inside) in.fail("end of file", "endsolid");
    return mesh;
}

/// Binary files may begin with "solid", too: the size decides.
bool is_binary(const ByteReader& in) {
    const std::string_view bytes = in.bytes();
    if (bytes.size() >= header_size) {
        std::uint32_t count = 0;
        for (int k = 3; k >= 0; --k)
            count = (count << 8) | static_cast<unsigned char>(bytes[80 + static_cast<std::size_t>(k)]);
        if (bytes.size() == header_size + record_size * static_cast<std::size_t>(count)) return true;
    }
    const std::size_t start = bytes.find_first_not_of(" \t\r\n");
    return start == std::string_view::npos || bytes.substr(start, 5) != "solid";
}

}  // namespace

Mesh read_stl(ByteReader& in) {
    return is_binary(in) ? read_binary(in) : read_ascii(in);
}

}  // namespace stiction::detail
