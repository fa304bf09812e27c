// Sequences and planes of PolyFEM scenes: which files they take, and what stands beside them without effect.
#include "scene/import/polyfem_testing.hpp"
#include <fmt/format.h>

using namespace polyfem_testing;

TEST_CASE("PolyFEM patterns of mesh sequences take files in the order of their names") {
    const PolyfemFolder folder;
    folder.folder.write("frame_1.obj", "v -5 0 5\nv 5 0 5\nv -5 0 -5\nf 2 3 1\n");
    folder.folder.write("frame_2.obj", "v -5 1 5\nv 5 1 5\nv -5 1 -5\nf 2 3 1\n");
    const SceneSpec spec = folder.import(scene_of(
        R"([{"mesh": "cube.msh"}, {"type": "mesh_sequence", "is_obstacle": true, "mesh_sequence": "frame_?.obj", "fps": 4}])"));
    REQUIRE(spec.obstacles.size() == 1);
    REQUIRE(spec.obstacles[0].sequence->files->size() == 2);
    CHECK(spec.obstacles[0].sequence->files->at(1).ends_with("frame_2.obj"));
    CHECK(spec.obstacles[0].sequence->interval == 0.25);
}

TEST_CASE("PolyFEM patterns count: 10 comes after 9, and signs in the path of the scene stand for themselves") {
    const PolyfemFolder folder;
    for (const std::string place : {"", "a[1]/", "b*\\?/"}) {
        CAPTURE(place);
        for (int k = 0; k < 12; ++k)
            folder.folder.write(fmt::format("{}seq/{}.obj", place, k),
                                fmt::format("v -5 {0} 5\nv 5 {0} 5\nv -5 {0} -5\nf 2 3 1\n", k));
        write_msh(folder.folder.path() / place / "cube.msh", generate_box(Vec3(1, 1, 1), {1, 1, 1}));
        const auto file = folder.folder.write(place + "scene.json", scene_of(R"([{"mesh": "cube.msh"},
            {"type": "mesh_sequence", "is_obstacle": true, "mesh_sequence": "seq/*.obj", "fps": 4}])"));
        // from the working directory, as on the command line
        const SceneSpec spec = parse_scene(std::filesystem::relative(file));
        REQUIRE(spec.obstacles.size() == 1);
        const auto& files = *spec.obstacles[0].sequence->files;
        REQUIRE(files.size() == 12);
        for (std::size_t k = 0; k < files.size(); ++k) CHECK(files[k] == fmt::format("seq/{}.obj", k));
        CHECK(compile_world(spec).first.bodies.size() == 2);
    }
}

TEST_CASE("PolyFEM planes and sequences: ids and n_refs, which mean nothing there, are listed") {
    const PolyfemFolder folder;
    const char* const entries[] = {
        R"("type": "plane", "point": [0, -1, 0], "normal": [0, 1, 0])", R"("type": "ground", "height": -1)",
        R"("type": "mesh_sequence", "mesh_sequence": ["plane.obj", "high_plane.obj"], "fps": 5)"};
    for (const std::string entry : entries) {
        CAPTURE(entry);
        const SceneSpec spec = folder.import(scene_of(R"([{"mesh": "cube.msh"}, {"is_obstacle": true, "n_refs": 0, )"
                                                      R"("surface_selection": 3, )" +
                                                      entry + "}]"));
        const auto& listed = spec.imported->without_effect;
        CHECK(listed == std::vector<std::string>{"geometry[1].n_refs", "geometry[1].surface_selection"});
    }
}
