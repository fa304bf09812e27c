#include "stiction/scene/import/ipc_script_stage.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

namespace stiction::scene {
namespace {

template <class Positions>
std::pair<Vec3, Vec3> ipc_bounds(const std::vector<IpcActor>& actors, const Positions& positions) {
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    for (std::size_t i = 0; i < actors.size(); ++i) {
        const auto [from, to] = bounding_box(positions(actors[i]));
        low = i == 0 ? from : Vec3(low.cwiseMin(from)), high = i == 0 ? to : Vec3(high.cwiseMax(to));
    }
    return {low, high};
}

}  // namespace

std::vector<Vec3>& IpcActor::own_velocities() {
    if (velocities.empty()) velocities.assign(x.size(), velocity);
    return velocities;
}

void IpcStage::note(const std::string& text) const {
    add_once(script.notes, fmt::format("script {}: {}", script.animation, text));
}

std::pair<Vec3, Vec3> IpcStage::bounds() const {
    return ipc_bounds(actors, [](const IpcActor& actor) -> const std::vector<Vec3>& { return actor.x; });
}

std::pair<Vec3, Vec3> IpcStage::rest_bounds() const {
    return ipc_bounds(actors, [](const IpcActor& actor) -> const std::vector<Vec3>& { return actor.rest; });
}

void IpcStage::map_start(const Mat3& matrix, const Vec3& shift) {
    for (IpcActor& actor : actors) {
        Mat3 before = Mat3::Identity();
        Vec3 moved = shift;
        if (actor.start) {
            for (int row = 0; row < 3; ++row) before.row(row) = (*actor.start->matrix)[static_cast<std::size_t>(row)];
            moved += matrix * actor.start->translation;
        }
        const Mat3 product = matrix * before;
        actor.start.emplace().matrix.emplace();
        for (int row = 0; row < 3; ++row) (*actor.start->matrix)[static_cast<std::size_t>(row)] = product.row(row);
        actor.start->translation = moved;
        for (std::size_t v = 0; v < actor.x.size(); ++v) actor.x[v] = product * actor.rest[v] + moved;
    }
}

void IpcStage::refuse_shape(const IpcActor& actor, const std::string& keyword, const std::string& expected) const {
    throw InputError(file, fmt::format("line {}", actor.shape->line), keyword, expected);
}

void IpcStage::refuse(const std::string& value, const std::string& expected) const {
    throw InputError(file, fmt::format("line {}: script {}", script.animation_line, script.animation), value, expected);
}

}  // namespace stiction::scene
