#include "stiction/scene/method_factory.hpp"

#include "repair/repaired.hpp"
#include "support/compare.hpp"

#include <numbers>

using namespace repair_testing;
using namespace stiction::test;
using stiction::Index;

namespace {

const std::string fixed = R"("boundary": {"select": {"all": true}, "fix": true})";
const std::string obstacle_cube = R"({"name": "block", "mesh": {"generate": "box", "cells": [1, 1, 1]}})";

/// The pairs that overlapped, as a report tells them.
std::vector<std::string> overlaps(const stiction::repair::RepairReport& report) {
    std::vector<std::string> texts;
    for (const auto& overlap : report.overlapping) texts.push_back(overlap.text);
    return texts;
}

}  // namespace

TEST_CASE("two cubes leave each other by the least way, each by half of it") {
    const double overlap = 0.25, gap = 0.01;
    const auto [report, after, text] =
        repaired(scene({cube("left", {0, 0, 0}), cube("right", {1.0 - overlap, 0.1, -0.2})}), gap);
    REQUIRE(report.moves.size() == 2);
    CHECK(overlaps(report) == std::vector<std::string>{"body 'left' and body 'right'"});
    const Vec3 &left = report.moves[0].shift, &right = report.moves[1].shift;
    // Bodies are moved up to a tenth of the gap further than they have to.
    CHECK(right[0] - left[0] >= overlap + gap);
    CHECK(right[0] - left[0] <= overlap + 1.1 * gap);
    CHECK(left[0] == relative(-right[0], 1e-9));
    CHECK(left.norm() + right.norm() <= overlap + 1.1 * gap);
}

TEST_CASE("the heavier body moves less, by the ratio of the masses") {
    const auto [report, after, text] = repaired(scene({cube("light", {0, 0, 0}, R"("material": {"density": 500})"),
                                                       cube("heavy", {0, 0.8, 0}, R"("material": {"density": 4000})")}),
                                                1e-3);
    REQUIRE(report.moves.size() == 2);
    CHECK(report.moves[0].shift[1] == relative(-8.0 * report.moves[1].shift[1], 1e-9));
    CHECK(report.moves[1].shift[1] - report.moves[0].shift[1] <= 0.2 + 1.1 * 0.05);
}

TEST_CASE("of a stack of three the one in the middle stays") {
    const double overlap = 0.1, gap = 1e-3;
    const auto [report, after, text] =
        repaired(scene({cube("low", {0, 0, 0}), cube("middle", {0, 0.9, 0}), cube("high", {0, 1.8, 0})}), gap);
    CHECK(report.overlapping.size() == 2);
    REQUIRE(report.shifts.size() == 3);
    // The least sum of squares: the ends move by what they overlap. The method ends within a hundredth of the gap.
    CHECK(report.shifts[0][1] == relative(-(overlap + gap), 1e-3));
    CHECK(report.shifts[1].norm() == within(0.0, 0.02 * gap));
    CHECK(report.shifts[2][1] == relative(overlap + gap, 1e-3));
}

TEST_CASE("a body leaves an obstacle, which stays") {
    const auto [report, after, text] = repaired(scene({cube("body", {0.1, 0.7, 0})}, {obstacle_cube}), 0.02);
    REQUIRE(report.moves.size() == 1);
    CHECK(report.moves[0].body == "body");
    CHECK(overlaps(report) == std::vector<std::string>{"body 'body' and obstacle 'block'"});
    CHECK(report.moves[0].shift[1] >= 0.3 + 0.02);
    CHECK(report.moves[0].shift.norm() <= 0.3 + 1.1 * 0.02);
}

TEST_CASE("a body that is held stays, and the free one moves") {
    const auto [report, after, text] =
        repaired(scene({cube("held", {0, 0, 0}, fixed), cube("free", {0, 0, 0.9})}), 0.01);
    REQUIRE(report.moves.size() == 1);
    CHECK(report.moves[0].body == "free");
    CHECK(report.moves[0].shift[2] >= 0.1 + 0.01);
}

TEST_CASE("a body behind half-spaces in a corner leaves each of them by the shortest way") {
    const auto [report, after, text] = repaired(
        scene({cube("body", {0.25, 0.2, 0})}, {R"({"half_space": {}})", R"({"half_space": {"normal": [2, 0, 0]}})"}),
        0.01);
    REQUIRE(report.moves.size() == 1);
    CHECK(report.moves[0].shift[0] == relative(0.25 + 0.01, 2e-2));
    CHECK(report.moves[0].shift[1] == relative(0.30 + 0.01, 2e-2));
    CHECK(report.moves[0].shift[2] == 0.0);
}

TEST_CASE("bodies that are pushed against others push them on, away from walls") {
    // The lowest stands on the ground, so that the whole overlap goes upwards.
    const auto [report, after, text] = repaired(
        scene({cube("a", {0, 0.45, 0}), cube("b", {0, 1.35, 0}), cube("c", {0, 2.36, 0})}, {R"({"half_space": {}})"}),
        1e-3);
    REQUIRE(report.shifts.size() == 3);
    CHECK(report.shifts[0][1] == relative(0.05 + 1e-3, 1e-2));
    CHECK(report.shifts[1][1] == relative(0.15 + 2e-3, 1e-2));
    CHECK(report.shifts[2][1] == relative(0.14 + 3e-3, 1e-2));
}

TEST_CASE("without a gap of its own a repair leaves the distance at which contact begins to act") {
    const std::string text = scene({cube("a", {0, 0, 0}), cube("b", {0, 0.9, 0})}, {}, R"("ipc": {"dhat": 0.03})");
    CHECK(repaired(text).report.gap == 0.03);
    const auto spec = stiction::parse_scene_text(scene({cube("a", {0, 0, 0}), cube("b", {0, 0.9, 0})}));
    const auto world = stiction::compile_world(spec).first;
    CHECK(stiction::repair::repair_scene(spec, scene({cube("a", {0, 0, 0}), cube("b", {0, 0.9, 0})})).gap ==
          stiction::scene_method(spec).contact_distance(spec, world).distance);
}

TEST_CASE("the gap of a pair is that of the smaller body, whatever else is in the scene") {
    const auto small = [](const char* name, double x) {
        return cube(name, {x, 0, 0}, R"("material": {"density": 1000})");
    };
    const auto block = fmt::format(
        R"({{"name": "block", "mesh": {{"generate": "box", "cells": [1, 1, 1], "size": [1000, 1000, 1000]}},
            "transform": {{"translation": [{}, 0, 0]}}}})",
        2000);
    const std::string alone = scene({small("a", 0.0), small("b", 0.9)}),
                      beside = scene({small("a", 0.0), small("b", 0.9), block});
    const auto without = repaired(alone).report, with = repaired(beside).report;
    CHECK(with.any_smaller_gap);
    CHECK_FALSE(without.any_smaller_gap);
    CHECK(with.gap == relative(1000.0 * without.gap, 1e-9));
    REQUIRE(without.moves.size() == 2);
    REQUIRE(with.moves.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) CHECK((with.moves[k].shift - without.moves[k].shift).norm() <= 1e-9);
}

TEST_CASE("contact thickness is kept beside the gap") {
    const std::string thick = R"("contact_thickness": 0.06)";
    const auto [report, after, text] =
        repaired(scene({cube("a", {0, 0, 0}, thick), cube("b", {0, 1.01, 0}, thick)}), 0.01);
    REQUIRE(report.shifts.size() == 2);
    const double way = report.shifts[1][1] - report.shifts[0][1];
    CHECK(way >= 0.06);
    CHECK(way <= 0.06 + 0.001);
}

TEST_CASE("a body in the material of another is moved out, though no surface crosses") {
    const std::string text =
        scene({cube("big", {0, 0, 0}, fixed),
               R"({"name": "small", "mesh": {"generate": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]},
             "transform": {"translation": [0.3, 0.05, 0]}})"});
    const auto [world, state] = stiction::compile_world(stiction::parse_scene_text(text));
    CHECK(stiction::start_problems(world, state).empty());
    const auto report = repaired(text, 0.01).report;
    REQUIRE(report.moves.size() == 1);
    CHECK(report.moves[0].shift[0] >= 0.3 + 0.01);
    CHECK(report.moves[0].shift.norm() <= 0.3 + 1.1 * 0.01);
}

TEST_CASE(
    "a body that pokes out of a closed obstacle of triangles goes back into it, and one that pokes in comes out") {
    const std::string sphere =
        R"({"name": "sphere", "mesh": {"generate": "icosphere", "radius": 2, "subdivisions": 2}})";
    const auto inner = repaired(scene({cube("body", {1.3, 0.2, 0.1})}, {sphere}), 0.01).report;
    REQUIRE(inner.moves.size() == 1);
    CHECK(inner.moves[0].shift[0] < 0.0);
    CHECK(inner.moves[0].shift.norm() < 0.5);
    const auto outer = repaired(scene({cube("body", {2.3, 0.2, 0.1})}, {sphere}), 0.01).report;
    REQUIRE(outer.moves.size() == 1);
    CHECK(outer.moves[0].shift[0] > 0.0);
    CHECK(outer.moves[0].shift.norm() < 0.3);
}

TEST_CASE("a scene that can start stays as it is, near pairs included") {
    const std::string text = scene({cube("a", {0, 0, 0}), cube("b", {0, 1.0 + 1e-4, 0})});
    const auto report = repaired(text, 0.1).report;
    CHECK(report.overlapping.empty());
    CHECK(report.moves.empty());
}

TEST_CASE("bodies whose contact is switched off are left overlapping") {
    const auto report = repaired(scene({cube("a", {0, 0, 0}), cube("b", {0, 0.5, 0})}, {},
                                       R"("contact": {"pairs": [{"bodies": ["a", "b"], "enabled": false}]})"))
                            .report;
    CHECK(report.moves.empty());
}

TEST_CASE("a body that intersects itself is refused, and so are an inverted start and two bodies that stay") {
    stiction::Mesh crossing;
    crossing.vertices = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, -1, 0}, {0.2, 1, 0.3}, {-0.2, 1, 0.2}};
    crossing.triangles = {{0, 1, 2}, {3, 4, 5}};
    stiction::SceneOrigin origin{"scene.json", {}};
    origin.meshes["crossing.obj"] = std::make_shared<const stiction::Mesh>(crossing);
    const std::string sheet = R"({"name": "sheet", "mesh": "crossing.obj", "shell": 0.001})";
    const std::string itself = refusal(scene({sheet, cube("cube", {9, 0, 0})}), origin);
    CHECK_MESSAGE(itself.find("scene.json: ") == 0, itself);
    CHECK_MESSAGE(itself.find("body 'sheet' intersects itself") != std::string::npos, itself);
    CHECK_MESSAGE(itself.find("cube'") == std::string::npos, itself);

    const std::string mirrored =
        refusal(scene({cube("cube", {0, 0, 0}, R"("start": {"matrix": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]})")}));
    CHECK_MESSAGE(mirrored.find("inverted") != std::string::npos, mirrored);

    const std::string both = refusal(scene({cube("cube", {0, 0.9, 0}, fixed)}, {obstacle_cube}));
    CHECK_MESSAGE(both.find("body 'cube' and obstacle 'block' overlap, and neither may move") != std::string::npos,
                  both);
}

TEST_CASE("cubes in one place, in a shaft that is too narrow for two, are put in a stack") {
    const auto wall = [](const char* point, const char* normal) {
        return fmt::format(R"({{"half_space": {{"point": {}, "normal": {}}}}})", point, normal);
    };
    const auto [report, after, text] = repaired(
        scene({cube("a", {0, 0, 0}), cube("b", {0.05, 0.02, 0}), cube("c", {0, 0.03, 0.01})},
              {wall("[0, -0.55, 0]", "[0, 1, 0]"), wall("[-0.6, 0, 0]", "[1, 0, 0]"), wall("[0.6, 0, 0]", "[-1, 0, 0]"),
               wall("[0, 0, -0.6]", "[0, 0, 1]"), wall("[0, 0, 0.6]", "[0, 0, -1]")}),
        1e-3);
    double way = 0.0;
    for (const auto& move : report.moves) way += move.shift.norm();
    CHECK(way > 2.9);  // no two side by side: by one and by two cubes, less what they start above each other
    CHECK(way < 3.2);
}

TEST_CASE("a body between two walls that are too near is refused by name") {
    const std::string text = scene({cube("body", {0, 0, 0})},
                                   {R"({"name": "floor", "half_space": {"point": [0, -0.4, 0]}})",
                                    R"({"name": "roof", "half_space": {"point": [0, 0.4, 0], "normal": [0, -1, 0]}})"});
    const std::string message = refusal(text);
    CHECK_MESSAGE(message.find("no way was found that separates body 'body' and half-space '") != std::string::npos,
                  message);
}
