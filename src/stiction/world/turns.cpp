#include "stiction/world/turns.hpp"

#include "stiction/world/release.hpp"
#include "stiction/world/twist.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction {
namespace {

const Trajectory* path_of(const Motion& motion) {
    const auto* release = dynamic_cast<const ReleasingTrajectory*>(motion.trajectory.get());
    return release != nullptr ? release->path.get() : motion.trajectory.get();
}

const RigidTrajectory* turning(const Trajectory* path) {
    const auto* rigid = dynamic_cast<const RigidTrajectory*>(path);
    return rigid != nullptr && rigid->angular_velocity != 0.0 ? rigid : nullptr;
}

const TwistTrajectory* twisting(const Trajectory* path) {
    const auto* twist = dynamic_cast<const TwistTrajectory*>(path);
    return twist != nullptr && !twist->angular_velocity.isZero(0.0) ? twist : nullptr;
}

/// The turn of one motion in a step, as if it drove the vertices for which `drives` holds.
/// @param x  where those vertices begin to turn (stacked, m): of a rigid motion their anchors, of a twist their present
///           positions
template <class Drives>
Turn turn_of(const Motion& motion, double h, const VecX& x, const Drives& drives) {
    Turn turn;
    Vec3 centre = Vec3::Zero(), axis = Vec3::Zero();
    if (const RigidTrajectory* rigid = turning(path_of(motion)); rigid != nullptr) {
        turn.angle = std::abs(rigid->angular_velocity) * h;
        centre = rigid->centre;
        axis = rigid->axis;
    } else if (const TwistTrajectory* twist = twisting(path_of(motion)); twist != nullptr) {
        turn.angle = twist->angular_velocity.lpNorm<1>() * h;
        Eigen::AlignedBox3d box;
        for (const Index v : motion.vertices) box.extend(Vec3(x.segment<3>(3 * v)));
        centre = box.center();
        // Where it turns about more than one axis, the distance from the centre takes the place of that from the axis.
        if ((twist->angular_velocity.array() != 0.0).count() == 1) axis = twist->angular_velocity.normalized();
    } else {
        return turn;
    }
    for (const Index v : motion.vertices) {
        if (!drives(v)) continue;
        const Vec3 arm = x.segment<3>(3 * v) - centre;
        turn.radius = std::max(turn.radius, axis.isZero(0.0) ? arm.norm() : arm.cross(axis).norm());
    }
    return turn;
}

/// Equal chords of a turn whose distance from the arc is within the sagitta.
long chords(double angle, double radius, double sagitta) {
    if (radius <= sagitta || angle == 0.0) return 1;
    const double widest = 2.0 * std::acos(1.0 - sagitta / radius);
    // A count that is whole but for rounding does not change from step to step.
    return std::max(1L, static_cast<long>(std::ceil(std::min(angle / widest, 1e15) - 1e-6)));
}

void take(Turn turn, std::size_t motion, double sagitta, Turn& most) {
    turn.pieces = chords(turn.angle, turn.radius, sagitta);
    turn.motion = static_cast<Index>(motion);
    if (turn.radius > 0.0 && (most.motion < 0 || turn.pieces > most.pieces)) most = turn;
}

}  // namespace

bool has_turns(const World& world) {
    return std::any_of(world.motions.begin(), world.motions.end(), [](const Motion& motion) {
        return turning(path_of(motion)) != nullptr || twisting(path_of(motion)) != nullptr;
    });
}

double length_near_turns(const World& world, const State& state, double h) {
    std::vector<Eigen::AlignedBox3d> places;
    for (const Motion& motion : world.motions) {
        const Turn turn = turn_of(motion, h, state.x, [](Index) { return true; });
        if (turn.angle == 0.0) continue;
        Eigen::AlignedBox3d place;
        for (const Index v : motion.vertices) place.extend(Vec3(state.x.segment<3>(3 * v)));
        // Anywhere on its circle; the fall of a step, and as much again.
        const Vec3 room = Vec3::Constant(2.0 * turn.radius + 2.0 * h * h * world.gravity.norm());
        places.emplace_back(place.min() - room, place.max() + room);
    }
    double least = world.length;
    for (const Body& body : world.bodies) {
        if (body.contact_length >= least) continue;
        Eigen::AlignedBox3d box;
        for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
            box.extend(Vec3(state.x.segment<3>(3 * v)));
            box.extend(Vec3(state.x.segment<3>(3 * v) + h * state.v.segment<3>(3 * v)));
        }
        const auto meets = [&](const Eigen::AlignedBox3d& place) { return place.intersects(box); };
        if (std::ranges::any_of(places, meets)) least = body.contact_length;
    }
    return least;
}

Turn turn_in_step(const World& world, const State& state, double h, double sagitta) {
    if (!has_turns(world)) return {};
    const StepInput input = schedule(world, state, h);
    Turn most;
    for (std::size_t m = 0; m < world.motions.size(); ++m) {
        const Motion& motion = world.motions[m];
        const bool twists = twisting(path_of(motion)) != nullptr;
        const auto drives = [&](Index v) {
            const Index winner = input.active_motion[static_cast<std::size_t>(v)];
            if (!twists) return winner == static_cast<Index>(m);
            return winner >= 0 && twisting(path_of(world.motions[static_cast<std::size_t>(winner)])) != nullptr;
        };
        if (twists && (state.t < motion.begin - 1e-6 * h || state.t >= motion.end - 1e-6 * h)) continue;
        take(turn_of(motion, h, twists ? state.x : input.anchor, drives), m, sagitta, most);
    }
    return most;
}

Turn largest_turn(const World& world, double h, double sagitta) {
    Turn most;
    for (std::size_t m = 0; m < world.motions.size(); ++m)
        take(turn_of(world.motions[m], h, world.initial_positions, [](Index) { return true; }), m, sagitta, most);
    return most;
}

}  // namespace stiction
