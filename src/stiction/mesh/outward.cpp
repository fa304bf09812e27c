#include "stiction/mesh/outward.hpp"

#include "stiction/mesh/components.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

/// A closed part with a volume.
struct Part {
    const SurfaceComponent* component;
    std::vector<Triangle> triangles;
    Eigen::AlignedBox3d box;
    Vec3 point;  ///< on it
};

std::vector<Part> closed_parts(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles,
                               const SurfaceComponents& surface) {
    const auto at = [&](Index v) -> const Vec3& { return vertices[static_cast<std::size_t>(v)]; };
    std::vector<Part> parts;
    for (const SurfaceComponent& component : surface.components) {
        if (!component.closed || component.volume == 0.0) continue;
        Part part{&component, component_triangles(triangles, component), {}, {}};
        for (const Triangle& t : part.triangles)
            for (const Index v : t) part.box.extend(at(v));
        const Triangle& first = part.triangles.front();
        part.point = (at(first[0]) + at(first[1]) + at(first[2])) / 3.0;
        parts.push_back(std::move(part));
    }
    return parts;
}

/// How often closed triangles go around a point.
double winding_number(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles, const Vec3& point) {
    double angle = 0.0;
    for (const Triangle& t : triangles) {
        const Vec3 a = vertices[static_cast<std::size_t>(t[0])] - point,
                   b = vertices[static_cast<std::size_t>(t[1])] - point,
                   c = vertices[static_cast<std::size_t>(t[2])] - point;
        const double la = a.norm(), lb = b.norm(), lc = c.norm();
        angle += 2.0 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
    }
    return angle / (4.0 * std::acos(-1.0));
}

/// For each part the others that it lies in.
std::vector<std::vector<std::size_t>> containers(const std::vector<Vec3>& vertices, const std::vector<Part>& parts) {
    std::vector<std::vector<std::size_t>> around(parts.size());
    for (std::size_t inner = 0; inner < parts.size(); ++inner) {
        for (std::size_t outer = 0; outer < parts.size(); ++outer) {
            if (inner == outer || !parts[outer].box.contains(parts[inner].box)) continue;
            if (std::abs(winding_number(vertices, parts[outer].triangles, parts[inner].point)) > 0.5)
                around[inner].push_back(outer);
        }
    }
    return around;
}

}  // namespace

OutwardParts find_inward_parts(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
    const SurfaceComponents surface = split_surface(vertices, triangles);
    const std::vector<Part> parts = closed_parts(vertices, triangles, surface);
    const auto around = containers(vertices, parts);
    OutwardParts found;
    const auto faces_inwards = [&](std::size_t part) {
        return around[part].empty() && parts[part].component->volume < 0.0;
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        found.outermost += around[i].empty();
        found.inward += faces_inwards(i);
        if (faces_inwards(i) || std::any_of(around[i].begin(), around[i].end(), faces_inwards))
            found.triangles.insert(found.triangles.end(), parts[i].component->triangles.begin(),
                                   parts[i].component->triangles.end());
    }
    std::sort(found.triangles.begin(), found.triangles.end());
    return found;
}

std::size_t turn_outwards(const std::vector<Vec3>& vertices, std::vector<Triangle>& triangles) {
    const OutwardParts found = find_inward_parts(vertices, triangles);
    for (const std::size_t t : found.triangles) std::swap(triangles[t][1], triangles[t][2]);
    return found.inward;
}

}  // namespace stiction
