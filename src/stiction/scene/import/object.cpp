#include "stiction/scene/import/object.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace stiction::scene {
namespace {

/// Paths of everything below a value that holds no further object; a list counts as one value.
void collect_leaves(const Json& json, const std::string& path, std::vector<std::string>& leaves) {
    if (!json.is_object() || json.empty()) {
        leaves.push_back(path);
        return;
    }
    for (const auto& [key, value] : json.items()) collect_leaves(value, path + "." + key, leaves);
}

/// The key that was probably meant: one that begins alike, or the nearest; "" when there is none.
std::string meant_key(const std::string& key, const std::vector<std::string>& known) {
    for (const auto& name : known) {
        if (key.size() > 3 && (name.starts_with(key) || key.starts_with(name))) return name;
    }
    return nearest_name(key, known);
}

}  // namespace

ImportObject::ImportObject(const Json& json, std::string path, ImportNotes& notes)
    : object_(&json), path_(std::move(path)), notes_(&notes) {
    if (!json.is_object())
        throw InputError(notes.file, path_.empty() ? "the document" : path_, quoted(json), "an object {...}");
}

std::string ImportObject::path_of(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
}

const Json* ImportObject::find(const std::string& key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
    const auto it = object_->find(key);
    return it == object_->end() || it->is_null() ? nullptr : &*it;
}

ImportObject ImportObject::object(const std::string& key) {
    static const Json nothing = Json::object();
    const Json* json = find(key);
    return {json ? *json : nothing, path_of(key), *notes_};
}

std::vector<const Json*> ImportObject::list(const std::string& key) {
    const Json* json = find(key);
    if (!json) return {};
    if (!json->is_array()) return {json};
    std::vector<const Json*> entries;
    for (const auto& entry : *json) entries.push_back(&entry);
    return entries;
}

std::string ImportObject::entry_path(const std::string& key, std::size_t i) {
    const Json* json = find(key);
    return json && json->is_array() ? fmt::format("{}[{}]", path_of(key), i) : path_of(key);
}

double ImportObject::number(const std::string& key, double absent) {
    const Json* json = find(key);
    return json ? import_number(*json, path_of(key), notes_->file) : absent;
}

int ImportObject::integer(const std::string& key, int absent) {
    const Json* json = find(key);
    return json ? import_integer(*json, path_of(key), notes_->file) : absent;
}

bool ImportObject::boolean(const std::string& key, bool absent) {
    const Json* json = find(key);
    if (json && !json->is_boolean()) refuse(key, "true or false");
    return json ? json->get<bool>() : absent;
}

std::string ImportObject::text(const std::string& key, const std::string& absent) {
    const Json* json = find(key);
    if (json && !json->is_string()) refuse(key, "a text");
    return json ? json->get<std::string>() : absent;
}

void ImportObject::without_effect(std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        if (const Json* json = find(key)) collect_leaves(*json, path_of(key), notes_->without_effect);
    }
}

void ImportObject::only(const char* key, const Json& value, const char* expected) {
    const Json* json = find(key);
    if (json && *json != value) refuse(key, expected);
}

void ImportObject::only_empty(const char* key, const char* expected) {
    const Json* json = find(key);
    if (!json) return;
    const bool is_empty = json->is_string() ? json->get_ref<const std::string&>().empty()
                                            : (json->is_array() || json->is_object()) && json->empty();
    if (!is_empty) refuse(key, expected);
}

void ImportObject::refuse(const std::string& key, const std::string& expected) {
    const Json* json = find(key);
    throw InputError(notes_->file, path_of(key), json ? quoted(*json) : "missing", expected);
}

const Json& ImportObject::require(const std::string& key, const std::string& expected) {
    const Json* json = find(key);
    if (!json) refuse(key, expected);
    return *json;
}

void ImportObject::finish() const {
    for (const auto& [key, unused] : object_->items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
        const std::string nearest = meant_key(key, known_);
        const std::string all = fmt::format("'{}'", fmt::join(known_, "', '"));
        throw InputError(notes_->file, path_of(key), "unknown key",
                         nearest.empty() ? "one of " + all : fmt::format("'{}' (the keys here are {})", nearest, all));
    }
}

std::array<double, 3> import_vector(const Json& json, const std::string& path, const std::string& file) {
    if (!json.is_array() || json.size() != 3) throw InputError(file, path, quoted(json), "a list of three numbers");
    std::array<double, 3> vector{};
    for (std::size_t i = 0; i < 3; ++i) vector[i] = import_number(json[i], fmt::format("{}[{}]", path, i), file);
    return vector;
}

int import_integer(const Json& json, const std::string& path, const std::string& file) {
    const double number = json.is_number() ? json.get<double>() : std::nan("");
    if (!(number == std::floor(number)) || std::abs(number) > 2147483646.0)
        throw InputError(file, path, quoted(json), "an integer");
    return static_cast<int>(number);
}

double import_number(const Json& json, const std::string& path, const std::string& file) {
    if (!json.is_number() || !std::isfinite(json.get<double>())) throw InputError(file, path, quoted(json), "a number");
    return json.get<double>();
}

}  // namespace stiction::scene
