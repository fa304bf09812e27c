// Animations of IPC scripts that set how shapes start and let them go.
#include "stiction/scene/import/ipc_script_motion.hpp"
#include "stiction/scene/placement.hpp"

#include <array>
#include <cstdint>

namespace stiction::scene {
namespace {

void do_nothing(IpcStage&) {}

void drop(IpcStage& stage) {
    for (IpcActor& actor : stage.actors) actor.velocity = Vec3(0, -1, 0);
}

/// Start velocities of the vertices that pass tests, the first of which counts.
void set_velocities(IpcStage& stage, const std::vector<IpcVertexTest>& tests, const std::vector<Vec3>& velocities) {
    const IpcGroups groups(stage, tests);
    for (std::size_t group = 0; group < tests.size(); ++group) {
        groups.each(stage, group, [&](IpcActor& actor, const std::vector<Index>& ids) {
            for (const Index v : ids) actor.own_velocities()[static_cast<std::size_t>(v)] = velocities[group];
        });
    }
}

void left_hits_right(IpcStage& stage) {
    set_velocities(stage, {near_ipc_end(stage, 0, -1, 0.5)}, {Vec3(1, 0, 0)});
}

void turn_in_xy(IpcStage& stage) {
    set_velocities(stage, {near_ipc_end(stage, 1, -1, 0.01), near_ipc_end(stage, 1, +1, 0.01)},
                   {Vec3(1, 0, 0), Vec3(-1, 0, 0)});
}

void scale_start(IpcStage& stage) {
    stage.map_start(1.5 * Mat3::Identity(), Vec3::Zero());
}

/// The middle of the box at rest, half of its height higher: its top.
Vec3 rest_top(const IpcStage& stage) {
    const auto [low, high] = stage.rest_bounds();
    return 0.5 * (low + high) + Vec3(0, 0.5 * (high.y() - low.y()), 0);
}

void one_point(IpcStage& stage) {
    stage.map_start(Mat3::Zero(), rest_top(stage));
}

/// The numbers that rand() of the GNU C library returns when nobody has called srand().
class GnuRandom {
public:
    GnuRandom() {
        state_[0] = 1;
        for (std::size_t i = 1; i < 31; ++i)
            state_[i] = static_cast<std::uint32_t>(16807ull * state_[i - 1] % 2147483647ull);
        for (std::size_t i = 31; i < 34; ++i) state_[i] = state_[i - 31];
        for (int i = 0; i < 310; ++i) next_word();
    }
    /// From 0 to 2^31 - 1.
    std::uint32_t operator()() { return next_word() >> 1; }

private:
    std::uint32_t next_word() {
        const std::size_t i = at_ % 34;
        state_[i] = state_[(at_ + 31) % 34] + state_[(at_ + 3) % 34];  // the words 3 and 31 before this one
        ++at_;
        return state_[i];
    }

    std::array<std::uint32_t, 34> state_{};
    std::size_t at_ = 0;
};

/// Uniform in a unit cube that is shifted until the first vertex is at the top of the rest shape. x of all vertices
/// comes first, then y, then z.
void scatter(IpcStage& stage) {
    GnuRandom random;
    for (int axis = 0; axis < 3; ++axis)
        for (IpcActor& actor : stage.actors)
            for (Vec3& x : actor.x) x[axis] = random() / 2147483647.0 - 0.5;
    const Vec3 shift = rest_top(stage) - stage.actors.front().x.front();
    for (IpcActor& actor : stage.actors) {
        for (Vec3& x : actor.x) x += shift;
        actor.start.emplace().positions = actor.x;
    }
}

}  // namespace

const std::vector<IpcAnimation>& ipc_free_animations() {
    using enum IpcKind;
    static const std::vector<IpcAnimation> list{
        {{"null", "", honoured,
          "shapes without tets and shapes with a velocity are kinematic; `DBC`, `initVel`, `meshSeq` count. So without "
          "`script`"},
         follow_ipc_extras},
        {{"fall", "", honoured, "lifts all shapes by half the diagonal of their box"}, do_nothing},
        {{"fallNoShift", "", honoured, "nothing"}, do_nothing},
        {{"drop", "", honoured, "everything starts at 1 m/s along -y"}, drop},
        {{"leftHitRight", "", honoured, "the left half starts at 1 m/s along x"}, left_hits_right},
        {{"XYRotate", "", honoured, "the bottom 1% start at 1 m/s along x, the top 1% along -x"}, turn_in_xy},
        {{"scaleF", "", honoured, "starts at 1.5 times its size, about the origin"}, scale_start},
        {{"onepoint", "", honoured, "all vertices start at one point, the top of the rest shape's middle"}, one_point},
        {{"random", "", noted,
          "vertices start anywhere in a unit cube, the first at the top of the rest shape's middle"},
         scatter,
         "positions are those of rand() of the GNU C library, if nothing called it before"}};
    return list;
}

}  // namespace stiction::scene
