#include "stiction/scene/parse.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/import/ipc_script.hpp"
#include "stiction/scene/import/polyfem.hpp"
#include "stiction/scene/json_reader.hpp"
#include "stiction/scene/resolve.hpp"
#include "stiction/scene/spec_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>

namespace stiction {

int steps_until(double end, double h) {
    const double steps = std::ceil(end / h * (1.0 - 1e-12));
    STICTION_CHECK(steps >= 0.0 && steps <= 1e9, "a run has a sensible number of steps");
    return static_cast<int>(steps);
}

namespace {

template <class Body>
void fill_names(std::vector<Body>& bodies, const char* prefix) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (bodies[i].name.empty()) bodies[i].name = fmt::format("{}{}", prefix, i);
    }
}

/// The scene that another program's file describes; nothing when the file is one of ours.
std::optional<SceneSpec> import_scene(const std::string& text, const SceneOrigin& origin) {
    const std::string extension = lower_extension(origin.file);
    if (extension == ".txt" || extension == ".ipc") return scene::import_ipc_script(text, origin);
    const scene::Json document = scene::parse_json(text, origin.file);
    if (scene::is_polyfem(document)) return scene::import_polyfem(document, origin);
    return std::nullopt;
}

SceneSpec spec_of(const scene::Json& document, SceneOrigin origin) {
    SceneSpec spec;
    spec.origin = std::move(origin);
    scene::JsonReader(spec.origin.file).read_document(document, spec);
    fill_names(spec.bodies, "body");
    fill_names(spec.obstacles, "obstacle");
    validate_scene(spec);
    return spec;
}

/// Lists of one may be written without their index.
std::string without_zero_indices(std::string path) {
    for (std::size_t at = path.find("[0]"); at != std::string::npos; at = path.find("[0]", at)) path.erase(at, 3);
    return path;
}

/// One line of at most 80 characters.
std::string shortened(std::string text) {
    if (text.size() > 80) text = text.substr(0, 77) + "...";
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return text;
}

/// The override that gave `field`, or an object or list around it; "" if none did. The last one holds.
std::string override_of(const std::string& field, const std::vector<std::string>& overrides) {
    const std::string wanted = without_zero_indices(field);
    for (auto entry = overrides.rbegin(); entry != overrides.rend(); ++entry) {
        const std::string path = without_zero_indices(entry->substr(0, entry->find('=')));
        if (wanted == path || wanted.starts_with(path + ".") || wanted.starts_with(path + "["))
            return shortened(*entry);
    }
    return "";
}

/// The override that gave something inside the object or list `error.field()`, of which the error speaks; "" if none
/// did, or if the scene has the same error without those that do. The last one holds.
std::string override_inside(const InputError& error, const std::string& text, const SceneOrigin& origin,
                            const std::vector<std::string>& overrides) {
    const std::string field = without_zero_indices(error.field());
    if (field.empty()) return "";
    std::string last;
    scene::Json document = scene::parse_json(text, origin.file);
    try {
        for (const auto& entry : overrides) {
            const std::string path = without_zero_indices(entry.substr(0, entry.find('=')));
            if (path.starts_with(field + ".") || path.starts_with(field + "[")) {
                last = shortened(entry);
            } else {
                scene::apply_override(document, entry);
            }
        }
        if (!last.empty()) spec_of(document, origin);
    } catch (const InputError& other) {
        if (other.what() == std::string_view(error.what())) return "";
    }
    return last;
}

}  // namespace

std::string read_scene_text(const std::filesystem::path& file) {
    if (std::filesystem::is_directory(file)) throw InputError(file.string(), "", "a folder", "a scene file (.json)");
    std::error_code error;
    if (std::filesystem::is_character_file(file, error))
        throw InputError(file.string(), "", "a device", "a scene file (.json)");
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw InputError(file.string(), "", "cannot be opened", "a scene file (.json)");
    std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    const auto imported = import_scene(text, {file.string(), file.parent_path()});
    return imported ? resolved_json(*imported) : text;
}

SceneSpec parse_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    return parse_scene_text(read_scene_text(file), file.string(), file.parent_path(), overrides);
}

SceneSpec parse_scene_text(const std::string& text, const std::string& file, const std::filesystem::path& directory,
                           const std::vector<std::string>& overrides) {
    return parse_scene_text(text, SceneOrigin{file, directory}, overrides);
}

SceneSpec parse_scene_text(const std::string& text, const SceneOrigin& origin,
                           const std::vector<std::string>& overrides) {
    scene::Json document = scene::parse_json(text, origin.file);
    for (const auto& entry : overrides) scene::apply_override(document, entry);
    try {
        return spec_of(document, origin);
    } catch (const InputError& error) {
        std::string entry = override_of(error.field(), overrides);
        if (entry.empty()) entry = override_inside(error, text, origin, overrides);
        if (entry.empty()) throw;
        throw error.in_file(origin.file.empty() ? entry : origin.file + " with " + entry);
    }
}

void check_scene_part(const std::string& kind, const std::string& text, const std::string& name) {
    const scene::Json document = scene::parse_json(text, name);
    scene::JsonReader reader(name);
    const auto read = [&](auto value) { reader.read_document(document, value); };
    if (kind == "body") return read(BodySpec{});
    if (kind == "obstacle") return read(ObstacleSpec{});
    if (kind == "pair") return read(PairSpec{});
    if (kind == "boundary") return read(BoundarySpec{});
    if (kind == "motion") return read(MotionSpec{});
    if (kind == "force") return read(ForceSpec{});
    if (kind == "select") return read(SelectionSpec{});
    STICTION_CHECK(kind == "scene", "a part of a scene that is checked alone");
    scene::Json whole = document;
    whole["bodies"] = scene::Json::array({scene::Json{{"mesh", "none.msh"}}});
    SceneSpec spec;
    reader.read_document(whole, spec);
}

}  // namespace stiction
