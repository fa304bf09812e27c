#include "stiction/mesh/info.hpp"

#include "stiction/mesh/curved_volume.hpp"
#include "stiction/mesh/outward.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/mesh/triangle_sides.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace stiction {
namespace {

constexpr double flat = 1e-12;
constexpr double nearly_equal = 1e-6;  // of the size: about what single precision keeps apart

double degrees(double radians) {
    return radians * 180 / std::acos(-1.0);
}

/// Angle between two vectors, accurate near 0 and 180 degrees too.
double angle_degrees(const Vec3& a, const Vec3& b) {
    return degrees(std::atan2(a.cross(b).norm(), a.dot(b)));
}

/// Sets of connected vertices.
class VertexSets {
public:
    explicit VertexSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), Index{0}); }
    Index root(Index v) {
        while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
        return v;
    }
    void join(Index a, Index b) { parent_[root(a)] = root(b); }

private:
    std::vector<Index> parent_;
};

/// Elements whose vertices, in any order, an earlier element has.
template <class Elements>
std::size_t count_duplicates(Elements elements) {
    for (auto& element : elements) std::sort(element.begin(), element.end());
    std::sort(elements.begin(), elements.end());
    return static_cast<std::size_t>(elements.end() - std::unique(elements.begin(), elements.end()));
}

std::vector<std::array<Index, 1>> as_elements(const std::vector<Index>& points) {
    std::vector<std::array<Index, 1>> elements;
    for (const Index v : points) elements.push_back({v});
    return elements;
}

using Cell = std::array<std::int64_t, 3>;

struct CellHash {
    std::size_t operator()(const Cell& cell) const {
        std::uint64_t hash = 0;
        for (const std::int64_t k : cell) hash = (hash ^ static_cast<std::uint64_t>(k)) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(hash ^ (hash >> 32));
    }
};

/// Places that are apart from an earlier one by less than `distance`. `places` are all different.
std::size_t count_near(const std::vector<std::array<double, 3>>& places, double distance) {
    const double width = 16 * distance;
    const auto cell_of = [&](const std::array<double, 3>& p, double shift) {
        Cell cell;
        for (std::size_t k = 0; k < 3; ++k)
            cell[k] = static_cast<std::int64_t>(std::floor((p[k] - places.front()[k] + shift) / width));
        return cell;
    };
    std::unordered_map<Cell, std::vector<std::size_t>, CellHash> places_of;
    std::size_t near = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Cell first = cell_of(places[i], -distance), last = cell_of(places[i], distance);
        bool is_near = false;
        const auto is_close = [&](std::size_t j) {
            double square = 0;
            for (std::size_t k = 0; k < 3; ++k) square += std::pow(places[i][k] - places[j][k], 2);
            return square < distance * distance;
        };
        for (std::int64_t x = first[0]; x <= last[0]; ++x) {
            for (std::int64_t y = first[1]; y <= last[1]; ++y) {
                for (std::int64_t z = first[2]; z <= last[2]; ++z) {
                    const auto found = places_of.find({x, y, z});
                    if (found != places_of.end())
                        is_near = is_near || std::any_of(found->second.begin(), found->second.end(), is_close);
                }
            }
        }
        near += is_near;
        places_of[cell_of(places[i], 0)].push_back(i);
    }
    return near;
}

void inspect_vertices(const Mesh& mesh, MeshInfo& info) {
    std::vector<char> used(mesh.vertices.size(), 0);
    VertexSets sets(mesh.vertices.size());
    const auto visit = [&](const auto& elements) {
        for (const auto& element : elements) {
            for (const Index v : element) {
                used[v] = 1;
                sets.join(v, element[0]);
            }
        }
    };
    visit(mesh.tets);
    for (std::size_t t = 0; t < mesh.mid_nodes.size(); ++t) {
        for (const Index v : mesh.mid_nodes[t]) {
            used[v] = 1;
            sets.join(v, mesh.tets[t][0]);
        }
    }
    visit(mesh.triangles);
    visit(mesh.edges);
    visit(as_elements(mesh.points));
    info.vertices = mesh.vertices.size();
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        const Vec3& p = mesh.vertices[i];
        info.lower = info.used_vertices == 0 ? p : Vec3(info.lower.cwiseMin(p));
        info.upper = info.used_vertices == 0 ? p : Vec3(info.upper.cwiseMax(p));
        ++info.used_vertices;
        if (sets.root(static_cast<Index>(i)) == static_cast<Index>(i)) ++info.components;
    }
    std::vector<std::array<double, 3>> places;
    for (const Vec3& p : mesh.vertices) places.push_back({p.x() + 0.0, p.y() + 0.0, p.z() + 0.0});  // -0 is 0
    std::sort(places.begin(), places.end());
    const auto different = std::unique(places.begin(), places.end());
    info.duplicate_vertices = static_cast<std::size_t>(places.end() - different);
    places.erase(different, places.end());
    const double size = (info.upper - info.lower).norm();
    if (size > 0) info.near_vertices = count_near(places, nearly_equal * size);
}

template <class Element>
double longest_edge(const std::vector<Vec3>& vertices, const Element& element) {
    double longest = 0;
    for (std::size_t i = 0; i < element.size(); ++i) {
        for (std::size_t j = i + 1; j < element.size(); ++j) {
            longest = std::max(longest, (vertices[element[i]] - vertices[element[j]]).norm());
        }
    }
    return longest;
}

double triangle_area(const std::vector<Vec3>& vertices, const Triangle& t) {
    return (vertices[t[1]] - vertices[t[0]]).cross(vertices[t[2]] - vertices[t[0]]).norm() / 2;
}

void inspect_elements(const Mesh& mesh, MeshInfo& info) {
    info.tets = mesh.tets.size();
    info.triangles = mesh.triangles.size();
    info.edges = mesh.edges.size();
    info.points = mesh.points.size();
    info.duplicate_elements = count_duplicates(mesh.tets) + count_duplicates(mesh.triangles) +
                              count_duplicates(mesh.edges) + count_duplicates(as_elements(mesh.points));
    if (!mesh.tets.empty()) info.min_dihedral = 180;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const Tet& tet = mesh.tets[t];
        const double of_corners = signed_volume(mesh, tet),
                     volume = mesh.mid_nodes.empty() ? of_corners : curved_volume(tet_nodes(mesh, t));
        info.volume += volume;
        info.min_dihedral = std::min(info.min_dihedral, min_dihedral_degrees(mesh.vertices, tet));
        if (std::abs(6 * of_corners) <= flat * std::pow(longest_edge(mesh.vertices, tet), 3))
            ++info.degenerate_tets;
        else if (volume < 0)
            ++info.inverted_tets;
    }
    for (const Triangle& t : mesh.triangles) {
        if (2 * triangle_area(mesh.vertices, t) <= flat * std::pow(longest_edge(mesh.vertices, t), 2))
            ++info.degenerate_triangles;
    }
    for (const Edge& edge : mesh.edges) {
        if (longest_edge(mesh.vertices, edge) == 0) ++info.degenerate_edges;
    }
    for (const int tag : mesh.tet_tags) ++info.region_ids[tag];
    for (const FurtherTag& further : mesh.further_tet_tags) ++info.region_ids[further.tag];
}

void inspect_mid_nodes(const Mesh& mesh, MeshInfo& info) {
    std::vector<Index> nodes;
    for (const auto& middle : mesh.mid_nodes) nodes.insert(nodes.end(), middle.begin(), middle.end());
    std::sort(nodes.begin(), nodes.end());
    info.mid_nodes = static_cast<std::size_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
    info.curved_by = curved_by(mesh);
}

void inspect_edge_lengths(const Mesh& mesh, MeshInfo& info) {
    double shortest = std::numeric_limits<double>::infinity();
    const auto visit = [&](const auto& elements) {
        for (const auto& element : elements) {
            for (std::size_t i = 0; i < element.size(); ++i) {
                for (std::size_t j = i + 1; j < element.size(); ++j) {
                    const double length = (mesh.vertices[element[i]] - mesh.vertices[element[j]]).norm();
                    shortest = std::min(shortest, length);
                    info.max_edge = std::max(info.max_edge, length);
                }
            }
        }
    };
    visit(mesh.tets);
    visit(mesh.triangles);
    visit(mesh.edges);
    info.min_edge = std::isfinite(shortest) ? shortest : 0;
}

void inspect_surface(const Mesh& mesh, MeshInfo& info) {
    const MeshSurface surface = extract_surface(mesh);
    info.surface_triangles = surface.triangles.size();
    std::vector<Index> vertices;
    if (!surface.triangles.empty()) info.min_angle = 180;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        const Triangle& triangle = surface.triangles[t];
        vertices.insert(vertices.end(), triangle.begin(), triangle.end());
        info.area += triangle_area(mesh.vertices, triangle);
        for (std::size_t i = 0; i < 3; ++i) {
            const Vec3& corner = mesh.vertices[triangle[i]];
            info.min_angle = std::min(info.min_angle, angle_degrees(mesh.vertices[triangle[(i + 1) % 3]] - corner,
                                                                    mesh.vertices[triangle[(i + 2) % 3]] - corner));
        }
        if (!mesh.triangle_tags.empty()) ++info.surface_ids[surface.tags[t]];
    }
    for (const FurtherTag& further : surface.further_tags) ++info.surface_ids[further.tag];
    std::sort(vertices.begin(), vertices.end());
    info.surface_vertices = static_cast<std::size_t>(std::unique(vertices.begin(), vertices.end()) - vertices.begin());

    const std::vector<TriangleSide> sides = sorted_triangle_sides(surface.triangles);
    for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
        ++info.surface_edges;
        if (end - begin == 1)
            ++info.boundary_edges;
        else if (end - begin > 2)
            ++info.nonmanifold_edges;
        else if (sides[begin].forward == sides[begin + 1].forward)
            ++info.misoriented_edges;
    });
    info.watertight = is_watertight(surface.triangles);
    if (mesh.tets.empty() && info.watertight) info.volume = enclosed_volume(mesh.vertices, surface.triangles);
    if (!mesh.tets.empty()) return;
    const OutwardParts parts = find_inward_parts(mesh.vertices, surface.triangles);
    info.closed_parts = parts.outermost;
    info.inward_parts = parts.inward;
}

/// Lines of what is wrong.
std::string defects_text(const MeshInfo& info) {
    std::string text;
    const auto defect_text = [&](const char* name, const std::string& value) {
        fmt::format_to(std::back_inserter(text), "! {:<22}{}\n", name, value);
    };
    const auto defect = [&](const char* name, std::size_t count) {
        if (count > 0) defect_text(name, fmt::format("{}", count));
    };
    defect("duplicate vertices", info.duplicate_vertices);
    if (info.near_vertices > 0) {
        defect_text(
            "near vertices",
            fmt::format("{}, each within 1e-6 of the size of another: the surface may be open there; merge them in the "
                        "program that wrote the file",
                        info.near_vertices));
    }
    defect("duplicate elements", info.duplicate_elements);
    defect("degenerate tets", info.degenerate_tets);
    defect("degenerate triangles", info.degenerate_triangles);
    defect("degenerate edges", info.degenerate_edges);
    defect("inverted tets", info.inverted_tets);
    defect("boundary edges", info.boundary_edges);
    defect("non-manifold edges", info.nonmanifold_edges);
    defect("misoriented edges", info.misoriented_edges);
    if (info.inward_parts > 0) {
        defect_text("inside out", info.inward_parts == info.closed_parts
                                      ? "the triangles face inwards"
                                      : fmt::format("the triangles of {} of {} closed parts face inwards",
                                                    info.inward_parts, info.closed_parts));
    }
    return text;
}

}  // namespace

double min_dihedral_degrees(const std::vector<Vec3>& vertices, const Tet& tet) {
    double smallest = 180;
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            // across the edge p-q; r and s are the other two corners
            const int k = i == 0 ? (j == 1 ? 2 : 1) : 0;
            const int l = 6 - i - j - k;
            const Vec3& p = vertices[tet[i]];
            const Vec3 axis = vertices[tet[j]] - p;
            const Vec3 normal_k = axis.cross(vertices[tet[k]] - p);
            const Vec3 normal_l = axis.cross(vertices[tet[l]] - p);
            smallest = std::min(smallest, angle_degrees(normal_k, normal_l));
        }
    }
    return smallest;
}

bool MeshInfo::sound() const {
    return degenerate_tets + degenerate_triangles + degenerate_edges + inverted_tets + duplicate_elements == 0;
}

MeshInfo inspect(const Mesh& mesh) {
    MeshInfo info;
    inspect_vertices(mesh, info);
    inspect_elements(mesh, info);
    inspect_mid_nodes(mesh, info);
    inspect_edge_lengths(mesh, info);
    inspect_surface(mesh, info);
    return info;
}

std::string to_text(const MeshInfo& info) {
    std::string text;
    const auto line = [&](const char* name, const std::string& value) {
        fmt::format_to(std::back_inserter(text), "  {:<22}{}\n", name, value);
    };
    const Vec3 size = info.upper - info.lower;
    line("vertices", info.vertices == info.used_vertices ? fmt::format("{}", info.vertices)
                                                         : fmt::format("{} ({} not used by any element)", info.vertices,
                                                                       info.vertices - info.used_vertices));
    line("tets", fmt::format("{}", info.tets));
    const bool curved = info.curved_by > nearly_equal * size.norm();
    if (info.mid_nodes > 0)
        line("second order",
             fmt::format("{} mid nodes, {}", info.mid_nodes,
                         curved ? fmt::format("curved by up to {:.6g} m", info.curved_by) : "straight"));
    line("triangles", fmt::format("{}", info.triangles));
    line("edges", fmt::format("{}", info.edges));
    line("points", fmt::format("{}", info.points));
    line("components", fmt::format("{}", info.components));
    line("surface", fmt::format("{} triangles, {} edges, {} vertices{}", info.surface_triangles, info.surface_edges,
                                info.surface_vertices, info.watertight ? ", watertight" : ""));
    line("from", fmt::format("{:.6g} {:.6g} {:.6g} m", info.lower.x(), info.lower.y(), info.lower.z()));
    line("to", fmt::format("{:.6g} {:.6g} {:.6g} m", info.upper.x(), info.upper.y(), info.upper.z()));
    line("size", fmt::format("{:.6g} {:.6g} {:.6g} m", size.x(), size.y(), size.z()));
    line("volume", fmt::format("{:.6g} m^3", info.volume));
    line("area", fmt::format("{:.6g} m^2{}", info.area, curved ? ", by the corners of the triangles" : ""));
    line("edge length", fmt::format("{:.6g} to {:.6g} m", info.min_edge, info.max_edge));
    if (info.tets > 0) line("min dihedral angle", fmt::format("{:.4g} degrees", info.min_dihedral));
    if (info.surface_triangles > 0) line("min surface angle", fmt::format("{:.4g} degrees", info.min_angle));
    for (const auto& [id, count] : info.surface_ids)
        line(fmt::format("surface id {}", id).c_str(), fmt::format("{} triangles", count));
    for (const auto& [id, count] : info.region_ids)
        line(fmt::format("region id {}", id).c_str(), fmt::format("{} tets", count));
    return text + defects_text(info);
}

}  // namespace stiction
