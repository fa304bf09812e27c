// What the tests of the PolyFEM importer share.
#pragma once

#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/write.hpp"
#include "stiction/world/step.hpp"

#include "scene/scene_testing.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace polyfem_testing {

using namespace stiction;

/// A folder with meshes, to which scenes are written.
struct PolyfemFolder {
    scene_testing::TemporaryFolder folder;

    PolyfemFolder() {
        write_msh(folder.path() / "cube.msh", generate_box(Vec3(1, 1, 1), {1, 1, 1}));  // from -1/2 to 1/2
        write_msh(folder.path() / "fine.msh", generate_box(Vec3(3, 3, 3), {3, 3, 3}));  // from -3/2 to 3/2
        folder.write("tet.msh", scene_testing::one_tet_msh);
        folder.write("plane.obj", "v -5 0 5\nv 5 0 5\nv -5 0 -5\nv 5 0 -5\nf 2 3 1\nf 2 4 3\n");
        folder.write("high_plane.obj", "v -5 3 5\nv 5 3 5\nv -5 3 -5\nv 5 3 -5\nf 2 3 1\nf 2 4 3\n");
        folder.write("edge.obj", "v 0 0\nv 1 0\nl 1 2\n");
    }

    SceneSpec import(const std::string& text, const std::string& name = "scene.json") const {
        return parse_scene(folder.write(name, text));
    }
    World world(const std::string& text) const { return compile_world(import(text)).first; }
    std::string error(const std::string& text) const {
        return scene_testing::input_error([&] { compile_world(import(text)); });
    }
};

/// A scene with this geometry; `more` is put in front of the other keys, ending with a comma.
inline std::string scene_of(const std::string& geometry, const std::string& more = "",
                            const std::string& time = R"({"dt": 0.1, "tend": 1})") {
    return "{" + more + R"("materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}, "time": )" + time +
           R"(, "geometry": )" + geometry + "}";
}

/// The geometry object of a body of the mesh with further keys, beginning with a comma.
inline std::string body_of(const std::string& mesh, const std::string& more = "") {
    return R"({"mesh": ")" + mesh + "\"" + more + "}";
}

/// Where the schedules put all vertices at time t; vertices that nothing drives stay at their start.
inline std::vector<Vec3> targets(const SceneSpec& spec, double t) {
    const auto [world, state] = compile_world(spec);
    const StepInput input = schedule(world, state, t);
    std::vector<Vec3> result;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        Vec3 x = state.x.segment<3>(3 * v);
        for (int k = 0; k < 3; ++k) {
            if (input.driven_axes[static_cast<std::size_t>(v)] >> k & 1) x[k] = input.target[3 * v + k];
        }
        result.push_back(x);
    }
    return result;
}

}  // namespace polyfem_testing
