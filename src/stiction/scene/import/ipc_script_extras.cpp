// What the shape lines of IPC scripts say about motion and load.
#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/placement.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace stiction::scene {
namespace {

/// Surface vertices in a box that is relative to the bounding box of the mesh FILE, before it is placed.
template <class Box>
std::vector<Index> vertices_in_box(const IpcStage& stage, const IpcActor& actor, const Box& box,
                                   const std::string& keyword) {
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

/// A turn made step by step about the centre of the bounding box that the vertices then have.
class StepwiseTurn {
public:
    /// @param spin  degrees/s
    StepwiseTurn(const std::vector<Vec3>& x, const Vec3& spin, double h) : h_(h) {
        const auto [low, high] = bounding_box(x);
        start_ = 0.5 * (low + high);
        rounding_ = 1e-9 * (high - low).norm();
        for (const Vec3& vertex : x) arms_.push_back(vertex - start_);
        const Vec3 angles = spin * (degree * h);
        step_ = (Eigen::AngleAxisd(angles.x(), Vec3::UnitX()) * Eigen::AngleAxisd(angles.y(), Vec3::UnitY()) *
                 Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()))
                    .toRotationMatrix();
        const Eigen::AngleAxisd total(step_);
        const bool one_axis = (spin.array() != 0.0).count() == 1;
        axis_ = one_axis ? Vec3(spin.normalized().cwiseAbs()) : total.axis();
        angular_velocity_ = one_axis ? spin.sum() * degree : total.angle() / h;
    }

    RotateSpec spec() const { return {axis_, start_, angular_velocity_}; }

    /// x_n = start + R^n (x_0 - start) + shift_n: the shifts, or nothing where they are those of `velocity` alone.
    std::optional<std::vector<Keyframe>> keyframes(const Vec3& velocity, int steps) const {
        std::vector<Keyframe> keys{{0.0, Vec3::Zero()}};
        Vec3 wander = Vec3::Zero();
        double drift = 0.0;
        for (int n = 0; n < steps; ++n) {
            wander += wander_of_step(n);
            drift = std::max(drift, wander.norm());
            keys.push_back({(n + 1) * h_, wander + velocity * ((n + 1) * h_)});
        }
        if (drift > rounding_) return keys;
        return std::nullopt;
    }

    /// The same question for runs that are too long to follow: looks at the first steps and at others all along.
    bool seems_to_wander(int steps) const {
        constexpr int samples = 4096;
        for (int k = 0; k < samples; ++k) {
            const auto spread = static_cast<int>(static_cast<std::int64_t>(steps) * k / samples);
            for (const int n : {k, spread})
                if (off_axis(center(n)).norm() > rounding_) return true;
        }
        return false;
    }

private:
    /// Centre of the bounding box after n steps, seen from the point that the turns so far have left in place.
    Vec3 center(int n) const {
        const Mat3 turned = Eigen::AngleAxisd(angular_velocity_ * n * h_, axis_).toRotationMatrix();
        Vec3 from = turned * arms_[0], to = from;
        for (const Vec3& arm : arms_) {
            const Vec3 x = turned * arm;
            from = from.cwiseMin(x), to = to.cwiseMax(x);
        }
        return 0.5 * (from + to);
    }

    Vec3 wander_of_step(int n) const {
        const Vec3 c = center(n);
        return c - step_ * c;
    }

    /// A centre that is shifted along the axis makes the same turn.
    Vec3 off_axis(const Vec3& c) const { return c - axis_ * axis_.dot(c); }

    double h_;
    Vec3 start_ = Vec3::Zero(), axis_ = Vec3::UnitX();
    double angular_velocity_ = 0.0;  // rad/s
    double rounding_ = 0.0;          // m
    std::vector<Vec3> arms_;         // from start_
    Mat3 step_;
};

void drive_box(IpcStage& stage, IpcActor& actor, const IpcDrivenBox& box) {
    const double begin = std::max({box.begin, stage.script.driven_begin, 0.0}),
                 end = std::min(box.end, stage.script.driven_end);
    if (begin >= end) return;
    BoundarySpec boundary;
    boundary.select.vertices = vertices_in_box(stage, actor, box, "DBC");
    std::vector<Vec3> x;
    for (const Index vertex : *boundary.select.vertices) x.push_back(actor.x[static_cast<std::size_t>(vertex)]);
    if (begin > 0.0 && !box.spin.isZero(0.0))
        stage.refuse_shape(actor, "DBC",
                           "no rotation in a DBC that begins later: its centre is where the vertices are by then");
    boundary.motion = ipc_rigid_motion(stage, actor, "DBC", x, {box.velocity, box.spin}, end);
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
            const IpcRigidMotion rigid{shape.linear_velocity.value_or(Vec3::Zero()),
                                       shape.angular_velocity.value_or(Vec3::Zero())};
            const MotionSpec motion = ipc_rigid_motion(stage, actor, "angularVelocity", actor.x, rigid,
                                                       std::numeric_limits<double>::infinity());
            if (!motion.fix) actor.motion.push_back(motion);
        }
        for (const IpcDrivenBox& box : shape.driven) drive_box(stage, actor, box);
        if (!shape.initial_velocity) continue;
        if (actor.kinematic) {
            stage.without_effect.push_back(fmt::format("initVel of the kinematic shape on line {}", shape.line));
        } else {
            actor.velocity = *shape.initial_velocity;
            actor.spin = *shape.initial_spin * degree;
        }
    }
}

void load_ipc_boxes(IpcStage& stage) {
    for (IpcActor& actor : stage.actors) {
        for (const IpcLoadedBox& box : actor.shape->loaded) {
            const double begin = std::max({box.begin, stage.script.loaded_begin, 0.0}),
                         end = std::min(box.end, stage.script.loaded_end);
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
        stage.without_effect.push_back(
            fmt::format("{} on line {}: script {} overrules it", extra, actor.shape->line, stage.script.animation));
    };
    const IpcScript standard;
    if (stage.script.driven_begin != standard.driven_begin || stage.script.driven_end != standard.driven_end)
        stage.without_effect.push_back(fmt::format("DBCTimeRange: script {} overrules it", stage.script.animation));
    for (const IpcActor& actor : stage.actors) {
        if (actor.shape->linear_velocity) note(actor, "linearVelocity");
        if (actor.shape->angular_velocity) note(actor, "angularVelocity");
        if (!actor.shape->driven.empty()) note(actor, "DBC");
        if (actor.shape->initial_velocity) note(actor, "initVel");
    }
}

MotionSpec ipc_rigid_motion(IpcStage& stage, const IpcActor& actor, const std::string& keyword,
                            const std::vector<Vec3>& x, const IpcRigidMotion& rigid, double end) {
    MotionSpec motion;
    if (rigid.spin.isZero(0.0)) {
        if (rigid.velocity.isZero(0.0))
            motion.fix = true;
        else
            motion.move.emplace().velocity = rigid.velocity;
        return motion;
    }
    const StepwiseTurn turn(x, rigid.spin, stage.h);
    motion.rotate = turn.spec();
    const double script_end = stage.steps * stage.h;
    const int steps = end < script_end ? std::min(stage.steps, steps_until(end, stage.h)) : stage.steps;
    if (steps > max_ipc_keyframes) {
        if (turn.seems_to_wander(steps))
            throw InputError(
                stage.file, fmt::format("line {}: {}", actor.shape->line, keyword), fmt::format("{} steps", steps),
                fmt::format("at most {} steps (`time`): the centre of the bounding box wanders against the "
                            "shape, and every step needs a keyframe",
                            max_ipc_keyframes));
    } else if (auto keys = turn.keyframes(rigid.velocity, steps)) {
        motion.move.emplace().keyframes = std::move(keys);
        if (end > script_end) stage.know_until(script_end);
        return motion;
    }
    if (!rigid.velocity.isZero(0.0)) motion.move.emplace().velocity = rigid.velocity;
    return motion;
}

}  // namespace stiction::scene
