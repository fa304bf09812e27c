#include "commands.hpp"
#include "prepare.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/atomic_file.hpp"
#include "stiction/output/start_picture.hpp"
#include "stiction/scene/parse.hpp"

#include <fmt/format.h>

namespace stiction::cli {
namespace {

const char* kind_name(const Body& body) {
    if (body.is_shell()) return "shell";
    if (body.is_rod()) return "rod";
    switch (body.kind) {
        case BodyKind::deformable: return "deformable";
        case BodyKind::rigid: return "rigid";
        case BodyKind::obstacle: return "obstacle";
        case BodyKind::half_space: return "half-space";
    }
    return "body";
}

void print_body(const Body& body, Index number) {
    fmt::print("  {:>3}  {:<24} {:<11} {:>7} vertices {:>8} tets {:>8} triangles", number, body.name, kind_name(body),
               body.vertex_count(), body.mesh.tets.size(), body.surface.size());
    if (!body.mesh.edges.empty()) fmt::print(" {:>6} edges", body.mesh.edges.size());
    if (!body.mesh.points.empty()) fmt::print(" {:>6} points", body.mesh.points.size());
    fmt::print("\n");
}

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
    for (std::size_t b = 0; b < scene.world.bodies.size(); ++b)
        print_body(scene.world.bodies[b], static_cast<Index>(b));
    std::fflush(stdout);
    if (!problems.empty()) {
        if (!arguments.problems.empty()) write_problems(arguments.problems, scene, problems);
        print_problems(arguments.scene, !arguments.overrides.empty(), scene.world, problems,
                       arguments.problems.empty()
                           ? "(--problems FILE.vtu draws all of them, --problems FILE.txt lists them)"
                           : fmt::format("(all of them are in {})", arguments.problems));
        return exit_bad_input;
    }
    warn_about_scales(scene, arguments.scene);
    if (const std::string turns = turn_line(scene); !turns.empty()) fmt::print("{}\n", turns);
    fmt::print("the scene can start\n");
    return exit_done;
}

}  // namespace stiction::cli
