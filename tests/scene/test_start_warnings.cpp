// Numbers of bodies before a run, and the warnings that they give.
#include "stiction/base/counted_lines.hpp"
#include "stiction/scene/start_warnings.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

struct Checked {
    std::vector<BodyNumbers> bodies;
    std::vector<std::string> warnings;
};

Checked check(const std::string& body, const std::string& scene = "") {
    const SceneSpec spec = parse_scene_text(
        R"({"bodies": [{"name": "block", "mesh": {"generate": "box", "size": [0.1, 0.2, 0.1], "cells": [2, 4, 2]})" +
            body + "}]" + scene + "}",
        "s.json", {});
    const auto [world, state] = compile_world(spec);
    Checked result;
    result.bodies = body_numbers(spec, world, state);
    result.warnings = start_warnings(spec, world, state, result.bodies);
    return result;
}

}  // namespace

TEST_CASE("numbers of a body: parts count with the smallest modulus and the largest Poisson's ratio") {
    const std::string parts =
        R"(, "parts": [{"select": {"all": true}, "material": {"youngs_modulus": 4e4, "poissons_ratio": 0.1, "density": 500}},
        {"select": {"box": {"min": [-1, 0, -1], "max": [1, 1, 1]}}, "material": {"youngs_modulus": 1e6, "poissons_ratio": 0.45}}])";
    const Checked checked = check(parts);
    REQUIRE(checked.bodies.size() == 1);
    const BodyNumbers& body = checked.bodies[0];
    CHECK(body.kind == "deformable");
    CHECK(body.elements == 96);
    CHECK(body.size == relative(0.2, 1e-14));
    CHECK(body.shortest_edge == relative(0.05, 1e-12));
    CHECK(body.volume == relative(2e-3, 1e-13));
    CHECK(body.mass == relative(1.5, 1e-13));  // half of it of 500, half of 1000 kg/m^3
    CHECK(body.youngs_modulus == relative(4e4, 1e-12));
    CHECK(body.poissons_ratio == relative(0.45, 1e-12));
    CHECK(body.weight_strain == relative(750 * 9.81 * 0.2 / 4e4, 1e-12));
    CHECK(body.contact_distance == relative(1e-3 * std::sqrt(0.06) / 0.05, 1e-12));
    CHECK(body.wave_time == relative(0.2 / std::sqrt(4e4 / 750) / 0.01, 1e-12));
    CHECK(checked.warnings.empty());
}

TEST_CASE("a start that is let go from rest: the energy and the speed are those of the strain") {
    // Stretched by 1.5 along y, of a law without lateral contraction: E eps^2 / 2 of linear elasticity.
    const auto stretched = [](double factor, const char* integrator) {
        return check(fmt::format(R"(, "material": {{"law": "linear", "youngs_modulus": 1e5, "poissons_ratio": 0}},
            "start": {{"matrix": [[1, 0, 0], [0, {}, 0], [0, 0, 1]]}})",
                                 factor),
                     fmt::format(R"(, "time": {{"integrator": "{}"}})", integrator));
    };
    const Checked far = stretched(1.5, "backward_euler");
    REQUIRE(far.warnings.size() == 1);
    const double energy = 0.5 * 1e5 * 0.25 * 2e-3;
    CHECK(far.warnings[0].find(fmt::format("strain energy of {:.3g} J", energy)) != std::string::npos);
    CHECK(far.warnings[0].find(fmt::format("it reaches {:.3g} m/s", std::sqrt(2.0 * energy / 2.0))) !=
          std::string::npos);
    CHECK(stretched(1.0001, "backward_euler").warnings.empty());
    CHECK(stretched(1.5, "quasi_static").warnings.empty());
}

TEST_CASE("a table of many bodies is cut with their number") {
    BodyNumbers ball;
    ball.name = "ball";
    const std::vector<BodyNumbers> bodies(7, ball);
    const std::string text = to_text(bodies, 5);
    CHECK(std::count(text.begin(), text.end(), '\n') == 2 + 5 + 1);
    CHECK(text.find("... and 2 more\n") != std::string::npos);
    CHECK(to_text(bodies, 7).find("more") == std::string::npos);
}

TEST_CASE("equal lines are one with their number, in the order of the first") {
    CHECK(counted_lines({"b", "a", "b", "b"}) == std::vector<std::string>{"b (3 times)", "a"});
    CHECK(counted_lines({}).empty());
}
