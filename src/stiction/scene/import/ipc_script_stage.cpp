#include "stiction/scene/import/ipc_script_stage.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

namespace stiction::scene {

std::pair<Vec3, Vec3> IpcStage::bounds() const {
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
    for (std::size_t i = 0; i < actors.size(); ++i) {
        const auto [from, to] = bounding_box(actors[i].x);
        low = i == 0 ? from : Vec3(low.cwiseMin(from)), high = i == 0 ? to : Vec3(high.cwiseMax(to));
    }
    return {low, high};
}

void IpcStage::refuse_shape(const IpcActor& actor, const std::string& keyword, const std::string& expected) const {
    throw InputError(file, fmt::format("line {}", actor.shape->line), keyword, expected);
}

void IpcStage::refuse(const std::string& value, const std::string& expected) const {
    throw InputError(file, fmt::format("line {}: script {}", script.animation_line, script.animation), value, expected);
}

}  // namespace stiction::scene
