// Steps that several commands share: overrides, warnings, problems of the start.
#pragma once

#include "stiction/audit/run_summary.hpp"
#include "stiction/scene/body_numbers.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/world/start_check.hpp"

#include <string>
#include <vector>

namespace stiction::cli {

/// Overrides as `--set` gives them, completed by the options that stand for one.
std::vector<std::string> all_overrides(std::vector<std::string> overrides, const std::string& method, const int* steps);

/// Prints the problems of a start as one error on stderr: the first 10, how many more there are, and, where all
/// of them can be, that bodies can be separated.
/// @param is_changed  by --set: then the file alone, which is what `repair` reads, may start
/// @param hint        last line, without its indentation
void print_problems(const std::string& name, bool is_changed, const CompiledScene& scene,
                    const std::vector<StartProblem>& problems, const std::string& hint);

/// Warns on stderr about what can be simulated, but is hardly meant, and about what an imported scene does otherwise.
/// @return the warnings
std::vector<std::string> warn_about_start(const CompiledScene& scene, const std::vector<BodyNumbers>& bodies,
                                          const std::string& name);

/// Prints the table of bodies, as `check` does, of a scene with many of them its first lines; then warns.
/// @return the warnings
std::vector<std::string> present_start(const CompiledScene& scene, const std::string& name);

/// Warns on stderr when the loaded BLAS is slow or unsafe. @return the warning, empty if there is none
std::string warn_about_blas();

/// What a certificate covers and how it went, in one line.
std::string in_words(const audit::RunCertificate& certificate);

}  // namespace stiction::cli
