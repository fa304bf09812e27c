// Animations of IPC scripts that hold vertices of deformable shapes where they are.
#include "stiction/scene/import/ipc_script_motion.hpp"

namespace stiction::scene {
namespace {

void hold_where(IpcStage& stage, const IpcVertexTest& test) {
    IpcGroups(stage, {test}).drive(stage, 0, hold_ipc());
}

void hang(IpcStage& stage) {
    const IpcGroups sides(stage, {ipc_side(stage, -1), ipc_side(stage, +1)});
    sides.drive_last(stage, 0, hold_ipc());
    sides.drive_last(stage, 1, hold_ipc());
}

void hang_top(IpcStage& stage) {
    hold_where(stage, ipc_top(stage, 0.01));
}
void hold_left(IpcStage& stage) {
    hold_where(stage, ipc_side(stage, -1));
}
void hold_top_left(IpcStage& stage) {
    hold_where(stage, ipc_all(ipc_side(stage, -1), ipc_top(stage, 0.01)));
}
void stand(IpcStage& stage) {
    hold_where(stage, ipc_bottom(stage, 0.01));
}
void fix_lower_half(IpcStage& stage) {
    hold_where(stage, ipc_bottom(stage, 0.5));
}
void hold_first_left(IpcStage& stage) {
    hold_where(stage, near_ipc_end(stage, 0, -1, 0.05));
}

void hang_top_left(IpcStage& stage) {
    const IpcVertexTest corners = ipc_all(ipc_side(stage, -1), ipc_top(stage, 0.01)), near = ipc_back(stage, 0.01),
                        far = ipc_front(stage, 0.01);
    hold_where(stage, [=](const IpcVertex& v) { return corners(v) && (near(v) || far(v)); });
}

void hold_both(IpcStage& stage) {
    const IpcGroups sides(stage, {ipc_side(stage, -1), ipc_side(stage, +1)});
    for (const std::size_t side : {0u, 1u}) sides.drive(stage, side, hold_ipc());
}

void hold_top_and_bottom(IpcStage& stage) {
    const IpcGroups ends(stage, {ipc_bottom(stage, 0.02), ipc_top(stage, 0.02)});
    for (const std::size_t end : {0u, 1u}) ends.drive(stage, end, hold_ipc());
}

void hold_three_sides(IpcStage& stage) {
    const IpcVertexTest x0 = near_ipc_end(stage, 0, -1, 0.01), y0 = ipc_bottom(stage, 0.01), z0 = ipc_back(stage, 0.01);
    hold_where(stage, [=](const IpcVertex& v) { return x0(v) || y0(v) || z0(v); });
}

void fix_right_most(IpcStage& stage) {
    IpcGroups(stage, {near_ipc_end(stage, 0, +1, 1e-3)}).drive_first(stage, 0, hold_ipc());
}

/// Holds the low end of an axis, then turns everything inside out along it, to a tenth of its size, about the first
/// vertex that is held.
void invert(IpcStage& stage, int axis) {
    const IpcGroups held(stage, {near_ipc_end(stage, axis, -1, 0.01)});
    held.drive(stage, 0, hold_ipc());
    const auto fixed = held.first(0);
    if (!fixed) return;
    Mat3 matrix = Mat3::Identity();
    matrix(axis, axis) = -0.1;
    stage.map_start(matrix, 1.1 * (*fixed)[axis] * Vec3::Unit(axis));
}

void invert_x(IpcStage& stage) {
    invert(stage, 0);
}
void invert_y(IpcStage& stage) {
    invert(stage, 1);
}

}  // namespace

const std::vector<IpcAnimation>& ipc_held_animations() {
    using enum IpcKind;
    static const std::vector<IpcAnimation> list{
        {{"hang", "", honoured, "fixes the last vertex of the left and of the right"}, hang},
        {{"hang2", "", honoured, "fixes the top 1%"}, hang_top},
        {{"hangLeft", "", honoured, "fixes the left"}, hold_left},
        {{"hangTopLeft", "", honoured, "fixes the corners of the left's top 1% along z"}, hang_top_left},
        {{"stamp", "", honoured, "fixes the left"}, hold_left},
        {{"stampTopLeft", "", honoured, "fixes the left's top 1%"}, hold_top_left},
        {{"stampBoth", "", honoured, "fixes left and right"}, hold_both},
        {{"stampInv", "", honoured,
          "fixes 1% at the low end of x; everything starts inside out along x, a tenth as long, about its first "
          "vertex"},
         invert_x},
        {{"stand", "", honoured, "fixes the bottom 1%"}, stand},
        {{"standInv", "", honoured, "`stampInv` along y"}, invert_y},
        {{"topbottomfix", "", honoured, "fixes the bottom and top 2%"}, hold_top_and_bottom},
        {{"fixLowerHalf", "", honoured, "fixes the lower half"}, fix_lower_half},
        {{"corner", "", honoured, "fixes 1% at the low end of each axis"}, hold_three_sides},
        {{"swing", "", honoured, "lifts all shapes by 1.3 times their height, fixes 5% at the low end of x"},
         hold_first_left},
        {{"fixRightMost1", "", honoured, "fixes the first vertex of the right 0.1%"}, fix_right_most}};
    return list;
}

}  // namespace stiction::scene
