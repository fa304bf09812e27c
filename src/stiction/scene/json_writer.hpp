// The archive that writes a spec as JSON: every key that JsonReader would read, defaults included; empty optionals are
// left out.
#pragma once

#include "stiction/scene/field.hpp"
#include "stiction/scene/json_document.hpp"
#include "stiction/world/trajectory.hpp"

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace stiction::scene {

/// See spec_fields.hpp for what an archive offers.
class JsonWriter {
public:
    static constexpr bool is_reader = false;
    template <class T>
    Json write(T& value) {
        levels_.push_back(Json::object());
        describe(*this, value);
        Json result = std::move(levels_.back());
        levels_.pop_back();
        return result;
    }

    /// One value without its key.
    template <class T>
    static Json json_of(T& value) {
        return JsonWriter().to_json(value);
    }

    template <class T>
    void field(T& value, const Field& f) {
        put(f.key, to_json(value));
    }
    template <class T>
    void field(std::optional<T>& value, const Field& f) {
        if (value) put(f.key, to_json(*value));
    }
    template <class T>
    void input(T&, const Field&) {}
    void flag(bool& value, const Field& f) {
        if (value) put(f.key, true);
    }
    template <class T>
    void choice(T& value, const Field& f, const std::vector<std::string>&) {
        field(value, f);
    }
    void scale(std::optional<Vec3>& value, const Field& f) { field(value, f); }
    void keyframes(std::optional<std::vector<Keyframe>>& value, const Field& f) {
        if (!value) return;
        Json list = Json::array();
        for (auto& key : *value) list.push_back(Json::array({key.time, to_json(key.displacement)}));
        put(f.key, std::move(list));
    }
    template <class T>
    void shorthand(T& value, const Field& f, const char*) {
        field(value, f);
    }
    template <class T>
    void shorthand_optional(std::optional<T>& value, const Field& f, const char*) {
        field(value, f);
    }
    template <class T>
    void one_or_many(std::vector<T>& value, const Field& f) {
        field(value, f);
    }
    template <class Visit>
    void variant(const char* name, const std::optional<std::string>& chosen, const Visit& visit) {
        if (chosen && *chosen == name) visit();
    }
    void refuse(const char*, const char*) {}
    void require(const char*) {}
    void exactly_one(std::initializer_list<const char*>) {}
    void at_least_one(std::initializer_list<const char*>) {}
    void at_most_one(std::initializer_list<const char*>) {}

private:
    void put(const char* key, Json value) { levels_.back()[key] = std::move(value); }

    Json to_json(double& value) { return value; }
    Json to_json(int& value) { return value; }
    Json to_json(bool& value) { return value; }
    Json to_json(std::string& value) { return value; }
    Json to_json(Vec3& value) { return Json::array({value.x(), value.y(), value.z()}); }
    template <class T, std::size_t N>
    Json to_json(std::array<T, N>& value) {
        Json list = Json::array();
        for (auto& entry : value) list.push_back(to_json(entry));
        return list;
    }
    template <class T>
    Json to_json(std::vector<T>& value) {
        Json list = Json::array();
        for (auto& entry : value) list.push_back(to_json(entry));
        return list;
    }
    template <class T>
    Json to_json(T& value) {
        return write(value);
    }

    std::vector<Json> levels_;
};

}  // namespace stiction::scene
