#include "stiction/mesh/refine.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace stiction {
namespace {

constexpr double most_elements = 5e7;

class Refinement {
public:
    explicit Refinement(const Mesh& mesh) : from_(mesh) {
        to_.vertices = mesh.vertices;
        to_.points = mesh.points;
    }

    Mesh run() {
        for (std::size_t e = 0; e < from_.tets.size(); ++e) add_tet(from_.tets[e]);
        for (const Triangle& triangle : from_.triangles) add_triangle(triangle);
        for (const auto& [a, b] : from_.edges) {
            const Index middle = midpoint(a, b);
            to_.edges.push_back({a, middle});
            to_.edges.push_back({middle, b});
        }
        to_.tet_tags = repeated(from_.tet_tags, 8);
        to_.triangle_tags = repeated(from_.triangle_tags, 4);
        to_.further_tet_tags = repeated(from_.further_tet_tags, 8);
        to_.further_triangle_tags = repeated(from_.further_triangle_tags, 4);
        return std::move(to_);
    }

private:
    static std::vector<int> repeated(const std::vector<int>& tags, int times) {
        std::vector<int> result;
        for (const int tag : tags) result.insert(result.end(), static_cast<std::size_t>(times), tag);
        return result;
    }

    static std::vector<FurtherTag> repeated(const std::vector<FurtherTag>& tags, Index times) {
        std::vector<FurtherTag> result;
        for (auto begin = tags.begin(); begin != tags.end();) {
            const auto end =
                std::find_if(begin, tags.end(), [&](const auto& f) { return f.element != begin->element; });
            for (Index k = 0; k < times; ++k)
                for (auto tag = begin; tag != end; ++tag) result.push_back({times * tag->element + k, tag->tag});
            begin = end;
        }
        return result;
    }

    Index midpoint(Index a, Index b) {
        const auto [low, high] = std::minmax(a, b);
        const auto key = static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high);
        const auto [entry, is_new] = midpoints_.emplace(key, static_cast<Index>(to_.vertices.size()));
        if (is_new) to_.vertices.push_back(0.5 * (at(low) + at(high)));
        return entry->second;
    }

    Vec3 at(Index v) const { return to_.vertices[static_cast<std::size_t>(v)]; }

    void add_tet(const Tet& t) {
        const Index m01 = midpoint(t[0], t[1]), m02 = midpoint(t[0], t[2]), m03 = midpoint(t[0], t[3]),
                    m12 = midpoint(t[1], t[2]), m13 = midpoint(t[1], t[3]), m23 = midpoint(t[2], t[3]);
        to_.tets.push_back({t[0], m01, m02, m03});
        to_.tets.push_back({m01, t[1], m12, m13});
        to_.tets.push_back({m02, m12, t[2], m23});
        to_.tets.push_back({m03, m13, m23, t[3]});
        // A diagonal of the octahedron, and its other four corners around it.
        const Index octahedra[3][6] = {
            {m01, m23, m02, m12, m13, m03}, {m02, m13, m01, m03, m23, m12}, {m03, m12, m01, m13, m23, m02}};
        const auto length = [&](const Index* o) { return (at(o[0]) - at(o[1])).squaredNorm(); };
        const Index* shortest = octahedra[0];
        for (const Index* other : {octahedra[1], octahedra[2]}) {
            // Equal ones differ by rounding: the first stays.
            if (length(other) < (1.0 - 1e-9) * length(shortest)) shortest = other;
        }
        for (int k = 0; k < 4; ++k)
            to_.tets.push_back({shortest[0], shortest[1], shortest[2 + (k + 1) % 4], shortest[2 + k]});
    }

    void add_triangle(const Triangle& t) {
        const Index m01 = midpoint(t[0], t[1]), m12 = midpoint(t[1], t[2]), m20 = midpoint(t[2], t[0]);
        to_.triangles.push_back({t[0], m01, m20});
        to_.triangles.push_back({m01, t[1], m12});
        to_.triangles.push_back({m20, m12, t[2]});
        to_.triangles.push_back({m01, m12, m20});
    }

    const Mesh& from_;
    Mesh to_;
    std::unordered_map<std::uint64_t, Index> midpoints_;
};

}  // namespace

Mesh refined(Mesh mesh, int times) {
    STICTION_CHECK(times >= 0, "refined a number of times");
    if (times > 0 && !mesh.mid_nodes.empty())
        throw InputError("", "refinements", fmt::format("{} of second-order tets", times),
                         "0: only linear tets are refined");
    // A tet has at most six new vertices, a triangle three. Told before the work, which may take all memory.
    const double most = static_cast<double>(mesh.vertices.size()) +
                        std::pow(8.0, times) * static_cast<double>(mesh.tets.size()) +
                        std::pow(4.0, times) * static_cast<double>(mesh.triangles.size()) +
                        std::pow(2.0, times) * static_cast<double>(mesh.edges.size());
    if (times > 0 && most > most_elements)
        throw InputError("", "refinements", fmt::format("{}", times),
                         fmt::format("fewer: at most {:.0f} elements in all", most_elements));
    for (int k = 0; k < times; ++k) mesh = Refinement(mesh).run();
    return mesh;
}

}  // namespace stiction
