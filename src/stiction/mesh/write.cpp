#include "stiction/mesh/write.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/atomic_file.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/mesh/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace stiction {
namespace {

template <class... Values>
void print(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

template <class T>
void append(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
}

template <class T>
void append_little_endian(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw, raw + sizeof(T));
    bytes.append(raw, sizeof(T));
}

/// One run of MSH 2.2 elements of one type; tag(i) is the physical and geometric tag of element i.
template <class Elements, class Tag>
void append_msh_elements(std::string& bytes, Encoding encoding, int type, const Elements& elements, const Tag& tag,
                         int& number) {
    if (elements.empty()) return;
    if (encoding == Encoding::binary) {
        append(bytes, std::int32_t(type));
        append(bytes, static_cast<std::int32_t>(elements.size()));
        append(bytes, std::int32_t(2));
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::int32_t id = tag(i);
        ++number;
        if (encoding == Encoding::binary) {
            for (const std::int32_t value : {std::int32_t(number), id, id}) append(bytes, value);
            for (const Index v : elements[i]) append(bytes, static_cast<std::int32_t>(v + 1));
        } else {
            print(bytes, "{} {} 2 {} {}", number, type, id, id);
            for (const Index v : elements[i]) print(bytes, " {}", v + 1);
            bytes += '\n';
        }
    }
}

void append_msh_nodes(std::string& bytes, Encoding encoding, const std::vector<Vec3>& vertices) {
    print(bytes, "$Nodes\n{}\n", vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vec3& p = vertices[i];
        if (encoding == Encoding::binary) {
            append(bytes, static_cast<std::int32_t>(i + 1));
            for (int k = 0; k < 3; ++k) append(bytes, p[k]);
        } else {
            print(bytes, "{} {} {} {}\n", i + 1, p.x(), p.y(), p.z());
        }
    }
    bytes += encoding == Encoding::binary ? "\n$EndNodes\n" : "$EndNodes\n";
}

/// Second-order tets in the order of Gmsh, which has the nodes of edges 23 and 13 the other way round.
std::vector<Tet10> tets_of_gmsh(const Mesh& mesh) {
    std::vector<Tet10> tets;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        tets.push_back(tet10(mesh, t));
        std::swap(tets.back()[8], tets.back()[9]);
    }
    return tets;
}

/// The mesh itself, or its surface when it has tets, which surface formats cannot hold.
Mesh without_tets(const Mesh& mesh) {
    return mesh.tets.empty() ? mesh : surface_mesh(mesh);
}

}  // namespace

void write_msh(const std::filesystem::path& file, const Mesh& mesh, Encoding encoding) {
    const bool binary = encoding == Encoding::binary;
    std::string bytes = fmt::format("$MeshFormat\n2.2 {} 8\n", binary ? 1 : 0);
    if (binary) {
        append(bytes, std::int32_t(1));
        bytes += '\n';
    }
    bytes += "$EndMeshFormat\n";
    append_msh_nodes(bytes, encoding, mesh.vertices);
    print(bytes, "$Elements\n{}\n",
          mesh.tets.size() + mesh.triangles.size() + mesh.edges.size() + mesh.points.size() +
              mesh.further_tet_tags.size() + mesh.further_triangle_tags.size());
    const auto tag_in = [](const std::vector<int>& tags) {
        return [&tags](std::size_t i) { return tags.empty() ? 0 : tags.at(i); };
    };
    const auto no_tag = [](std::size_t) { return 0; };
    std::vector<std::array<Index, 1>> points;
    for (const Index v : mesh.points) points.push_back({v});
    int number = 0;
    // Version 2 lists an element once for each of its groups.
    const auto append_further = [&](int type, const auto& elements, const std::vector<FurtherTag>& tags) {
        std::decay_t<decltype(elements)> again;
        for (const FurtherTag& further : tags) again.push_back(elements[static_cast<std::size_t>(further.element)]);
        append_msh_elements(
            bytes, encoding, type, again, [&](std::size_t i) { return tags[i].tag; }, number);
    };
    const auto append_tets = [&](int type, const auto& tets) {
        append_msh_elements(bytes, encoding, type, tets, tag_in(mesh.tet_tags), number);
        append_further(type, tets, mesh.further_tet_tags);
    };
    if (mesh.mid_nodes.empty())
        append_tets(4, mesh.tets);
    else
        append_tets(11, tets_of_gmsh(mesh));
    append_msh_elements(bytes, encoding, 2, mesh.triangles, tag_in(mesh.triangle_tags), number);
    append_further(2, mesh.triangles, mesh.further_triangle_tags);
    append_msh_elements(bytes, encoding, 1, mesh.edges, no_tag, number);
    append_msh_elements(bytes, encoding, 15, points, no_tag, number);
    bytes += binary ? "\n$EndElements\n" : "$EndElements\n";
    write_file_atomically(file, bytes);
}

void write_obj(const std::filesystem::path& file, const Mesh& mesh) {
    const Mesh surface = without_tets(mesh);
    std::string text;
    for (const Vec3& p : surface.vertices) print(text, "v {} {} {}\n", p.x(), p.y(), p.z());
    for (const Triangle& t : surface.triangles) print(text, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    for (const Edge& e : surface.edges) print(text, "l {} {}\n", e[0] + 1, e[1] + 1);
    for (const Index v : surface.points) print(text, "p {}\n", v + 1);
    write_file_atomically(file, text);
}

void write_ply(const std::filesystem::path& file, const Mesh& mesh, Encoding encoding) {
    const Mesh surface = without_tets(mesh);
    const bool binary = encoding == Encoding::binary;
    std::string bytes =
        fmt::format("ply\nformat {} 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n",
                    binary ? "binary_little_endian" : "ascii", surface.vertices.size());
    print(bytes, "element face {}\nproperty list uchar int vertex_indices\n", surface.triangles.size());
    // only when there are any: not every reader knows the element
    if (!surface.edges.empty())
        print(bytes, "element edge {}\nproperty int vertex1\nproperty int vertex2\n", surface.edges.size());
    bytes += "end_header\n";
    if (binary) {
        for (const Vec3& p : surface.vertices)
            for (int k = 0; k < 3; ++k) append_little_endian(bytes, p[k]);
        for (const Triangle& t : surface.triangles) {
            append_little_endian(bytes, std::uint8_t(3));
            for (const Index v : t) append_little_endian(bytes, std::int32_t(v));
        }
        for (const Edge& e : surface.edges)
            for (const Index v : e) append_little_endian(bytes, std::int32_t(v));
    } else {
        for (const Vec3& p : surface.vertices) print(bytes, "{} {} {}\n", p.x(), p.y(), p.z());
        for (const Triangle& t : surface.triangles) print(bytes, "3 {} {} {}\n", t[0], t[1], t[2]);
        for (const Edge& e : surface.edges) print(bytes, "{} {}\n", e[0], e[1]);
    }
    write_file_atomically(file, bytes);
}

void write_pvd(const std::filesystem::path& file, const std::vector<std::pair<double, std::string>>& entries) {
    std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
    for (const auto& [time, name] : entries) {
        print(text, "<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", time, detail::xml_escaped(name));
    }
    write_file_atomically(file, text + "</Collection>\n</VTKFile>\n");
}

void write_mesh(const std::filesystem::path& file, const Mesh& mesh) {
    const std::string extension = lower_extension(file);
    if (extension == ".msh")
        write_msh(file, mesh);
    else if (extension == ".vtu")
        write_vtu(file, mesh);
    else if (extension == ".obj")
        write_obj(file, mesh);
    else if (extension == ".ply")
        write_ply(file, mesh);
    else
        throw InputError(file.string(), "", extension.empty() ? "no extension" : "extension " + extension,
                         "one of .msh, .vtu, .obj, .ply");
}

}  // namespace stiction
