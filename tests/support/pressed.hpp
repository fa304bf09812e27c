// Flat bodies that rest on each other under their weight, so that the pressure and the gap between them are known.
#pragma once

#include "stiction/contact/barrier.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/world/world_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace stiction::test {

/// A square face of side `side` above another body or a plane. Without lateral strain (Poisson's ratio 0) the pressure
/// on it is the same everywhere.
struct Pressed {
    static constexpr double side = 0.2, height = 0.1, density = 1000.0, gravity = 9.81;  ///< m, m, kg/m^3, m/s^2
    static constexpr double pressure = density * gravity * height;                       ///< Pa
    static constexpr double dhat = 1e-3;                                                 ///< m

    World world;
    State state;
    Index upper = 0, lower = 1;  ///< bodies; the lower one may be the plane y = 0
};

/// How such bodies come to rest: to 1 nm/s.
/// @param stiffness  fixed barrier stiffness, Pa with weights, J/m^4 without
inline ipc::Options pressed_options(BarrierWeights weights, double stiffness) {
    ipc::Options options;
    options.dhat = Pressed::dhat;
    options.barrier_weights = weights;
    options.barrier_stiffness = stiffness;
    options.velocity_tolerance = 1e-9;
    return options;
}

/// The gap at which a barrier that is weighted by area bears a pressure (m): stiffness/dhat^3 |d b(d^2)/dd| = pressure.
/// @param stiffness, pressure  Pa
inline double gap_at_pressure(double stiffness, double pressure, double dhat) {
    double low = 0.0, high = dhat;
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        const double force = stiffness / (dhat * dhat * dhat) * barrier_force(middle * middle, dhat * dhat);
        (force > pressure ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

inline Mesh raised(Mesh mesh, double height) {
    for (Vec3& vertex : mesh.vertices) vertex.y() += height;
    return mesh;
}

/// A block of `cells` by `cells` cells on its lower face, over the plane.
inline Pressed block_on_plane(int cells, double gap) {
    const BodyMaterial soft{MaterialLaw::neo_hookean, 1e5, 0.0, Pressed::density};
    WorldBuilder builder;
    builder.add_deformable(
        "block",
        raised(generate_box({Pressed::side, Pressed::height, Pressed::side}, {cells, std::max(cells / 2, 1), cells}),
               0.5 * Pressed::height + gap),
        soft);
    builder.add_half_space("plane", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -Pressed::gravity, 0});
    Pressed result;
    std::tie(result.world, result.state) = builder.build();
    return result;
}

/// A sheet of `cells` by `cells` cells as heavy as the block, over the plane.
inline Pressed sheet_on_plane(int cells, double gap) {
    ShellMaterial cloth;
    cloth.poissons_ratio = 0.0;
    cloth.areal_density = Pressed::density * Pressed::height;
    WorldBuilder builder;
    builder.add_shell("sheet", raised(generate_cloth(Pressed::side, Pressed::side, cells, cells), gap), cloth);
    builder.add_half_space("plane", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -Pressed::gravity, 0});
    Pressed result;
    std::tie(result.world, result.state) = builder.build();
    return result;
}

/// Holds the given axes (bits 1, 2, 4) of a body's vertices at a height.
inline void hold_at_height(WorldBuilder& builder, Index body, double height, std::uint8_t axes) {
    Motion held;
    const std::vector<Vec3>& vertices = builder.body(body).mesh.vertices;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        if (std::abs(vertices[v].y() - height) < 1e-9)
            held.vertices.push_back(builder.first_vertex(body) + static_cast<Index>(v));
    }
    held.axes = axes;
    held.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(held);
}

/// A block on another one with as large a face, whose lower face is fixed. The upper face of the upper block does not
/// move sideways, since nothing else keeps it there without friction.
inline Pressed block_on_block(int cells, int cells_below, double gap) {
    const BodyMaterial soft{MaterialLaw::neo_hookean, 1e5, 0.0, Pressed::density};
    const Vec3 size(Pressed::side, Pressed::height, Pressed::side);
    WorldBuilder builder;
    const auto block = [&](int n) { return generate_box(size, {n, std::max(n / 2, 1), n}); };
    const Index upper = builder.add_deformable("upper", raised(block(cells), 0.5 * Pressed::height + gap), soft);
    const Index lower = builder.add_deformable("lower", raised(block(cells_below), -0.5 * Pressed::height), soft);
    hold_at_height(builder, upper, Pressed::height + gap, 5);
    hold_at_height(builder, lower, -Pressed::height, 7);
    builder.set_gravity({0, -Pressed::gravity, 0});
    Pressed result;
    std::tie(result.world, result.state) = builder.build();
    return result;
}

/// Height of the upward triangles of a body over a point of the plane y = 0; nothing where there are none.
inline std::optional<double> height_below(const World& world, const VecX& x, Index body, const Vec3& at) {
    std::optional<double> height;
    for (const Triangle& local : world.bodies[static_cast<std::size_t>(body)].surface) {
        const Index first = world.bodies[static_cast<std::size_t>(body)].first_vertex;
        std::array<Vec3, 3> p;
        for (std::size_t k = 0; k < 3; ++k) p[k] = x.segment<3>(3 * (first + local[k]));
        const auto turn = [](const Vec3& a, const Vec3& b, const Vec3& c) {
            return (b.z() - a.z()) * (c.x() - a.x()) - (b.x() - a.x()) * (c.z() - a.z());
        };
        const double area = turn(p[0], p[1], p[2]);
        if (area <= 1e-12) continue;
        const double a = turn(at, p[1], p[2]) / area, b = turn(p[0], at, p[2]) / area, c = 1.0 - a - b;
        if (std::min({a, b, c}) < -1e-9) continue;
        const double y = a * p[0].y() + b * p[1].y() + c * p[2].y();
        if (!height || y > *height) height = y;
    }
    return height;
}

/// Mean gap under the vertices of the lower face of body 0 that are within a quarter of the side of its centre (m).
inline double central_gap(const Pressed& scene, const VecX& x) {
    const Body& upper = scene.world.bodies[0];
    const bool plane = scene.world.bodies[1].kind == BodyKind::half_space;
    double lowest = std::numeric_limits<double>::infinity(), sum = 0.0;
    for (const Vec3& vertex : upper.mesh.vertices) lowest = std::min(lowest, vertex.y());
    int count = 0;
    for (Index v = 0; v < upper.vertex_count(); ++v) {
        const Vec3& start = upper.mesh.vertices[static_cast<std::size_t>(v)];
        if (start.y() > lowest + 1e-9 || std::hypot(start.x(), start.z()) > 0.25 * Pressed::side) continue;
        const Vec3 at = x.segment<3>(3 * (upper.first_vertex + v));
        sum += at.y() - (plane ? 0.0 : height_below(scene.world, x, 1, at).value());
        ++count;
    }
    return sum / count;
}

}  // namespace stiction::test
