#include "prepare.hpp"

#include "stiction/linalg/blas.hpp"
#include "stiction/scene/scales.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace stiction::cli {

std::vector<std::string> all_overrides(std::vector<std::string> overrides, const std::string& method,
                                       const int* steps) {
    if (!method.empty()) overrides.push_back("method=" + method);
    if (steps != nullptr) overrides.push_back(fmt::format("time.steps={}", *steps));
    return overrides;
}

void print_problems(const std::string& scene, const std::vector<StartProblem>& problems, const std::string& hint) {
    constexpr std::size_t shown = 10;
    fmt::print(stderr, "stiction: error: {}: the start has {} problem{}:\n", scene, problems.size(),
               problems.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min(shown, problems.size()); ++i) fmt::print(stderr, "  {}\n", problems[i].text);
    if (problems.size() > shown) fmt::print(stderr, "  ... and {} more\n", problems.size() - shown);
    fmt::print(stderr, "  {}\n", hint);
}

std::vector<std::string> warn_about_scales(const CompiledScene& scene, const std::string& name) {
    const auto warnings = scale_warnings(scene.spec, scene.world);
    for (const std::string& warning : warnings) fmt::print(stderr, "stiction: warning: {}: {}\n", name, warning);
    return warnings;
}

std::string warn_about_blas() {
    const std::string warning = blas_warning();
    if (!warning.empty()) fmt::print(stderr, "stiction: warning: {}\n", warning);
    return warning;
}

}  // namespace stiction::cli
