#include "stiction/scene/reference.hpp"

#include "stiction/scene/schema_builder.hpp"
#include "stiction/scene/spec_fields.hpp"

#include <fmt/format.h>

namespace stiction {
namespace scene {
namespace {

/// Integers where the number is one, so that the schema reads as people write.
Json plain_number(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
    return value;
}

void add_range(Json& schema, const Range& range) {
    if (std::isfinite(range.low)) schema[range.low_open ? "exclusiveMinimum" : "minimum"] = plain_number(range.low);
    if (std::isfinite(range.high)) schema[range.high_open ? "exclusiveMaximum" : "maximum"] = plain_number(range.high);
}

}  // namespace

Json SchemaBuilder::schema_of(double&, const Field& f) {
    Json schema{{"type", "number"}};
    add_range(schema, f.range);
    return schema;
}

Json SchemaBuilder::schema_of(int&, const Field& f) {
    Json schema{{"type", "integer"}};
    add_range(schema, f.range);
    return schema;
}

Json SchemaBuilder::list_of(Json items, int count) {
    return Json{{"type", "array"}, {"items", std::move(items)}, {"minItems", count}, {"maxItems", count}};
}

void SchemaBuilder::keyframes(std::optional<std::vector<Keyframe>>&, const Field& f) {
    Vec3 displacement;
    Json entry{{"type", "array"}, {"minItems", 2}, {"maxItems", 2}};
    entry["prefixItems"] = Json::array({Json{{"type", "number"}}, schema_of(displacement, f)});
    add(Json{{"type", "array"}, {"minItems", 1}, {"items", std::move(entry)}}, f);
}

void SchemaBuilder::add(Json schema, const Field& f) {
    if (*f.meaning) schema["description"] = f.meaning;
    if (*f.unit) schema["x-unit"] = f.unit;
    if (*f.absent) schema["x-absent"] = f.absent;
    levels_.back()["properties"][f.key] = std::move(schema);
}

void SchemaBuilder::add_rule(const char* word, std::initializer_list<const char*> keys) {
    Json cases = Json::array();
    for (const char* key : keys) cases.push_back(Json{{"required", Json::array({key})}});
    Json rule = Json::object();
    rule[word] = std::move(cases);
    levels_.back()["allOf"].push_back(std::move(rule));
}

void SchemaBuilder::at_most_one(std::initializer_list<const char*> keys) {
    for (auto a = keys.begin(); a != keys.end(); ++a) {
        for (auto b = a + 1; b != keys.end(); ++b) {
            levels_.back()["allOf"].push_back(Json{{"not", Json{{"required", Json::array({*a, *b})}}}});
        }
    }
}

void SchemaBuilder::add_variant(const std::string& name, Json properties) {
    Json& object = levels_.back();
    Json names = Json::array({"generate"});
    for (const auto& [key, unused] : properties.items()) {
        names.push_back(key);
        object["dependentRequired"][key] = Json::array({"generate"});
        if (!object["properties"].contains(key)) object["properties"][key] = true;
    }
    Json condition{{"required", Json::array({"generate"})}, {"properties", Json{{"generate", Json{{"const", name}}}}}};
    Json then{{"properties", std::move(properties)}, {"propertyNames", Json{{"enum", std::move(names)}}}};
    object["allOf"].push_back(Json{{"if", std::move(condition)}, {"then", std::move(then)}});
}

namespace {

std::string range_text(const Json& schema) {
    if (schema.contains("const")) return "`true`";
    if (schema.contains("enum")) {
        std::string text;
        for (const auto& name : schema["enum"])
            text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name.get<std::string>());
        return text;
    }
    Range range;
    if (schema.contains("minimum")) range.low = schema["minimum"].get<double>(), range.low_open = false;
    if (schema.contains("exclusiveMinimum")) range.low = schema["exclusiveMinimum"].get<double>();
    if (schema.contains("maximum")) range.high = schema["maximum"].get<double>(), range.high_open = false;
    if (schema.contains("exclusiveMaximum")) range.high = schema["exclusiveMaximum"].get<double>();
    return range.text();
}

/// What may stand as the value, in words: "number > 0", "list of 3 numbers", "[select](#select)".
std::string type_text(const Json& schema) {
    if (schema.contains("$ref")) {
        const std::string ref = schema["$ref"].get<std::string>();
        const std::string name = ref.substr(ref.rfind('/') + 1);
        return fmt::format("[{}](#{})", name, name);
    }
    if (schema.contains("oneOf")) return type_text(schema["oneOf"][0]) + " or " + type_text(schema["oneOf"][1]);
    if (schema.contains("const") || schema.contains("enum")) return range_text(schema);
    const std::string type = schema["type"].get<std::string>();
    if (type == "string") return "text";
    if (type != "array") return range_text(schema).empty() ? type : type + " " + range_text(schema);
    if (schema["items"].contains("prefixItems")) return "list of [number, list of 3 numbers]";
    const std::string count = schema.contains("maxItems") ? std::to_string(schema["maxItems"].get<int>()) + " x " : "";
    return fmt::format("list of {}{}", count, type_text(schema["items"]));
}

std::string default_text(const Json& schema, bool required) {
    if (required) return "required";
    if (schema.contains("default")) {
        const std::string text = schema["default"].dump();
        return text == "\"\"" && schema.contains("x-absent") ? schema["x-absent"].get<std::string>() : "`" + text + "`";
    }
    return schema.contains("x-absent") ? schema["x-absent"].get<std::string>() : "those of its keys";
}

std::string table(const Json& properties, const Json& required) {
    std::string text = "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
    for (const auto& [key, schema] : properties.items()) {
        if (schema.is_boolean()) continue;  // a key of some variants only, listed there
        const bool is_required = std::find(required.begin(), required.end(), key) != required.end();
        text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key, type_text(schema), schema.value("x-unit", ""),
                            default_text(schema, is_required), schema.value("description", ""));
    }
    return text;
}

Json build_definitions() {
    SchemaBuilder builder;
    SceneSpec spec;
    builder.define(spec);
    MotionSpec motion;
    builder.define(motion);
    return std::move(builder.definitions);
}

}  // namespace
}  // namespace scene

std::string scene_schema() {
    using scene::Json;
    Json definitions = scene::build_definitions();
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "stiction scene"}};
    schema["description"] =
        "A scene of the simulator stiction. SI units, y is up. Made from the reader's own list of keys; docs/scene.md "
        "explains it.";
    for (auto& [key, value] : definitions["scene"].items()) schema[key] = value;
    definitions.erase("scene");
    schema["$defs"] = std::move(definitions);
    return schema.dump(2) + "\n";
}

std::vector<ReferenceTable> scene_reference() {
    using scene::Json;
    std::vector<ReferenceTable> tables;
    const Json definitions = scene::build_definitions();
    for (const auto& [name, definition] : definitions.items()) {
        const Json required = definition.value("required", Json::array());
        tables.push_back({name, scene::table(definition["properties"], required)});
        for (const auto& rule : definition.value("allOf", Json::array())) {
            if (!rule.contains("if")) continue;
            const std::string variant = rule["if"]["properties"]["generate"]["const"].get<std::string>();
            tables.push_back({name + " " + variant, scene::table(rule["then"]["properties"], Json::array())});
        }
    }
    return tables;
}

}  // namespace stiction
