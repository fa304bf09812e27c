// The smooth implicit surface of a meshed sphere: how far it is from the sphere, by kernel
// (docs/physics/penalty_contact.md).
//
//   implicit_surface [--subdivisions N] [--points N] [--seed S]
//
// Prints a Markdown table: psi at random points of the sphere, and the angle between grad psi and the radius.
#include "stiction/collision/implicit_surface_value.hpp"
#include "stiction/mesh/generate.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using namespace stiction;

namespace {

/// Smoothing t and R over coverage.
constexpr std::array<std::array<double, 2>, 8> kernels{
    {{0.001, 2.5}, {0.01, 2.5}, {0.1, 1.5}, {0.1, 2.0}, {0.1, 2.5}, {0.1, 3.0}, {0.1, 4.0}, {1.0, 2.5}}};

std::vector<Vec3> points_on_sphere(int count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
        const double a = normal(random), b = normal(random), c = normal(random);
        points.push_back(Vec3(a, b, c).normalized());
    }
    return points;
}

double mean_edge(const Mesh& mesh) {
    double sum = 0.0;
    for (const Triangle& t : mesh.triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            sum += (mesh.vertices[static_cast<std::size_t>(t[k])] -
                    mesh.vertices[static_cast<std::size_t>(t[(k + 1) % 3])])
                       .norm();
        }
    }
    return sum / (3.0 * static_cast<double>(mesh.triangles.size()));
}

struct Accuracy {
    double mean = 0.0, deviation = 0.0, angle = 0.0, vertices = 0.0;  ///< m, m, rad rms, mean number
    bool holes = false;                                               ///< a point without a sample within R
};

/// psi and its direction at points of the sphere; body 0 is the mesh, body 1 the points.
Accuracy measure(const Mesh& mesh, const std::vector<Vec3>& points, const ImplicitSurfaceOptions& of_mesh) {
    const std::size_t n = mesh.vertices.size();
    VecX x(3 * static_cast<Eigen::Index>(n + points.size()));
    CollisionSurface surface;
    std::vector<Index> queries;
    surface.triangles = mesh.triangles;
    for (std::size_t i = 0; i < n + points.size(); ++i) {
        x.segment<3>(3 * static_cast<Eigen::Index>(i)) = i < n ? mesh.vertices[i] : points[i - n];
        surface.body_of_vertex.push_back(i < n ? 0 : 1);
        surface.vertices.push_back(static_cast<Index>(i));
        if (i >= n) queries.push_back(static_cast<Index>(i));
    }
    std::vector<ImplicitSurfaceOptions> options{of_mesh, {}};
    options[1].enabled = false;
    const ImplicitSurfaces surfaces = make_implicit_surfaces(surface, options, x);
    ImplicitSearch search;
    search.build(
        surfaces, queries, surface.body_of_vertex, [](Index, Index) { return true; }, x);
    const ImplicitStencils& stencils = search.find(x);
    Accuracy result;
    result.holes = stencils.size() < points.size();
    double squares = 0.0, angles = 0.0, count = 0.0;
    for (std::size_t i = 0; i < stencils.size(); ++i) {
        ImplicitValue<double> value;
        evaluate_implicit(surfaces, stencils[i], x, value);
        if (!value.active) {
            result.holes = true;
            continue;
        }
        const Vec3 radius = x.segment<3>(3 * static_cast<Eigen::Index>(stencils[i].vertices[0]));
        const Vec3& slope = value.gradient[0];
        const double angle = std::atan2(slope.cross(radius).norm(), slope.dot(radius));
        result.mean += value.psi;
        squares += value.psi * value.psi;
        angles += angle * angle;
        result.vertices += static_cast<double>(stencils[i].vertices.size());
        count += 1.0;
    }
    result.mean /= count;
    result.deviation = std::sqrt(std::max(0.0, squares / count - result.mean * result.mean));
    result.angle = std::sqrt(angles / count);
    result.vertices /= count;
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("The smooth implicit surface of a meshed sphere");
    int subdivisions = 3, count = 20000;
    std::uint32_t seed = 1;
    app.add_option("--subdivisions", subdivisions, "of the icosahedron");
    app.add_option("--points", count, "random points of the sphere");
    app.add_option("--seed", seed, "of the points");
    CLI11_PARSE(app, argc, argv);
    const Mesh mesh = generate_icosphere(1.0, subdivisions);
    const std::vector<Vec3> points = points_on_sphere(count, seed);
    const double edge = mean_edge(mesh), square = edge * edge;
    fmt::print("Sphere of radius 1, mean edge {:.3f}, {} points, seed {}.\n\n", edge, count, seed);
    fmt::print(
        "| t | R / c | mean psi / e^2 | deviation / e^2 | angle rms (rad) | vertices of a stencil |\n"
        "|---|---|---|---|---|---|\n");
    for (const auto& [smoothing, factor] : kernels) {
        ImplicitSurfaceOptions options;
        options.smoothing = smoothing;
        options.radius_factor = factor;
        const Accuracy found = measure(mesh, points, options);
        fmt::print("| {:g} | {:g} | {:+.3f} | {:.3f} | {:.3f} | {:.0f}{} |\n", smoothing, factor, found.mean / square,
                   found.deviation / square, found.angle, found.vertices, found.holes ? ", holes" : "");
    }
    return 0;
}
