// Status files of the IPC reference code: "timestep n", "position n 3", "velocity 3n" and others. Each section has a
// name and counts, whose product is how many numbers stand below.
#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

namespace stiction::scene {
namespace {

namespace fs = std::filesystem;

struct StatusSection {
    std::vector<double> counts, values;
    int line = 0;
    std::size_t expected = 0;  ///< values
};

class StatusReader {
public:
    StatusReader(const IpcStage& stage, fs::path file)
        : script_(stage.file), line_(stage.script.restart_line), file_(std::move(file)) {
        for (const IpcActor& actor : stage.actors) vertices_ += actor.x.size();
    }

    void read() {
        StatusSection* now = nullptr;
        for (const IpcLine& line : split_ipc_lines(text())) {
            if (line.words.empty()) continue;
            if (now && now->values.size() < now->expected)
                add_values(*now, line);
            else
                now = &begin(line);
        }
        if (now && now->values.size() < now->expected) refuse_count(*now);
    }

    /// How many steps were done.
    int step() const {
        const StatusSection& section = find("timestep");
        const char* expected = "one whole number from 0 to 1e9";
        if (section.counts.size() != 1) refuse(section.line, "timestep", expected);
        return static_cast<int>(section.counts.front());
    }

    /// Vectors of a section, for the first vertices of all shapes.
    /// @param shape  what the section's line says: the number of vectors and 3, or their product
    std::vector<Vec3> vectors(const std::string& name, std::size_t shape) const {
        const StatusSection& section = find(name);
        const bool is_list = section.counts.size() == shape && (shape == 1 || section.counts.back() == 3.0);
        if (!is_list || section.expected % 3 != 0 || section.expected / 3 > vertices_)
            refuse(section.line, fmt::format("{} numbers", section.expected),
                   fmt::format("three for each of at most {} vertices, as `{}`", vertices_,
                               shape == 1 ? name + " 3n" : name + " n 3"));
        std::vector<Vec3> vectors;
        for (std::size_t k = 0; k < section.values.size(); k += 3)
            vectors.emplace_back(section.values[k], section.values[k + 1], section.values[k + 2]);
        return vectors;
    }

private:
    std::string text() const {
        std::ifstream stream(file_, std::ios::binary);
        std::error_code error;
        if (!stream || fs::is_directory(file_, error))
            throw InputError(script_, field(), file_.string(), "a file that can be read");
        return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    }

    StatusSection& begin(const IpcLine& line) {
        const std::string& name = line.words.front();
        if (ipc_number(name)) refuse(line.number, name, "a name such as timestep, position or velocity");
        const auto [entry, is_new] = sections_.try_emplace(name);
        if (!is_new) refuse(line.number, name, "each name once");
        StatusSection& section = entry->second;
        section.line = line.number;
        double product = name == "timestep" ? 0.0 : 1.0;
        for (std::size_t k = 1; k < line.words.size(); ++k) {
            const auto count = ipc_number(line.words[k]);
            if (!count || *count < 0.0 || *count > 1e9 || *count != std::floor(*count))
                refuse(line.number, line.words[k], "a whole number from 0 to 1e9");
            section.counts.push_back(*count);
            product *= *count;
        }
        if (section.counts.empty()) refuse(line.number, name, "a name and how many numbers follow");
        if (product > 1e9) refuse(line.number, fmt::format("{:g} numbers", product), "at most 1e9");
        section.expected = static_cast<std::size_t>(product);
        return section;
    }

    void add_values(StatusSection& section, const IpcLine& line) const {
        for (const std::string& word : line.words) {
            const auto value = ipc_number(word);
            // A name in place of a number: the section is too short.
            if (!value && is_section_name(word)) refuse_count(section);
            if (!value || section.values.size() == section.expected)
                refuse(line.number, word, fmt::format("{} numbers for line {}", section.expected, section.line));
            section.values.push_back(*value);
        }
    }

    static bool is_section_name(const std::string& word) {
        return word == "timestep" || word == "position" || word == "velocity" || word == "acceleration" ||
               word == "dx_Elastic";
    }

    const StatusSection& find(const std::string& name) const {
        const auto found = sections_.find(name);
        if (found == sections_.end())
            throw InputError(script_, fmt::format("{}: {}: {}", field(), file_.string(), name), "missing",
                             "a status file of the IPC reference code");
        return found->second;
    }

    [[noreturn]] void refuse_count(const StatusSection& section) const {
        refuse(section.line, fmt::format("{} numbers", section.values.size()),
               fmt::format("{} below", section.expected));
    }

    [[noreturn]] void refuse(int line, const std::string& value, const std::string& expected) const {
        throw InputError(script_, fmt::format("{}: {}, line {}", field(), file_.string(), line), value, expected);
    }

    std::string field() const { return fmt::format("line {}: restart", line_); }

    const std::string& script_;
    int line_;  ///< of the script
    fs::path file_;
    std::size_t vertices_ = 0;  ///< of all shapes
    std::map<std::string, StatusSection> sections_;
};

/// Gives the vertices of all shapes, in order, what a list says of the first ones.
template <class Give>
void give_out(IpcStage& stage, const std::vector<Vec3>& list, const Give& give) {
    std::size_t at = 0;
    for (IpcActor& actor : stage.actors)
        for (std::size_t v = 0; v < actor.x.size() && at < list.size(); ++v) give(actor, v, list[at++]);
}

}  // namespace

int restart_ipc_stage(IpcStage& stage, const fs::path& file) {
    StatusReader status(stage, file);
    status.read();
    const int step = status.step();
    give_out(stage, status.vectors("position", 2),
             [](IpcActor& actor, std::size_t v, const Vec3& x) { actor.x[v] = x; });
    for (IpcActor& actor : stage.actors) actor.start.emplace().positions = actor.x;
    give_out(stage, status.vectors("velocity", 1),
             [](IpcActor& actor, std::size_t v, const Vec3& u) { actor.own_velocities()[v] = u; });
    return step;
}

}  // namespace stiction::scene
