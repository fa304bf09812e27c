// Animations of IPC scripts that move planes, mesh obstacles and kinematic shapes.
#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_motion.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/placement.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stiction::scene {
namespace {

constexpr double half_turn = std::numbers::pi;

void need(const IpcStage& stage, const char* what, std::size_t there, std::size_t count) {
    if (there < count) stage.refuse(fmt::format("{} {}", there, what), fmt::format("at least {} {}", count, what));
}

// --- Two things that come together and part --------------------------------------------------------------------------

/// The velocity of the lower one of two things that approach each other at 1 m/s each and turn round wherever their gap
/// is below a limit (m).
MotionSpec approach(IpcStage& stage, int axis, double lower, double upper, double limit) {
    const double h = stage.h;
    const IpcSwitch turn_round = [=](const Vec3&, Vec3& v) mutable {
        const bool near = upper - lower < limit;
        if (near) v = -v;
        lower += v[axis] * h;
        upper -= v[axis] * h;
        return !near && v[axis] < 0.0;
    };
    return switched_ipc_motion(stage, Vec3::Zero(), Vec3::Unit(axis), turn_round);
}

/// Moves planes 2 k and 2 k + 1 along axis k.
void squash_planes(IpcStage& stage, int axes, double limit) {
    need(stage, "planes", stage.planes.size(), 2 * static_cast<std::size_t>(axes));
    for (int axis = 0; axis < axes; ++axis) {
        IpcPlanePlace& lower = stage.planes[2 * static_cast<std::size_t>(axis)];
        IpcPlanePlace& upper = stage.planes[2 * static_cast<std::size_t>(axis) + 1];
        lower.motion = approach(stage, axis, lower.position[axis], upper.position[axis], limit);
        upper.motion = mirrored_ipc(*lower.motion);
    }
}

void squash_two_planes(IpcStage& stage) {
    squash_planes(stage, 1, 0.1);
}
void squash_six_planes(IpcStage& stage) {
    squash_planes(stage, 3, 0.2);
}

/// The planes come together until they are less than 0.8 m apart, then the second one moves up for ever.
void squash_and_shear(IpcStage& stage) {
    need(stage, "planes", stage.planes.size(), 2);
    for (const int plane : {0, 1}) {
        double lower = stage.planes[0].position.x(), upper = stage.planes[1].position.x();
        const double h = stage.h;
        const IpcSwitch shear = [=](const Vec3&, Vec3& v) mutable {
            const bool near = upper - lower < 0.8;
            if (near) v = plane == 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::UnitY());
            lower += h, upper -= h;
            return near;
        };
        stage.planes[static_cast<std::size_t>(plane)].motion =
            switched_ipc_motion(stage, Vec3::Zero(), Vec3(plane == 0 ? 1 : -1, 0, 0), shear);
    }
}

void squash_mesh_obstacles(IpcStage& stage) {
    need(stage, "mesh obstacles", stage.mesh_obstacles.size(), 2);
    IpcMeshPlace &lower = stage.mesh_obstacles[0], &upper = stage.mesh_obstacles[1];
    lower.motion = approach(stage, 0, lower.position.x(), upper.position.x(), 1.5);
    upper.motion = mirrored_ipc(*lower.motion);
}

void squash_between_turning(IpcStage& stage) {
    need(stage, "mesh obstacles", stage.mesh_obstacles.size(), 2);
    for (const std::size_t k : {0u, 1u}) {
        IpcMeshPlace& obstacle = stage.mesh_obstacles[k];
        const Vec3 arm(0, (k == 0 ? 0.5 : -0.5) * obstacle.size, 0);
        obstacle.motion = turn_ipc(Vec3::UnitZ(), obstacle.position + arm, half_turn);
    }
}

/// Turns of four cylinders (rad/s along x, y or z each).
std::vector<Vec3> cylinder_spins() {
    const double spin = 0.5 * half_turn;
    return {Vec3(spin, 0, 0), Vec3(-spin, 0, 0), Vec3(0, 0, -spin), Vec3(0, 0, spin)};
}

MotionSpec spin_about(const Vec3& spin, const Vec3& center) {
    return turn_ipc(spin.normalized().cwiseAbs(), center, spin.sum());
}

void turn_mesh_obstacles(IpcStage& stage) {
    const std::vector<Vec3> spins = cylinder_spins();
    need(stage, "mesh obstacles", stage.mesh_obstacles.size(), spins.size());
    for (std::size_t k = 0; k < spins.size(); ++k) {
        IpcMeshPlace& obstacle = stage.mesh_obstacles[k];
        obstacle.motion = spin_about(spins[k], obstacle.position);
    }
}

// --- Shapes by their number ------------------------------------------------------------------------------------------

Vec3 box_middle(const IpcActor& actor) {
    const auto [low, high] = bounding_box(actor.x);
    return 0.5 * (low + high);
}

void drive_shape(IpcActor& actor, const MotionSpec& motion) {
    actor.kinematic = true;
    if (!motion.fix) actor.motion.push_back(motion);
}

/// Turns the first shapes about the centres of their bounding boxes. @param spins  rad/s along x, y or z each
void turn_shapes(IpcStage& stage, const std::vector<Vec3>& spins) {
    need(stage, "shapes", stage.actors.size(), spins.size());
    for (std::size_t k = 0; k < spins.size(); ++k)
        drive_shape(stage.actors[k], spin_about(spins[k], box_middle(stage.actors[k])));
}

void turn_cylinders(IpcStage& stage) {
    turn_shapes(stage, cylinder_spins());
}
void turn_six_rollers(IpcStage& stage) {
    turn_shapes(stage, {Vec3(0, 0, -4), Vec3(0, 0, -2), Vec3(0, 0, 2), Vec3(0, 0, 4), Vec3(2, 0, 0), Vec3(-2, 0, 0)});
}

/// Shapes 2 k and 2 k + 1 come together along axis k; all turn round by the gap of the first two.
void squash_shapes(IpcStage& stage, int axes) {
    need(stage, "shapes", stage.actors.size(), 2 * static_cast<std::size_t>(axes));
    const double lower = bounding_box(stage.actors[0].x).second.x(), upper = bounding_box(stage.actors[1].x).first.x();
    const MotionSpec along_x = approach(stage, 0, lower, upper, 0.1);
    for (int axis = 0; axis < axes; ++axis) {
        MotionSpec motion = along_x;
        const auto turned = [&](const Vec3& v) { return Vec3(v.x() * Vec3::Unit(axis)); };
        if (motion.move->velocity) *motion.move->velocity = turned(*motion.move->velocity);
        if (motion.move->keyframes)
            for (Keyframe& key : *motion.move->keyframes) key.displacement = turned(key.displacement);
        drive_shape(stage.actors[2 * static_cast<std::size_t>(axis)], motion);
        drive_shape(stage.actors[2 * static_cast<std::size_t>(axis) + 1], mirrored_ipc(motion));
    }
}

void squash_two_shapes(IpcStage& stage) {
    squash_shapes(stage, 1);
}
void squash_six_shapes(IpcStage& stage) {
    squash_shapes(stage, 3);
}

/// The second shape falls like a hammer while its lowest point is above 0.05 m.
void hammer(IpcStage& stage) {
    need(stage, "shapes", stage.actors.size(), 2);
    IpcActor& actor = stage.actors[1];
    const auto [low, high] = bounding_box(actor.x);
    const Vec3 pivot(high.x(), low.y(), 0.5 * (low.z() + high.z()));
    constexpr double speed = half_turn / 6.0;
    const auto lowest = [&](int n) {
        const Eigen::AngleAxisd turned(speed * n * stage.h, Vec3::UnitZ());
        double y = std::numeric_limits<double>::max();
        for (const Vec3& x : actor.x) y = std::min(y, (pivot + turned * (x - pivot)).y());
        return y;
    };
    // In a whole turn it has been everywhere.
    const int whole = static_cast<int>(std::ceil(2.0 * half_turn / speed / stage.h));
    int n = 0;
    while (n <= whole && lowest(n) > 0.05) ++n;
    actor.kinematic = true;
    if (n == 0) return;
    MotionSpec motion = turn_ipc(Vec3::UnitZ(), pivot, speed);
    if (n <= whole) motion.end = n * stage.h;
    actor.motion.push_back(motion);
}

/// A motion at a constant velocity for as many steps as start while `goes_on`.
MotionSpec move_while(IpcStage& stage, const Vec3& velocity, const std::function<bool(int n)>& goes_on) {
    const auto steps = ipc_steps_while(stage, goes_on);
    if (!steps) return move_ipc(velocity);
    if (*steps == 0) return hold_ipc();
    const double end = *steps * stage.h;
    MotionSpec motion;
    motion.move.emplace().keyframes = {{0.0, Vec3::Zero()}, {end, velocity * end}};
    return motion;
}

/// The second shape comes down and forward until its lowest point is at 0.001 m.
void cut(IpcStage& stage) {
    need(stage, "shapes", stage.actors.size(), 2);
    const double low = bounding_box(stage.actors[1].x).first.y();
    drive_shape(stage.actors[1], move_while(stage, Vec3(0, -1, -1), [&](int n) { return low - n * stage.h > 0.001; }));
}

// --- Scripts that hold all kinematic shapes --------------------------------------------------------------------------

void fix_codimensional(IpcStage& stage) {
    for (IpcActor& actor : stage.actors)
        if (!actor.tets()) actor.kinematic = true;
}

void ball_hits_wall(IpcStage& stage) {
    fix_codimensional(stage);
    const auto& values = stage.script.animation_values;
    for (IpcActor& actor : stage.actors)
        if (actor.tets()) actor.velocity = Vec3(values.empty() ? 1000.0 : values[0], 0, 0);
}

void follow_file_frames(IpcStage& stage) {
    fix_codimensional(stage);
    const auto first =
        std::find_if(stage.actors.begin(), stage.actors.end(), [](const IpcActor& actor) { return !actor.tets(); });
    if (first == stage.actors.end()) stage.refuse("no kinematic shape", "one that the meshes are of");
    follow_ipc_frames(stage, *first, stage.script.animation_folder, 1, "script meshSeqFromFile");
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
    const MotionSpec down =
        move_while(stage, Vec3(0, -1, 0), [&](int n) { return upper_low - n * stage.h - lower_high > 0.1; });
    for (std::size_t i = first_upper; i < stage.actors.size(); ++i)
        if (!stage.actors[i].tets()) drive_shape(stage.actors[i], down);
}

/// The first shape is pressed into the second.
void squeeze_out(IpcStage& stage) {
    need(stage, "shapes", stage.actors.size(), 2);
    fix_codimensional(stage);
    const double top = bounding_box(stage.actors[0].x).second.y();
    const auto [low, high] = bounding_box(stage.actors[1].x);
    const double stop = low.y() + 0.9 * (high.y() - low.y()) / 3.8;
    drive_shape(stage.actors[0],
                move_while(stage, Vec3(0, -0.3, 0), [&](int n) { return top - 0.3 * n * stage.h > stop; }));
}

constexpr const char* planes_move =
    "planes go all the way that they are told; the reference code lets them take half of a free gap a step and cannot "
    "converge then";

}  // namespace

const std::vector<IpcAnimation>& ipc_obstacle_animations() {
    using enum IpcKind;
    static const std::vector<IpcAnimation> list{
        {{"ACOSquash", "", noted,
          "planes 0 and 1 come together along x at 1 m/s each, and part once they are less than 0.1 m apart"},
         squash_two_planes,
         planes_move},
        {{"ACOSquash6", "", noted,
          "planes 0 and 1 so along x, 2 and 3 along y, 4 and 5 along z, at 0.2 m. Friction sees them move"},
         squash_six_planes,
         planes_move},
        {{"ACOSquashShear", "", noted,
          "planes 0 and 1 come together along x at 1 m/s each to less than 0.8 m; then plane 1 goes up at 1 m/s"},
         squash_and_shear,
         planes_move},
        {{"MCOSquash", "", honoured, "mesh obstacles 0 and 1 do so along x, by their positions, at 1.5 m"},
         squash_mesh_obstacles},
        {{"MCORotSquash", "", honoured,
          "mesh obstacles 0 and 1 turn about z at pi rad/s, half their size above and below their positions"},
         squash_between_turning},
        {{"MCORotCylinders", "", honoured,
          "mesh obstacles 0 to 3 turn about their positions: pi/2 rad/s about x, -x, -z, z"},
         turn_mesh_obstacles},
        {{"DCORotCylinders", "", honoured,
          "the first four shapes turn about their centres: pi/2 rad/s about x, -x, -z, z"},
         turn_cylinders},
        {{"DCOVerschoorRoller", "", honoured, "the first six: -4, -2, 2, 4 rad/s about z, 2 and -2 about x"},
         turn_six_rollers},
        {{"DCOSquash", "", honoured,
          "the first two shapes come together along x at 1 m/s each, and part once they are less than 0.1 m apart"},
         squash_two_shapes},
        {{"DCOSquash6", "", honoured, "the first six in pairs along x, y and z, all by the gap of the first two"},
         squash_six_shapes},
        {{"DCOHammerWalnut", "", honoured,
          "the second shape turns about z at pi/6 rad/s, about its right lower edge, while it is above 0.05 m"},
         hammer},
        {{"DCOCut", "", honoured, "the second shape moves at (0, -1, -1) m/s until its lowest point is at 0.001 m"},
         cut},
        {{"DCOFix", "", honoured, "shapes without tets are fixed"}, fix_codimensional},
        {{"DCOBallHitWall", "[v]", honoured,
          "shapes without tets are fixed, bodies start at v (1000 m/s) along x; the number of values may stand before "
          "v"},
         ball_hits_wall},
        {{"meshSeqFromFile", "FOLDER", honoured,
          "shapes without tets are fixed; the first of them goes to FOLDER/1.obj, 2.obj, ... at the ends of the steps"},
         follow_file_frames},
        {{"DCOSegBedSquash", "", honoured,
          "shapes without tets are fixed, those in the second half of the list come down at 1 m/s until 0.1 m above "
          "the "
          "first half"},
         squash_beds},
        {{"DCOSqueezeOut", "", noted,
          "shapes without tets are fixed; the first shape comes down at 0.3 m/s to 0.9 / 3.8 of the height of the "
          "second"},
         squeeze_out,
         "the first shape moves as it is meant to; in the reference code a fault keeps it where it is"}};
    return list;
}

}  // namespace stiction::scene
