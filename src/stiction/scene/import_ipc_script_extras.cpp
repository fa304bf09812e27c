// What the shape lines of IPC scripts say about motion and load.
#include "stiction/scene/import_ipc_script_stage.hpp"
#include "stiction/scene/placement.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction::scene {
namespace {

constexpr double radian = std::numbers::pi / 180.0;

/// Surface vertices in a box that is relative to the bounding box of the mesh FILE, before it is placed.
template <class Box>
std::vector<Index> vertices_in_box(const IpcStage& stage, const IpcActor& actor, const Box& box, const std::string& keyword) {
    const auto [low, high] = bounding_box(actor.mesh->mesh.vertices);
    const Vec3 from = low + (high - low).cwiseProduct(box.min), to = low + (high - low).cwiseProduct(box.max);
    const double slack = 1e-9 * (high - low).norm();
    std::vector<Index> vertices;
    for (std::size_t i = 0; i < actor.x.size(); ++i) {
        const Vec3& x = actor.mesh->mesh.vertices[i];
        const bool inside = (x.array() >= from.array() - slack).all() && (x.array() <= to.array() + slack).all();
        if (inside && actor.mesh->surface[i]) vertices.push_back(static_cast<Index>(i));
    }
    if (vertices.empty()) stage.refuse_shape(actor, keyword, "a box that holds at least one vertex of the surface");
    return vertices;
}

void drive_box(const IpcStage& stage, IpcActor& actor, const IpcDrivenBox& box) {
    const double begin = std::max({box.begin, stage.script.driven_begin, 0.0}), end = std::min(box.end, stage.script.driven_end);
    if (begin >= end) return;
    BoundarySpec boundary;
    boundary.select.vertices = vertices_in_box(stage, actor, box, "DBC");
    std::vector<Vec3> x;
    for (const Index vertex : *boundary.select.vertices) x.push_back(actor.x[static_cast<std::size_t>(vertex)]);
    if (begin > 0.0 && !box.spin.isZero(0.0))
        stage.refuse_shape(actor, "DBC", "no rotation in a DBC that begins later: its centre is where the vertices are by then");
    boundary.motion = ipc_rigid_motion(x, box.velocity, box.spin, stage.h, stage.steps);
    boundary.motion.begin = begin;
    if (std::isfinite(end)) boundary.motion.end = end;
    if (!actor.kinematic) return actor.boundary.push_back(std::move(boundary));
    const auto used = std::count(actor.mesh->used.begin(), actor.mesh->used.end(), 1);
    if (static_cast<std::ptrdiff_t>(boundary.select.vertices->size()) < used || !actor.motion.empty())
        stage.refuse_shape(actor, "DBC", "on a kinematic shape: a box around all of it, and no velocity beside it");
    actor.motion.push_back(std::move(boundary.motion));
}

}  // namespace

void follow_ipc_extras(IpcStage& stage) {
    for (IpcActor& actor : stage.actors) {
        const IpcShape& shape = *actor.shape;
        const bool moved = shape.linear_velocity || shape.angular_velocity;
        actor.kinematic = !actor.tets() || moved;
        if (moved) {
            const MotionSpec motion = ipc_rigid_motion(actor.x, shape.linear_velocity.value_or(Vec3::Zero()),
                                                       shape.angular_velocity.value_or(Vec3::Zero()), stage.h, stage.steps);
            if (!motion.fix) actor.motion.push_back(motion);
        }
        for (const IpcDrivenBox& box : shape.driven) drive_box(stage, actor, box);
        if (!shape.initial_velocity) continue;
        if (actor.kinematic) {
            stage.without_effect.push_back(fmt::format("initVel of the kinematic shape on line {}", shape.line));
        } else {
            actor.velocity = *shape.initial_velocity;
            actor.spin = *shape.initial_spin * radian;
        }
    }
}

void load_ipc_boxes(IpcStage& stage) {
    for (IpcActor& actor : stage.actors) {
        for (const IpcLoadedBox& box : actor.shape->loaded) {
            const double begin = std::max({box.begin, stage.script.loaded_begin, 0.0}), end = std::min(box.end, stage.script.loaded_end);
            if (begin >= end) continue;
            if (actor.kinematic) {
                stage.without_effect.push_back(fmt::format("NBC of the kinematic shape on line {}", actor.shape->line));
                continue;
            }
            ForceSpec force;
            force.select.emplace().vertices = vertices_in_box(stage, actor, box, "NBC");
            force.acceleration = box.acceleration;
            force.begin = begin;
            if (std::isfinite(end)) force.end = end;
            actor.forces.push_back(std::move(force));
        }
    }
}

void note_overruled_ipc_extras(IpcStage& stage) {
    const auto note = [&](const IpcActor& actor, const char* extra) {
        stage.without_effect.push_back(fmt::format("{} on line {}: script {} overrules it", extra, actor.shape->line, stage.script.animation));
    };
    for (const IpcActor& actor : stage.actors) {
        if (actor.shape->linear_velocity) note(actor, "linearVelocity");
        if (actor.shape->angular_velocity) note(actor, "angularVelocity");
        if (!actor.shape->driven.empty()) note(actor, "DBC");
        if (actor.shape->initial_velocity) note(actor, "initVel");
    }
}

MotionSpec ipc_rigid_motion(const std::vector<Vec3>& x, const Vec3& velocity, const Vec3& spin, double h, int steps) {
    MotionSpec motion;
    const auto [low, high] = bounding_box(x);
    const Vec3 start = 0.5 * (low + high);
    if (spin.isZero(0.0)) {
        if (velocity.isZero(0.0))
            motion.fix = true;
        else
            motion.move.emplace().velocity = velocity;
        return motion;
    }
    const Vec3 angles = spin * (radian * h);
    const Mat3 step = (Eigen::AngleAxisd(angles.x(), Vec3::UnitX()) * Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) *
                       Eigen::AngleAxisd(angles.z(), Vec3::UnitZ())).toRotationMatrix();
    const Eigen::AngleAxisd total(step);
    const bool one_axis = (spin.array() != 0.0).count() == 1;
    const Vec3 axis = one_axis ? Vec3(spin.normalized().cwiseAbs()) : total.axis();
    motion.rotate = RotateSpec{axis, start, one_axis ? spin.sum() * radian : total.angle() / h};

    // x_n = start + R^n (x_0 - start) + shift_n; the next step turns about the centre of the bounding box of x_n.
    std::vector<Keyframe> keys{{0.0, Vec3::Zero()}};
    Vec3 shift = Vec3::Zero();
    double drift = 0.0;
    for (int n = 0; n < steps; ++n) {
        const Mat3 turned = Eigen::AngleAxisd(motion.rotate->angular_velocity * n * h, axis).toRotationMatrix();
        Vec3 from = turned * (x[0] - start), to = from;
        for (const Vec3& vertex : x) {
            const Vec3 arm = turned * (vertex - start);
            from = from.cwiseMin(arm), to = to.cwiseMax(arm);
        }
        const Vec3 center = 0.5 * (from + to);  // from start + shift
        shift += center - step * center + velocity * h;
        drift = std::max(drift, (shift - velocity * ((n + 1) * h)).norm());
        keys.push_back({(n + 1) * h, shift});
    }
    if (drift > 1e-9 * (high - low).norm())
        motion.move.emplace().keyframes = std::move(keys);
    else if (!velocity.isZero(0.0))
        motion.move.emplace().velocity = velocity;
    return motion;
}

}  // namespace stiction::scene
