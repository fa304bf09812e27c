// Bodies with the key `rod`: what the keys become.
#include "stiction/scene/scales.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <numbers>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

constexpr double pi = std::numbers::pi;
const std::string rod_line =
    R"("mesh": {"generate": "polyline", "points": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "edge_length": 0.25})";

SceneSpec parse_rod(const std::string& body, const std::string& more = "") {
    return parse_scene_text(R"({"bodies": {"name": "wire", )" + body + "}" + more + "}", "s.json", {});
}

}  // namespace

TEST_CASE("rod: keys become edges, corners, masses and damping") {
    const World world =
        compile_world(parse_rod(rod_line + R"(, "material": {"youngs_modulus": 1e6, "density": 500, "mass_damping": 2},
            "rod": {"radius": 0.01}, "contact_thickness": 0.02)"))
            .first;
    const Body& body = world.bodies[0];
    CHECK(body.is_rod());
    CHECK(body.contact_thickness == 0.02);
    CHECK(body.density == relative(500, 1e-13));
    CHECK(world.elastic.empty());
    REQUIRE(world.sheets.size() == 2);
    const auto& edges = std::get<RodStretch>(world.sheets[0].elements);
    const auto& corners = std::get<RodBending>(world.sheets[1].elements);
    REQUIRE(edges.size() == 8);
    REQUIRE(corners.size() == 7);
    CHECK(edges.stiffness[3] == relative(1e6 * pi * 1e-4, 1e-13));
    CHECK(corners.stiffness[3] == relative(1e6 * pi * 1e-8 / 4 / 0.25, 1e-13));
    CHECK(corners.rest_curvature[3] == relative(2.0, 1e-13));  // the right angle
    CHECK(corners.rest_curvature[2] == 0.0);
    CHECK(world.mass.sum() == relative(500 * pi * 1e-4 * 2, 1e-13));
    CHECK(world.sheet_damping.sum() == relative(2 * 500 * pi * 1e-4 * 2, 1e-13));
    CHECK(world.surface.bare_edges.size() == 8);
}

TEST_CASE("rod: a bare number is the radius; given stiffnesses and density go before those of the cross-section") {
    CHECK(parse_rod(rod_line + R"(, "rod": 0.01)").bodies[0].rod->radius == 0.01);
    const World world = compile_world(parse_rod(rod_line + R"(, "rod": {"radius": 0.01, "linear_density": 0.3,
        "stretching_stiffness": 40, "bending_stiffness": 0.5, "rest_shape": "straight"})"))
                            .first;
    CHECK(std::get<RodStretch>(world.sheets[0].elements).stiffness[0] == 40);
    CHECK(std::get<RodBending>(world.sheets[1].elements).stiffness[0] == relative(2.0, 1e-13));
    CHECK(std::get<RodBending>(world.sheets[1].elements).rest_curvature[3] == 0.0);
    CHECK(world.mass.sum() == relative(0.6, 1e-13));
}

TEST_CASE("rod: meshes of lines, refined and selected by the ids of the file") {
    const TemporaryFolder folder;
    folder.write("wire.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 2 0 0\nl 2 3 4\n");
    folder.write("wire.seg", "v 0 0 0\nv 1 0 0\nv 2 0 0\ns 1 2 3\n");
    const auto file = folder.write("s.json", R"({"bodies": {"mesh": {"file": "wire.obj", "refinements": 1}, "rod": 0.01,
                    "boundary": {"select": {"vertices": [3]}, "fix": true}}})");
    const World world = compile_world(parse_scene(file)).first;
    CHECK(world.vertex_count() == 5);
    CHECK(std::get<RodStretch>(world.sheets[0].elements).size() == 4);
    CHECK(std::get<RodBending>(world.sheets[1].elements).size() == 3);
    REQUIRE(world.motions.size() == 1);
    CHECK(world.initial_positions[3 * world.motions[0].vertices.at(0)] == 2.0);
    const World segments =
        compile_world(parse_scene(folder.write("t.json", R"({"bodies": {"mesh": "wire.seg", "rod": 0.01}})"))).first;
    CHECK(segments.bodies[0].mesh.edges.size() == 2);
}

TEST_CASE("rod: resolved scenes come back equal") {
    for (const char* rod :
         {"0.01", R"({"radius": 0.02, "linear_density": 0.3, "stretching_stiffness": 4, "bending_stiffness": 1e-3,
                      "rest_shape": "straight"})"}) {
        const SceneSpec spec = parse_rod(rod_line + R"(, "rod": )" + rod);
        CHECK(parse_scene_text(resolved_json(spec), "s.json", {}) == spec);
    }
    CHECK_FALSE(parse_rod(rod_line + R"(, "rod": 0.01)") == parse_rod(rod_line + R"(, "rod": 0.02)"));
}

TEST_CASE("rod: what makes no sense is refused by its key") {
    const auto refusal = [](const std::string& keys, const std::string& more = "") {
        return input_error([&] { compile_scene(parse_rod(rod_line + keys, more)); });
    };
    const auto says = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    CHECK(refusal(R"(, "rod": 0.01)").empty());
    says(refusal(R"(, "rod": {})"), "bodies.rod.radius: missing");
    says(refusal(R"(, "rod": {"radius": 0})"), "bodies.rod.radius: 0");
    says(refusal(R"(, "rod": {"radius": 0.01, "thickness": 0.1})"), "bodies.rod.thickness: unknown key");
    says(refusal(R"(, "rod": 0.01, "shell": 0.01)"), "bodies[0].rod");
    says(refusal(R"(, "rod": 0.01, "rigid": {})"), "bodies[0].rigid: expected no such key in a rod");
    says(refusal(R"(, "rod": 0.01, "volume": {})"), "bodies[0].volume");
    says(refusal(R"(, "rod": 0.01, "start": {"translation": [0, 1, 0]})"), "bodies[0].start");
    says(refusal(R"(, "rod": 0.01, "parts": [{"select": {"all": true}, "material": {}}])"), "bodies[0].parts");
    says(refusal(R"(, "rod": 0.01, "material": {"stiffness_damping": 0.1})"), "bodies[0].material.stiffness_damping");
    says(refusal(R"(, "rod": 0.01, "material": {"law": "arap"})"),
         "bodies[0].material.law: \"arap\": expected \"linear\"");
    CHECK(refusal(R"(, "rod": 0.01, "material": {"law": "linear", "poissons_ratio": 0.3})").empty());
    says(refusal(R"(, "rod": 0.01, "material": {"extrapolate_below": 0.5})"), "bodies[0].material.extrapolate_below");
    says(refusal(R"(, "rod": 0.01)", R"(, "mass": "consistent")"), "\"lumped\" beside the rod 'wire'");
    says(refusal(R"(, "rod": 0.01)", R"(, "method": "local_global")"), "body 'wire': a rod");
    says(refusal(""), "the key 'rod' makes bare edges a thin rod");
    says(input_error([] { compile_scene(parse_rod(R"("mesh": {"generate": "box"}, "rod": 0.01)")); }),
         "bare edges only for a rod");
    says(input_error([] { compile_scene(parse_rod(R"("mesh": {"generate": "cloth"}, "rod": 0.01)")); }),
         "bare edges only for a rod");
    says(input_error([] {
             compile_scene(parse_rod(R"("mesh": {"generate": "polyline", "points": [[0, 0, 0]]}, "rod": 0.01)"));
         }),
         "bodies[0].mesh: points: 1 of them: expected at least 2");
    says(input_error([] {
             compile_scene(parse_rod(
                 R"("mesh": {"generate": "polyline", "points": [[0, 0, 0], [1, 0, 0], [1, 0, 0]]}, "rod": 0.01)"));
         }),
         "points[2]: 0 m from the one before");
    says(input_error([] {
             compile_scene(parse_rod(
                 R"("mesh": {"generate": "polyline", "points": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}, "rod": 0.01)"));
         }),
         "folded onto each other");
}

TEST_CASE("rod: a barrier that reaches beyond the edges is warned of") {
    const auto warnings = [](const SceneSpec& spec) { return scale_warnings(spec, compile_world(spec).first); };
    CHECK(warnings(parse_rod(rod_line + R"(, "rod": 0.01)", R"(, "ipc": {"dhat": 0.1})")).empty());
    const auto found =
        warnings(parse_rod(rod_line + R"(, "rod": 0.01, "contact_thickness": 0.2)", R"(, "ipc": {"dhat": 0.1})"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].find("shortest edge of rod 'wire' (0.25 m): its edges push") != std::string::npos);
}
