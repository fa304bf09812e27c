// The contact problems of the steps of a scene.
#pragma once

#include "stiction/methods/mlcp/method.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/sim/simulator.hpp"

#include "methods/mlcp/step_problem.hpp"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stiction::bench {

inline std::string scene_name(const std::string& path) {
    return std::filesystem::path(path).stem().string();
}

/// One interval a scene: `given` as it is, or its only entry for all. Throws std::runtime_error for another number.
inline std::vector<int> intervals(const std::vector<int>& given, std::size_t scenes) {
    if (given.size() == 1) return std::vector<int>(scenes, given.front());
    if (given.size() != scenes)
        throw std::runtime_error("--every takes one number, or one for each of the " + std::to_string(scenes) +
                                 " scenes");
    return given;
}

/// Runs a scene with `mlcp` and conjugate residuals. Calls `each` with the problem of every `every`-th step that has
/// closed contacts, and with the number of the step, `count` times or until the scene ends.
/// @return the number of calls
inline int for_each_problem(const std::string& path, int count, int every,
                            const std::function<void(test::StepProblem&, int step)>& each) {
    CompiledScene scene = compile_scene(parse_scene(path));
    mlcp::Options options = scene.spec.mlcp;
    options.solver = mlcp::SolverKind::cr;
    const double h = scene.spec.time.step;
    Simulator simulator(std::move(scene.world), std::move(scene.state), std::make_unique<mlcp::Mlcp>(options), {h});
    mlcp::Workspace workspace(simulator.world(), options);
    int calls = 0;
    for (int step = 0; step < scene.spec.time.steps && calls < count; ++step) {
        if (step % every == 0) {
            const StepInput input = schedule(simulator.world(), simulator.state(), h);
            test::StepProblem posed(simulator.world(), simulator.state(), input, options, workspace);
            if (!posed.pose()) {
                std::fprintf(stderr, "%s, step %d: no problem: %s\n", path.c_str(), step, posed.report().cause.c_str());
            } else if (posed.closed() > 0) {
                each(posed, step);
                ++calls;
            }
        }
        if (!simulator.advance()) {
            std::fprintf(stderr, "%s ends early: %s\n", path.c_str(), simulator.failure()->cause.c_str());
            break;
        }
    }
    std::fprintf(stderr, "%s: %d problems\n", path.c_str(), calls);
    return calls;
}

}  // namespace stiction::bench
