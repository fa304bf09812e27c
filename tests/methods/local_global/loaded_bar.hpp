// A bar along x that is held at one end, and how far a step of it is from Newton's method.
#pragma once

#include "stiction/methods/local_global/method.hpp"

#include "support/block_on_slope.hpp"

#include <numeric>
#include <random>

namespace stiction::test {

inline Motion hold(std::vector<Index> vertices, Vec3 velocity = Vec3::Zero(), double angular_velocity = 0.0) {
    Motion motion;
    motion.name = "hold";
    motion.vertices = std::move(vertices);
    auto trajectory = std::make_shared<RigidTrajectory>();
    trajectory->velocity = velocity;
    trajectory->angular_velocity = angular_velocity;
    trajectory->axis = Vec3::UnitX();
    motion.trajectory = trajectory;
    return motion;
}

inline std::vector<Index> vertices_where(const Mesh& mesh, const std::function<bool(const Vec3&)>& inside) {
    std::vector<Index> result;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (inside(mesh.vertices[v])) result.push_back(static_cast<Index>(v));
    }
    return result;
}

inline void add_jitter(const World& world, State& state, double size) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> jitter(-size, size);
    for (Index v = 0; v < world.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            state.x[3 * v + axis] += jitter(random);
            state.v[3 * v + axis] += 10 * jitter(random);
        }
    }
}

/// A bar along x, its left end held, its right end pulled by point loads.
/// @param add_more  adds what else there is
inline Scene loaded_bar(const BodyMaterial& material, const Vec3& force, bool consistent = false,
                        const std::function<void(WorldBuilder&, const Mesh&)>& add_more = {}) {
    const Mesh mesh = generate_box({0.3, 0.1, 0.1}, {6, 2, 2});
    WorldBuilder builder;
    builder.add_deformable("bar", mesh, material);
    builder.set_contact(0, 0, false);
    builder.add_motion(hold(vertices_where(mesh, [](const Vec3& x) { return x.x() < -0.149; })));
    const auto end = vertices_where(mesh, [](const Vec3& x) { return x.x() > 0.149; });
    builder.add_point_load({.vertices = end, .force = force / static_cast<double>(end.size())});
    builder.set_consistent_mass(consistent);
    if (add_more) add_more(builder, mesh);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

inline local_global::Options tight(int iterations = 3000) {
    local_global::Options options;
    options.iterations = iterations;
    options.tolerance = 1e-9;
    return options;
}

inline ipc::Options newton() {
    ipc::Options options;
    options.velocity_tolerance = 1e-9;
    return options;
}

/// Largest difference of positions after a step of local_global and one of ipc from the same state, over the largest
/// move of the step.
inline double distance_from_newton(const Scene& scene, const local_global::Options& options, double h) {
    local_global::LocalGlobal method(options);
    ipc::Ipc ipc(newton());
    const State ours = run_steps(method, scene.world, scene.state, h, 1);
    const State theirs = run_steps(ipc, scene.world, scene.state, h, 1);
    return (ours.x - theirs.x).lpNorm<Eigen::Infinity>() / (theirs.x - scene.state.x).lpNorm<Eigen::Infinity>();
}

}  // namespace stiction::test
