#include "commands.hpp"
#include "prepare.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/atomic_file.hpp"
#include "stiction/output/start_picture.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/start_warnings.hpp"

#include <fmt/format.h>

namespace stiction::cli {
namespace {

void write_problems(const std::string& file, const CompiledScene& scene, const std::vector<StartProblem>& problems) {
    if (file.ends_with(".vtu")) return write_start_picture(file, scene.world, scene.state, problems);
    if (std::filesystem::exists(file)) throw InputError("", "--problems", file, "a text file that does not exist yet");
    std::string lines;
    for (const StartProblem& problem : problems) lines += problem.text + "\n";
    write_file_atomically(file, lines);
}

}  // namespace

ExitCode check(const CheckArguments& arguments) {
    if (!arguments.problems.empty() && !arguments.problems.ends_with(".vtu") && !arguments.problems.ends_with(".txt"))
        throw InputError("", "--problems", arguments.problems, "a file named .vtu or .txt");
    const CompiledScene scene =
        compile_scene(parse_scene(arguments.scene, all_overrides(arguments.overrides, arguments.method, nullptr)));
    const auto problems = find_start_problems(scene.world, scene.state);
    fmt::print("{}: method {}, {} steps of {} s, l = {:.6g} m\n", arguments.scene, scene.spec.method,
               scene.spec.time.steps, scene.spec.time.step, scene.world.diagonal);
    const auto bodies = body_numbers(scene.spec, scene.world, scene.state);
    fmt::print("{}", to_text(bodies, bodies.size()));
    std::fflush(stdout);
    if (!problems.empty()) {
        if (!arguments.problems.empty()) write_problems(arguments.problems, scene, problems);
        print_problems(arguments.scene, !arguments.overrides.empty(), scene, problems,
                       arguments.problems.empty()
                           ? "(--problems FILE.vtu draws all of them, --problems FILE.txt lists them)"
                           : fmt::format("(all of them are in {})", arguments.problems));
        return exit_bad_input;
    }
    warn_about_start(scene, bodies, arguments.scene);
    const std::string turns = turn_note(scene.spec, scene.world, scene.state, *scene.method);
    if (!turns.empty()) fmt::print("{}\n", turns);
    fmt::print("the scene can start\n");
    return exit_done;
}

}  // namespace stiction::cli
