// The animations of IPC scripts by name.
#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace stiction::scene {
namespace {

std::array<const std::vector<IpcAnimation>*, 4> ipc_animation_lists() {
    return {&ipc_free_animations(), &ipc_held_animations(), &ipc_driven_animations(), &ipc_obstacle_animations()};
}

const IpcAnimation* find_ipc_animation(const std::string& name) {
    for (const auto* list : ipc_animation_lists())
        for (const IpcAnimation& animation : *list)
            if (animation.entry.name == name) return &animation;
    return nullptr;
}

[[noreturn]] void refuse_animation(const IpcStage& stage) {
    std::vector<std::string> known;
    for (const IpcKeyword& entry : ipc_animation_list()) known.push_back(entry.name);
    const std::string& name = stage.script.animation;
    const std::string nearest = nearest_name(name, known);
    throw InputError(
        stage.file, fmt::format("line {}: script", stage.script.animation_line), name,
        fmt::format("{}one of {}", nearest.empty() ? "" : "'" + nearest + "', or another ", fmt::join(known, ", ")));
}

/// Whether the animation takes the place of all accelerations on the shape lines.
bool replaces_loads(const std::string& name) {
    return name == "NMFixBottomDragLeft" || name == "NMFixBottomDragForward" || name == "utopiaComparison";
}

void note_loads(IpcStage& stage) {
    for (const IpcActor& actor : stage.actors)
        if (!actor.shape->loaded.empty())
            stage.script.no_effect(
                fmt::format("NBC on line {}: script {} overrules it", actor.shape->line, stage.script.animation));
}

}  // namespace

const std::vector<IpcKeyword>& ipc_animation_list() {
    static const std::vector<IpcKeyword> all = [] {
        std::vector<IpcKeyword> entries;
        for (const auto* list : ipc_animation_lists())
            for (const IpcAnimation& animation : *list) entries.push_back(animation.entry);
        return entries;
    }();
    return all;
}

double ipc_animation_lift(const std::string& name, const Vec3& low, const Vec3& high) {
    if (name == "fall" || name == "dragdown" || name == "dragright") return 0.5 * (high - low).norm();
    return name == "swing" ? 1.3 * (high.y() - low.y()) : 0.0;
}

void animate_ipc_stage(IpcStage& stage) {
    const std::string& name = stage.script.animation;
    const IpcAnimation* animation = find_ipc_animation(name);
    if (animation == nullptr) refuse_animation(stage);
    const std::size_t taken = name == "DCOBallHitWall" ? 1 : 0;
    if (stage.script.animation_values.size() > taken) stage.script.no_effect(fmt::format("values of script {}", name));
    if (animation->note != nullptr) stage.note(animation->note);
    if (name != "null") note_overruled_ipc_extras(stage);
    animation->run(stage);
    replaces_loads(name) ? note_loads(stage) : load_ipc_boxes(stage);
    for (const IpcActor& actor : stage.actors) {
        if (!actor.tets() && !actor.kinematic)
            stage.refuse_shape(
                actor, actor.shape->file,
                fmt::format("tetrahedra: script {} holds no other shape, and shells have no mass here", name));
    }
}

}  // namespace stiction::scene
