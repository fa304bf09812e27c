// Text -> JSON document, with places in messages; overrides of single values.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace stiction::scene {

using Json = nlohmann::ordered_json;

/// Parses strict JSON. Throws InputError naming `file` with line and column of a syntax error, or the path of a key
/// that occurs twice.
Json parse_json(const std::string& text, const std::string& file);

/// Applies "a.b[0].c=value": the value is read as JSON or, when it is none, as text. Missing objects on the way are
/// created, entries of lists must exist. `time.steps` takes the place of `time.end` and the other way round. Throws
/// InputError naming the override.
void apply_override(Json& document, const std::string& override_text);

/// A value as it is quoted in messages: compact and shortened.
std::string quoted(const Json& value);

}  // namespace stiction::scene
