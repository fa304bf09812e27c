// Scripts of the IPC reference code for every keyword and every animation, on small meshes that the tests write.
#pragma once

#include "scene/scene_testing.hpp"

#include <string>
#include <vector>

namespace scene_testing {

/// A bar of nx x ny x nz unit cubes from the origin, five tets each. Vertex (i, j, k) is number i + (nx + 1) (j + (ny +
/// 1) k).
inline std::string bar_msh(int nx, int ny, int nz) {
    const auto id = [&](int i, int j, int k) { return 1 + i + (nx + 1) * (j + (ny + 1) * k); };
    std::string nodes, elements;
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                nodes += std::to_string(id(i, j, k)) + ' ' + std::to_string(i) + ' ' + std::to_string(j) + ' ' +
                         std::to_string(k) + '\n';
    int count = 0;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                // Cubes next to each other are mirrored, so that the diagonals of their faces agree.
                const int odd = (i + j + k) % 2;
                const auto c = [&](int a, int b, int d) { return id(i + (a ^ odd), j + b, k + d); };
                const int tets[5][4] = {{c(0, 0, 0), c(1, 0, 0), c(0, 1, 0), c(0, 0, 1)},
                                        {c(1, 1, 0), c(0, 1, 0), c(1, 0, 0), c(1, 1, 1)},
                                        {c(1, 0, 1), c(0, 0, 1), c(1, 1, 1), c(1, 0, 0)},
                                        {c(0, 1, 1), c(1, 1, 1), c(0, 0, 1), c(0, 1, 0)},
                                        {c(1, 0, 0), c(0, 1, 0), c(0, 0, 1), c(1, 1, 1)}};
                for (const auto& tet : tets) {
                    elements += std::to_string(++count) + " 4 2 1 1";
                    for (const int v : tet) elements += ' ' + std::to_string(v);
                    elements += '\n';
                }
            }
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string((nx + 1) * (ny + 1) * (nz + 1)) + '\n' +
           nodes + "$EndNodes\n$Elements\n" + std::to_string(count) + '\n' + elements + "$EndElements\n";
}

/// A plate of two triangles, 1 m by 1 m in the xz plane at height y.
inline std::string plate_obj(double y) {
    const std::string level = ' ' + std::to_string(y) + ' ';
    return "v 0" + level + "0\nv 1" + level + "0\nv 1" + level + "1\nv 0" + level + "1\nf 1 3 2\nf 1 4 3\n";
}

/// The closed surface of a box of this size (m) with a corner at the origin.
inline std::string box_obj(double size) {
    const std::string s = std::to_string(size);
    std::string text;
    for (int i = 0; i < 8; ++i)
        text += "v " + std::string(i & 1 ? s : "0") + ' ' + (i & 2 ? s : "0") + ' ' + (i & 4 ? s : "0") + '\n';
    return text +
           "f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 6\nf 4 8 "
           "6\n";
}

/// Writes the meshes that the fixtures name.
inline void write_ipc_meshes(const TemporaryFolder& folder) {
    folder.write("bar.msh", bar_msh(7, 4, 2));
    folder.write("cube.msh", bar_msh(1, 1, 1));
    folder.write("plate.obj", plate_obj(0.0));
    folder.write("box.obj", box_obj(1.0));
    folder.write("edge.seg", "v 0 0 0\nv 1 0 0\nv 2 0 0\ns 1 2\ns 2 3\n");
    folder.write("pins.pt", "v 0 0 0\nv 1 0 0\n");
    folder.write("tet.ele", "1 4 0\n0 0 1 2 3\n");
    folder.write("tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n");
    for (int k = 0; k < 12; ++k) {
        folder.write("plates/" + std::to_string(k) + ".obj", plate_obj(-5.0 - 0.1 * k));
        folder.write("cubes/" + std::to_string(k) + ".msh", bar_msh(1, 1, 1));
    }
    std::string status = "timestep 3\n\nposition 8 3\n";
    for (int i = 0; i < 8; ++i)
        status += std::to_string(i & 1) + ".5 " + std::to_string((i >> 1) & 1) + ".25 " + std::to_string(i >> 2) + "\n";
    status += "\nvelocity 24\n";
    for (int i = 0; i < 24; ++i) status += i % 3 == 0 ? "2\n" : "0\n";
    folder.write(
        "status3", status + "\ndx_Elastic 8 3\n" + [] {
            std::string zeros;
            for (int i = 0; i < 8; ++i) zeros += "0 0 0\n";
            return zeros;
        }());
}

struct IpcFixture {
    std::string name;  ///< of the keyword or animation
    std::string text;
};

inline const std::string still = "turnOffGravity\nstiffness 1e4 0.3\n";
inline const std::string fixture_bar = "shapes input 1\nbar.msh 0 0 0  0 0 0  1 1 1\n";
inline const std::string fixture_cube = "shapes input 1\ncube.msh 0 0 0  0 0 0  1 1 1\n";

/// n shapes of a mesh, 10 m apart along x, below everything else.
inline std::string row_of(int n, const std::string& mesh) {
    std::string lines;
    for (int i = 0; i < n; ++i) lines += mesh + ' ' + std::to_string(10 * i) + " -20 0  0 0 0  1 1 1\n";
    return lines;
}

/// One script for each animation. The bar reaches from (0, 0, 0) to (7, 4, 2); steps are 0.07 s, those of
/// stretchAndPause 0.1 s.
inline std::vector<IpcFixture> ipc_animation_fixtures() {
    std::vector<IpcFixture> all;
    const auto on_bar = [&](const std::string& name, const std::string& more = "") {
        const std::string step = name == "stretchAndPause" ? "0.1" : "0.07";
        all.push_back({name, "time 10 " + step + '\n' + still + fixture_bar + more + "script " + name + '\n'});
    };
    const std::string limp = "energy FCR\nselfCollisionOff\n";
    all.push_back({"null", "time 10 0.07\n" + still +
                               "shapes input 2\nbar.msh 0 0 0  0 0 0  1 1 1\nplate.obj 0 -5 0  0 0 0  "
                               "1 1 1 linearVelocity 0.5 0 0 angularVelocity 0 90 0\n"});
    for (const char* name : {"fall", "fallNoShift", "drop", "leftHitRight", "XYRotate"}) on_bar(name);
    for (const char* name : {"scaleF", "onepoint", "random", "stampInv", "standInv"}) on_bar(name, limp);
    for (const char* name : {"hang", "hang2", "hangTopLeft", "hangLeft", "stamp", "stampTopLeft", "stampBoth", "stand",
                             "topbottomfix", "fixLowerHalf", "corner", "swing", "fixRightMost1"})
        on_bar(name);
    for (const char* name : {"stretch",
                             "squash",
                             "stretchnsquash",
                             "bend",
                             "twist",
                             "twistnstretch",
                             "twistnsns",
                             "twistnsns_old",
                             "upndown",
                             "undstamp",
                             "stretchAndPause",
                             "push",
                             "tear",
                             "rubberBandPull",
                             "fourLegPull",
                             "headTailPull",
                             "dragdown",
                             "toggleTop",
                             "curtain",
                             "pushRightMost1",
                             "NMFixBottomDragLeft",
                             "NMFixBottomDragForward",
                             "utopiaComparison"})
        on_bar(name);
    on_bar("dragright", "meshCO plate.obj 1 -20 0  4  50 0\n");
    const std::string planes =
        "halfSpace -2 0 0  1 0 0  50 0\nhalfSpace 9 0 0  -1 0 0  50 0\nhalfSpace 0 -3 0  0 1 0  50 0\n"
        "halfSpace 0 7.05 0  0 -1 0  50 0\nhalfSpace 0 0 -3  0 0 1  50 0\nhalfSpace 0 0 5  0 0 -1  50 0\n";
    for (const char* name : {"ACOSquash", "ACOSquash6", "ACOSquashShear"}) on_bar(name, planes);
    std::string obstacles;
    for (int i = 0; i < 4; ++i) obstacles += "meshCO box.obj " + std::to_string(6 * i) + " -20 3  2  50 0\n";
    for (const char* name : {"MCOSquash", "MCORotSquash", "MCORotCylinders"}) on_bar(name, obstacles);
    const auto with_shapes = [&](const std::string& name, int count, const std::string& more = "",
                                 const std::string& mesh = "box.obj") {
        all.push_back({name, "time 10 0.07\n" + still + "shapes input " + std::to_string(count + 1) + '\n' +
                                 row_of(count, mesh) + "bar.msh 0 0 0  0 0 0  1 1 1\nscript " + name + more + '\n'});
    };
    with_shapes("DCORotCylinders", 4);
    with_shapes("DCOVerschoorRoller", 6);
    with_shapes("DCOSquash", 2);
    with_shapes("DCOSquash6", 6);
    with_shapes("DCOFix", 2);
    with_shapes("DCOBallHitWall", 1, " 1 2.5");
    with_shapes("meshSeqFromFile", 1, " plates", "plate.obj");
    all.push_back({"DCOHammerWalnut", "time 10 0.07\n" + still +
                                          "shapes input 2\nbar.msh 0 0 0  0 0 0  1 1 1\n"
                                          "box.obj -20 0.3 0  0 0 0  1 1 1\nscript DCOHammerWalnut\n"});
    all.push_back({"DCOCut", "time 10 0.07\n" + still +
                                 "shapes input 2\nbar.msh 0 0 0  0 0 0  1 1 1\nbox.obj -20 0.95 0  0 0 0  1 1 1\n"
                                 "script DCOCut\n"});
    all.push_back(
        {"DCOSegBedSquash", "time 10 0.07\n" + still +
                                "shapes input 4\nbar.msh 0 0 0  0 0 0  1 1 1\nedge.seg 0 -20 0  0 0 0  1 1 1\n"
                                "edge.seg 0 -19.05 0  0 0 0  1 1 1\nedge.seg 0 -18.5 0  0 0 0  1 1 1\n"
                                "script DCOSegBedSquash\n"});
    all.push_back({"DCOSqueezeOut", "time 10 0.07\n" + still +
                                        "shapes input 3\nbox.obj -20 2.45 0  0 0 0  1 1 1\n"
                                        "box.obj -20 -1 0  0 0 0  1 4 1\nbar.msh 0 0 0  0 0 0  1 1 1\n"
                                        "script DCOSqueezeOut\n"});
    return all;
}

/// One script for each keyword and each extra of a shape.
inline std::vector<IpcFixture> ipc_keyword_fixtures() {
    std::vector<IpcFixture> all;
    const auto add = [&](const std::string& name, const std::string& lines) {
        all.push_back({name, "time 1 0.02\nground 0.2 -0.01\n" + fixture_cube + lines + '\n'});
    };
    const auto on_cube = [&](const std::string& extra, const std::string& more = "") {
        all.push_back({extra.substr(0, extra.find(' ')),
                       "time 1 0.02\nground 0.2 -0.01\nshapes input 2\ncube.msh 0 0 0  0 0 0  1 1 1 " + extra +
                           "\ncube.msh 0 3 0  0 0 0  1 1 1\n" + more});
    };
    for (const char* line : {"energy FCR",
                             "timeIntegration NM",
                             "time 1 0.01",
                             "density 500",
                             "stiffness 2e5 0.3",
                             "turnOffGravity",
                             "dampingRatio 0.3",
                             "dampingStiff 1e-6",
                             "size 0.5",
                             "rotateModel 0 1 0 30",
                             "meshCO plate.obj 0.5 -3 0.5 2 50 0.1 rotate 0 30 0",
                             "ground 0.1 -1",
                             "halfSpace 0 -2 0  0 1 0  50 0.1",
                             "selfCollisionOn",
                             "selfCollisionOff",
                             "selfFric 0.3",
                             "dHat 2e-3",
                             "epsv 1e-4",
                             "useAbsParameters\ntol 1\n1e-4",
                             "tol 2\n1e-2\n1e-3",
                             "tuning 6\n1e-4\n1e-3\n1e-3\n1e-9\n1e-3\n1e-3",
                             "kappaMinMultiplier 1e10",
                             "minBarrierStiffnessScale 1e12",
                             "fricIterAmt -1",
                             "script stand",
                             "handleRatio 0.3\nscript stampBoth",
                             "restart status3",
                             "constraintSolver SQP",
                             "section QP SQP\n time 1 1\nsection end",
                             "timeStepper Newton",
                             "inexactSolve",
                             "resolution 100",
                             "warmStart 1",
                             "linearSolver AMGCL",
                             "linSysSolver EIGEN",
                             "CCDMethod BSC",
                             "ccdMethod TightInclusion",
                             "CCDTolerance 1e-6",
                             "ccdTolerance 1e-6",
                             "exactCCD",
                             "constraintType volume",
                             "constraintOffset 1e-3",
                             "QPSolver OSQP",
                             "useActiveSetConvergence",
                             "noActiveSetConvergence",
                             "view orthographic",
                             "zoom 2",
                             "cameraTracking",
                             "playBackSpeed 0.5",
                             "appendStr word",
                             "disableCout"}) {
        const std::string text = line;
        add(text.substr(0, text.find_first_of(" \n")), text);
    }
    all.push_back({"shape", "time 1 0.02\nground 0.2 -0.01\nshape input cube.msh\n"});
    add("shapes",
        "shapes input 2\ncube.msh 2 1 0  10 20 30  0.5 0.5 0.5 \\\n  initVel 1 0 0 0 0 0\ntet 5 0 0  0 0 0  1 1 1");
    add("shapeMatrix", "shapeMatrix input 2 1 2 4 1 4\ncube.msh 3 0 3  0 0 0  1 1 1 material 500 1e5 0.3");
    on_cube("material 2000 1e6 0.3");
    on_cube("linearVelocity 0.1 0 0");
    on_cube("angularVelocity 0 30 0");
    on_cube("initVel 1 0 0  0 90 0");
    on_cube("DBC 0 0.9 0  1 1 1  0 0.1 0  0 20 0  0.02 0.5", "DBCTimeRange 0 1\n");
    on_cube("NBC 0 0.9 0  1 1 1  2 0 0  0 0.5", "NBCTimeRange 0 1\n");
    on_cube("meshSeq cubes");
    all.push_back({"DBCTimeRange", all[all.size() - 3].text});
    all.push_back({"NBCTimeRange", all[all.size() - 3].text});
    return all;
}

}  // namespace scene_testing
