// Status files of the IPC reference code: "timestep n", "position n 3", "velocity 3n" and others, each with its numbers
// below.
#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"

#include <fmt/format.h>

#include <map>

namespace stiction::scene {
namespace {

/// The sections of a status file by name: the numbers behind the name, then those below.
struct StatusSection {
    std::vector<double> header, values;
    int line = 0;
};

std::map<std::string, StatusSection> status_sections(const std::string& text, const std::string& file) {
    std::map<std::string, StatusSection> sections;
    StatusSection* now = nullptr;
    for (const IpcLine& line : split_ipc_lines(text)) {
        if (line.words.empty()) continue;
        const bool named = !ipc_number(line.words[0]);
        if (named) {
            now = &sections[line.words[0]];
            now->line = line.number;
        }
        for (std::size_t k = named ? 1 : 0; k < line.words.size(); ++k) {
            const auto value = ipc_number(line.words[k]);
            if (!value || now == nullptr)
                throw InputError(file, fmt::format("line {}", line.number), line.words[k],
                                 "a status file of the IPC reference code");
            (named ? now->header : now->values).push_back(*value);
        }
    }
    return sections;
}

/// Vectors of a section, for the first vertices of all shapes.
std::vector<Vec3> vectors_of(const StatusSection& section, std::size_t most, const std::string& file) {
    if (section.values.size() % 3 != 0 || section.values.size() / 3 > most)
        throw InputError(file, fmt::format("line {}", section.line), fmt::format("{} numbers", section.values.size()),
                         fmt::format("three for each of at most {} vertices", most));
    std::vector<Vec3> vectors;
    for (std::size_t k = 0; k + 2 < section.values.size(); k += 3)
        vectors.emplace_back(section.values[k], section.values[k + 1], section.values[k + 2]);
    return vectors;
}

/// Gives the vertices of all shapes, in order, what a list says of the first ones.
template <class Give>
void give_out(IpcStage& stage, const std::vector<Vec3>& list, const Give& give) {
    std::size_t at = 0;
    for (IpcActor& actor : stage.actors)
        for (std::size_t v = 0; v < actor.x.size() && at < list.size(); ++v) give(actor, v, list[at++]);
}

}  // namespace

int restart_ipc_stage(IpcStage& stage, const std::string& text, const std::string& file) {
    auto sections = status_sections(text, file);
    std::size_t vertices = 0;
    for (const IpcActor& actor : stage.actors) vertices += actor.x.size();
    const auto positions = sections.find("position"), velocities = sections.find("velocity");
    if (positions == sections.end())
        throw InputError(file, "position", "missing", "a status file of the IPC reference code");
    give_out(stage, vectors_of(positions->second, vertices, file),
             [](IpcActor& actor, std::size_t v, const Vec3& x) { actor.x[v] = x; });
    for (IpcActor& actor : stage.actors) actor.start.emplace().positions = actor.x;
    if (velocities != sections.end()) {
        give_out(stage, vectors_of(velocities->second, vertices, file),
                 [](IpcActor& actor, std::size_t v, const Vec3& u) { actor.own_velocities()[v] = u; });
    }
    const std::vector<double>& step = sections["timestep"].header;
    return step.empty() ? 0 : static_cast<int>(step.front());
}

}  // namespace stiction::scene
