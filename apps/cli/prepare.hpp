// What run, resume and check do alike before anything is written.
#pragma once

#include "stiction/scene/compile.hpp"

#include <string>
#include <vector>

namespace stiction::cli {

/// Overrides as `--set` gives them, completed by the options that stand for one.
std::vector<std::string> all_overrides(std::vector<std::string> overrides, const std::string& method, const int* steps);

/// Prints the problems of a start, at most 20 and how many more there are, as one error on stderr.
void print_problems(const std::string& scene, const std::vector<std::string>& problems);

/// Warns on stderr when the loaded BLAS is slow or unsafe. @return the warning, empty if there is none
std::string warn_about_blas();

}  // namespace stiction::cli
