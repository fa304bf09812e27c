#include "prepare.hpp"

#include "stiction/base/counted_lines.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/repair/repair_scene.hpp"
#include "stiction/scene/start_warnings.hpp"

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

void print_problems(const std::string& name, bool is_changed, const CompiledScene& scene,
                    const std::vector<StartProblem>& problems, const std::string& hint) {
    constexpr std::size_t shown = 10;
    fmt::print(stderr, "stiction: error: {}: the start has {} problem{}:\n", name, problems.size(),
               problems.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min(shown, problems.size()); ++i) fmt::print(stderr, "  {}\n", problems[i].text);
    if (problems.size() > shown) fmt::print(stderr, "  ... and {} more\n", problems.size() - shown);
    fmt::print(stderr, "  {}\n", hint);
    if (repair::can_help(scene.spec, scene.world, problems))
        fmt::print(stderr, "  (`stiction repair {} -o NEW.json` separates bodies that overlap{})\n", name,
                   is_changed ? ", once the values of --set are written into the file" : "");
}

std::vector<std::string> warn_about_start(const CompiledScene& scene, const std::vector<BodyNumbers>& bodies,
                                          const std::string& name) {
    auto warnings = start_warnings(scene.spec, scene.world, scene.state, bodies);
    if (scene.spec.imported)
        for (const std::string& note : counted_lines(scene.spec.imported->notes))
            warnings.push_back("done otherwise here: " + note);
    for (const std::string& warning : warnings) fmt::print(stderr, "stiction: warning: {}: {}\n", name, warning);
    return warnings;
}

std::vector<std::string> present_start(const CompiledScene& scene, const std::string& name) {
    constexpr std::size_t most_bodies = 20;
    const auto bodies = body_numbers(scene.spec, scene.world, scene.state);
    fmt::print("{}", to_text(bodies, most_bodies));
    std::fflush(stdout);
    return warn_about_start(scene, bodies, name);
}

std::string warn_about_blas() {
    const std::string warning = blas_warning();
    if (!warning.empty()) fmt::print(stderr, "stiction: warning: {}\n", warning);
    return warning;
}

std::string in_words(const audit::RunCertificate& certificate) {
    const audit::MoveCertificate& moves = certificate.moves;
    if (certificate.first_step == certificate.last_step) return "no step";
    std::string text = fmt::format("steps {} to {}: {} moves, {} pairs proved apart, {} not; {} tets proved, {} not",
                                   certificate.first_step + 1, certificate.last_step, moves.moves, moves.proved,
                                   moves.unproved, moves.tets - moves.tets_unproved, moves.tets_unproved);
    if (certificate.uncertified_steps > 0)
        text += fmt::format("; {} steps in between not looked at", certificate.uncertified_steps);
    if (certificate.broken_chains > 0)
        text += fmt::format("; {} steps without a chain of moves", certificate.broken_chains);
    if (certificate.start_faults > 0) text += fmt::format("; {} faults where it starts", certificate.start_faults);
    return text;
}

}  // namespace stiction::cli
