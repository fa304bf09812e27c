#include "commands.hpp"
#include "prepare.hpp"

#include "stiction/scene/parse.hpp"
#include "stiction/world/start_check.hpp"

#include <fmt/format.h>

namespace stiction::cli {
namespace {

const char* kind_name(BodyKind kind) {
    switch (kind) {
        case BodyKind::deformable: return "deformable";
        case BodyKind::obstacle: return "obstacle";
        case BodyKind::half_space: return "half-space";
    }
    return "body";
}

void print_body(const Body& body, Index number) {
    fmt::print("  {:>3}  {:<24} {:<11} {:>7} vertices {:>8} tets {:>8} triangles", number, body.name,
               kind_name(body.kind), body.vertex_count(), body.mesh.tets.size(), body.surface.size());
    if (!body.mesh.edges.empty()) fmt::print(" {:>6} edges", body.mesh.edges.size());
    if (!body.mesh.points.empty()) fmt::print(" {:>6} points", body.mesh.points.size());
    fmt::print("\n");
}

}  // namespace

ExitCode check(const CheckArguments& arguments) {
    const CompiledScene scene = compile_scene(parse_scene(arguments.scene, arguments.overrides));
    const auto problems = start_problems(scene.world, scene.state);
    fmt::print("{}: method {}, {} steps of {} s, l = {:.6g} m\n", arguments.scene, scene.spec.method,
               scene.spec.time.steps, scene.spec.time.step, scene.world.diagonal);
    for (std::size_t b = 0; b < scene.world.bodies.size(); ++b)
        print_body(scene.world.bodies[b], static_cast<Index>(b));
    std::fflush(stdout);
    if (!problems.empty()) {
        print_problems(arguments.scene, problems);
        return exit_bad_input;
    }
    fmt::print("the scene can start\n");
    return exit_done;
}

}  // namespace stiction::cli
