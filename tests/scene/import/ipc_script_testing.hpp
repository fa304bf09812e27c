// What the tests of IPC scripts share.
#pragma once

#include "stiction/scene/import/ipc_script.hpp"

#include "scene/scene_testing.hpp"

#include <algorithm>

namespace scene_testing {

/// Tets around the centre (0.5, 0.5, 0.5) of the unit cube: vertices 0 to 7 on the surface, 8 inside; 9 is used by
/// nothing.
inline std::string cube_msh() {
    std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n";
    for (int i = 0; i < 8; ++i)
        text += std::to_string(i + 1) + ' ' + std::to_string(i & 1) + ' ' + std::to_string((i >> 1) & 1) + ' ' +
                std::to_string(i >> 2) + '\n';
    text += "9 0.5 0.5 0.5\n10 0.25 0.25 0.25\n$EndNodes\n$Elements\n12\n";
    const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                              {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int i = 0; i < 12; ++i) {
        text += std::to_string(i + 1) + " 4 2 1 1";
        for (const int v : faces[i]) text += ' ' + std::to_string(v + 1);
        text += " 9\n";
    }
    return text + "$EndElements\n";
}

/// A folder like that of the reference code: input/ with meshes, and scripts below it.
struct IpcPlace {
    IpcPlace() {
        folder.write("input/tetMeshes/cube.msh", cube_msh());
        folder.write("input/tetMeshes/tet.msh", one_tet_msh);
        folder.write("input/triMeshes/bent.obj", "v 0 0 0\nv 4 0 0\nv 0 0 2\nv 4 1 2\nf 1 3 2\nf 2 3 4\n");
        folder.write("input/triMeshes/line.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
        folder.write("input/segMeshes/edge.seg", "v 0 0 0\nv 1 0 0\ns 1 2\n");
    }
    stiction::SceneSpec import(const std::string& text) const {
        const auto file = folder.write("input/scripts/s.txt", text);
        return stiction::scene::import_ipc_script(text, {file.string(), file.parent_path()});
    }
    std::pair<stiction::World, stiction::State> compile(const std::string& text) const {
        return stiction::compile_world(import(text));
    }
    TemporaryFolder folder;
};

inline const std::string one_cube = "shapes input 1\ninput/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1\n";

inline bool contains(const std::vector<std::string>& list, const std::string& entry) {
    return std::find(list.begin(), list.end(), entry) != list.end();
}

inline const stiction::Body& body_named(const stiction::World& world, const std::string& name) {
    for (const stiction::Body& body : world.bodies)
        if (body.name == name) return body;
    FAIL("no body ", name);
    return world.bodies[0];
}

inline stiction::Index id_of(const stiction::World& world, const std::string& name) {
    return static_cast<stiction::Index>(&body_named(world, name) - world.bodies.data());
}

}  // namespace scene_testing
