#include "stiction/world/step.hpp"

#include "stiction/base/error.hpp"
#include "stiction/world/release.hpp"
#include "stiction/world/twist.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

template <class Scheduled>
bool active(const Scheduled& item, double t, double h) {
    // A step that starts within rounding of a switch belongs to the side it was meant for.
    const double slack = 1e-6 * h;
    return t >= item.begin - slack && t < item.end - slack;
}

/// Whether a motion that ends when everything has passed a plane has ended: now, or in a step before.
bool released(const World& world, const State& state, std::size_t index, double h) {
    const Motion& motion = world.motions[index];
    const auto* release = dynamic_cast<const ReleasingTrajectory*>(motion.trajectory.get());
    if (release == nullptr) return false;
    const bool had_begun = state.previous_h > 0.0 && active(motion, state.t - state.previous_h, h);
    const bool drove = std::any_of(motion.vertices.begin(), motion.vertices.end(), [&](Index v) {
        return state.active_motion[static_cast<std::size_t>(v)] == static_cast<Index>(index);
    });
    if (had_begun && !drove) return true;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v) && release->normal.dot(state.x.segment<3>(3 * v) - release->point) <= 0.0)
            return false;
    }
    return true;
}

/// For each vertex the last active motion, and the positions where newly active ones start.
void switch_motions(const World& world, const State& state, StepInput& input) {
    input.anchor = state.anchor;
    input.anchor_time = state.anchor_time;
    input.active_motion.assign(state.active_motion.size(), -1);
    for (std::size_t m = 0; m < world.motions.size(); ++m) {
        if (!active(world.motions[m], state.t, input.h) || released(world, state, m, input.h)) continue;
        for (const Index vertex : world.motions[m].vertices)
            input.active_motion[static_cast<std::size_t>(vertex)] = static_cast<Index>(m);
    }
    for (std::size_t v = 0; v < input.active_motion.size(); ++v) {
        if (input.active_motion[v] == state.active_motion[v]) continue;
        input.anchor.segment<3>(3 * static_cast<Eigen::Index>(v)) =
            state.x.segment<3>(3 * static_cast<Eigen::Index>(v));
        input.anchor_time[v] = state.t;
    }
}

/// Until when a motion drives a vertex in a step. An obstacle stops where its motion ends; a body that is let go keeps
/// its speed to the end of the step.
double driven_until(const World& world, const State& state, const Motion& motion, Index vertex, double h) {
    const double end = state.t + h;
    return world.is_obstacle(vertex) ? std::min(end, std::max(motion.end, state.t)) : end;
}

[[noreturn]] void refuse_target(const Motion& motion, double t) {
    throw InputError(motion.name, fmt::format("t = {:.9g}", t), "a position that is not finite",
                     "a finite position at every time");
}

/// For each motion its twist, or null; where none is active the list is empty.
std::vector<const TwistTrajectory*> active_twists(const World& world, const State& state, double h) {
    std::vector<const TwistTrajectory*> twists;
    for (std::size_t m = 0; m < world.motions.size(); ++m) {
        const auto* twist = dynamic_cast<const TwistTrajectory*>(world.motions[m].trajectory.get());
        if (twist == nullptr || !active(world.motions[m], state.t, h)) continue;
        twists.resize(world.motions.size(), nullptr);
        twists[m] = twist;
    }
    return twists;
}

/// Twists go on from the present positions, and add up on the vertices where one of them wins.
void add_twists(const World& world, const State& state, StepInput& input) {
    const auto twists = active_twists(world, state, input.h);
    for (std::size_t m = 0; m < twists.size(); ++m) {
        if (twists[m] == nullptr) continue;
        const Motion& motion = world.motions[m];
        Eigen::AlignedBox3d box;
        for (const Index v : motion.vertices) box.extend(Vec3(state.x.segment<3>(3 * v)));
        for (const Index v : motion.vertices) {
            const Index winner = input.active_motion[static_cast<std::size_t>(v)];
            if (winner < 0 || twists[static_cast<std::size_t>(winner)] == nullptr) continue;
            const double until = driven_until(world, state, motion, v, input.h);
            const double time = until == state.t + input.h ? input.h : until - state.t;
            input.target.segment<3>(3 * v) += twists[m]->displacement(state.x.segment<3>(3 * v), box.center(), time);
            if (!input.target.segment<3>(3 * v).allFinite()) refuse_target(motion, until);
        }
    }
}

void set_targets(const World& world, const State& state, StepInput& input) {
    input.driven_axes.assign(world.body_of_vertex.size(), 0);
    input.target = state.x;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        // Vertices that no tet uses have no mass and nothing to move them.
        if (world.mass[v] == 0.0 && !world.is_carried(v)) input.driven_axes[static_cast<std::size_t>(v)] = 7;
    }
    for (std::size_t m = 0; m < world.motions.size(); ++m) {
        const Motion& motion = world.motions[m];
        const bool stays = motion.commanded || dynamic_cast<const TwistTrajectory*>(motion.trajectory.get()) != nullptr;
        for (std::size_t k = 0; k < motion.vertices.size(); ++k) {
            const auto v = static_cast<std::size_t>(motion.vertices[k]);
            if (input.active_motion[v] != static_cast<Index>(m)) continue;
            const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
            const ScheduledVertex vertex{static_cast<Index>(k), input.anchor.segment<3>(at),
                                         world.initial_positions.segment<3>(at), input.anchor_time[v]};
            const double end_time = driven_until(world, state, motion, motion.vertices[k], input.h);
            const Vec3 target = stays ? Vec3(state.x.segment<3>(at)) : motion.trajectory->position(end_time, vertex);
            if (!target.allFinite()) refuse_target(motion, end_time);
            input.target.segment<3>(at) = target;
            input.driven_axes[v] = world.is_obstacle(motion.vertices[k]) ? std::uint8_t{7} : motion.axes;
        }
    }
    add_twists(world, state, input);
}

void set_forces(const World& world, const State& state, StepInput& input) {
    input.external_force.setZero(state.x.size());
    for (Index v = 0; v < world.vertex_count(); ++v)
        input.external_force.segment<3>(3 * v) = world.row_mass(v) * world.gravity;
    for (const BodyForce& force : world.body_forces) {
        if (!active(force, state.t, input.h)) continue;
        for (const Index v : force.vertices)
            input.external_force.segment<3>(3 * v) += world.row_mass(v) * force.acceleration;
    }
    for (const PointLoad& load : world.point_loads) {
        if (!active(load, state.t, input.h)) continue;
        for (const Index v : load.vertices) input.external_force.segment<3>(3 * v) += load.force;
    }
}

}  // namespace

StepInput schedule(const World& world, const State& state, double h) {
    StepInput input;
    schedule(world, state, h, input);
    return input;
}

void schedule(const World& world, const State& state, double h, StepInput& input) {
    input.h = h;
    input.carried = world.carried;
    switch_motions(world, state, input);
    set_targets(world, state, input);
    set_forces(world, state, input);
    input.overpressure = overpressures(world, state.t + h);
}

void follow_program(const World& world, const StepResult& result, StepInput& input) {
    if (result.applied_force.size() > 0) input.external_force += result.applied_force;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Index motion = input.active_motion[static_cast<std::size_t>(v)];
        if (motion >= 0 && world.motions[static_cast<std::size_t>(motion)].commanded)
            input.target.segment<3>(3 * v) = result.state.x.segment<3>(3 * v);
    }
}

void end_step(const State& state, const StepInput& input, const VecX& x, const VecX& v, State& next) {
    next.t = state.t + input.h;
    next.step = state.step;
    next.x = x;
    next.v = v;
    next.previous_x = state.x;
    next.previous_v = state.v;
    next.previous_h = input.h;
    next.anchor = input.anchor;
    next.anchor_time = input.anchor_time;
    next.active_motion = input.active_motion;
}

std::vector<double> overpressures(const World& world, double t) {
    std::vector<double> result;
    for (const FilledRegion& filling : world.fillings) result.push_back(filling.overpressure(t));
    return result;
}

State initial_state(const World& world, const VecX& velocity) {
    State state;
    state.x = world.initial_positions;
    state.v = velocity;
    state.previous_x = state.x;
    state.previous_v = state.v;
    state.anchor = state.x;
    state.anchor_time.assign(world.body_of_vertex.size(), 0.0);
    state.active_motion.assign(world.body_of_vertex.size(), -1);
    return state;
}

void measure(const World& world, const State& state, StepReport& report) {
    measure(world, state, elastic_energy(world, state.x), report);
}

void measure(const World& world, const State& state, double elastic, StepReport& report) {
    report.kinetic = kinetic_energy(world, state.v);
    report.gravity = 0.0;
    report.momentum.setZero();
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Vec3 velocity = state.v.segment<3>(3 * v);
        report.gravity -= world.row_mass(v) * world.gravity.dot(state.x.segment<3>(3 * v));
        report.momentum += world.row_mass(v) * velocity;
    }
    report.elastic = elastic + filling_energy(world, state.x, overpressures(world, state.t));
}

}  // namespace stiction
