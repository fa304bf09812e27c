// What the tests of repairs share: scenes of boxes, and a repair with all checks of its result.
#pragma once

#include "stiction/audit/audit.hpp"
#include "stiction/base/error.hpp"
#include "stiction/repair/repair_scene.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/scene_text.hpp"
#include "stiction/world/start_check.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace repair_testing {

using stiction::Vec3;

/// A cube of 1 m as an entry of `bodies`.
inline std::string cube(const std::string& name, const Vec3& at, const std::string& more = "") {
    return fmt::format(R"({{"name": "{}", "mesh": {{"generate": "box", "cells": [1, 1, 1]}},
        "transform": {{"translation": [{:.17g}, {:.17g}, {:.17g}]}}{}{}}})",
                       name, at[0], at[1], at[2], more.empty() ? "" : ", ", more);
}

inline std::string scene(const std::vector<std::string>& bodies, const std::vector<std::string>& obstacles = {},
                         const std::string& more = "") {
    return fmt::format(R"({{"bodies": [{}], "obstacles": [{}]{}{}}})", fmt::join(bodies, ", "),
                       fmt::join(obstacles, ", "), more.empty() ? "" : ", ", more);
}

struct Repaired {
    stiction::repair::RepairReport report;
    stiction::CompiledScene scene;  ///< after the repair
    std::string text;               ///< of the repaired scene
};

/// Repairs a scene, and checks that it can start then, by the code of runs and by that of audits.
inline Repaired repaired(const std::string& text, std::optional<double> gap = {},
                         const stiction::SceneOrigin& origin = {}) {
    const stiction::SceneSpec spec = stiction::parse_scene_text(text, origin);
    auto report = stiction::repair::repair_scene(spec, text, gap);
    std::string after = stiction::shifted_scene_text(text, spec, report.shifts);
    auto scene = stiction::compile_scene(stiction::parse_scene_text(after, origin));
    CHECK(stiction::start_problems(scene.world, scene.state).empty());
    CHECK(stiction::audit::audit_state(scene.world, scene.state.x).ok());
    return {std::move(report), std::move(scene), std::move(after)};
}

/// The message of a repair that is refused, "" if it is not.
inline std::string refusal(const std::string& text, const stiction::SceneOrigin& origin = {}) {
    try {
        stiction::repair::repair_scene(stiction::parse_scene_text(text, origin), text, {});
    } catch (const stiction::InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace repair_testing
