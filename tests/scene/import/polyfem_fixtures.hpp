// A small scene for every key of PolyFEM's scenes.
#pragma once

#include "stiction/scene/json_document.hpp"

#include "scene/import/polyfem_testing.hpp"

namespace polyfem_testing {

using stiction::scene::Json;

struct PolyfemFixture {
    std::vector<std::string> paths;  ///< of keys, as the table of the page has them
    const char* patch;  ///< merge patch of `scene_of(body_of("cube.msh"))` in which each key has a value that matters
};

extern const std::vector<PolyfemFixture> polyfem_fixtures;

/// The files that the fixtures name.
void write_files_of_fixtures(const PolyfemFolder& folder);

}  // namespace polyfem_testing
