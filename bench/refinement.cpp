// How many Newton iterations `ipc` takes when its projected directions are refined early, late or never
// (docs/notebook/newton_iterations.md).
//
//   ipc_refinement DATA [--only NAME] [--threads N]
//
// DATA is the folder with ipc/input and polyfem/contact/examples. Prints a Markdown table: iterations over the first
// steps of three scenes.
#include "stiction/base/parallel.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/sim/simulator.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

using namespace stiction;

namespace {

struct Stretch {
    const char* scene;
    int steps;
};
constexpr Stretch stretches[] = {{"ipc/input/otherExamples/varyYoungs/2_mat40x40s_fall_E1e2.txt", 10},
                                 {"ipc/input/paperExamples/7_masonryArch.txt", 40},
                                 {"polyfem/contact/examples/3D/friction/arch.json", 45}};

struct Variant {
    const char* name;
    int after;
};
constexpr Variant variants[] = {
    {"never", std::numeric_limits<int>::max()}, {"after 10", 10}, {"after 3", 3}, {"always", 0}};

/// Iterations of all steps, or where it ended.
std::string iterations(const std::filesystem::path& file, int steps, const Variant& variant) {
    CompiledScene scene = compile_scene(parse_scene(file));
    scene.spec.ipc.refine_after = variant.after;
    SimulatorOptions options;
    options.h = scene.spec.time.step;
    Simulator simulator(scene.world, scene.state, scene_method(scene.spec).make(scene.spec), options);
    int sum = 0;
    for (int step = 1; step <= steps; ++step) {
        if (!simulator.advance()) return fmt::format("{} to step {}, which failed", sum, step);
        sum += simulator.last_result()->report.iterations;
    }
    return fmt::format("{}", sum);
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("Newton iterations of ipc by when projected directions are refined");
    std::string data, only;
    int threads = 0;
    app.add_option("DATA", data, "folder of scenes")->required();
    app.add_option("--only", only, "scenes whose path holds this text");
    app.add_option("--threads", threads, "number of threads; 0: all cores");
    CLI11_PARSE(app, argc, argv);
    set_thread_count(threads);
    fmt::print("| scene, steps |");
    for (const Variant& variant : variants) fmt::print(" {} |", variant.name);
    fmt::print("\n|---|---|---|---|---|\n");
    for (const auto& [scene, steps] : stretches) {
        const std::filesystem::path file = std::filesystem::path(data) / scene;
        if (file.string().find(only) == std::string::npos) continue;
        fmt::print("| `{}`, {} |", file.stem().string(), steps);
        for (const Variant& variant : variants) {
            fmt::print(" {} |", iterations(file, steps, variant));
            std::fflush(stdout);
        }
        fmt::print("\n");
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "ipc_refinement: %s\n", error.what());
    return 1;
}
