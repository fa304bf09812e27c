// What the shape lines of IPC scripts say about motion and load.
#include "stiction/mesh/read.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace stiction::scene {
namespace {

/// Surface vertices in a box that is relative to the bounding box of the mesh FILE, before it is placed. A box without
/// any is noted.
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
    if (vertices.empty())
        add_once(stage.script.notes,
                 fmt::format("line {}: {}: no vertex of the surface in the box", actor.shape->line, keyword));
    return vertices;
}

/// When a box acts (s): its own times and those of a range for all boxes, from the start on. Nothing, and a note, when
/// these have no time in common.
template <class Box>
std::optional<std::pair<double, double>> acting_times(const IpcStage& stage, const IpcActor& actor, const Box& box,
                                                      const std::string& keyword,
                                                      const std::pair<double, double>& range) {
    const double begin = std::max({box.begin, range.first, 0.0}), end = std::min(box.end, range.second);
    if (begin < end) return std::pair(begin, end);
    const bool is_ranged = range.first != 0.0 || std::isfinite(range.second);
    add_once(stage.script.notes, fmt::format("line {}: {}: it never acts: from {:g} s to {:g} s{}", actor.shape->line,
                                             keyword, box.begin, box.end,
                                             is_ranged ? fmt::format(", and {}TimeRange is from {:g} s to {:g} s",
                                                                     keyword, range.first, range.second)
                                                       : ""));
    return std::nullopt;
}

/// @param adds  whether other motions of these vertices are to be added
MotionSpec rigid_motion(const IpcRigidMotion& rigid, bool adds) {
    MotionSpec motion;
    if (adds || !rigid.spin.isZero(0.0))
        motion.twist = TwistSpec{rigid.velocity, rigid.spin * degree};
    else if (rigid.velocity.isZero(0.0))
        motion.fix = true;
    else
        motion.move.emplace().velocity = rigid.velocity;
    return motion;
}

/// @param adds  whether the shape has other motions
void drive_box(IpcStage& stage, IpcActor& actor, const IpcDrivenBox& box, bool adds) {
    const auto times = acting_times(stage, actor, box, "DBC", {stage.script.driven_begin, stage.script.driven_end});
    if (!times) return;
    SelectionSpec select;
    select.vertices = vertices_in_box(stage, actor, box, "DBC");
    if (select.vertices->empty()) return;
    MotionSpec motion = rigid_motion({box.velocity, box.spin}, adds);
    motion.begin = times->first;
    if (std::isfinite(times->second)) motion.end = times->second;
    if (actor.kinematic) {
        motion.select = std::move(select);
        actor.motion.push_back(std::move(motion));
    } else {
        actor.boundary.push_back({std::move(select), std::move(motion)});
    }
}

}  // namespace

void follow_ipc_frames(IpcStage& stage, IpcActor& actor, const std::string& folder, int first,
                       const std::string& keyword) {
    actor.kinematic = true;
    const std::string named = lower_extension(actor.shape->file),
                      extension = named.empty() || named == ".ele" ? ".msh" : named;
    actor.sequence = stage.frames(folder, extension, first);
    if (actor.sequence.empty() && !actor.tets()) actor.sequence = stage.frames(folder, ".obj", first);
    if (actor.sequence.empty())
        stage.refuse_shape(actor, keyword, fmt::format("a folder with {}/{}{}", folder, first, extension));
    const int count = static_cast<int>(actor.sequence.size());
    if (count < stage.steps)
        add_once(stage.script.notes, fmt::format("line {}: {}: {} meshes for {} steps: the shape stays at the last",
                                                 actor.shape->line, keyword, count, stage.steps));
}

void follow_ipc_extras(IpcStage& stage) {
    for (IpcActor& actor : stage.actors) {
        const IpcShape& shape = *actor.shape;
        const bool moved = shape.linear_velocity || shape.angular_velocity;
        actor.kinematic = !actor.tets() || moved || shape.sequence;
        if (shape.sequence) {
            if (actor.tets())
                add_once(stage.script.notes,
                         fmt::format("line {}: meshSeq: the tets are kinematic; the reference code lets go at once",
                                     shape.line));
            follow_ipc_frames(stage, actor, *shape.sequence, 0, "meshSeq");
            if (moved || !shape.driven.empty())
                add_once(stage.script.without_effect, fmt::format("motions beside meshSeq on line {}", shape.line));
            continue;
        }
        const bool adds = shape.driven.size() + (moved ? 1 : 0) > 1;
        if (moved) {
            const IpcRigidMotion rigid{shape.linear_velocity.value_or(Vec3::Zero()),
                                       shape.angular_velocity.value_or(Vec3::Zero())};
            const MotionSpec motion = rigid_motion(rigid, adds);
            if (!motion.fix) actor.motion.push_back(motion);
        }
        for (const IpcDrivenBox& box : shape.driven) drive_box(stage, actor, box, adds);
        if (!shape.initial_velocity) continue;
        if (actor.kinematic) {
            stage.script.without_effect.push_back(fmt::format("initVel of the kinematic shape on line {}", shape.line));
        } else {
            actor.velocity = *shape.initial_velocity;
            actor.spin = *shape.initial_spin * degree;
        }
    }
}

void load_ipc_boxes(IpcStage& stage) {
    for (IpcActor& actor : stage.actors) {
        for (const IpcLoadedBox& box : actor.shape->loaded) {
            if (stage.script.newmark)
                add_once(stage.script.notes,
                         "NBC under NM: accelerations count once; the reference code counts them 1 / beta times");
            const auto times =
                acting_times(stage, actor, box, "NBC", {stage.script.loaded_begin, stage.script.loaded_end});
            if (!times) continue;
            if (actor.kinematic) {
                stage.script.without_effect.push_back(
                    fmt::format("NBC of the kinematic shape on line {}", actor.shape->line));
                continue;
            }
            ForceSpec force;
            force.select.emplace().vertices = vertices_in_box(stage, actor, box, "NBC");
            if (force.select->vertices->empty()) continue;
            force.acceleration = box.acceleration;
            force.begin = times->first;
            if (std::isfinite(times->second)) force.end = times->second;
            actor.forces.push_back(std::move(force));
        }
    }
}

void note_overruled_ipc_extras(IpcStage& stage) {
    const auto note = [&](const IpcActor& actor, const char* extra) {
        stage.script.without_effect.push_back(
            fmt::format("{} on line {}: script {} overrules it", extra, actor.shape->line, stage.script.animation));
    };
    const IpcScript standard;
    if (stage.script.driven_begin != standard.driven_begin || stage.script.driven_end != standard.driven_end)
        stage.script.without_effect.push_back(
            fmt::format("DBCTimeRange: script {} overrules it", stage.script.animation));
    for (const IpcActor& actor : stage.actors) {
        if (actor.shape->linear_velocity) note(actor, "linearVelocity");
        if (actor.shape->angular_velocity) note(actor, "angularVelocity");
        if (!actor.shape->driven.empty()) note(actor, "DBC");
        if (actor.shape->initial_velocity) note(actor, "initVel");
        if (actor.shape->sequence) note(actor, "meshSeq");
    }
}

}  // namespace stiction::scene
