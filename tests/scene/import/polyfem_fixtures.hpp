// A small scene for every key of PolyFEM's scenes.
#pragma once

#include "stiction/scene/json_document.hpp"

#include "scene/import/polyfem_testing.hpp"

#include <map>

namespace polyfem_testing {

using stiction::scene::Json;

struct PolyfemFixture {
    std::vector<std::string> paths;  ///< of keys, as the table of the page has them
    const char* patch;  ///< merge patch of `scene_of(body_of("cube.msh"))` in which each key has a value that matters
};

extern const std::vector<PolyfemFixture> polyfem_fixtures;

struct PolyfemOtherValue {
    const char* json;
    const char* error = "";  ///< that the rest of the fixture has with this value; "": it imports
};

/// Values of keys that must be there, other than in the fixture, where the test knows none: texts, ids and the like.
extern const std::map<std::string, PolyfemOtherValue> polyfem_other_values;

/// The files that the fixtures name.
void write_files_of_fixtures(const PolyfemFolder& folder);

}  // namespace polyfem_testing
