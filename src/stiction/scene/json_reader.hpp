// The archive that fills a spec from JSON: every key is known, typed and in range, or an InputError says which is not.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/scene/field.hpp"
#include "stiction/scene/json_document.hpp"
#include "stiction/world/trajectory.hpp"

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace stiction::scene {

/// See spec_fields.hpp for what an archive offers. All errors name the file and the full path of the key.
class JsonReader {
public:
    static constexpr bool is_reader = true;  ///< of the archives, the one that fills in
    explicit JsonReader(std::string file) : file_(std::move(file)) {}

    template <class T>
    void read_document(const Json& document, T& value) {
        read(document, "", value, Field{"", "", "an object"});
    }

    template <class T>
    void field(T& value, const Field& f) {
        if (const Json* json = find(f.key)) read(*json, path_of(f.key), value, f);
    }
    template <class T>
    void input(T& value, const Field& f) {
        field(value, f);
    }
    void flag(bool& value, const Field& f);
    void choice(std::string& value, const Field& f, const std::vector<std::string>& names);
    void choice(std::optional<std::string>& value, const Field& f, const std::vector<std::string>& names);
    void choice(std::vector<std::string>& value, const Field& f, const std::vector<std::string>& names);
    void scale(std::optional<Vec3>& value, const Field& f);
    void keyframes(std::optional<std::vector<Keyframe>>& value, const Field& f);

    template <class T>
    void shorthand(T& value, const Field& f, const char* key) {
        const Json* json = find(f.key);
        if (!json) return;
        Json wrapped = Json::object();
        if (!json->is_object()) wrapped[key] = *json;
        read(json->is_object() ? *json : wrapped, path_of(f.key), value, f);
    }
    template <class T>
    void shorthand_optional(std::optional<T>& value, const Field& f, const char* key) {
        if (find(f.key)) shorthand(value.emplace(), f, key);
    }
    template <class T>
    void one_or_many(std::vector<T>& value, const Field& f) {
        const Json* json = find(f.key);
        if (!json) return;
        if (json->is_object())
            read(*json, path_of(f.key), value.emplace_back(), f);
        else
            read(*json, path_of(f.key), value, f);
    }
    template <class Visit>
    void variant(const char* name, const std::optional<std::string>& chosen, const Visit& visit) {
        if (chosen && *chosen == name) visit();
    }

    void refuse(const char* key, const char* expected) { wrong(path_of(key), *find(key), expected); }
    void require(const char* key) { level().rules.push_back({1, 1, {key}}); }
    void exactly_one(std::initializer_list<const char*> keys) {
        level().rules.push_back({1, 1, {keys.begin(), keys.end()}});
    }
    void at_least_one(std::initializer_list<const char*> keys) {
        level().rules.push_back({1, keys.size(), {keys.begin(), keys.end()}});
    }
    void at_most_one(std::initializer_list<const char*> keys) {
        level().rules.push_back({0, 1, {keys.begin(), keys.end()}});
    }

private:
    struct Rule {
        std::size_t least, most;
        std::vector<std::string> keys;
    };
    /// The object being read, the keys that were asked for, and what must hold among them.
    struct Level {
        const Json* object;
        std::string path;
        std::vector<std::string> known;
        std::vector<Rule> rules;
    };

    Level& level() { return levels_.back(); }
    const Json* find(const char* key);
    std::string path_of(const std::string& key) const;
    void finish_object();
    void check_rule(const Rule& rule);
    std::string read_choice(const Json& json, const std::string& path, const std::vector<std::string>& names);
    [[noreturn]] void wrong(const std::string& path, const Json& json, const std::string& expected) const;

    void read(const Json& json, const std::string& path, double& value, const Field& f);
    void read(const Json& json, const std::string& path, int& value, const Field& f);
    void read(const Json& json, const std::string& path, bool& value, const Field& f);
    void read(const Json& json, const std::string& path, std::string& value, const Field& f);
    void read(const Json& json, const std::string& path, Vec3& value, const Field& f);

    template <class T, std::size_t N>
    void read(const Json& json, const std::string& path, std::array<T, N>& value, const Field& f) {
        if (!json.is_array() || json.size() != N) wrong(path, json, "a list of " + std::to_string(N) + " entries");
        for (std::size_t i = 0; i < N; ++i) read(json[i], path + "[" + std::to_string(i) + "]", value[i], f);
    }
    template <class T>
    void read(const Json& json, const std::string& path, std::vector<T>& value, const Field& f) {
        if (!json.is_array()) wrong(path, json, "a list");
        value.assign(json.size(), T{});
        for (std::size_t i = 0; i < json.size(); ++i) read(json[i], path + "[" + std::to_string(i) + "]", value[i], f);
    }
    template <class T>
    void read(const Json& json, const std::string& path, std::optional<T>& value, const Field& f) {
        read(json, path, value.emplace(), f);
    }
    template <class T>
    void read(const Json& json, const std::string& path, T& value, const Field&) {
        if (!json.is_object()) wrong(path, json, "an object {...}");
        levels_.push_back({&json, path, {}, {}});
        describe(*this, value);
        finish_object();
        levels_.pop_back();
    }

    std::string file_;
    std::vector<Level> levels_;
};

}  // namespace stiction::scene
