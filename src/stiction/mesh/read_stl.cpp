// STL: triangles with their corners written out; corners at exactly the same place become one vertex.
#include "stiction/mesh/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    in.seek(0);  // what looks like a byte-order mark belongs to the header
    in.skip(80, "an 80-byte header");
    const std::uint32_t announced = in.binary<std::uint32_t>("a number of triangles");
    const std::size_t room = in.remaining() / record_size;
    if (announced > room) {
        in.fail(fmt::format("{} triangles announced, {} in the file", announced, room),
                "a whole binary STL file: this one is cut short, or is another format");
    }
    const std::size_t count = announced;
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

/// Fails unless the next word is `wanted`, in whatever case.
void expect(ByteReader& in, std::string_view wanted) {
    const std::string_view word = in.word(wanted);
    if (lower_case(word) != wanted) in.fail(word, wanted);
}

Mesh read_ascii(ByteReader& in) {
    Mesh mesh;
    CornerMerger merger(mesh);
    bool inside = false;
    while (!in.skip_space()) {
        const std::string word = lower_case(in.word("facet"));
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
        expect(in, "normal");
        for (int k = 0; k < 3; ++k) in.word("a component of the normal");  // not used: some files write nan
        expect(in, "outer");
        expect(in, "loop");
        Triangle triangle;
        for (Index& v : triangle) {
            expect(in, "vertex");
            const double x = in.number("a corner's x"), y = in.number("a corner's y"), z = in.number("a corner's z");
            v = merger.vertex({x, y, z});
        }
        expect(in, "endloop");
        expect(in, "endfacet");
        mesh.triangles.push_back(triangle);
    }
    return mesh;  // some programs leave out the last `endsolid`
}

/// Binary files may begin with "solid", too: the size decides, then what follows the name.
bool is_binary(const ByteReader& in) {
    const std::string_view bytes = in.bytes();
    if (bytes.size() >= header_size) {
        std::uint32_t count = 0;
        for (int k = 3; k >= 0; --k)
            count = (count << 8) | static_cast<unsigned char>(bytes[80 + static_cast<std::size_t>(k)]);
        if (bytes.size() == header_size + record_size * static_cast<std::size_t>(count)) return true;
    }
    // Text: "solid", a name to the end of the line, then the first facet or the end.
    const std::string_view text = bytes.substr(in.position());
    const auto next = [&](std::size_t from) { return std::min(text.find_first_not_of(" \t\r\n", from), text.size()); };
    const std::size_t start = next(0);
    if (lower_case(text.substr(start, 5)) != "solid") return true;
    const std::size_t second = next(std::min(text.find('\n', start), text.size()));
    const std::string word = lower_case(text.substr(second, 8));
    if (word.empty()) return bytes.find('\0') != std::string_view::npos;  // no second line: a name, or all binary
    return !word.starts_with("facet") && word != "endsolid";
}

}  // namespace

Mesh read_stl(ByteReader& in) {
    return is_binary(in) ? read_binary(in) : read_ascii(in);
}

}  // namespace stiction::detail
