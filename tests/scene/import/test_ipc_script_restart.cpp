// IPC scripts that go on from a status file of the reference code.
#include "scene/import/ipc_script_testing.hpp"

using namespace stiction;
using namespace scene_testing;

TEST_CASE("ipc script: restart takes positions, velocities and the number of the step") {
    const IpcPlace place;
    std::string status = "timestep 12\n\nposition 12 3\n";
    for (int i = 0; i < 12; ++i) status += std::to_string(i) + " 0.5 1e1\n";
    status += "\nvelocity 36\n";
    for (int i = 0; i < 36; ++i) status += std::to_string(i) + '\n';
    place.folder.write("input/scripts/status12", status + "\nacceleration 1 3\n0 0 0\n");
    const SceneSpec spec = place.import("time 1 0.05\nenergy FCR\n" + one_cube +
                                        "shape input input/segMeshes/edge.seg\nrestart status12\n");
    CHECK(spec.time.steps == 8);
    const auto [world, state] = compile_world(spec);
    for (Index i = 0; i < 9; ++i) {
        CHECK(state.x.segment<3>(3 * i) == Vec3(i, 0.5, 10));
        CHECK(state.v.segment<3>(3 * i) == Vec3(3 * i, 3 * i + 1, 3 * i + 2));
    }
    // Vertex 9 of the cube's file is used by nothing; the edge has the numbers 10 and 11.
    const Index edge = body_named(world, "edge").first_vertex;
    CHECK(state.x.segment<3>(3 * edge) == Vec3(10, 0.5, 10));
    CHECK(state.v.segment<3>(3 * edge) == Vec3(0, 0, 0));
    CHECK(input_error([&] { place.import(one_cube + "restart none\n"); }).find("line 3: restart: none") !=
          std::string::npos);
    place.folder.write("input/scripts/folder/keep", "");
    const std::string folder = input_error([&] { place.import(one_cube + "restart folder\n"); });
    INFO(folder);
    CHECK(folder.find("s.txt: line 3: restart: ") != std::string::npos);
    CHECK(folder.find("folder: expected a file that can be read") != std::string::npos);
}

TEST_CASE("ipc script: damaged status files are refused by script, file and line") {
    const IpcPlace place;
    const std::string rows = "0 0 0\n1 1 1\n", position = "position 2 3\n" + rows,
                      velocity = "velocity 6\n0 0 0\n0 0 0\n", head = "timestep 1\n";
    const auto message = [&](const std::string& text) {
        place.folder.write("input/scripts/bad", text);
        return input_error([&] { place.import(one_cube + "restart bad\n"); });
    };
    CHECK(message(head + position + velocity) == "");
    CHECK(message(head + position + velocity + "acceleration 2 3\n" + rows + "dx_Elastic 2 3\n" + rows) == "");
    const std::pair<std::string, std::string> cases[] = {
        {head + velocity, ": position: missing"},
        {head + position, ": velocity: missing"},
        {position + velocity, ": timestep: missing"},
        {head + "position 8 3\n" + rows + velocity, ", line 2: 6 numbers: expected 24 below"},
        {head + "position 2 3\n1 2 3\n4 5\n", ", line 2: 5 numbers: expected 6 below"},
        {head + "position 2 3\n" + rows + "2 2 2\n" + velocity, ", line 5: 2: expected a name such as timestep"},
        {head + "position 2 3\n0 0 0\n1 1 1 1\n", ", line 4: 1: expected 6 numbers for line 2"},
        {head + "position 2 3\n0 0 0\n1 x 1\n" + velocity, ", line 4: x: expected 6 numbers for line 2"},
        {head + "position 2 3\n0 0 0\nnan 1 1\n" + velocity, ", line 4: nan: expected 6 numbers for line 2"},
        {head + "position 2 3\n0 0 0\n1 inf 1\n" + velocity, ", line 4: inf: expected 6 numbers for line 2"},
        {head + "position 20 3\n", ", line 2: 0 numbers: expected 60 below"},
        {head + "position 4 1\n1 2 3 4\n" + velocity, ", line 2: 4 numbers: expected three for each of at most 10"},
        {head + "position 6\n" + rows + velocity, ", line 2: 6 numbers: expected three for each of at most 10"},
        {head + "position two 3\n" + velocity, ", line 2: two: expected a whole number"},
        {head + position + "velocity 6\nzero\n", ", line 6: zero: expected 6 numbers for line 5"},
        {head + position + position + velocity, ", line 5: position: expected each name once"},
        {head + position + velocity + "nan\n", ", line 8: nan: expected a name and how many numbers follow"},
        {"timestep -3\n" + position + velocity, ", line 1: -3: expected a whole number from 0 to 1e9"},
        {"timestep 1e30\n" + position + velocity, ", line 1: 1e30: expected a whole number from 0 to 1e9"},
        {"timestep 1.5\n" + position + velocity, ", line 1: 1.5: expected a whole number from 0 to 1e9"},
        {"timestep\n" + position + velocity, ", line 1: timestep: expected a name and how many numbers follow"},
        {"1 2 3\n", ", line 1: 1: expected a name such as timestep, position or velocity"}};
    for (const auto& [text, expected] : cases) {
        INFO(text);
        const std::string got = message(text);
        INFO("said: ", got);
        CHECK(got.find("s.txt: line 3: restart: ") != std::string::npos);
        CHECK(got.find("bad" + expected) != std::string::npos);
    }
    std::string many = head + "position 20 3\n";
    for (int i = 0; i < 20; ++i) many += "1 2 3\n";
    CHECK(message(many + velocity).find("three for each of at most 10 vertices") != std::string::npos);
}
