// Conditions of PolyFEM scenes over time: interpolations, lists of values, a start that is not 0; damping and shifts.
#include "scene/import/polyfem_testing.hpp"
#include "support/compare.hpp"

#include <cmath>
#include <functional>

using namespace polyfem_testing;
using namespace stiction::test;

namespace {

/// A cube of which everything is moved along y by `condition` ("value" and more), in 40 steps of 0.05 s.
std::string moved_cube(const std::string& condition, const std::string& more = "",
                       const std::string& time = R"({"dt": 0.05, "tend": 2})") {
    return scene_of(body_of("cube.msh", R"(, "surface_selection": 1)"),
                    more + R"("boundary_conditions": {"dirichlet_boundary": {"id": 1, )" + condition + "}}, ", time);
}

double shift_at(const SceneSpec& spec, double t) {
    return targets(spec, t)[0].y() - compile_world(spec).first.bodies[0].mesh.vertices[0].y();
}

double piecewise(const std::vector<double>& points, const std::vector<double>& values, double t) {
    std::size_t i = 0;
    while (i + 2 < points.size() && t >= points[i + 1]) ++i;
    return values[i] + (values[i + 1] - values[i]) * (t - points[i]) / (points[i + 1] - points[i]);
}

}  // namespace

TEST_CASE("PolyFEM interpolations multiply the value") {
    const PolyfemFolder folder;
    struct Interpolation {
        std::string json;
        std::function<double(double)> factor;
    };
    const std::vector<double> points{0.5, 0.75, 1.25}, values{2, 1, 4};
    const std::string lists = R"("points": [0.5, 0.75, 1.25], "values": [2, 1, 4])";
    const auto turns = [](double t) { return std::floor((t - 0.5) / 0.75); };
    const std::vector<Interpolation> interpolations{
        {R"("type": "none")", [](double) { return 1.0; }},
        {R"("type": "linear")", [](double t) { return t; }},
        {R"("type": "linear_ramp", "from": 0.25, "to": 1)",
         [](double t) { return t < 0.25 ? 0.0
                               : t > 1  ? 0.75
                                        : t - 0.25; }},
        {R"("type": "linear_ramp", "to": 1)", [](double t) { return std::min(t, 1.0); }},
        {R"("type": "piecewise_linear", )" + lists,
         [&](double t) { return piecewise(points, values, std::clamp(t, 0.5, 1.25)); }},
        {R"("type": "piecewise_linear", "extend": "extrapolate", )" + lists,
         [&](double t) { return piecewise(points, values, t); }},
        {R"("type": "piecewise_linear", "extend": "repeat", )" + lists,
         [&](double t) { return piecewise(points, values, t - 0.75 * turns(t)); }},
        {R"("type": "piecewise_linear", "extend": "repeat_offset", )" + lists,
         [&](double t) { return piecewise(points, values, t - 0.75 * turns(t)) + 2 * turns(t); }},
        {R"("type": "piecewise_constant", )" + lists, [](double t) { return t < 0.75   ? 2.0
                                                                            : t < 1.25 ? 1.0
                                                                                       : 4.0; }},
    };
    for (const Interpolation& interpolation : interpolations) {
        const std::string json = interpolation.json;
        CAPTURE(json);
        const SceneSpec spec =
            folder.import(moved_cube(R"_("value": [0, "3 * (1 + t)", 0], "interpolation": {)_" + json + "}"));
        for (const double t : {0.1, 0.3, 0.6, 0.9, 1.1, 1.7, 2.0}) {
            CAPTURE(t);
            const double expected = 3 * (1 + t) * interpolation.factor(t);
            CHECK(std::abs(shift_at(spec, t) - expected) < 1e-13 * (1.0 + std::abs(expected)));
        }
    }
    // one an axis
    const SceneSpec each = folder.import(moved_cube(
        R"("value": [1, 2, 3], "interpolation": [{"type": "linear"}, {"type": "none"}, {"type": "linear_ramp", "to": 0.5}])"));
    const Vec3 shift = targets(each, 1.5)[0] - compile_world(each).first.bodies[0].mesh.vertices[0];
    CHECK((shift - Vec3(1.5, 2, 1.5)).norm() < 1e-14);
}

TEST_CASE("PolyFEM lists of values hold at the ends of the steps, and no further") {
    const PolyfemFolder folder;
    const std::string condition =
        R"("value": [0, [0, 0.1, {"value": 40, "unit": "cm"}, 0.2, 0.3], 0], "time_reference": [0, 0.5, 1.0005, 1.5, 2])";
    const SceneSpec spec = folder.import(moved_cube(condition, "", R"({"dt": 0.5, "tend": 2})"));
    const std::vector<double> expected{0.1, 0.4, 0.2, 0.3};
    for (int step = 1; step <= 4; ++step)
        CHECK(shift_at(spec, 0.5 * step) == relative(expected[static_cast<std::size_t>(step - 1)], 1e-13));
    CHECK(shift_at(spec, 0.75) == relative(0.25, 1e-13));
    CHECK(spec.imported->known_until == 2.0);
    CHECK(folder.error(moved_cube(condition, "", R"({"dt": 0.25, "tend": 2})")).find("none for the time 0.25") !=
          std::string::npos);
}

TEST_CASE("PolyFEM time that starts later: expressions and interpolations count from there") {
    const PolyfemFolder folder;
    const std::string time = R"({"dt": 100, "tend": 3000, "t0": 1000})", units = R"("units": {"time": "ms"}, )";
    const SceneSpec spec = folder.import(moved_cube(R"("value": [0, "1e-3 * t", 0])", units, time));
    CHECK(spec.time.steps == 20);
    CHECK(spec.time.step == relative(0.1, 1e-13));
    CHECK(shift_at(spec, 0.5) == relative(1.5, 1e-13));
    const SceneSpec ramp = folder.import(moved_cube(
        R"("value": [0, 1e-3, 0], "interpolation": {"type": "linear_ramp", "from": 1200, "to": 2000})", units, time));
    CHECK(shift_at(ramp, 0.1) == 0.0);
    CHECK(shift_at(ramp, 0.5) == relative(0.3, 1e-13));
    CHECK(
        folder.import(moved_cube(R"("value": [0, 1, 0])", "", R"({"time_steps": 8, "tend": 3, "t0": 1})")).time.step ==
        0.25);
}

TEST_CASE("PolyFEM Rayleigh damping of elasticity: stiffness over the square of the integrator's step") {
    const PolyfemFolder folder;
    const auto damping = [&](const std::string& entry, const std::string& integrator) {
        return folder
            .import(scene_of(body_of("cube.msh"),
                             R"("solver": {"rayleigh_damping": {"form": "elasticity", )" + entry + "}}, ",
                             R"({"dt": 0.1, "tend": 1, "integrator": ")" + integrator + "\"}"))
            .bodies[0]
            .material.stiffness_damping;
    };
    CHECK(damping(R"("stiffness": 2e-4)", "ImplicitEuler") == relative(2e-2, 1e-13));
    CHECK(damping(R"("stiffness_ratio": 0.4)", "ImplicitEuler") == relative(0.75 * 0.4 * 0.1, 1e-13));
    CHECK(damping(R"("stiffness_ratio": 0.4)", "ImplicitNewmark") == relative(4 * 0.75 * 0.4 * 0.1, 1e-13));
    CHECK(damping(R"("stiffness_ratio": 0.4)", "BDF2") == relative(2.25 * 0.75 * 0.4 * 0.1, 1e-13));
}

TEST_CASE("PolyFEM initial solutions shift the start, not the undeformed shape") {
    const PolyfemFolder folder;
    const SceneSpec spec = folder.import(
        scene_of(body_of("cube.msh"), R"("initial_conditions": {"solution": {"id": 0, "value": [0, "1 + 1", 0]}}, )"));
    const auto [world, state] = compile_world(spec);
    const std::vector<Vec3> rest = generate_box(Vec3(1, 1, 1), {1, 1, 1}).vertices;
    REQUIRE(world.vertex_count() == static_cast<Index>(rest.size()));
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Vec3 moved = state.x.segment<3>(3 * v);
        CHECK((moved - rest[static_cast<std::size_t>(v)] - Vec3(0, 2, 0)).norm() < 1e-14);
    }
    CHECK(folder
              .error(moved_cube(R"("value": [0, 1, 0])",
                                R"("initial_conditions": {"solution": {"id": 0, "value": [0, 2, 0]}}, )"))
              .find("initial_conditions.solution.value: [0,2,0]: expected zeros") != std::string::npos);
}

TEST_CASE("what a PolyFEM scene means against what PolyFEM does is noted") {
    const PolyfemFolder folder;
    const auto notes = [&](const std::string& text) {
        std::string all;
        const SceneSpec spec = folder.import(text);
        for (const std::string& note : spec.imported->notes) all += note + "\n";
        return all;
    };
    CHECK(notes(scene_of(body_of("cube.msh"))).empty());
    folder.folder.write("with_dhat.json", R"({"contact": {"dhat": 0.01}})");
    CHECK(notes(scene_of(body_of("cube.msh"), R"("common": "with_dhat.json", )")).find("contact.dhat: PolyFEM takes") ==
          0);
    CHECK(notes(scene_of(body_of("cube.msh"), R"("common": "with_dhat.json", "contact": {"dhat": 0.02}, )")).empty());
    CHECK(notes(moved_cube(R"("value": [0, 1, 0])")).empty());
    const std::string zero =
        scene_of(body_of("cube.msh", R"(, "surface_selection": 0)"),
                 R"("boundary_conditions": {"dirichlet_boundary": {"id": 0, "value": [0, 0, 0]}}, )");
    CHECK(notes(zero).find("PolyFEM passes over ids <= 0") != std::string::npos);
    CHECK(notes(scene_of(R"([{"mesh": "cube.msh"}, {"type": "ground", "is_obstacle": true, "height": -2}])"))
              .find("geometry[1].height: PolyFEM's contact passes over planes") == 0);
    CHECK(notes(scene_of(body_of("cube.msh"), "", R"({"dt": 1, "tend": 1, "integrator": {"type": "ImplicitNewmark"}})"))
              .find("time.integrator: PolyFEM takes gamma for beta") == 0);
}
