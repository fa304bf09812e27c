#include "stiction/mesh/generate_revolved.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction {
namespace {

/// A row of `around` vertices on the circle of this radius at height y; odd rows begin half an edge further.
void add_row(Mesh& mesh, double radius, double y, int around, bool odd) {
    for (int i = 0; i < around; ++i) {
        const double angle = std::numbers::pi * (2 * i + (odd ? 1 : 0)) / around;
        mesh.vertices.emplace_back(radius * std::cos(angle), y, -radius * std::sin(angle));
    }
}

/// Triangles between two rows that begin at the vertices `low` and `high`, facing away from the axis where high is
/// above low.
void add_strip(Mesh& mesh, Index low, Index high, int around, bool low_is_odd) {
    for (int i = 0; i < around; ++i) {
        const int next = (i + 1) % around;
        if (low_is_odd) {
            mesh.triangles.push_back({low + i, high + next, high + i});
            mesh.triangles.push_back({low + i, low + next, high + next});
        } else {
            mesh.triangles.push_back({low + i, low + next, high + i});
            mesh.triangles.push_back({low + next, high + next, high + i});
        }
    }
}

struct ProfilePoint {
    double radius, y;
    int part;  ///< of the strip from here to the next point
};

}  // namespace

Mesh generate_tube(double radius, double height, int around, int along) {
    detail::require_positive("radius", radius);
    detail::require_positive("height", height);
    detail::require_count("around", around, 3);
    detail::require_count("along", along, 1);
    detail::require_vertices("around", around * (along + 1.0));
    Mesh mesh;
    for (int k = 0; k <= along; ++k) add_row(mesh, radius, height * (2 * k - along) / (2 * along), around, k % 2 == 1);
    for (int k = 0; k < along; ++k) add_strip(mesh, k * around, (k + 1) * around, around, k % 2 == 1);
    return mesh;
}

Mesh generate_tire(double radius, double rim_radius, double width, int around, int across) {
    detail::require_positive("radius", radius);
    detail::require_positive("rim_radius", rim_radius);
    detail::require_positive("width", width);
    if (!(rim_radius < radius))
        throw InputError("", "rim_radius", fmt::format("{}", rim_radius), fmt::format("less than radius = {}", radius));
    detail::require_count("around", around, 3);
    detail::require_count("across", across, 4);
    detail::require_vertices("around", around * (across + 4.0));
    const double wall = radius - rim_radius;
    const double row = 2 * (width + wall) / across;
    const int band_rows =
        2 *
        std::max(1, static_cast<int>(std::round(0.5 * width / row)));  // even: the rows' turns close around the profile
    const int wall_rows = std::max(1, static_cast<int>(std::round(wall / row)));
    std::vector<ProfilePoint> profile;
    const auto side = [&](int rows, double r0, double y0, double r1, double y1, int part) {
        for (int k = 0; k < rows; ++k) {
            const double t = static_cast<double>(k) / rows;
            profile.push_back({r0 + t * (r1 - r0), y0 + t * (y1 - y0), part});
        }
    };
    side(band_rows, radius, -0.5 * width, radius, 0.5 * width, tire_tread);
    side(wall_rows, radius, 0.5 * width, rim_radius, 0.5 * width, tire_sidewall);
    side(band_rows, rim_radius, 0.5 * width, rim_radius, -0.5 * width, tire_rim);
    side(wall_rows, rim_radius, -0.5 * width, radius, -0.5 * width, tire_sidewall);
    const auto rows = static_cast<int>(profile.size());
    Mesh mesh;
    for (int k = 0; k < rows; ++k) {
        const ProfilePoint& point = profile[static_cast<std::size_t>(k)];
        add_row(mesh, point.radius, point.y, around, k % 2 == 1);
        add_strip(mesh, k * around, (k + 1) % rows * around, around, k % 2 == 1);
        mesh.triangle_tags.resize(mesh.triangles.size(), point.part);
    }
    return mesh;
}

}  // namespace stiction
