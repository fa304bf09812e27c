#include "stiction/scene/scene_text.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/json_document.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;
using scene::Json;

/// An entry of a list that may be given as its only entry.
Json& entry_of(Json& list, std::size_t i) {
    return list.is_array() ? list.at(i) : list;
}

Json as_json(const Vec3& v) {
    return Json::array({v[0], v[1], v[2]});
}

void shift_selection(Json& owner, const std::optional<SelectionSpec>& spec, const Vec3& shift) {
    if (!spec || !owner.contains("select") || !owner.at("select").is_object()) return;
    Json& select = owner.at("select");
    if (spec->box && !spec->box->relative) {
        select.at("box")["min"] = as_json(spec->box->min + shift);
        select.at("box")["max"] = as_json(spec->box->max + shift);
    } else if (spec->sphere) {
        select.at("sphere")["center"] = as_json(spec->sphere->center + shift);
    } else if (spec->half_space) {
        select.at("half_space")["point"] = as_json(spec->half_space->point + shift);
    }
}

void shift_start(Json& start, const StartSpec& spec, const Vec3& shift) {
    if (!spec.positions) {
        start["translation"] = as_json(spec.translation + shift);
        return;
    }
    Json positions = Json::array();
    for (const Vec3& x : *spec.positions) positions.push_back(as_json(x + shift));
    start["positions"] = std::move(positions);
}

void shift_body(Json& body, const BodySpec& spec, const Vec3& shift) {
    if (spec.start) return shift_start(body.at("start"), *spec.start, shift);
    body["transform"]["translation"] = as_json(spec.transform.translation + shift);
    for (std::size_t i = 0; i < spec.parts.size(); ++i)
        shift_selection(entry_of(body.at("parts"), i), spec.parts[i].select, shift);
    for (std::size_t i = 0; i < spec.forces.size(); ++i)
        shift_selection(entry_of(body.at("forces"), i), spec.forces[i].select, shift);
}

std::string relocated(const std::string& path, const fs::path& from, const fs::path& to) {
    if (fs::path(path).is_absolute()) return path;
    return (from / path).lexically_normal().lexically_relative(to).generic_string();
}

/// Every path of a body or obstacle: `mesh` and `collision_mesh` as a text, `file`, `folder`, `files`.
void relocate(Json& value, const fs::path& from, const fs::path& to) {
    if (!value.is_structured()) return;
    for (auto& [key, inner] : value.items()) {
        const bool names_file = key == "mesh" || key == "collision_mesh" || key == "file" || key == "folder";
        if (names_file && inner.is_string()) {
            inner = relocated(inner.get<std::string>(), from, to);
        } else if (key == "files" && inner.is_array()) {
            for (Json& file : inner) file = relocated(file.get<std::string>(), from, to);
        } else {
            relocate(inner, from, to);
        }
    }
}

}  // namespace

std::string shifted_scene_text(const std::string& text, const SceneSpec& spec, const std::vector<Vec3>& shifts) {
    STICTION_CHECK(shifts.size() == spec.bodies.size(), "a shift for every body");
    Json document = scene::parse_json(text, spec.origin.file);
    for (std::size_t b = 0; b < shifts.size(); ++b) {
        if (shifts[b] != Vec3::Zero()) shift_body(entry_of(document.at("bodies"), b), spec.bodies[b], shifts[b]);
    }
    return document.dump(2) + "\n";
}

std::string relocated_scene_text(const std::string& text, const fs::path& from, const fs::path& to) {
    const auto absolute = [](const fs::path& folder) {
        return fs::absolute(folder.empty() ? "." : folder).lexically_normal();
    };
    const fs::path old_folder = absolute(from), new_folder = absolute(to);
    if (old_folder == new_folder || old_folder / "" == new_folder / "") return text;
    Json document = scene::parse_json(text, "");
    for (const char* key : {"bodies", "obstacles"}) {
        if (document.contains(key)) relocate(document.at(key), old_folder, new_folder);
    }
    return document.dump(2) + "\n";
}

}  // namespace stiction
