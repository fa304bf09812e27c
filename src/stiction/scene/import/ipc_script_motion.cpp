// The animations of IPC scripts, each a small function.
#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace stiction::scene {
namespace {

constexpr double pi = std::numbers::pi;

using VertexTest = std::function<bool(const Vec3&)>;

MotionSpec hold() {
    MotionSpec motion;
    motion.fix = true;
    return motion;
}

MotionSpec move(const Vec3& velocity) {
    if (velocity.isZero(0.0)) return hold();
    MotionSpec motion;
    motion.move.emplace().velocity = velocity;
    return motion;
}

/// Moves at `velocity` for the first `moving` steps and stays there, whether or not the script runs that long.
/// @param moving  absent: for ever
MotionSpec move_for(const Vec3& velocity, std::optional<int> moving, const IpcStage& stage) {
    if (!moving) return move(velocity);
    if (*moving == 0) return hold();
    const double end = *moving * stage.h;
    MotionSpec motion;
    motion.move.emplace().keyframes = {{0.0, Vec3::Zero()}, {end, velocity * end}};
    return motion;
}

MotionSpec turn(const Vec3& axis, const Vec3& center, double angular_velocity) {
    MotionSpec motion;
    motion.rotate = RotateSpec{axis, center, angular_velocity};
    return motion;
}

/// How many steps start while `goes_on(n)` holds: also beyond the end of the script, which a run may go past. Nothing
/// when it is more than there is time to count; the stage then notes how far that is known.
template <class Test>
std::optional<int> steps_while(IpcStage& stage, const Test& goes_on) {
    const int most = std::max(stage.steps, 10'000'000);
    int n = 0;
    while (n < most && goes_on(n)) ++n;
    if (n < most) return n;
    stage.know_until(most * stage.h);
    return std::nullopt;
}

/// Ids of the vertices of a shape that pass a test; vertices that no element uses do not move and are left out.
std::vector<Index> vertices_where(const IpcActor& actor, const VertexTest& test) {
    std::vector<Index> vertices;
    for (std::size_t i = 0; i < actor.x.size(); ++i) {
        if (actor.mesh->used[i] && test(actor.x[i])) vertices.push_back(static_cast<Index>(i));
    }
    return vertices;
}

/// Drives the vertices that pass a test, in all deformable shapes. @return how many there are
std::size_t drive(IpcStage& stage, const VertexTest& test, const MotionSpec& motion) {
    std::size_t count = 0;
    for (IpcActor& actor : stage.actors) {
        if (actor.kinematic) continue;
        const std::vector<Index> vertices = vertices_where(actor, test);
        if (vertices.empty()) continue;
        count += vertices.size();
        BoundarySpec boundary;
        boundary.select.vertices = vertices;
        boundary.motion = motion;
        actor.boundary.push_back(std::move(boundary));
    }
    return count;
}

/// The first vertex, in the order of the shapes and their files, that passes a test, driven alone.
void drive_first(IpcStage& stage, const VertexTest& test, const MotionSpec& motion) {
    for (IpcActor& actor : stage.actors) {
        const std::vector<Index> vertices = vertices_where(actor, test);
        if (vertices.empty()) continue;
        BoundarySpec boundary;
        boundary.select.vertices = std::vector<Index>{vertices.front()};
        boundary.motion = motion;
        actor.boundary.push_back(std::move(boundary));
        return;
    }
}

/// The first vertex that passes a test, if any.
std::optional<Vec3> first_where(const IpcStage& stage, const VertexTest& test) {
    for (const IpcActor& actor : stage.actors) {
        const std::vector<Index> vertices = vertices_where(actor, test);
        if (!vertices.empty()) return actor.x[static_cast<std::size_t>(vertices.front())];
    }
    return std::nullopt;
}

/// Vertices within `fraction` of the extent from the lower (sign < 0) or upper end of an axis; the bound itself is out.
VertexTest near_end(const IpcStage& stage, int axis, int sign, double fraction) {
    const auto [low, high] = stage.bounds();
    const double bound =
        sign < 0 ? low[axis] + (high[axis] - low[axis]) * fraction : high[axis] - (high[axis] - low[axis]) * fraction;
    return [axis, sign, bound](const Vec3& x) { return sign < 0 ? x[axis] < bound : x[axis] > bound; };
}

VertexTest left(const IpcStage& stage) {
    return near_end(stage, 0, -1, stage.script.handle_ratio);
}
VertexTest right(const IpcStage& stage) {
    return near_end(stage, 0, +1, stage.script.handle_ratio);
}
VertexTest bottom(const IpcStage& stage, double fraction) {
    return near_end(stage, 1, -1, fraction);
}
VertexTest top(const IpcStage& stage, double fraction) {
    return near_end(stage, 1, +1, fraction);
}

// --- Kinematic shapes ------------------------------------------------------------------------------------------------

void fix_codimensional(IpcStage& stage) {
    for (IpcActor& actor : stage.actors)
        if (!actor.tets()) actor.kinematic = true;
}

void need_shapes(const IpcStage& stage, std::size_t count) {
    if (stage.actors.size() < count)
        stage.refuse(fmt::format("{} shapes", stage.actors.size()), fmt::format("at least {} shapes", count));
}

/// Turns the first shapes about the centres of their bounding boxes. @param spins  rad/s along x, y or z each
void turn_first(IpcStage& stage, const std::vector<Vec3>& spins) {
    need_shapes(stage, spins.size() + 1);
    for (std::size_t i = 0; i < spins.size(); ++i) {
        IpcActor& actor = stage.actors[i];
        const auto [low, high] = bounding_box(actor.x);
        actor.kinematic = true;
        actor.motion.push_back(turn(spins[i].normalized().cwiseAbs(), 0.5 * (low + high), spins[i].sum()));
    }
}

void rotating_cylinders(IpcStage& stage) {
    turn_first(stage, {Vec3(pi / 2, 0, 0), Vec3(-pi / 2, 0, 0), Vec3(0, 0, -pi / 2), Vec3(0, 0, pi / 2)});
}

void six_rollers(IpcStage& stage) {
    turn_first(stage, {Vec3(0, 0, -4), Vec3(0, 0, -2), Vec3(0, 0, 2), Vec3(0, 0, 4), Vec3(2, 0, 0), Vec3(-2, 0, 0)});
}

/// The upper half of the shapes comes down at 1 m/s until it is 0.1 m above the lower half.
void squash_beds(IpcStage& stage) {
    fix_codimensional(stage);
    const std::size_t first_upper = (stage.actors.size() + 1) / 2;
    double upper_low = std::numeric_limits<double>::max(), lower_high = -upper_low;
    for (std::size_t i = 0; i < stage.actors.size(); ++i) {
        if (stage.actors[i].tets()) continue;
        const auto [low, high] = bounding_box(stage.actors[i].x);
        if (i >= first_upper)
            upper_low = std::min(upper_low, low.y());
        else
            lower_high = std::max(lower_high, high.y());
    }
    const auto moving = steps_while(stage, [&](int n) { return upper_low - n * stage.h - lower_high > 0.1; });
    for (std::size_t i = first_upper; i < stage.actors.size(); ++i) {
        if (!stage.actors[i].tets()) stage.actors[i].motion.push_back(move_for(Vec3(0, -1, 0), moving, stage));
    }
}

void ball_hits_wall(IpcStage& stage) {
    fix_codimensional(stage);
    const auto& values = stage.script.animation_values;
    for (IpcActor& actor : stage.actors)
        if (actor.tets()) actor.velocity = Vec3(values.empty() ? 1000.0 : values[0], 0, 0);
}

/// The second shape comes down and forward until its lowest point is at 0.001 m.
void cut(IpcStage& stage) {
    need_shapes(stage, 2);
    IpcActor& knife = stage.actors[1];
    const double low = bounding_box(knife.x).first.y();
    knife.kinematic = true;
    knife.motion.push_back(
        move_for(Vec3(0, -1, -1), steps_while(stage, [&](int n) { return low - n * stage.h > 0.001; }), stage));
}

// --- Deformable shapes that are held or driven at their ends
// -----------------------------------------------------------

void twist(IpcStage& stage) {
    const auto [low, high] = stage.bounds();
    const Vec3 center = 0.5 * (low + high);
    drive(stage, left(stage), turn(Vec3::UnitX(), center, -0.4 * pi));
    drive(stage, right(stage), turn(Vec3::UnitX(), center, 0.4 * pi));
}

void twist_and_stretch(IpcStage& stage) {
    const auto [low, high] = stage.bounds();
    for (const int sign : {-1, +1}) {
        MotionSpec motion = turn(Vec3::UnitX(), 0.5 * (low + high), sign * 0.1 * pi);
        motion.move.emplace().velocity = Vec3(sign * 0.1, 0, 0);
        drive(stage, near_end(stage, 0, sign, stage.script.handle_ratio), motion);
    }
}

void pull_ends(IpcStage& stage, double speed) {
    drive(stage, left(stage), move(Vec3(-speed, 0, 0)));
    drive(stage, right(stage), move(Vec3(speed, 0, 0)));
}

/// Both ends move out at 1 m/s until the first vertex of the left one has passed x = -0.28 m.
void stretch_and_pause(IpcStage& stage) {
    const VertexTest is_left = near_end(stage, 0, -1, 0.01), is_right = near_end(stage, 0, +1, 0.01);
    const auto first = first_where(stage, is_left);
    if (!first) return;
    double x = first->x();
    const auto moving = steps_while(stage, [&](int n) {
        if (n > 0) x -= stage.h;  // summed up as the reference code does, so that rounding decides alike
        return x >= -0.28;
    });
    drive(stage, is_left, move_for(Vec3(-1, 0, 0), moving, stage));
    drive(stage, is_right, move_for(Vec3(1, 0, 0), moving, stage));
}

void push(IpcStage& stage) {
    const auto first = first_where(stage, top(stage, 0.01));
    drive(stage, bottom(stage, 0.01), hold());
    if (!first) return;
    const auto moving = steps_while(stage, [&](int n) { return n * stage.h < 0.5; });
    drive(stage, top(stage, 0.01), move_for(Vec3(0, -1, 0), moving, stage));
}

void drag_down(IpcStage& stage) {
    const auto [low, high] = stage.bounds();
    const double from = low.x() + 0.42 * (high.x() - low.x()), to = low.x() + 0.52 * (high.x() - low.x());
    const VertexTest is_low = bottom(stage, 0.1);
    drive(
        stage, [=](const Vec3& x) { return is_low(x) && x.x() > from && x.x() < to; }, move(Vec3(0, -1.5, 0)));
}

/// The right 4% are pulled to the right. The reference code lets go when every vertex has passed the mesh obstacles;
/// when that is depends on the run, so here it is when a rigid body would have: a lower bound.
void drag_right(IpcStage& stage) {
    constexpr double speed = 0.5;
    double obstacles_end = -std::numeric_limits<double>::max();
    for (const auto& [low, high] : stage.mesh_obstacles) obstacles_end = std::max(obstacles_end, high.x());
    const double start = stage.bounds().first.x();
    const auto moving = steps_while(stage, [&](int n) { return start + speed * n * stage.h <= obstacles_end; });
    if (moving == 0) return;
    MotionSpec motion;
    motion.move.emplace().velocity = Vec3(speed, 0, 0);
    if (moving) motion.end = *moving * stage.h;
    drive(stage, near_end(stage, 0, +1, 0.04), motion);
}

void curtain(IpcStage& stage) {
    const auto [low, high] = stage.bounds();
    const double extent = high.x() - low.x();
    const VertexTest is_top = top(stage, 0.005);
    for (int pin = 0; pin < 8; ++pin) {
        const double at = low.x() + extent / 7.0 * pin;
        const auto near = [=](const Vec3& x) { return std::abs(x.x() - at) < 0.0025 * extent && is_top(x); };
        drive(stage, near, move(Vec3(0.04 * (7.0 - pin) / 7.0, 0, 0)));
    }
}

void hang_top_left(IpcStage& stage) {
    const VertexTest is_left = left(stage), is_top = top(stage, 0.01), front = near_end(stage, 2, +1, 0.01),
                     back = near_end(stage, 2, -1, 0.01);
    drive(
        stage, [=](const Vec3& x) { return is_left(x) && is_top(x) && (front(x) || back(x)); }, hold());
}

void stamp_top_left(IpcStage& stage) {
    const VertexTest is_left = left(stage), is_top = top(stage, 0.01);
    drive(
        stage, [=](const Vec3& x) { return is_left(x) && is_top(x); }, hold());
}

void fix_three_sides(IpcStage& stage) {
    const VertexTest x0 = near_end(stage, 0, -1, 0.01), y0 = bottom(stage, 0.01), z0 = near_end(stage, 2, -1, 0.01);
    drive(
        stage, [=](const Vec3& x) { return x0(x) || y0(x) || z0(x); }, hold());
}

/// The bottom 5% are fixed, the top 5% accelerated.
void drag_top(IpcStage& stage, const Vec3& acceleration) {
    drive(stage, bottom(stage, 0.05), hold());
    const VertexTest is_top = top(stage, 0.05);
    for (IpcActor& actor : stage.actors) {
        const std::vector<Index> vertices = vertices_where(actor, is_top);
        if (vertices.empty()) continue;
        ForceSpec force;
        force.select.emplace().vertices = vertices;
        force.acceleration = acceleration;
        actor.forces.push_back(std::move(force));
    }
}

void drop(IpcStage& stage) {
    for (IpcActor& actor : stage.actors) actor.velocity = Vec3(0, -1, 0);
}

/// Refuses values that the animation would pass over.
void check_values(const IpcStage& stage) {
    const auto& values = stage.script.animation_values;
    const bool takes_one = stage.script.animation == "DCOBallHitWall";
    if (values.size() <= (takes_one ? 1u : 0u)) return;
    stage.refuse(fmt::format("{}", fmt::join(values, " ")), takes_one ? "one value, the speed (m/s)" : "no values");
}

using Animation = std::function<void(IpcStage&)>;

const std::map<std::string, Animation>& animations() {
    static const std::map<std::string, Animation> table{
        {"null", follow_ipc_extras},
        {"fall", [](IpcStage&) {}},
        {"fallNoShift", [](IpcStage&) {}},
        {"drop", drop},
        {"hang2", [](IpcStage& s) { drive(s, top(s, 0.01), hold()); }},
        {"hangLeft", [](IpcStage& s) { drive(s, left(s), hold()); }},
        {"hangTopLeft", hang_top_left},
        {"stamp", [](IpcStage& s) { drive(s, left(s), hold()); }},
        {"stampTopLeft", stamp_top_left},
        {"stampBoth", [](IpcStage& s) { pull_ends(s, 0.0); }},
        {"stand", [](IpcStage& s) { drive(s, bottom(s, 0.01), hold()); }},
        {"topbottomfix", [](IpcStage& s) { drive(s, bottom(s, 0.02), hold()), drive(s, top(s, 0.02), hold()); }},
        {"fixLowerHalf", [](IpcStage& s) { drive(s, bottom(s, 0.5), hold()); }},
        {"corner", fix_three_sides},
        {"push", push},
        {"stretch", [](IpcStage& s) { pull_ends(s, 0.1); }},
        {"squash", [](IpcStage& s) { pull_ends(s, -0.03); }},
        {"stretchAndPause", stretch_and_pause},
        {"twist", twist},
        {"twistnstretch", twist_and_stretch},
        {"dragdown", drag_down},
        {"dragright", drag_right},
        {"curtain", curtain},
        {"fixRightMost1", [](IpcStage& s) { drive_first(s, near_end(s, 0, +1, 1e-3), hold()); }},
        {"pushRightMost1", [](IpcStage& s) { drive_first(s, near_end(s, 0, +1, 1e-3), move(Vec3(-0.15, 0, 0))); }},
        {"NMFixBottomDragLeft", [](IpcStage& s) { drag_top(s, Vec3(-600, 0, 0)); }},
        {"NMFixBottomDragForward", [](IpcStage& s) { drag_top(s, Vec3(0, 0, 600)); }},
        {"DCOFix", fix_codimensional},
        {"DCORotCylinders", rotating_cylinders},
        {"DCOVerschoorRoller", six_rollers},
        {"DCOSegBedSquash", squash_beds},
        {"DCOBallHitWall", ball_hits_wall},
        {"DCOCut", cut}};
    return table;
}

}  // namespace

bool ipc_animation_lifts(const std::string& name) {
    return name == "fall" || name == "dragdown" || name == "dragright";
}

void animate_ipc_stage(IpcStage& stage) {
    const std::string& name = stage.script.animation;
    const auto animation = animations().find(name);
    if (animation == animations().end()) {
        std::vector<std::string> known;
        for (const auto& [other, unused] : animations()) known.push_back(other);
        const std::string nearest = nearest_name(name, known);
        throw InputError(stage.file, fmt::format("line {}: script", stage.script.animation_line), name,
                         fmt::format("{}one of {}", nearest.empty() ? "" : "'" + nearest + "', or another ",
                                     fmt::join(known, ", ")));
    }
    check_values(stage);
    if (name != "null") note_overruled_ipc_extras(stage);
    animation->second(stage);
    load_ipc_boxes(stage);
    for (const IpcActor& actor : stage.actors) {
        if (!actor.tets() && !actor.kinematic)
            stage.refuse_shape(
                actor, actor.shape->file,
                fmt::format("tetrahedra: script {} holds no other shape, and shells have no mass here", name));
    }
}

}  // namespace stiction::scene
