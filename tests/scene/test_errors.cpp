// Every mistake is refused with the file, the path of the key, the value and what was expected.
#include "scene/scene_testing.hpp"

#include <utility>
#include <vector>

using namespace stiction;
using namespace scene_testing;

namespace {

struct Mistake {
    const char* text;
    std::vector<const char*> words;  ///< all of them must be in the message
};

/// A scene with one ball whose object holds the given keys, too.
std::string ball_with(const std::string& keys) {
    return R"({"bodies": [{"mesh": {"generate": "ball", "edge_length": 0.5}, )" + keys + "}]}";
}

std::string scene_with(const std::string& keys) {
    return R"({"bodies": [{"name": "a", "mesh": {"generate": "ball", "edge_length": 0.5}}], )" + keys + "}";
}

void check(const std::string& text, const std::vector<const char*>& words) {
    CAPTURE(text);
    const std::string message =
        input_error([&] { compile_world(parse_scene_text(text, "s.json", STICTION_SOURCE_DIR)); });
    CHECK(message.substr(0, 7) == "s.json:");
    for (const char* word : words) {
        CAPTURE(message);
        CAPTURE(std::string(word));
        CHECK(message.find(word) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("syntax and structure") {
    const std::vector<Mistake> mistakes{
        {"", {"line 1, column 1", "valid JSON"}},
        {"{\n  \"time\": {,\n}", {"line 2, column 12", "syntax error"}},
        {"{\n\n   \"bodies\": [1 2]}", {"line 3, column 17"}},
        {"{\"bodies\": [] } x", {"line 1, column 17", "syntax error"}},
        {"{\"time\": {\"step\": 1e999}}", {"number", "double"}},
        {"[1]", {"the document", "[1]", "an object"}},
        {"{}", {"bodies", "missing"}},
        {R"({"bodies": []})", {"bodies", "at least one deformable or rigid body"}},
        {R"({"bodies": [5]})", {"bodies[0]", "5", "an object"}},
        {R"({"bodies": 5})", {"bodies", "5", "a list"}},
        {R"({"bodies": [{}]})", {"bodies[0].mesh", "missing"}},
        {R"({"time": {"step": 1, "step": 2}})", {"time.step", "given twice"}},
        {R"({"bodies": [{"name": "a"}, {"name": "b", "name": "c"}]})", {"bodies[1].name", "given twice"}},
        {R"({"body": []})", {"body", "unknown key", "'bodies'"}},
        {R"({"dt": 0.01})", {"dt", "unknown key", "'time.step'"}},
        {R"({"mu": 0.5})", {"mu", "unknown key", "'contact.friction'"}},
    };
    for (const auto& mistake : mistakes) check(mistake.text, mistake.words);
}

TEST_CASE("keys and values of a scene") {
    const std::vector<Mistake> mistakes{
        {R"("method": "ipk")", {"method", "ipk", "'ipc'"}},
        {R"("method": 1)", {"method", "1", "'ipc'"}},
        {R"("mass": "lump")", {"mass", "lump", "'lumped'"}},
        {R"("time": {"step": 0})", {"time.step", "0", "a number > 0 (s)"}},
        {R"("time": {"step": "0.1"})", {"time.step", "\"0.1\"", "a number > 0"}},
        {R"("time": {"step": null})", {"time.step", "null"}},
        {R"("time": {"steps": 1.5})", {"time.steps", "1.5", "an integer"}},
        {R"("time": {"steps": -1})", {"time.steps", "-1", "in [0"}},
        {R"("time": {"steps": 1, "end": 1})", {"time", "'steps', 'end' together", "only one"}},
        {R"("time": {"step": 1e-12, "end": 1})", {"time.end", "at most 1e9 steps"}},
        {R"("time": {"dt": 1})", {"time.dt", "unknown key", "'step'"}},
        {R"("gravity": [0, 1])", {"gravity", "[0,1]", "three numbers"}},
        {R"("gravity": [0, "x", 0])", {"gravity[1]", "\"x\"", "m/s^2"}},
        {R"("contact": {"frictoin": 1})", {"contact.frictoin", "'friction'"}},
        {R"("contact": {"friction": -0.1})", {"contact.friction", "-0.1", ">= 0"}},
        {R"("contact": {"self_contact": 1})", {"contact.self_contact", "1", "true or false"}},
        {R"("contact": {"pairs": [{"friction": 1}]})", {"contact.pairs[0].bodies", "missing"}},
        {R"("contact": {"pairs": [{"bodies": ["a"]}]})", {"contact.pairs[0].bodies", "2 entries"}},
        {R"("contact": {"pairs": [{"bodies": ["a", "b"]}]})",
         {"contact.pairs[0].bodies[1]", "\"b\"", "the name of a body or obstacle: a"}},
        {R"("contact": {"pairs": [{"bodies": ["a", "a"]}, {"bodies": ["a", "a"]}]})",
         {"contact.pairs[1]", "contact.pairs[0] has it already"}},
        {R"("obstacles": [{"name": "p", "half_space": {}}, {"name": "q", "half_space": {}}], "contact": {"pairs": [{"bodies": ["p", "q"]}]})",
         {"contact.pairs[0].bodies", "obstacles never collide"}},
        {R"("output": {"every": 0})", {"output.every", "0", "in [1"}},
        {R"("output": {"fields": ["velocty"]})", {"output.fields[0]", "velocty", "'velocity'"}},
        {R"("output": {"fields": ["stress", "stress"]})", {"output.fields[1]", "each name once"}},
        {R"("ipc": {"eps_v": 1})", {"ipc.eps_v", "unknown key", "'friction_velocity'"}},
        {R"("ipc": {"ccd_slack": 1})", {"ipc.ccd_slack", "1", "in (0, 1)"}},
        {R"("time": {"integrator": "trapezoid"})", {"time.integrator", "trapezoid", "'trapezoidal'"}},
    };
    for (const auto& mistake : mistakes) check(scene_with(mistake.text), mistake.words);
}

TEST_CASE("bodies") {
    const std::vector<Mistake> mistakes{
        {R"("name": "a b")", {"bodies[0].name", "\"a b\"", "letters"}},
        {R"("material": {"nu": 0.3})", {"bodies[0].material.nu", "unknown key", "'poissons_ratio'"}},
        {R"("E": 1e6)", {"bodies[0].E", "unknown key", "'material.youngs_modulus'"}},
        {R"("at": [0, 0, 1])", {"bodies[0].at", "unknown key", "'transform.translation'"}},
        {R"("mu": 0.5)", {"bodies[0].mu", "unknown key", "'contact.friction' of the scene"}},
        {R"("material": {"dens": 1})", {"bodies[0].material.dens", "'density'"}},
        {R"("material": {"poissons_ratio": 0.5})", {"bodies[0].material.poissons_ratio", "0.5", "(-1, 0.5)"}},
        {R"("material": {"poissons_ratio": -0.2})", {"bodies[0].material.poissons_ratio", "-0.2"}},
        {R"("material": {"density": -1})", {"bodies[0].material.density", "-1", "> 0", "kg/m^3"}},
        {R"("material": {"youngs_modulus": 0})", {"bodies[0].material.youngs_modulus", "0", "Pa"}},
        {R"("material": {"law": "neohookean"})", {"bodies[0].material.law", "neohookean", "'neo_hookean'"}},
        {R"("transform": {"scale": 0})", {"bodies[0].transform.scale", "0", "> 0"}},
        {R"("transform": {"scale": [1, -1, 1]})", {"bodies[0].transform.scale[1]", "-1"}},
        {R"("transform": {"scale": 2, "dimensions": [1, 1, 1]})", {"bodies[0].transform", "together"}},
        {R"("transform": {"rotation": [0, 0]})", {"bodies[0].transform.rotation.euler", "[0,0]"}},
        {R"("transform": {"rotation": {"axis": [0, 1, 0]}})",
         {"bodies[0].transform.rotation", "both 'axis' and 'angle'"}},
        {R"("transform": {"rotation": {"axis": [0, 0, 0], "angle": 1}})",
         {"bodies[0].transform.rotation.axis", "direction"}},
        {R"("boundary": [{"fix": true}])", {"bodies[0].boundary[0].select", "missing"}},
        {R"("boundary": [{"select": {}, "fix": true}])", {"bodies[0].boundary[0].select", "one of the keys", "'box'"}},
        {R"("boundary": [{"select": {"all": false}, "fix": true}])",
         {"bodies[0].boundary[0].select.all", "false", "true, or no such key"}},
        {R"("boundary": [{"select": {"bx": 1}, "fix": true}])", {"bodies[0].boundary[0].select.bx", "'box'"}},
        {R"("boundary": [{"select": {"all": true, "surface_id": 1}, "fix": true}])",
         {"bodies[0].boundary[0].select", "'all', 'surface_id' together"}},
        {R"("boundary": [{"select": {"all": true}}])", {"bodies[0].boundary[0]", "one of the keys", "'fix'"}},
        {R"("boundary": [{"select": {"all": true}, "fix": true, "move": {"velocity": [0, 0, 0]}}])",
         {"bodies[0].boundary[0]", "'fix', 'move' together"}},
        {R"("boundary": [{"select": {"all": true}, "move": {}}])", {"bodies[0].boundary[0].move", "'velocity'"}},
        {R"("boundary": [{"select": {"all": true}, "fix": true, "axes": "xw"}])",
         {"bodies[0].boundary[0].axes", "\"xw\""}},
        {R"("boundary": [{"select": {"all": true}, "fix": true, "axes": "xx"}])",
         {"bodies[0].boundary[0].axes", "\"xx\""}},
        {R"("boundary": [{"select": {"all": true}, "fix": true, "begin": 1, "end": 1}])",
         {"bodies[0].boundary[0].end", "after 'begin' = 1"}},
        {R"("boundary": [{"select": {"all": true}, "move": {"keyframes": []}}])",
         {"bodies[0].boundary[0].move.keyframes", "[time, [x, y, z]]"}},
        {R"("boundary": [{"select": {"all": true}, "move": {"keyframes": [[0, [0, 0, 0]], [0, [0, 0, 0]]]}}])",
         {"keyframes[1][0]", "after that of the entry before"}},
        {R"("boundary": [{"select": {"all": true}, "move": {"formula": ["0", "q+1", "0"]}}])",
         {"bodies[0].boundary[0].move.formula[1]", "'q'", "x, y, z, t, pi, e"}},
        {R"("boundary": [{"select": {"all": true}, "move": {"formula": ["0", "0", "2*("]}}])",
         {"bodies[0].boundary[0].move.formula[2]", "2*("}},
        {R"("boundary": [{"select": {"all": true}, "move": {"formula": ["0", "0", "0"]}, "rotate": {"rpm": 1}}])",
         {"bodies[0].boundary[0]", "together"}},
        {R"("boundary": [{"select": {"all": true}, "rotate": {"axis": [0, 0, 0], "rpm": 1}}])",
         {"bodies[0].boundary[0].rotate.axis", "direction"}},
        {R"("boundary": [{"select": {"all": true}, "rotate": {"rpm": 1, "angular_velocity": 1}}])",
         {"bodies[0].boundary[0].rotate", "together"}},
        {R"("boundary": [{"select": {"all": true}, "rotate": {}}])", {"bodies[0].boundary[0].rotate", "'rpm'"}},
        {R"("boundary": [{"select": {"box": {"min": [1, 0, 0], "max": [0, 1, 1]}}, "fix": true}])",
         {"bodies[0].boundary[0].select.box", "min <= max"}},
        {R"("boundary": [{"select": {"box": {"min": [8, 8, 8], "max": [9, 9, 9]}}, "fix": true}])",
         {"bodies[0].boundary[0].select", "selects no vertex", "13 vertices, which lie between"}},
        {R"("boundary": [{"select": {"surface_id": 1}, "fix": true}])",
         {"bodies[0].boundary[0].select.surface_id", "a mesh file with surface ids"}},
        {R"("boundary": [{"select": {"vertices": [0, 99999]}, "fix": true}])",
         {"bodies[0].boundary[0].select.vertices", "99999", "a vertex id in [0, "}},
        {R"("boundary": [{"select": {"vertices": []}, "fix": true}])",
         {"bodies[0].boundary[0].select.vertices", "at least one"}},
        {R"("boundary": [{"select": {"file": "none.txt"}, "fix": true}])",
         {"bodies[0].boundary[0].select.file", "none.txt", "can be opened"}},
        {R"("forces": [{"force": [1, 0, 0], "acceleration": [1, 0, 0]}])",
         {"bodies[0].forces[0]", "'force', 'acceleration' together"}},
        {R"("forces": [{}])", {"bodies[0].forces[0]", "'total_force'"}},
    };
    for (const auto& mistake : mistakes) check(ball_with(mistake.text), mistake.words);
}

TEST_CASE("names are unique") {
    check(
        R"({"bodies": [{"name": "a", "mesh": {"generate": "ball"}}], "obstacles": [{"name": "a", "half_space": {}}]})",
        {"obstacles[0].name", "\"a\"", "bodies[0] has it already"});
}

TEST_CASE("meshes") {
    const std::vector<Mistake> mistakes{
        {R"("none.msh")", {"bodies[0].mesh", "none.msh"}},
        {R"("README")", {"bodies[0].mesh", "README"}},
        {R"({"file": "a.msh", "generate": "ball"})", {"bodies[0].mesh", "'file', 'generate' together"}},
        {R"({})", {"bodies[0].mesh", "'generate'"}},
        {R"({"generate": "bal"})", {"bodies[0].mesh.generate", "bal", "'ball'"}},
        {R"({"generate": "ball", "size": [1, 1, 1]})", {"bodies[0].mesh.size", "unknown key"}},
        {R"({"generate": "ball", "radius": 0})", {"bodies[0].mesh.radius", "0", "> 0 (m)"}},
        {R"({"generate": "ball", "vertices": 100, "edge_length": 1})",
         {"bodies[0].mesh", "'edge_length', 'vertices' together"}},
        {R"({"generate": "ball", "edge_length": 1e-9})", {"bodies[0].mesh"}},
        {R"({"generate": "box", "edge_length": 1e-9})", {"bodies[0].mesh", "edge_length"}},
        {R"({"generate": "box", "cells": [1000000, 1000000, 1000000]})", {"bodies[0].mesh", "cells", "10 million"}},
        {R"({"generate": "torus", "major_radius": 1, "minor_radius": 2})", {"bodies[0].mesh"}},
        {R"({"generate": "cloth"})", {"bodies[0].mesh", "triangles and no tetrahedra", "the key 'shell'"}},
        {R"({"generate": "icosphere"})", {"bodies[0].mesh", "tetrahedra"}},
    };
    for (const auto& mistake : mistakes)
        check(std::string(R"({"bodies": [{"mesh": )") + mistake.text + "}]}", mistake.words);
}

TEST_CASE("obstacles") {
    const std::vector<Mistake> mistakes{
        {R"({})", {"obstacles[0]", "'half_space'"}},
        {R"({"mesh": "a.obj", "half_space": {}})", {"obstacles[0]", "'mesh', 'half_space' together"}},
        {R"({"half_space": {"normal": [0, 0, 0]}})", {"obstacles[0].half_space.normal", "direction"}},
        {R"({"half_space": {}, "transform": {"scale": 2}})", {"obstacles[0].transform", "point and normal"}},
        {R"({"half_space": {}, "use": "edges"})", {"obstacles[0].use"}},
        {R"({"half_space": {}, "motion": {"rotate": {"rpm": 1}}})", {"obstacles[0].motion[0].rotate", "only be moved"}},
        {R"({"half_space": {}, "motion": {"fix": true, "axes": "x"}})", {"obstacles[0].motion[0].axes", "\"xyz\""}},
        {R"({"mesh": {"generate": "cloth"}, "use": "edge"})", {"obstacles[0].use", "edge", "'edges'"}},
        {R"({"mesh": {"generate": "cloth"}, "transform": {"dimensions": [1, 1, 1]}})",
         {"obstacles[0].transform.dimensions[1]", "flat"}},
        {R"({"sequence": {}})", {"obstacles[0].sequence", "'folder'"}},
        {R"({"sequence": {"files": ["a.obj"]}})", {"obstacles[0].sequence.files", "at least two"}},
        {R"({"sequence": {"folder": "no_such"}})", {"obstacles[0].sequence.folder", "no_such"}},
        {R"({"sequence": {"folder": "x", "interval": 0}})", {"obstacles[0].sequence.interval", "0"}},
        {R"({"sequence": {"folder": "x"}, "motion": {"fix": true}})", {"obstacles[0].motion", "sequence"}},
    };
    for (const auto& mistake : mistakes)
        check(scene_with(std::string(R"("obstacles": [)") + mistake.text + "]"), mistake.words);
}

TEST_CASE("numbers whose squares and cubes a double cannot hold") {
    for (const char* value : {"1e51", "-1e51", "1e308", "1e-51", "-1e-320"})
        check(scene_with(R"("gravity": [0, )" + std::string(value) + ", 0]"),
              {"gravity[1]", "0 or of a size from 1e-50 to 1e50"});
    for (const char* value : {"1e50", "-1e50", "1e-50", "0", "-0.0"})
        CHECK_NOTHROW(parse_scene_text(scene_with(R"("gravity": [0, )" + std::string(value) + ", 0]"), "s.json",
                                       STICTION_SOURCE_DIR));
    check(ball_with(R"("material": {"density": 1e-51})"),
          {"bodies[0].material.density", "> 0 (kg/m^3), of a size from 1e-50 to 1e50"});
}

TEST_CASE("nesting") {
    const auto nested = [](int levels) {
        return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
    };
    check(scene_with("\"title\": " + nested(99)), {"title", "a text"});
    check(scene_with("\"title\": " + nested(100)), {"title[0][0]", "nested at most 100 levels deep"});
}

TEST_CASE("overrides that do not fit") {
    const auto with = [](const std::string& text, const std::string& override_text) {
        return input_error([&] { parse_scene_text(text, "s.json", STICTION_SOURCE_DIR, {override_text}); });
    };
    const std::string list = scene_with(R"("title": "t")");
    const std::string alone =
        R"({"bodies": {"mesh": {"generate": "ball"}, "boundary": {"select": {"all": true}, "fix": true}}})";
    CHECK(with(list, "bodies[0]name=x") == "--set: bodies[0]name=x: expected a '.' after bodies[0]");
    CHECK(with(list, "bodies[0].=x") == "--set: bodies[0].=x: expected a key after the last '.'");
    CHECK(with(list, "bodies[1].name=x") ==
          "--set: bodies[1].name=x: expected an index below 1, the length of the list");
    CHECK(with(list, "title[0]=x") == "--set: title[0]=x: expected a list before [0]");
    CHECK(with(alone, "bodies[1].name=x") ==
          "--set: bodies[1].name=x: expected an index below 1: there is one entry, not in a list");
    CHECK(with(alone, "bodies[0].mesh[0].generate=box") ==
          "--set: bodies[0].mesh[0].generate=box: expected a list before [0]");
    CHECK(with(alone, "bodies[0][0].name=x") == "--set: bodies[0][0].name=x: expected a list before [0]");
    const SceneSpec spec =
        parse_scene_text(alone, "s.json", STICTION_SOURCE_DIR, {"bodies[0].name=x", "bodies[0].boundary[0].axes=y"});
    CHECK(spec.bodies.at(0).name == "x");
    CHECK(spec.bodies.at(0).boundary.at(0).motion.axes == "y");
}

TEST_CASE("a name is proposed where at most three letters and half of all are wrong") {
    const std::vector<std::string> known{"tol",      "zoom",        "ipc",          "lumped",
                                         "rotation", "neo_hookean", "friction_law", "x"};
    const std::vector<std::pair<const char*, const char*>> proposed{{"tl", "tol"},
                                                                    {"tool", "tol"},
                                                                    {"icp", "ipc"},
                                                                    {"lump", "lumped"},
                                                                    {"rotate", "rotation"},
                                                                    {"neohokean", "neo_hookean"},
                                                                    {"ratio", "rotation"},
                                                                    {"foo", ""},
                                                                    {"toast", ""},
                                                                    {"limp", ""},
                                                                    {"friction", ""},
                                                                    {"y", ""},
                                                                    {"", ""}};
    for (const auto& [name, nearest] : proposed) {
        CAPTURE(std::string(name));
        CHECK(nearest_name(name, known) == nearest);
    }
}

TEST_CASE("an override inside what is refused is named if it is to blame") {
    const auto with = [](const std::string& text, const std::vector<std::string>& overrides) {
        return input_error([&] { parse_scene_text(text, "s.json", STICTION_SOURCE_DIR, overrides); });
    };
    const std::string good = scene_with(R"("title": "t")"), bad = scene_with(R"("tiem": {"step": 1})"),
                      both = scene_with(R"("obstacles": [{"half_space": {}, "mesh": "a.obj"}])");
    CHECK(with(good, {"tiem.step=5"}).find("s.json with tiem.step=5: tiem: unknown key: expected 'time'") == 0);
    CHECK(with(good, {"tiem.step=5", "tiem.end=1", "title=u"}).find("s.json with tiem.end=1: tiem: unknown key") == 0);
    CHECK(with(good, {"bodies[0].boundary={\"select\": {\"all\": true}, \"fix\": true}",
                      "bodies[0].boundary.move.velocity=[0,0,1]"})
              .find("s.json with bodies[0].boundary") == 0);
    CHECK(with(good, {"contact.pairs=[{\"bodies\": [\"a\", \"a\"]}, {}]"}).find("s.json with contact.pairs=") == 0);
    // These mistakes are in the file.
    CHECK(with(bad, {"tiem.end=1"}).find("s.json: tiem: unknown key: expected 'time'") == 0);
    CHECK(with(both, {"obstacles[0].name=x"}).find("s.json: obstacles[0]: 'mesh', 'half_space' together") == 0);
    CHECK(with(both, {"title=u"}).find("s.json: obstacles[0]: ") == 0);
}

TEST_CASE("a scene file that cannot be read") {
    CHECK(input_error([] { parse_scene("no_such_scene.json"); }).find("no_such_scene.json: cannot be opened") !=
          std::string::npos);
    CHECK(input_error([] { parse_scene(std::filesystem::temp_directory_path()); }).find("a folder") !=
          std::string::npos);
}

TEST_CASE("mesh files that do not fit") {
    const TemporaryFolder folder;
    folder.write("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
    folder.write("flat.msh",
                 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 "
                 "0\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n");
    folder.write("empty.obj", "# nothing\n");
    folder.write("one.msh", one_tet_msh);
    folder.write("ids.txt", "0 1\nx\n");
    const auto message = [&](const std::string& text) {
        return input_error([&] { compile_world(parse_scene_text(text, "s.json", folder.path())); });
    };
    const auto body = [&](const std::string& keys) {
        return message(R"({"bodies": [{"mesh": "one.msh", )" + keys + "}]}");
    };
    CHECK(message(R"({"bodies": [{"mesh": "triangle.obj"}]})").find("1 triangles and no tetrahedra") !=
          std::string::npos);
    const std::string flat = message(R"({"bodies": [{"mesh": "flat.msh"}]})");
    CHECK(flat.find("s.json: bodies[0]") != std::string::npos);
    CHECK(flat.find("volume") != std::string::npos);
    CHECK(message(R"({"bodies": [{"mesh": "empty.obj"}]})").find("s.json: bodies[0].mesh") != std::string::npos);
    CHECK(body(R"("boundary": {"select": {"surface_id": 8}, "fix": true})")
              .find("one of the surface ids of the mesh: 7") != std::string::npos);
    CHECK(body(R"("boundary": {"select": {"file": "ids.txt"}, "fix": true})")
              .find("ids.txt: line 2: x: expected a vertex id") != std::string::npos);
    const std::string sequence = message(
        R"({"bodies": [{"mesh": "one.msh"}], "obstacles": [{"sequence": {"files": ["triangle.obj", "other.obj"]}}]})");
    CHECK(
        sequence.find("obstacles[0].sequence: other.obj: expected the same vertices and elements as in triangle.obj") !=
        std::string::npos);
    CHECK(
        message(
            R"({"bodies": [{"mesh": "one.msh"}], "obstacles": [{"mesh": "triangle.obj", "transform": {"dimensions": [1, 1, 0]}}]})")
            .empty());
}

TEST_CASE("mlcp: names of acceptance and friction update are read, others refused with the names that there are") {
    const auto scene = [](const std::string& mlcp) {
        return parse_scene_text(R"({"bodies": [{"mesh": {"generate": "ball"}}], "mlcp": {)" + mlcp + "}}").mlcp;
    };
    CHECK(scene("").acceptance == mlcp::Acceptance::strict);
    CHECK(scene("").friction_update == mlcp::FrictionUpdate::exact);
    CHECK(scene(R"("acceptance": "published")").acceptance == mlcp::Acceptance::published);
    CHECK(scene(R"("friction_update": "newton")").friction_update == mlcp::FrictionUpdate::newton);
    CHECK(scene(R"("friction_update": "published")").friction_update == mlcp::FrictionUpdate::published);
    CHECK(scene(R"("friction_update": "pyramid")").friction_update == mlcp::FrictionUpdate::pyramid);
    const std::string acceptance = input_error([&] { scene(R"("acceptance": "lenient")"); });
    for (const char* part : {"mlcp.acceptance", "lenient", "'strict'", "'published'"})
        CHECK_MESSAGE(acceptance.find(part) != std::string::npos, acceptance);
    const std::string update = input_error([&] { scene(R"("friction_update": "secant")"); });
    for (const char* part : {"mlcp.friction_update", "secant", "'exact'", "'newton'", "'published'", "'pyramid'"})
        CHECK_MESSAGE(update.find(part) != std::string::npos, update);
}
