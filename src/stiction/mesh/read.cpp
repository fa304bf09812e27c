#include "stiction/mesh/read.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/readers.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace stiction {
namespace detail {

std::size_t add_polygon(Mesh& mesh, const std::vector<Index>& polygon) {
    for (std::size_t i = 2; i < polygon.size(); ++i) mesh.triangles.push_back({polygon[0], polygon[i - 1], polygon[i]});
    return polygon.size() < 3 ? 0 : polygon.size() - 2;
}

void add_polyline(Mesh& mesh, const std::vector<Index>& polyline) {
    for (std::size_t i = 1; i < polyline.size(); ++i) mesh.edges.push_back({polyline[i - 1], polyline[i]});
}

}  // namespace detail

namespace {

/// Edges of triangles and tets, lower vertex first, sorted.
std::vector<Edge> covered_edges(const Mesh& mesh) {
    std::vector<Edge> edges = unique_edges(mesh.triangles);
    for (const Tet& tet : mesh.tets) {
        for (int i = 0; i < 4; ++i) {
            for (int j = i + 1; j < 4; ++j) {
                edges.push_back({std::min(tet[i], tet[j]), std::max(tet[i], tet[j])});
            }
        }
    }
    std::sort(edges.begin(), edges.end());
    return edges;
}

/// Drops edges that belong to triangles or tets, and points that belong to any other element.
void drop_covered(Mesh& mesh) {
    if (!mesh.edges.empty()) {
        const std::vector<Edge> covered = covered_edges(mesh);
        std::erase_if(mesh.edges, [&](const Edge& edge) {
            return std::binary_search(covered.begin(), covered.end(),
                                      Edge{std::min(edge[0], edge[1]), std::max(edge[0], edge[1])});
        });
    }
    std::vector<char> used(mesh.vertices.size(), 0);
    for (const Tet& tet : mesh.tets)
        for (const Index v : tet) used[v] = 1;
    for (const std::array<Index, 6>& middle : mesh.mid_nodes)
        for (const Index v : middle) used[v] = 1;
    for (const Triangle& triangle : mesh.triangles)
        for (const Index v : triangle) used[v] = 1;
    for (const Edge& edge : mesh.edges)
        for (const Index v : edge) used[v] = 1;
    std::erase_if(mesh.points, [&](Index v) { return used[v] != 0; });
}

Mesh read_by_extension(const std::filesystem::path& file) {
    const std::string extension = lower_extension(file);
    if (!has_mesh_extension(file)) {
        throw InputError(file.string(), "", extension.empty() ? "no extension" : "extension " + extension,
                         "one of " + mesh_extension_list());
    }
    detail::ByteReader in(file);
    if (extension == ".msh") return detail::read_msh(in);
    if (extension == ".vtk") return detail::read_vtk(in);
    if (extension == ".ply") return detail::read_ply(in);
    if (extension == ".stl") return detail::read_stl(in);
    if (extension == ".ele") return detail::read_ele(in);
    return detail::read_obj(in, extension == ".seg");
}

bool all_zero(const std::vector<int>& tags) {
    return std::all_of(tags.begin(), tags.end(), [](int tag) { return tag == 0; });
}

}  // namespace

std::string mesh_extension_list() {
    return fmt::format("{}", fmt::join(mesh_extensions, ", "));
}

std::string lower_extension(const std::filesystem::path& file) {
    return detail::lower_case(file.extension().string());
}

bool has_mesh_extension(const std::filesystem::path& file) {
    return std::find(mesh_extensions.begin(), mesh_extensions.end(), lower_extension(file)) != mesh_extensions.end();
}

void complete_mesh(Mesh& mesh) {
    if (mesh.tets.empty() && mesh.triangles.empty() && mesh.edges.empty() && mesh.points.empty()) {
        mesh.points.resize(mesh.vertices.size());
        std::iota(mesh.points.begin(), mesh.points.end(), Index{0});
    }
    drop_covered(mesh);
    if (all_zero(mesh.triangle_tags)) mesh.triangle_tags.clear();
    if (all_zero(mesh.tet_tags)) mesh.tet_tags.clear();
}

Mesh read_mesh(const std::filesystem::path& file) {
    Mesh mesh = read_by_extension(file);
    if (mesh.vertices.empty()) throw InputError(file.string(), "", "no vertices", "a mesh with at least one vertex");
    check_mid_nodes(file.string(), mesh);
    complete_mesh(mesh);
    return mesh;
}

}  // namespace stiction
