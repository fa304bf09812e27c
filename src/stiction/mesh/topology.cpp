#include "stiction/mesh/topology.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel_sort.hpp"
#include "stiction/mesh/triangle_sides.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <map>

namespace stiction {
namespace {

Triangle sorted(Triangle triangle) {
    std::sort(triangle.begin(), triangle.end());
    return triangle;
}

/// Face of a tet opposite to its vertex `i`, seen counter-clockwise from outside.
Triangle tet_face(const Tet& tet, int i) {
    static constexpr int corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    return {tet[corner[i][0]], tet[corner[i][1]], tet[corner[i][2]]};
}

/// A face by its sorted vertices, and where it came from: 4 tet + opposite vertex.
struct Face {
    Triangle key;
    std::int64_t source;
    /// Number by number: reading a mesh spends most of its time here, and a comparison of two arrays calls memcmp.
    bool operator<(const Face& other) const {
        for (std::size_t i = 0; i < key.size(); ++i) {
            if (key[i] != other.key[i]) return key[i] < other.key[i];
        }
        return source < other.source;
    }
};

std::vector<Face> sorted_faces(const std::vector<Tet>& tets) {
    std::vector<Face> faces;
    faces.reserve(4 * tets.size());
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (int i = 0; i < 4; ++i)
            faces.push_back({sorted(tet_face(tets[t], i)), static_cast<std::int64_t>(4 * t) + i});
    }
    parallel_sort(faces);
    return faces;
}

/// The same triangle seen from the other side.
Triangle turned_over(const Triangle& triangle) {
    return {triangle[0], triangle[2], triangle[1]};
}

struct OrientedComponent {
    std::vector<std::size_t> triangles;  // ascending
    bool closed = true;
    bool orientable = true;
};

/// Triangles that share an edge with exactly one other triangle.
class TriangleNeighbours {
public:
    explicit TriangleNeighbours(const std::vector<Triangle>& triangles)
        : neighbours_(triangles.size()), on_boundary_(triangles.size(), false) {
        const std::vector<TriangleSide> sides = sorted_triangle_sides(triangles);
        for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
            if (end - begin != 2) {
                for (std::size_t i = begin; i < end; ++i) on_boundary_[sides[i].triangle] = true;
                return;
            }
            const TriangleSide& a = sides[begin];
            const TriangleSide& b = sides[begin + 1];
            neighbours_[a.triangle].push_back({b.triangle, a.forward != b.forward});
            neighbours_[b.triangle].push_back({a.triangle, a.forward != b.forward});
        });
    }

    /// Decides for the component of `seed` which triangles to turn over (flip 1) so that they agree with it; -1 means
    /// not reached yet.
    OrientedComponent orient_component(std::size_t seed, std::vector<int>& flip) const {
        OrientedComponent component;
        component.triangles.push_back(seed);
        flip[seed] = 0;
        for (std::size_t next = 0; next < component.triangles.size(); ++next) {
            const std::size_t t = component.triangles[next];
            if (on_boundary_[t]) component.closed = false;
            for (const Neighbour& neighbour : neighbours_[t]) {
                const int wanted = neighbour.agrees ? flip[t] : 1 - flip[t];
                if (flip[neighbour.triangle] < 0) {
                    flip[neighbour.triangle] = wanted;
                    component.triangles.push_back(neighbour.triangle);
                } else if (flip[neighbour.triangle] != wanted) {
                    component.orientable = false;
                }
            }
        }
        std::sort(component.triangles.begin(), component.triangles.end());
        return component;
    }

private:
    struct Neighbour {
        std::size_t triangle;
        bool agrees;
    };
    std::vector<std::vector<Neighbour>> neighbours_;
    std::vector<bool> on_boundary_;
};

template <class Elements, class Visit>
void for_each_index(Elements& elements, const Visit& visit) {
    for (auto& element : elements) {
        for (auto& index : element) visit(index);
    }
}

}  // namespace

std::vector<Triangle> boundary_triangles(const std::vector<Tet>& tets) {
    const std::vector<Face> faces = sorted_faces(tets);
    std::vector<std::int64_t> sources;
    for (std::size_t begin = 0; begin < faces.size();) {
        std::size_t end = begin + 1;
        while (end < faces.size() && faces[end].key == faces[begin].key) ++end;
        if (end - begin == 1) sources.push_back(faces[begin].source);
        begin = end;
    }
    std::sort(sources.begin(), sources.end());
    std::vector<Triangle> triangles;
    triangles.reserve(sources.size());
    for (const std::int64_t source : sources)
        triangles.push_back(tet_face(tets[source / 4], static_cast<int>(source % 4)));
    return triangles;
}

std::vector<bool> triangles_on_tets(const Mesh& mesh) {
    std::vector<bool> on_tet(mesh.triangles.size(), false);
    if (mesh.tets.empty() || mesh.triangles.empty()) return on_tet;
    const std::vector<Face> faces = sorted_faces(mesh.tets);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Triangle key = sorted(mesh.triangles[t]);
        const auto found = std::lower_bound(faces.begin(), faces.end(), Face{key, -1});
        on_tet[t] = found != faces.end() && found->key == key;
    }
    return on_tet;
}

MeshSurface extract_surface(const Mesh& mesh) {
    MeshSurface surface;
    surface.triangles = boundary_triangles(mesh.tets);
    surface.tags.assign(surface.triangles.size(), 0);
    const bool tagged = !mesh.triangle_tags.empty();
    STICTION_CHECK(!tagged || mesh.triangle_tags.size() == mesh.triangles.size(), "one tag per triangle");
    if (tagged && !mesh.tets.empty()) {
        // A triangle that is listed several times has all of its ids.
        std::map<Triangle, std::vector<int>> tags_of;
        const auto add = [&](std::size_t t, int tag) {
            std::vector<int>& tags = tags_of[sorted(mesh.triangles[t])];
            if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
        };
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t) add(t, mesh.triangle_tags[t]);
        for (const FurtherTag& further : mesh.further_triangle_tags)
            add(static_cast<std::size_t>(further.element), further.tag);
        for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
            const auto found = tags_of.find(sorted(surface.triangles[t]));
            if (found == tags_of.end()) continue;
            surface.tags[t] = found->second.front();
            for (std::size_t k = 1; k < found->second.size(); ++k)
                surface.further_tags.push_back({static_cast<Index>(t), found->second[k]});
        }
    }
    auto further = mesh.further_triangle_tags.begin();
    const std::vector<bool> on_tet = triangles_on_tets(mesh);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto of_this_triangle = [&] {
            return further != mesh.further_triangle_tags.end() && further->element == static_cast<Index>(t);
        };
        for (; of_this_triangle(); ++further) {
            if (!on_tet[t])
                surface.further_tags.push_back({static_cast<Index>(surface.triangles.size()), further->tag});
        }
        if (on_tet[t]) continue;
        surface.triangles.push_back(mesh.triangles[t]);
        surface.tags.push_back(tagged ? mesh.triangle_tags[t] : 0);
    }
    surface.edges = unique_edges(surface.triangles);
    surface.edges.insert(surface.edges.end(), mesh.edges.begin(), mesh.edges.end());

    std::vector<char> used(mesh.vertices.size(), 0);
    const auto mark = [&](Index v) { used[v] = 1; };
    for_each_index(surface.triangles, mark);
    for_each_index(mesh.edges, mark);
    for (const Index v : mesh.points) mark(v);
    for (std::size_t v = 0; v < used.size(); ++v) {
        if (used[v]) surface.vertices.push_back(static_cast<Index>(v));
    }
    return surface;
}

Mesh surface_mesh(const Mesh& mesh) {
    MeshSurface surface = extract_surface(mesh);
    Mesh result;
    result.vertices = mesh.vertices;
    result.triangles = std::move(surface.triangles);
    if (!mesh.triangle_tags.empty()) {
        result.triangle_tags = std::move(surface.tags);
        result.further_triangle_tags = std::move(surface.further_tags);
    }
    result.edges = mesh.edges;
    result.points = mesh.points;
    compact(result);
    return result;
}

std::vector<Edge> unique_edges(const std::vector<Triangle>& triangles) {
    std::vector<Edge> edges;
    edges.reserve(3 * triangles.size());
    for (const Triangle& t : triangles) {
        for (int i = 0; i < 3; ++i) edges.push_back({std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

std::pair<Index, Index> folded_tets(const std::vector<Tet>& tets) {
    const std::vector<Face> faces = sorted_faces(tets);
    // Seen from outside a tet, its face runs round in the order of tet_face; from the two sides of a face that is in
    // opposite senses.
    const auto sense = [&](const Face& face) {
        const Triangle f = tet_face(tets[static_cast<std::size_t>(face.source / 4)], static_cast<int>(face.source % 4));
        const auto lowest = std::min_element(f.begin(), f.end()) - f.begin();
        return f[static_cast<std::size_t>(lowest + 1) % 3] < f[static_cast<std::size_t>(lowest + 2) % 3];
    };
    for (std::size_t begin = 0; begin < faces.size();) {
        std::size_t end = begin + 1;
        for (; end < faces.size() && faces[end].key == faces[begin].key; ++end) {
            for (std::size_t other = begin; other < end; ++other) {
                if (sense(faces[other]) == sense(faces[end]))
                    return {static_cast<Index>(faces[other].source / 4), static_cast<Index>(faces[end].source / 4)};
            }
        }
        begin = end;
    }
    return {-1, -1};
}

double signed_volume(const Mesh& mesh, const Tet& tet) {
    const Vec3& a = mesh.vertices[tet[0]];
    return (mesh.vertices[tet[1]] - a).cross(mesh.vertices[tet[2]] - a).dot(mesh.vertices[tet[3]] - a) / 6;
}

double enclosed_volume(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
    if (triangles.empty()) return 0;
    const Vec3 origin = vertices[triangles[0][0]];  // near the surface, so that a far-off mesh loses no digits
    double volume = 0;
    for (const Triangle& t : triangles) {
        volume += (vertices[t[0]] - origin).cross(vertices[t[1]] - origin).dot(vertices[t[2]] - origin);
    }
    return volume / 6;
}

std::size_t orient_tets(Mesh& mesh) {
    std::size_t swapped = 0;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        Tet& tet = mesh.tets[t];
        if (signed_volume(mesh, tet) >= 0) continue;
        std::swap(tet[2], tet[3]);
        ++swapped;
        if (mesh.mid_nodes.empty()) continue;
        std::array<Index, 6>& middle = mesh.mid_nodes[t];
        std::swap(middle[1], middle[4]);  // edges 12 and 13
        std::swap(middle[2], middle[3]);  // edges 20 and 03
    }
    return swapped;
}

OrientationRepair orient_triangles(Mesh& mesh) {
    const TriangleNeighbours graph(mesh.triangles);
    OrientationRepair repair;
    std::vector<int> flip(mesh.triangles.size(), -1);
    for (std::size_t seed = 0; seed < flip.size(); ++seed) {
        if (flip[seed] >= 0) continue;
        const OrientedComponent component = graph.orient_component(seed, flip);
        ++repair.components;
        const bool has_outside = component.closed && component.orientable;
        if (has_outside) ++repair.closed;
        if (!component.orientable) ++repair.unorientable;
        std::vector<Triangle> turned;
        for (const std::size_t t : component.triangles) {
            turned.push_back(flip[t] == 1 ? turned_over(mesh.triangles[t]) : mesh.triangles[t]);
        }
        const bool inward = has_outside && enclosed_volume(mesh.vertices, turned) < 0;
        for (std::size_t i = 0; i < turned.size(); ++i) {
            const std::size_t t = component.triangles[i];
            if ((flip[t] == 1) != inward) ++repair.flipped;
            mesh.triangles[t] = inward ? turned_over(turned[i]) : turned[i];
        }
    }
    return repair;
}

bool is_watertight(const std::vector<Triangle>& triangles) {
    bool even = !triangles.empty();
    for_each_edge(sorted_triangle_sides(triangles),
                  [&](std::size_t begin, std::size_t end) { even = even && (end - begin) % 2 == 0; });
    return even;
}

std::vector<Index> compact(Mesh& mesh) {
    std::vector<Index> new_index(mesh.vertices.size(), -1);
    const auto mark = [&](Index v) { new_index[v] = 0; };
    for_each_index(mesh.tets, mark);
    for_each_index(mesh.mid_nodes, mark);
    for_each_index(mesh.triangles, mark);
    for_each_index(mesh.edges, mark);
    for (const Index v : mesh.points) mark(v);
    Index next = 0;
    for (std::size_t v = 0; v < new_index.size(); ++v) {
        if (new_index[v] < 0) continue;
        mesh.vertices[next] = mesh.vertices[v];
        new_index[v] = next++;
    }
    mesh.vertices.resize(next);
    const auto renumber = [&](Index& v) { v = new_index[v]; };
    for_each_index(mesh.tets, renumber);
    for_each_index(mesh.mid_nodes, renumber);
    for_each_index(mesh.triangles, renumber);
    for_each_index(mesh.edges, renumber);
    for (Index& v : mesh.points) renumber(v);
    return new_index;
}

}  // namespace stiction
