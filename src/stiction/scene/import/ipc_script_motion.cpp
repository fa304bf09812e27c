#include "stiction/scene/import/ipc_script_motion.hpp"

#include "stiction/mesh/read.hpp"

#include <algorithm>

namespace stiction::scene {
namespace {

/// Steps that are followed beyond the end of a script while a motion has not settled.
constexpr int followed_steps = 10'000'000;

void drive_ids(IpcActor& actor, std::vector<Index> ids, const MotionSpec& motion) {
    BoundarySpec boundary;
    boundary.select.vertices = std::move(ids);
    boundary.motion = motion;
    actor.boundary.push_back(std::move(boundary));
}

}  // namespace

MotionSpec hold_ipc() {
    MotionSpec motion;
    motion.fix = true;
    return motion;
}

MotionSpec move_ipc(const Vec3& velocity) {
    if (velocity.isZero(0.0)) return hold_ipc();
    MotionSpec motion;
    motion.move.emplace().velocity = velocity;
    return motion;
}

MotionSpec turn_ipc(const Vec3& axis, const Vec3& center, double angular_velocity) {
    MotionSpec motion;
    motion.rotate = RotateSpec{axis, center, angular_velocity};
    return motion;
}

MotionSpec mirrored_ipc(MotionSpec motion) {
    if (!motion.move) return motion;
    if (motion.move->velocity) *motion.move->velocity *= -1.0;
    if (motion.move->keyframes)
        for (Keyframe& key : *motion.move->keyframes) key.displacement *= -1.0;
    return motion;
}

MotionSpec switched_ipc_motion(IpcStage& stage, Vec3 x, Vec3 v, const IpcSwitch& decide) {
    const int most = std::max(stage.steps, followed_steps);
    std::vector<Keyframe> keys{{0.0, Vec3::Zero()}};
    int last = 0;
    // Only positions that are summed up as there let rounding decide alike.
    const auto turn_here = [&](int n, const Vec3& before) {
        if (n == last) return;
        keys.push_back({n * stage.h, keys.back().displacement + before * ((n - last) * stage.h)});
        last = n;
    };
    bool settled = false;
    int n = 0;
    for (; n < most; ++n) {
        const bool to_and_fro = keys.size() > 2;
        if (n >= stage.steps && to_and_fro) break;
        const Vec3 before = v;
        settled = decide(x, v);
        if (v != before) turn_here(n, before);
        if (settled) break;
        x += v * stage.h;
    }
    if (!settled) {
        turn_here(n, v);
        stage.know_until(n * stage.h);
        v.setZero();
    }
    if (keys.size() == 1) return move_ipc(v);
    MotionSpec motion;
    motion.move.emplace();
    if (!v.isZero(0.0)) {
        // Velocity and keyframes add up.
        motion.move->velocity = v;
        for (Keyframe& key : keys) key.displacement -= v * key.time;
    }
    motion.move->keyframes = std::move(keys);
    return motion;
}

std::optional<int> ipc_steps_while(IpcStage& stage, const std::function<bool(int n)>& goes_on) {
    const int most = std::max(stage.steps, followed_steps);
    int n = 0;
    while (n < most && goes_on(n)) ++n;
    if (n < most) return n;
    stage.know_until(most * stage.h);
    return std::nullopt;
}

IpcGroups::IpcGroups(const IpcStage& stage, const std::vector<IpcVertexTest>& tests) : stage_(stage) {
    members_.assign(tests.size(), std::vector<std::vector<Index>>(stage.actors.size()));
    for (std::size_t a = 0; a < stage.actors.size(); ++a) {
        const IpcActor& actor = stage.actors[a];
        if (actor.kinematic) continue;
        for (std::size_t v = 0; v < actor.x.size(); ++v) {
            if (!actor.mesh->used[v]) continue;
            const IpcVertex vertex{actor.rest[v], actor.x[v]};
            const auto test = std::find_if(tests.begin(), tests.end(), [&](const auto& t) { return t(vertex); });
            if (test == tests.end()) continue;
            members_[static_cast<std::size_t>(test - tests.begin())][a].push_back(static_cast<Index>(v));
        }
    }
}

std::optional<Vec3> IpcGroups::first(std::size_t group) const {
    for (std::size_t a = 0; a < stage_.actors.size(); ++a)
        if (!members_[group][a].empty())
            return stage_.actors[a].x[static_cast<std::size_t>(members_[group][a].front())];
    return std::nullopt;
}

std::optional<Vec3> IpcGroups::last(std::size_t group) const {
    for (std::size_t a = stage_.actors.size(); a-- > 0;)
        if (!members_[group][a].empty()) return stage_.actors[a].x[static_cast<std::size_t>(members_[group][a].back())];
    return std::nullopt;
}

void IpcGroups::each(IpcStage& stage, std::size_t group,
                     const std::function<void(IpcActor&, const std::vector<Index>&)>& f) const {
    for (std::size_t a = 0; a < stage.actors.size(); ++a)
        if (!members_[group][a].empty()) f(stage.actors[a], members_[group][a]);
}

void IpcGroups::drive(IpcStage& stage, std::size_t group, const MotionSpec& motion) const {
    each(stage, group, [&](IpcActor& actor, const std::vector<Index>& ids) { drive_ids(actor, ids, motion); });
}

void IpcGroups::drive_first(IpcStage& stage, std::size_t group, const MotionSpec& motion) const {
    for (std::size_t a = 0; a < stage.actors.size(); ++a)
        if (!members_[group][a].empty()) return drive_ids(stage.actors[a], {members_[group][a].front()}, motion);
}

void IpcGroups::drive_last(IpcStage& stage, std::size_t group, const MotionSpec& motion) const {
    for (std::size_t a = stage.actors.size(); a-- > 0;)
        if (!members_[group][a].empty()) return drive_ids(stage.actors[a], {members_[group][a].back()}, motion);
}

void IpcGroups::accelerate(IpcStage& stage, std::size_t group, const Vec3& acceleration) const {
    each(stage, group, [&](IpcActor& actor, const std::vector<Index>& ids) {
        ForceSpec force;
        force.select.emplace().vertices = ids;
        force.acceleration = acceleration;
        actor.forces.push_back(std::move(force));
    });
}

IpcVertexTest near_ipc_end(const IpcStage& stage, int axis, int sign, double fraction) {
    const auto [low, high] = stage.bounds();
    const double range = high[axis] - low[axis],
                 bound = sign < 0 ? low[axis] + range * fraction : high[axis] - range * fraction;
    return [=](const IpcVertex& v) { return sign < 0 ? v.x[axis] < bound : v.x[axis] > bound; };
}

IpcVertexTest ipc_bottom(const IpcStage& stage, double fraction) {
    return near_ipc_end(stage, 1, -1, fraction);
}
IpcVertexTest ipc_top(const IpcStage& stage, double fraction) {
    return near_ipc_end(stage, 1, +1, fraction);
}
IpcVertexTest ipc_back(const IpcStage& stage, double fraction) {
    return near_ipc_end(stage, 2, -1, fraction);
}
IpcVertexTest ipc_front(const IpcStage& stage, double fraction) {
    return near_ipc_end(stage, 2, +1, fraction);
}

IpcVertexTest ipc_side(const IpcStage& stage, int sign) {
    if (lower_extension(stage.file) == ".ipc")
        stage.note("its two sides count in a file .ipc, too; the reference code leaves them empty there");
    const auto [low, high] = stage.rest_bounds();
    const double width = (high.x() - low.x()) * stage.script.handle_ratio,
                 bound = sign < 0 ? low.x() + width : high.x() - width;
    return [=](const IpcVertex& v) { return sign < 0 ? v.rest.x() < bound : v.rest.x() > bound; };
}

IpcVertexTest ipc_all(IpcVertexTest a, IpcVertexTest b) {
    return [a = std::move(a), b = std::move(b)](const IpcVertex& v) { return a(v) && b(v); };
}

IpcVertexTest ipc_between(const IpcStage& stage, int axis, double from, double to) {
    const auto [low, high] = stage.bounds();
    const double range = high[axis] - low[axis], begin = low[axis] + range * from, end = low[axis] + range * to;
    return [=](const IpcVertex& v) { return v.x[axis] > begin && v.x[axis] < end; };
}

}  // namespace stiction::scene
