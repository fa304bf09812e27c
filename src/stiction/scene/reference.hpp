// The published description of scene files, made from the reader's own list of keys.
#pragma once

#include <string>
#include <vector>

namespace stiction {

/// JSON Schema (draft 2020-12) of a scene file: docs/scene.schema.json.
std::string scene_schema();

/// A table of keys for docs/scene.md.
struct ReferenceTable {
    std::string name;      ///< of the definition, e.g. "material"
    std::string markdown;  ///< header, and one row a key: key, unit, default, range, meaning
};

/// The tables of docs/scene.md: one for every kind of object.
std::vector<ReferenceTable> scene_reference();

}  // namespace stiction
