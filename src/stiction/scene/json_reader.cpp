#include "stiction/scene/json_reader.hpp"

#include "stiction/scene/key_hints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace stiction::scene {
namespace {

/// Beyond it, and below its inverse, squares and cubes of numbers leave what a double can hold.
constexpr double largest_number = 1e50;

std::string names_text(const std::vector<std::string>& names) {
    return fmt::format("'{}'", fmt::join(names, "', '"));
}

}  // namespace

void JsonReader::flag(bool& value, const Field& f) {
    const Json* json = find(f.key);
    if (!json) return;
    if (!json->is_boolean() || !json->get<bool>()) wrong(path_of(f.key), *json, "true, or no such key");
    value = true;
}

std::string JsonReader::read_choice(const Json& json, const std::string& path, const std::vector<std::string>& names) {
    const bool is_name =
        json.is_string() && std::find(names.begin(), names.end(), json.get<std::string>()) != names.end();
    if (is_name) return json.get<std::string>();
    const std::string nearest = json.is_string() ? nearest_name(json.get<std::string>(), names) : "";
    wrong(path, json,
          nearest.empty() ? "one of " + names_text(names)
                          : fmt::format("'{}' (the names are {})", nearest, names_text(names)));
}

void JsonReader::choice(std::string& value, const Field& f, const std::vector<std::string>& names) {
    if (const Json* json = find(f.key)) value = read_choice(*json, path_of(f.key), names);
}

void JsonReader::choice(std::optional<std::string>& value, const Field& f, const std::vector<std::string>& names) {
    if (const Json* json = find(f.key)) value = read_choice(*json, path_of(f.key), names);
}

void JsonReader::choice(std::vector<std::string>& value, const Field& f, const std::vector<std::string>& names) {
    const Json* json = find(f.key);
    if (!json) return;
    if (!json->is_array()) wrong(path_of(f.key), *json, "a list");
    value.clear();
    for (std::size_t i = 0; i < json->size(); ++i) {
        const std::string path = fmt::format("{}[{}]", path_of(f.key), i);
        value.push_back(read_choice((*json)[i], path, names));
        if (std::count(value.begin(), value.end(), value.back()) > 1) wrong(path, (*json)[i], "each name once");
    }
}

void JsonReader::scale(std::optional<Vec3>& value, const Field& f) {
    const Json* json = find(f.key);
    if (!json) return;
    value.emplace();
    if (json->is_array()) {
        read(*json, path_of(f.key), *value, f);
    } else {
        double factor = 1.0;
        read(*json, path_of(f.key), factor, f);
        *value = Vec3::Constant(factor);
    }
}

void JsonReader::keyframes(std::optional<std::vector<Keyframe>>& value, const Field& f) {
    const Json* json = find(f.key);
    if (!json) return;
    const std::string path = path_of(f.key);
    if (!json->is_array() || json->empty()) wrong(path, *json, "a list of [time, [x, y, z]] entries");
    value.emplace();
    for (std::size_t i = 0; i < json->size(); ++i) {
        const Json& entry = (*json)[i];
        const std::string entry_path = fmt::format("{}[{}]", path, i);
        if (!entry.is_array() || entry.size() != 2) wrong(entry_path, entry, "[time, [x, y, z]]");
        Keyframe key{0.0, Vec3::Zero()};
        read(entry[0], entry_path + "[0]", key.time, f);
        read(entry[1], entry_path + "[1]", key.displacement, f);
        if (!value->empty() && key.time <= value->back().time)
            wrong(entry_path + "[0]", entry[0], "a time after that of the entry before");
        value->push_back(key);
    }
}

const Json* JsonReader::find(const char* key) {
    auto& known = level().known;
    if (std::find(known.begin(), known.end(), key) == known.end()) known.push_back(key);
    const auto it = level().object->find(key);
    return it == level().object->end() ? nullptr : &*it;
}

std::string JsonReader::path_of(const std::string& key) const {
    const std::string& parent = levels_.back().path;
    return parent.empty() ? key : parent + "." + key;
}

void JsonReader::finish_object() {
    const auto& known = level().known;
    for (const auto& [key, unused] : level().object->items()) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        const std::string proposed = proposed_key(key, known);
        throw InputError(file_, path_of(key), "unknown key",
                         proposed.empty() ? "one of " + names_text(known)
                                          : fmt::format("{} (the keys here are {})", proposed, names_text(known)));
    }
    for (const auto& rule : level().rules) check_rule(rule);
}

void JsonReader::check_rule(const Rule& rule) {
    std::vector<std::string> present;
    for (const auto& key : rule.keys) {
        if (level().object->contains(key)) present.push_back(key);
    }
    if (present.size() > rule.most)
        throw InputError(file_, level().path, names_text(present) + " together", "only one of them");
    if (present.size() >= rule.least) return;
    if (rule.keys.size() == 1)
        throw InputError(file_, path_of(rule.keys[0]), "missing", "a value: there is no default");
    throw InputError(file_, level().path, "", "one of the keys " + names_text(rule.keys));
}

void JsonReader::wrong(const std::string& path, const Json& json, const std::string& expected) const {
    throw InputError(file_, path.empty() ? "the document" : path, quoted(json), expected);
}

void JsonReader::read(const Json& json, const std::string& path, double& value, const Field& f) {
    std::string expected = "a number";
    if (const std::string range = f.range.text(); !range.empty()) expected += " " + range;
    if (*f.unit) expected += fmt::format(" ({})", f.unit);
    if (!json.is_number()) wrong(path, json, expected);
    value = json.get<double>();
    if (!std::isfinite(value) || !f.range.contains(value)) wrong(path, json, expected);
    if (std::abs(value) > largest_number || (value != 0.0 && std::abs(value) < 1.0 / largest_number))
        wrong(path, json,
              expected + (f.range.contains(0.0) ? ", 0 or of a size" : ", of a size") + " from 1e-50 to 1e50");
}

void JsonReader::read(const Json& json, const std::string& path, int& value, const Field& f) {
    std::string expected = "an integer";
    if (const std::string range = f.range.text(); !range.empty()) expected += " " + range;
    if (!json.is_number()) wrong(path, json, expected);
    const double number = json.get<double>();
    if (number != std::floor(number) || std::abs(number) > 2147483647.0 || !f.range.contains(number))
        wrong(path, json, expected);
    value = static_cast<int>(number);
}

void JsonReader::read(const Json& json, const std::string& path, bool& value, const Field&) {
    if (!json.is_boolean()) wrong(path, json, "true or false");
    value = json.get<bool>();
}

void JsonReader::read(const Json& json, const std::string& path, std::string& value, const Field&) {
    if (!json.is_string()) wrong(path, json, "a text");
    value = json.get<std::string>();
}

void JsonReader::read(const Json& json, const std::string& path, Vec3& value, const Field& f) {
    if (!json.is_array() || json.size() != 3) wrong(path, json, "a list of three numbers");
    for (int i = 0; i < 3; ++i) read(json[static_cast<std::size_t>(i)], fmt::format("{}[{}]", path, i), value[i], f);
}

}  // namespace stiction::scene
