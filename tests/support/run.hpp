// Running a world for a few steps in a test.
#pragma once

#include "stiction/methods/ipc/method.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

namespace stiction::test {

/// Steps `count` times with h and requires every step to be accepted; calls `each` after every step.
inline State run_steps(Method& method, const World& world, State state, double h, int count,
                       const std::function<void(const State&, const StepResult&)>& each = {}) {
    StepResult result;
    for (int i = 0; i < count; ++i) {
        const StepInput input = schedule(world, state, h);
        method.step(world, state, input, result);
        INFO("step ", i, ": ", to_string(result.report.status), " ", result.report.cause);
        REQUIRE(is_accepted(result.report.status));
        state = result.state;
        if (each) each(state, result);
    }
    return state;
}

inline Mesh translated(Mesh mesh, const Vec3& offset) {
    for (Vec3& vertex : mesh.vertices) vertex += offset;
    return mesh;
}

inline Mesh rotated(Mesh mesh, const Mat3& rotation) {
    for (Vec3& vertex : mesh.vertices) vertex = rotation * vertex;
    return mesh;
}

/// Mass-weighted mean position and velocity of a body.
inline std::pair<Vec3, Vec3> centre_of_mass(const World& world, const State& state, Index body) {
    const Body& b = world.bodies[static_cast<std::size_t>(body)];
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
    double mass = 0.0;
    for (Index v = b.first_vertex; v < b.first_vertex + b.vertex_count(); ++v) {
        position += world.mass[v] * state.x.segment<3>(3 * v);
        velocity += world.mass[v] * state.v.segment<3>(3 * v);
        mass += world.mass[v];
    }
    return {position / mass, velocity / mass};
}

}  // namespace stiction::test
