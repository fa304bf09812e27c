// Animations of IPC scripts that drive vertices of deformable shapes.
#include "stiction/scene/import/ipc_script_motion.hpp"
#include "stiction/scene/placement.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace stiction::scene {
namespace {

constexpr double pi = std::numbers::pi;
constexpr const char* letting_go =
    "vertices that are let go keep their speed; the reference code lets them start at rest, one step without gravity";

// --- The two sides, driven -------------------------------------------------------------------------------------------

/// Both sides move along x: the left at -speed, the right at speed.
void pull_sides(IpcStage& stage, double speed) {
    const IpcGroups sides(stage, {ipc_side(stage, -1), ipc_side(stage, +1)});
    sides.drive(stage, 0, move_ipc(Vec3(-speed, 0, 0)));
    sides.drive(stage, 1, move_ipc(Vec3(speed, 0, 0)));
}

void stretch(IpcStage& stage) {
    pull_sides(stage, 0.1);
}
void squash(IpcStage& stage) {
    pull_sides(stage, -0.03);
}

/// Changes the sign of a velocity wherever the watched coordinate is at or beyond a bound.
IpcSwitch flip_beyond(int axis, double low, double high) {
    return [=](const Vec3& x, Vec3& v) {
        if (x[axis] <= low || x[axis] >= high) v = -v;
        return false;
    };
}

/// Both sides turn about the x axis through the middle of the rest shape while they go to and fro along x, by where the
/// left one's first vertex is.
void to_and_fro(IpcStage& stage, double angular_velocity, double speed, double out, double in) {
    const IpcGroups sides(stage, {ipc_side(stage, -1), ipc_side(stage, +1)});
    const auto watched = sides.first(0);
    if (!watched) return;
    const auto [low, high] = stage.rest_bounds();
    const MotionSpec left =
        switched_ipc_motion(stage, *watched, Vec3(-speed, 0, 0), flip_beyond(0, watched->x() - out, watched->x() + in));
    for (const int sign : {-1, +1}) {
        MotionSpec motion = sign < 0 ? left : mirrored_ipc(left);
        if (angular_velocity != 0.0)
            motion.rotate = RotateSpec{Vec3::UnitX(), Vec3(0.5 * (low + high)), sign * angular_velocity};
        sides.drive(stage, sign < 0 ? 0 : 1, motion);
    }
}

void stretch_and_squash(IpcStage& stage) {
    to_and_fro(stage, 0.0, 0.9, 0.8, 0.4);
}
void twist_stretch_squash(IpcStage& stage) {
    to_and_fro(stage, 0.4 * pi, 1.2, 1.2, 0.4);
}
void twist_stretch_squash_old(IpcStage& stage) {
    to_and_fro(stage, 0.4 * pi, 0.9, 0.8, 0.4);
}

/// @param speed  m/s of the left side upwards and, if both move, the right one downwards
void up_and_down(IpcStage& stage, bool both) {
    const IpcGroups sides(stage, {ipc_side(stage, -1), ipc_side(stage, +1)});
    const auto watched = sides.first(0);
    if (!watched) return;
    const MotionSpec left =
        switched_ipc_motion(stage, *watched, Vec3(0, 1.8, 0), flip_beyond(1, watched->y() - 0.6, watched->y() + 0.6));
    sides.drive(stage, 0, left);
    if (both) sides.drive(stage, 1, mirrored_ipc(left));
}

void up_n_down(IpcStage& stage) {
    up_and_down(stage, true);
}
void up_n_down_left(IpcStage& stage) {
    up_and_down(stage, false);
}

/// Each side turns about z through its own last vertex.
void bend(IpcStage& stage) {
    const IpcGroups sides(stage, {ipc_side(stage, -1), ipc_side(stage, +1)});
    for (const std::size_t side : {0u, 1u}) {
        const auto center = sides.last(side);
        if (center) sides.drive(stage, side, turn_ipc(Vec3::UnitZ(), *center, (side == 0 ? -0.05 : 0.05) * pi));
    }
}

void turn_sides(IpcStage& stage, double angular_velocity, double speed) {
    const IpcGroups sides(stage, {ipc_side(stage, -1), ipc_side(stage, +1)});
    const auto [low, high] = stage.rest_bounds();
    for (const int sign : {-1, +1}) {
        MotionSpec motion = turn_ipc(Vec3::UnitX(), 0.5 * (low + high), sign * angular_velocity);
        if (speed != 0.0) motion.move.emplace().velocity = Vec3(sign * speed, 0, 0);
        sides.drive(stage, sign < 0 ? 0 : 1, motion);
    }
}

void twist(IpcStage& stage) {
    turn_sides(stage, 0.4 * pi, 0.0);
}
void twist_and_stretch(IpcStage& stage) {
    turn_sides(stage, 0.1 * pi, 0.1);
}

/// Both ends part at 1 m/s while the last vertex of the left one is not left of -0.28 m.
void stretch_and_pause(IpcStage& stage) {
    const IpcGroups ends(stage, {near_ipc_end(stage, 0, -1, 0.01), near_ipc_end(stage, 0, +1, 0.01)});
    const auto watched = ends.last(0);
    if (!watched) return;
    for (const int sign : {-1, +1}) {
        double x = watched->x();  // of the left end, whichever is driven
        const double h = stage.h;
        const IpcSwitch pause = [=](const Vec3&, Vec3& v) mutable {
            const bool past = x < -0.28;
            if (past) v.setZero();
            x -= h;
            return past;
        };
        ends.drive(stage, sign < 0 ? 0 : 1, switched_ipc_motion(stage, *watched, Vec3(sign, 0, 0), pause));
    }
}

// --- Other groups, driven --------------------------------------------------------------------------------------------

/// Stops where the watched coordinate has fallen to a bound.
IpcSwitch stop_below(int axis, double bound) {
    return [=](const Vec3& x, Vec3& v) {
        const bool done = x[axis] <= bound;
        if (done) v.setZero();
        return done;
    };
}

void push(IpcStage& stage) {
    const IpcGroups ends(stage, {ipc_bottom(stage, 0.01), ipc_top(stage, 0.01)});
    ends.drive(stage, 0, hold_ipc());
    const auto watched = ends.first(1);
    if (watched)
        ends.drive(stage, 1, switched_ipc_motion(stage, *watched, Vec3(0, -1, 0), stop_below(1, watched->y() - 0.5)));
}

void tear(IpcStage& stage) {
    const IpcGroups ends(stage, {ipc_bottom(stage, 0.01), ipc_top(stage, 0.01)});
    ends.drive(stage, 0, hold_ipc());
    const auto watched = ends.first(1);
    if (!watched) return;
    const double bound = watched->x() - 4.0;
    const IpcSwitch turn_round = [=](const Vec3& x, Vec3& v) {
        const bool done = x.x() <= bound;
        if (done) v = Vec3(5, 0, 0);
        return done;
    };
    ends.drive(stage, 1, switched_ipc_motion(stage, *watched, Vec3(-5, 0, 0), turn_round));
}

/// When the steps begin in which a vertex that starts at `x` with this speed along an axis is let go: it is as soon as
/// it has gone `far` (m, > 0). Nothing: never.
std::optional<double> release_time(IpcStage& stage, double x, double speed, double far) {
    const double bound = speed < 0.0 ? x - far : x + far;
    const auto steps = ipc_steps_while(stage, [&, at = x](int n) mutable {
        if (n > 0) at += speed * stage.h;
        return speed < 0.0 ? at > bound : at < bound;
    });
    if (!steps) return std::nullopt;
    return *steps * stage.h;
}

MotionSpec until(MotionSpec motion, const std::optional<double>& end) {
    motion.end = end;
    return motion;
}

void pull_rubber_band(IpcStage& stage) {
    const IpcGroups groups(stage, {ipc_bottom(stage, 0.02), ipc_top(stage, 0.02), ipc_between(stage, 1, 0.48, 0.52)});
    const auto middle = groups.first(2);
    const auto end = middle ? release_time(stage, middle->x(), -2.5, 5.0) : std::nullopt;
    for (const std::size_t group : {0u, 1u}) {
        const Vec3 v(0, group == 0 ? -0.2 : 0.2, 0);
        MotionSpec motion = move_ipc(v);
        if (end) {
            motion = MotionSpec{};
            motion.move.emplace().keyframes = {{0.0, Vec3::Zero()}, {*end, v * *end}};
        }
        groups.drive(stage, group, motion);
    }
    groups.drive(stage, 2, until(move_ipc(Vec3(-2.5, 0, 0)), end));
}

void pull_four_legs(IpcStage& stage) {
    const auto x_low = [&](double f) { return near_ipc_end(stage, 0, -1, f); };
    const auto x_high = [&](double f) { return near_ipc_end(stage, 0, +1, f); };
    const IpcGroups legs(
        stage, {ipc_all(ipc_top(stage, 0.129), x_low(0.16)), ipc_all(ipc_top(stage, 0.16), x_high(0.16)),
                ipc_all(ipc_bottom(stage, 0.02), x_high(0.25)), ipc_all(ipc_bottom(stage, 0.02), x_low(0.25))});
    legs.drive(stage, 0, hold_ipc());
    const auto watched = legs.first(3);
    const auto end = watched ? release_time(stage, watched->y(), -3.5, 5.0) : std::nullopt;
    legs.drive(stage, 1, until(move_ipc(Vec3(2.5, 0, 0)), end));
    legs.drive(stage, 2, until(move_ipc(Vec3(2.5, -3.5, 0)), end));
    legs.drive(stage, 3, until(move_ipc(Vec3(0, -3.5, 0)), end));
}

void pull_head_and_tail(IpcStage& stage) {
    const IpcVertexTest low = ipc_back(stage, 0.02), high = ipc_front(stage, 0.02);
    const IpcGroups groups(stage,
                           {[=](const IpcVertex& v) { return low(v) || high(v); }, ipc_between(stage, 2, 0.46, 0.54)});
    const auto watched = groups.first(0);
    const auto end = watched ? release_time(stage, watched->x(), 3.5, 4.5) : std::nullopt;
    groups.drive(stage, 0, until(move_ipc(Vec3(3.5, 0, 0)), end));
    groups.drive(stage, 1, until(hold_ipc(), end));
}

void toggle_top(IpcStage& stage) {
    const IpcGroups groups(stage, {ipc_top(stage, 0.02)});
    const auto watched = groups.first(0);
    if (watched)
        groups.drive(stage, 0, until(move_ipc(Vec3(-0.5, 0, 0)), release_time(stage, watched->x(), -0.5, 0.1)));
}

void drag_down(IpcStage& stage) {
    IpcGroups(stage, {ipc_all(ipc_bottom(stage, 0.1), ipc_between(stage, 0, 0.42, 0.52))})
        .drive(stage, 0, move_ipc(Vec3(0, -1.5, 0)));
}

/// The right 4% are pulled to the right until every vertex has passed the mesh obstacles.
void drag_right(IpcStage& stage) {
    if (stage.mesh_obstacles.empty()) return;
    double far = -std::numeric_limits<double>::max();
    for (const IpcMeshPlace& obstacle : stage.mesh_obstacles) far = std::max(far, obstacle.high.x());
    MotionSpec motion = move_ipc(Vec3(0.5, 0, 0));
    motion.until_beyond = HalfSpaceSpec{Vec3(far, 0, 0), Vec3::UnitX()};
    IpcGroups(stage, {near_ipc_end(stage, 0, +1, 0.04)}).drive(stage, 0, motion);
}

void curtain(IpcStage& stage) {
    const auto [low, high] = stage.bounds();
    const double from = low.x(), extent = high.x() - low.x();
    std::vector<IpcVertexTest> pins;
    for (int pin = 0; pin < 8; ++pin) {
        const double at = from + extent / 7.0 * pin;
        pins.push_back(ipc_all(ipc_top(stage, 0.005),
                               [=](const IpcVertex& v) { return std::abs(v.x.x() - at) < 0.0025 * extent; }));
    }
    const IpcGroups groups(stage, pins);
    for (int pin = 0; pin < 8; ++pin)
        groups.drive(stage, static_cast<std::size_t>(pin), move_ipc(Vec3(0.04 * (7.0 - pin) / 7.0, 0, 0)));
}

void push_right_most(IpcStage& stage) {
    IpcGroups(stage, {near_ipc_end(stage, 0, +1, 1e-3)}).drive_first(stage, 0, move_ipc(Vec3(-0.15, 0, 0)));
}

/// The bottom 5% are fixed, the top 5% accelerated.
void drag_top(IpcStage& stage, const Vec3& acceleration) {
    const IpcGroups ends(stage, {ipc_bottom(stage, 0.05), ipc_top(stage, 0.05)});
    ends.drive(stage, 0, hold_ipc());
    ends.accelerate(stage, 1, acceleration);
}

void drag_left(IpcStage& stage) {
    drag_top(stage, Vec3(-600, 0, 0));
}
void drag_forward(IpcStage& stage) {
    drag_top(stage, Vec3(0, 0, 600));
}

void compare_utopia(IpcStage& stage) {
    const auto [low, high] = stage.bounds();
    const double thin = 1e-4 * (high.x() - low.x()), y_low = low.y() + thin, y_high = high.y() - thin;
    const IpcGroups ends(stage, {[=](const IpcVertex& v) { return v.x.y() > y_high; },
                                 [=](const IpcVertex& v) { return v.x.y() < y_low; }});
    ends.accelerate(stage, 0, Vec3(0, -1.5, 0));
    ends.drive(stage, 1, hold_ipc());
}

}  // namespace

const std::vector<IpcAnimation>& ipc_driven_animations() {
    using enum IpcKind;
    static const std::vector<IpcAnimation> list{
        {{"stretch", "", honoured, "left and right part at 0.1 m/s each"}, stretch},
        {{"squash", "", honoured, "left and right approach at 0.03 m/s each"}, squash},
        {{"stretchnsquash", "", honoured,
          "left and right part at 0.9 m/s each; turn round where the left is 0.8 m out or 0.4 m in"},
         stretch_and_squash},
        {{"bend", "", honoured,
          "left and right turn about z through their last vertices at -0.05 pi and 0.05 pi rad/s"},
         bend},
        {{"twist", "", honoured, "left and right turn about the x axis through the centre at -0.4 pi and 0.4 pi rad/s"},
         twist},
        {{"twistnstretch", "", honoured, "the same at 0.1 pi rad/s, parting at 0.1 m/s each"}, twist_and_stretch},
        {{"twistnsns", "", honoured,
          "`twist`, parting at 1.2 m/s each; turn round where the left is 1.2 m out or 0.4 m in"},
         twist_stretch_squash},
        {{"twistnsns_old", "", honoured, "the same at 0.9 m/s, 0.8 m and 0.4 m"}, twist_stretch_squash_old},
        {{"upndown", "", honoured,
          "the left moves up at 1.8 m/s, the right down; both turn round where the left is 0.6 m from its start"},
         up_n_down},
        {{"undstamp", "", honoured, "the left alone does so"}, up_n_down_left},
        {{"stretchAndPause", "", honoured,
          "1% at both ends part at 1 m/s each until the left end's last vertex has passed x = -0.28 m"},
         stretch_and_pause},
        {{"push", "", honoured, "fixes the bottom 1%, moves the top 1% down at 1 m/s for 0.5 m"}, push},
        {{"tear", "", honoured, "fixes the bottom 1%, moves the top 1% along -x at 5 m/s for 4 m, then back for ever"},
         tear},
        {{"rubberBandPull", "", noted,
          "bottom and top 2% part at 0.2 m/s each, the middle 4% go along -x at 2.5 m/s; after 5 m the ends stop and "
          "the "
          "middle is let go"},
         pull_rubber_band,
         letting_go},
        {{"fourLegPull", "", noted,
          "holds a part at the top left; a part at the top right goes along x at 2.5 m/s, at the bottom left along -y "
          "at "
          "3.5 m/s, at the bottom right both; let go after 5 m"},
         pull_four_legs,
         letting_go},
        {{"headTailPull", "", noted,
          "2% at both ends of z go along x at 3.5 m/s, the middle 8% are held; let go after 4.5 m"},
         pull_head_and_tail,
         letting_go},
        {{"toggleTop", "", noted, "the top 2% go along -x at 0.5 m/s; let go after 0.1 m"}, toggle_top, letting_go},
        {{"dragdown", "", honoured,
          "lifts as `fall`; 10% at the bottom, between 0.42 and 0.52 along x, move down at 1.5 m/s"},
         drag_down},
        {{"dragright", "", noted,
          "lifts as `fall`; the right 4% move at 0.5 m/s along x and are let go behind the mesh obstacles (at once if "
          "there are none)"},
         drag_right,
         letting_go},
        {{"curtain", "", honoured, "eight pins along the top edge move along x at 0.04 m/s to 0"}, curtain},
        {{"pushRightMost1", "", honoured, "the first vertex of the right 0.1% moves at 0.15 m/s along -x"},
         push_right_most},
        {{"NMFixBottomDragLeft", "", honoured,
          "fixes the bottom 5%, accelerates the top 5% by 600 m/s^2 along -x; other NBC are without effect"},
         drag_left},
        {{"NMFixBottomDragForward", "", honoured, "the same along z"}, drag_forward},
        {{"utopiaComparison", "", honoured,
          "holds what is within 1e-4 of the extent along x of the bottom, accelerates such at the top by 1.5 m/s^2 "
          "along "
          "-y; other NBC are without effect"},
         compare_utopia}};
    return list;
}

}  // namespace stiction::scene
