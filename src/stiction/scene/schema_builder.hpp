// The archive that turns the list of keys into a JSON Schema.
#pragma once

#include "stiction/scene/json_writer.hpp"
#include "stiction/scene/spec.hpp"

#include <cmath>

namespace stiction::scene {

/// Name of the definition ("$defs" entry, heading of docs/scene.md) of each nested value.
inline const char* definition_name(const SceneSpec&) {
    return "scene";
}
inline const char* definition_name(const TimeSpec&) {
    return "time";
}
inline const char* definition_name(const ContactSpec&) {
    return "contact";
}
inline const char* definition_name(const PairSpec&) {
    return "pair";
}
inline const char* definition_name(const BodySpec&) {
    return "body";
}
inline const char* definition_name(const ObstacleSpec&) {
    return "obstacle";
}
inline const char* definition_name(const MeshSpec&) {
    return "mesh";
}
inline const char* definition_name(const TransformSpec&) {
    return "transform";
}
inline const char* definition_name(const RotationSpec&) {
    return "rotation";
}
inline const char* definition_name(const MaterialSpec&) {
    return "material";
}
inline const char* definition_name(const PartSpec&) {
    return "part";
}
inline const char* definition_name(const BoundarySpec&) {
    return "boundary";
}
inline const char* definition_name(const MotionSpec&) {
    return "motion";
}
inline const char* definition_name(const MoveSpec&) {
    return "move";
}
inline const char* definition_name(const RotateSpec&) {
    return "rotate";
}
inline const char* definition_name(const TwistSpec&) {
    return "twist";
}
inline const char* definition_name(const StartSpec&) {
    return "start";
}
inline const char* definition_name(const SelectionSpec&) {
    return "select";
}
inline const char* definition_name(const BoxSelection&) {
    return "box";
}
inline const char* definition_name(const ShellSpec&) {
    return "shell";
}
inline const char* definition_name(const RodSpec&) {
    return "rod";
}
inline const char* definition_name(const RigidSpec&) {
    return "rigid";
}
inline const char* definition_name(const VolumeSpec&) {
    return "volume";
}
inline const char* definition_name(const TermSpec&) {
    return "term";
}
inline const char* definition_name(const StrainLimitSpec&) {
    return "strain_limit";
}
inline const char* definition_name(const SphereSelection&) {
    return "sphere";
}
inline const char* definition_name(const HalfSpaceSpec&) {
    return "half_space";
}
inline const char* definition_name(const ForceSpec&) {
    return "force";
}
inline const char* definition_name(const SequenceSpec&) {
    return "sequence";
}
inline const char* definition_name(const OutputSpec&) {
    return "output";
}
inline const char* definition_name(const VerdictLimits&) {
    return "verdict";
}
inline const char* definition_name(const ImportSpec&) {
    return "imported";
}
inline const char* definition_name(const ipc::Options&) {
    return "ipc";
}
inline const char* definition_name(const implicit::Options&) {
    return "implicit";
}
inline const char* definition_name(const mlcp::Options&) {
    return "mlcp";
}
inline const char* definition_name(const local_global::Attachment&) {
    return "attachment";
}
inline const char* definition_name(const local_global::Cable&) {
    return "cable";
}
inline const char* definition_name(const local_global::Options&) {
    return "local_global";
}

/// See spec_fields.hpp for what an archive offers. Keywords of our own: "x-unit", and "x-absent" for what an absent key
/// means.
class SchemaBuilder {
public:
    static constexpr bool is_reader = false;
    /// Definitions by name, in the order in which a reader of the documentation meets them.
    Json definitions = Json::object();

    /// Adds the definition of T and of everything in it.
    template <class T>
    void define(T& value) {
        const std::string name = definition_name(value);
        if (definitions.contains(name)) return;
        definitions[name] = Json::object();  // keeps its place in the order
        Json definition{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
        levels_.push_back(std::move(definition));
        describe(*this, value);
        definitions[name] = std::move(levels_.back());
        levels_.pop_back();
    }

    template <class T>
    void field(T& value, const Field& f) {
        Json schema = schema_of(value, f);
        if constexpr (has_default<T>) schema["default"] = JsonWriter::json_of(value);
        add(std::move(schema), f);
    }
    template <class T>
    void field(std::optional<T>&, const Field& f) {
        T value{};
        add(schema_of(value, f), f);
    }
    template <class T>
    void input(std::optional<T>& value, const Field& f) {
        field(value, f);
    }
    void flag(bool&, const Field& f) { add(Json{{"const", true}}, f); }
    void choice(std::string& value, const Field& f, const std::vector<std::string>& names) {
        add(Json{{"enum", names}, {"default", value}}, f);
    }
    void choice(std::optional<std::string>&, const Field& f, const std::vector<std::string>& names) {
        add(Json{{"enum", names}}, f);
    }
    void choice(std::vector<std::string>& value, const Field& f, const std::vector<std::string>& names) {
        add(Json{{"type", "array"}, {"items", Json{{"enum", names}}}, {"uniqueItems", true}, {"default", value}}, f);
    }
    void scale(std::optional<Vec3>&, const Field& f) {
        double factor = 1.0;
        Vec3 factors = Vec3::Ones();
        Json schema = Json::object();
        schema["oneOf"] = Json::array({schema_of(factor, f), schema_of(factors, f)});
        add(std::move(schema), f);
    }
    void keyframes(std::optional<std::vector<Keyframe>>&, const Field& f);

    template <class T>
    void shorthand(T& value, const Field& f, const char* key) {
        Json nested = schema_of(value, f);
        Json bare = definitions[definition_name(value)]["properties"][key];
        Json schema = Json::object();
        schema["oneOf"] = Json::array({std::move(nested), std::move(bare)});
        add(std::move(schema), f);
    }
    template <class T>
    void shorthand_optional(std::optional<T>&, const Field& f, const char* key) {
        T value{};
        shorthand(value, f, key);
    }
    template <class T>
    void one_or_many(std::vector<T>& value, const Field& f) {
        T entry{};
        Json schema = Json::object();
        Json list = schema_of(value, f);
        const bool may_be_empty = !std::isfinite(f.range.low);
        if (!may_be_empty) list["minItems"] = static_cast<int>(f.range.low);
        schema["oneOf"] = Json::array({std::move(list), schema_of(entry, f)});
        if (may_be_empty) schema["default"] = Json::array();
        add(std::move(schema), f);
    }
    template <class Visit>
    void variant(const char* name, const std::optional<std::string>&, const Visit& visit) {
        levels_.push_back(Json{{"properties", Json::object()}});
        visit();
        Json inner = std::move(levels_.back()["properties"]);
        levels_.pop_back();
        add_variant(name, std::move(inner));
    }

    void refuse(const char*, const char*) {}
    void require(const char* key) { levels_.back()["required"].push_back(key); }
    void exactly_one(std::initializer_list<const char*> keys) { add_rule("oneOf", keys); }
    void at_least_one(std::initializer_list<const char*> keys) { add_rule("anyOf", keys); }
    void at_most_one(std::initializer_list<const char*> keys);

private:
    template <class T>
    static constexpr bool has_default = !requires(const T& t) {
        definition_name(t);
    };

    void add(Json schema, const Field& f);
    void add_rule(const char* word, std::initializer_list<const char*> keys);
    void add_variant(const std::string& name, Json properties);

    static Json schema_of(double&, const Field& f);
    static Json schema_of(int&, const Field& f);
    static Json schema_of(bool&, const Field&) { return Json{{"type", "boolean"}}; }
    static Json schema_of(std::string&, const Field&) { return Json{{"type", "string"}}; }
    static Json schema_of(Vec3& value, const Field& f) { return list_of(schema_of(value.x(), f), 3); }
    static Json list_of(Json items, int count);

    template <class T, std::size_t N>
    Json schema_of(std::array<T, N>& value, const Field& f) {
        return list_of(schema_of(value[0], f), static_cast<int>(N));
    }
    template <class T>
    Json schema_of(std::vector<T>&, const Field& f) {
        T entry{};
        return Json{{"type", "array"}, {"items", schema_of(entry, f)}};
    }
    template <class T>
    Json schema_of(T& value, const Field&) {
        define(value);
        return Json{{"$ref", std::string("#/$defs/") + definition_name(value)}};
    }

    std::vector<Json> levels_;
};

}  // namespace stiction::scene
