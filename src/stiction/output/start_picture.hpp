// A VTU file with the intersections and inverted tets that keep a scene from starting.
#pragma once

#include "stiction/world/start_check.hpp"

#include <filesystem>
#include <vector>

namespace stiction {

/// Writes the primitives of all problems at state.x as a VTU file: a cell for each primitive of each problem, so that
/// one that is in two problems is there twice. Fields of cells: `body` (world body id) and `problem` (place in the
/// list, from 0); of points: `body` and `vertex` (id in the body's own mesh). An existing file is replaced. Throws
/// InputError when the file cannot be written.
void write_start_picture(const std::filesystem::path& file, const World& world, const State& state,
                         const std::vector<StartProblem>& problems);

}  // namespace stiction
