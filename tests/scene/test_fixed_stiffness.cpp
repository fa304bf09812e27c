// Steps that fail in contact under a stiffness that cannot adapt say so.
#include "scene/scene_testing.hpp"
#include <fmt/format.h>

using namespace stiction;
using namespace scene_testing;

namespace {

/// A block that falls on a plane: the report of the first step that fails, or of the last of 40.
StepReport fall(double stiffness, int max_iterations) {
    const std::string text = fmt::format(
        R"({{"time": {{"step": 0.02}}, "ipc": {{"barrier_stiffness": {}, "max_iterations": {}}},
             "bodies": {{"mesh": {{"generate": "box", "cells": [1, 1, 1]}}, "velocity": [0, -3, 0],
                         "transform": {{"translation": [0, 0.6, 0]}}}},
             "obstacles": {{"half_space": {{}}}}}})",
        stiffness, max_iterations);
    const CompiledScene scene = compile_scene(parse_scene_text(text));
    State state = scene.state;
    StepResult result;
    for (int n = 0; n < 40; ++n) {
        scene.method->step(scene.world, state, schedule(scene.world, state, 0.02), result);
        if (!is_accepted(result.report.status)) break;
        state = result.state;
        state.step = n + 1;
        state.t = 0.02 * (n + 1);
    }
    return result.report;
}

}  // namespace

TEST_CASE("a solve that gets nowhere in contact under a fixed barrier_stiffness names it as the cause") {
    CHECK(fall(0.0, 1000).status == Status::converged);
    // Which of the two failures it is depends on rounding: gaps are down to 1e-15 m.
    const auto check = [](const StepReport& report, const char* stiffness) {
        CAPTURE(report.cause);
        CHECK((report.status == Status::iteration_limit || report.status == Status::line_search_stalled));
        CHECK(report.cause.find(std::string("fixed barrier_stiffness = ") + stiffness + " J/m^4") != std::string::npos);
    };
    check(fall(1.0, 1000), "1");
    check(fall(1e-4, 30), "0.0001");
    // An adaptive one is never named.
    CHECK(fall(0.0, 1).cause.find("barrier_stiffness") == std::string::npos);
}
