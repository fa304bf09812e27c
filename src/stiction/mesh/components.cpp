#include "stiction/mesh/components.hpp"

#include "stiction/mesh/topology.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiction {
namespace {

/// One of the three sides of a triangle.
struct Side {
    Edge edge;  // lower vertex first
    std::size_t triangle;
    bool forward;  // run along from the lower to the higher vertex
};

/// Sides of all triangles, those of one edge side by side.
std::vector<Side> sorted_sides(const std::vector<Triangle>& triangles) {
    std::vector<Side> sides;
    sides.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        for (std::size_t i = 0; i < 3; ++i) {
            const Index a = triangles[t][i], b = triangles[t][(i + 1) % 3];
            sides.push_back({{std::min(a, b), std::max(a, b)}, t, a < b});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return a.edge != b.edge ? a.edge < b.edge : a.triangle < b.triangle;
    });
    return sides;
}

/// Calls visit(edge, begin, end) with the range of sides of each edge, edges ascending, until it returns false.
template <class Visit>
void for_each_edge(const std::vector<Side>& sides, const Visit& visit) {
    for (std::size_t begin = 0; begin < sides.size();) {
        std::size_t end = begin + 1;
        while (end < sides.size() && sides[end].edge == sides[begin].edge) ++end;
        if (!visit(begin, end)) return;
        begin = end;
    }
}

EdgeDefect count_directions(const std::vector<Side>& sides, std::size_t begin, std::size_t end) {
    EdgeDefect count{sides[begin].edge};
    for (std::size_t i = begin; i < end; ++i) ++(sides[i].forward ? count.forward : count.backward);
    return count;
}

/// Sets of connected triangles; the root of a set is its first triangle.
class TriangleSets {
public:
    explicit TriangleSets(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    std::size_t root(std::size_t t) {
        while (parent_[t] != t) t = parent_[t] = parent_[parent_[t]];
        return t;
    }
    void join(std::size_t a, std::size_t b) {
        a = root(a);
        b = root(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::size_t> parent_;
};

void tell_cavities(SurfaceComponents& surface) {
    double largest = 0.0;
    for (std::size_t i = 0; i < surface.components.size(); ++i) {
        const SurfaceComponent& component = surface.components[i];
        if (!component.closed || (surface.outer >= 0 && std::abs(component.volume) <= largest)) continue;
        surface.outer = static_cast<Index>(i);
        largest = std::abs(component.volume);
    }
    if (surface.outer < 0) return;
    const double sign = surface.components[static_cast<std::size_t>(surface.outer)].volume;
    for (std::size_t i = 0; i < surface.components.size(); ++i) {
        const double volume = surface.components[i].volume;
        if ((sign > 0.0 && volume < 0.0) || (sign < 0.0 && volume > 0.0))
            surface.cavities.push_back(static_cast<Index>(i));
    }
}

}  // namespace

std::optional<EdgeDefect> first_edge_defect(const std::vector<Triangle>& triangles, ClosedBy by) {
    const std::vector<Side> sides = sorted_sides(triangles);
    std::optional<EdgeDefect> defect;
    for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
        const EdgeDefect count = count_directions(sides, begin, end);
        const bool sound = count.forward == count.backward && (by == ClosedBy::balance || count.forward == 1);
        if (!sound) defect = count;
        return sound;
    });
    return defect;
}

SurfaceComponents split_surface(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
    const std::vector<Side> sides = sorted_sides(triangles);
    TriangleSets sets(triangles.size());
    std::vector<bool> unbalanced(triangles.size(), false);
    for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
        const EdgeDefect count = count_directions(sides, begin, end);
        for (std::size_t i = begin; i < end; ++i) {
            sets.join(sides[begin].triangle, sides[i].triangle);
            if (count.forward != count.backward) unbalanced[sides[i].triangle] = true;
        }
        return true;
    });

    SurfaceComponents surface;
    std::vector<std::size_t> component_of(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const std::size_t root = sets.root(t);
        if (root == t) {
            component_of[t] = surface.components.size();
            surface.components.push_back({{}, true, 0.0});
        }
        SurfaceComponent& component = surface.components[component_of[root]];
        component.triangles.push_back(t);
        if (unbalanced[t]) component.closed = false;
    }
    for (SurfaceComponent& component : surface.components) {
        if (component.closed) component.volume = enclosed_volume(vertices, component_triangles(triangles, component));
    }
    tell_cavities(surface);
    return surface;
}

std::vector<Triangle> component_triangles(const std::vector<Triangle>& triangles, const SurfaceComponent& component) {
    std::vector<Triangle> chosen;
    chosen.reserve(component.triangles.size());
    for (const std::size_t t : component.triangles) chosen.push_back(triangles[t]);
    return chosen;
}

std::vector<Triangle> turned_over(const std::vector<Triangle>& triangles) {
    std::vector<Triangle> turned = triangles;
    for (Triangle& triangle : turned) std::swap(triangle[1], triangle[2]);
    return turned;
}

std::vector<std::vector<Triangle>> cavity_walls(const Mesh& mesh) {
    return cavity_walls(mesh.vertices, boundary_triangles(mesh.tets));
}

std::vector<std::vector<Triangle>> cavity_walls(const std::vector<Vec3>& vertices,
                                                const std::vector<Triangle>& triangles) {
    const SurfaceComponents surface = split_surface(vertices, triangles);
    std::vector<std::vector<Triangle>> walls;
    for (const Index cavity : surface.cavities)
        walls.push_back(component_triangles(triangles, surface.components[static_cast<std::size_t>(cavity)]));
    return walls;
}

}  // namespace stiction
