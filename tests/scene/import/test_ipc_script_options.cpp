// IPC scripts: options, contact, and what is refused.
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/write.hpp"

#include "scene/import/ipc_script_testing.hpp"
#include "support/compare.hpp"

#include <cmath>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

TEST_CASE("ipc script: defaults of the reference code") {
    const IpcPlace place;
    const SceneSpec spec = place.import(one_cube);
    CHECK(spec.time.step == 0.025);
    CHECK(spec.time.steps == 200);
    CHECK(spec.time.integrator == "backward_euler");
    CHECK(spec.gravity == Vec3(0, -9.80665, 0));
    CHECK(spec.bodies[0].material.law == "neo_hookean");
    CHECK(spec.bodies[0].material.youngs_modulus == 1e5);
    CHECK(spec.bodies[0].material.poissons_ratio == 0.4);
    CHECK(spec.bodies[0].material.density == 1000.0);
    CHECK(spec.bodies[0].material.stiffness_damping == 0.0);
    CHECK(spec.contact.friction == 0.0);
    CHECK(spec.contact.self_contact);
    CHECK(spec.ipc.dhat_relative == 1e-3);
    CHECK(spec.ipc.friction_velocity_relative == 1e-3);
    CHECK(spec.ipc.velocity_tolerance_relative == 1e-2);
    CHECK(spec.ipc.friction_tolerance_factor == 0.0);
    CHECK(spec.ipc.friction_iterations == 1);
    CHECK(spec.ipc.max_iterations == 10000);
    CHECK(spec.ipc.barrier_stiffness == 0.0);
    CHECK(spec.ipc.barrier_stiffness_scale == 1.0);
    REQUIRE(spec.imported.has_value());
    CHECK(spec.imported->format == "ipc_script");
    CHECK(spec.imported->without_effect.empty());
    CHECK(parse_scene_text(resolved_json(spec), spec.origin.file, spec.origin.directory) == spec);
}

TEST_CASE("ipc script: values of a long script, with sections of other solvers skipped") {
    const IpcPlace place;
    const SceneSpec spec = place.import(one_cube + R"(
# a comment
energy FCR
timeIntegration NM 0.25 0.5
time 1 0.3        # 4 steps: the last one passes the end
density 500
stiffness 2e6 0.3
turnOffGravity
dampingRatio 0.2
dHat 2e-3
epsv 3e-4
fricIterAmt -1
tol 2
1e-3
2e-3
kappaMinMultiplier 1e10
constraintSolver IP
constraintType graphics
section SQP QP
 time 10 5e-3
 nonsense here
section end
section interiorPoint
 selfFric 0.25
section end
section QP
 tol 1
 1e-9
section end
zoom 2
view perspective
cameraTracking
section
selfFric 0.75
)");
    CHECK(spec.time.integrator == "trapezoidal");
    CHECK(spec.time.step == 0.3);
    CHECK(spec.time.steps == 4);
    CHECK(spec.gravity == Vec3(0, 0, 0));
    CHECK(spec.bodies[0].material.law == "fixed_corotated");
    CHECK(spec.bodies[0].material.youngs_modulus == 2e6);
    CHECK(spec.bodies[0].material.poissons_ratio == 0.3);
    CHECK(spec.bodies[0].material.density == 500.0);
    // 0.75 r h^3 in front of u K u / (2 h); here s C with s = h / 2 stands there: 0.75 r h^3 / s^2.
    CHECK(spec.bodies[0].material.stiffness_damping == relative(0.75 * 0.2 * 0.3 * 4, 1e-14));
    CHECK(spec.ipc.dhat_relative == 2e-3);
    CHECK(spec.ipc.friction_velocity_relative == 3e-4);
    CHECK(spec.ipc.friction_iterations == 0);
    CHECK(spec.ipc.velocity_tolerance_relative == 1e-3);
    CHECK(spec.ipc.barrier_stiffness_scale == relative(0.1, 1e-14));
    CHECK(spec.contact.friction == 0.25);
    const auto& notes = spec.imported->without_effect;
    for (const char* note : {"constraintType", "section SQP QP", "section QP", "zoom", "view", "cameraTracking"}) {
        INFO(note);
        CHECK(contains(notes, note));
    }
    CHECK(notes.size() == 6);
    const auto& told = spec.imported->notes;
    REQUIRE(told.size() == 2);
    CHECK(told[0].find("line 35: section: a section without a name closes none") == 0);
    CHECK(told[1] == "tol: the smallest value holds for all steps");
}

TEST_CASE("ipc script: damping of backward Euler, tuning of every length, absolute limits") {
    const IpcPlace place;
    CHECK(place.import(one_cube + "time 1 0.1\ndampingRatio 0.4\n").bodies[0].material.stiffness_damping ==
          relative(0.75 * 0.4 * 0.1, 1e-14));
    CHECK(place.import(one_cube + "time 1 0.1\ndampingStiff 0.002\n").bodies[0].material.stiffness_damping ==
          relative(0.2, 1e-14));
    const auto tuned = [&](const std::string& values) {
        return place.import(one_cube + "time 1 0.1\ntuning " + values + "\n").ipc;
    };
    CHECK(tuned("0").dhat_relative == 1e-3);
    CHECK(tuned("2\n0\n2e-4").dhat_relative == 2e-4);
    CHECK(tuned("2\n0\n1e-2").dhat_relative == 1e-3);  // a larger start is brought down to the default target
    CHECK(tuned("3\n0\n1e-2\n5e-3").dhat_relative == 5e-3);
    CHECK(tuned("6\n7\n1e-3 1e-3\n1e-9\n1e-5\n2e-5").friction_velocity_relative == 1e-5);
    CHECK(tuned("6\n1e-4\n1e-3\n1e-3\n1e-9\n1e-5\n1e-5").barrier_stiffness == 0.0);  // a start value there
    const auto tolerance = [&](const std::string& lines) {
        return place.import(one_cube + lines).ipc.velocity_tolerance_relative;
    };
    CHECK(tolerance("tol 0\n") == 1e-2);
    CHECK(tolerance("tol 1\n1e-5\ntol 1\n1e-4\n") == 1e-4);
    CHECK(tolerance("tol 1\n1e-5\ntol 0\n") == 1e-2);  // the last one counts, and says nothing but the default
    const ipc::Options absolute =
        place.import(one_cube + "time 1 0.1\nuseAbsParameters\ndHat 0.01\nepsv 0.02\ntol 1\n0.03\n").ipc;
    CHECK(absolute.dhat == 0.01);
    CHECK(absolute.friction_velocity == 0.02);
    CHECK(absolute.velocity_tolerance == relative(0.3, 1e-14));  // a length there, a speed here
}

TEST_CASE("ipc script: friction of shapes, planes and mesh obstacles") {
    const IpcPlace place;
    const World world = place
                            .compile(R"(shapes input 3
input/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1
input/tetMeshes/cube.msh 0 3 0  0 0 0  1 1 1
input/triMeshes/bent.obj 0 6 0  0 0 0  1 1 1
selfFric 0.2
ground 0 -1 50
halfSpace 0 -2 0  0 1 0  50 0.2
halfSpace 0 -3 0  0 1 0  50 0.6
meshCO input/triMeshes/bent.obj 0 9 0 1 50 0.9
)")
                            .first;
    const Index a = id_of(world, "cube"), b = id_of(world, "cube_2");
    CHECK(world.friction(a, a) == 0.2);
    CHECK(world.friction(a, b) == 0.2);
    CHECK(world.friction(a, id_of(world, "bent_2")) == 0.2);  // the kinematic shape; mesh obstacles are named first
    CHECK(world.friction(b, id_of(world, "half_space")) == 0.0);
    CHECK(world.friction(b, id_of(world, "half_space_2")) == 0.2);
    CHECK(world.friction(b, id_of(world, "half_space_3")) == 0.6);
    CHECK(world.friction(a, id_of(world, "bent")) == 0.0);
}

TEST_CASE("ipc script: selfCollisionOff parts all shapes, not the planes and mesh obstacles") {
    const IpcPlace place;
    const World world = place
                            .compile(R"(shapes input 3
input/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1
input/tetMeshes/cube.msh 0 3 0  0 0 0  1 1 1
input/segMeshes/edge.seg 0 6 0  0 0 0  1 1 1
selfCollisionOff
ground 0 -1
meshCO input/triMeshes/bent.obj 0 9 0 1 50 0.9
)")
                            .first;
    const Index a = id_of(world, "cube"), b = id_of(world, "cube_2");
    CHECK_FALSE(world.contact_pairs.allowed(a, a));
    CHECK_FALSE(world.contact_pairs.allowed(a, b));
    CHECK_FALSE(world.contact_pairs.allowed(a, id_of(world, "edge")));
    CHECK(world.contact_pairs.allowed(a, id_of(world, "half_space")));
    CHECK(world.contact_pairs.allowed(b, id_of(world, "bent")));
}

TEST_CASE("ipc script: what the reference code reads otherwise than it is written is noted") {
    const IpcPlace place;
    struct Case {
        std::string lines, note;
    };
    const Case cases[] = {
        {"selfFric 0.1 0.2", "line 3: selfFric: '0.2' and what follows on the line is passed over"},
        {"time 5", "line 3: time: no value: 0.025 as without it"},
        {"timeIntegration NM # as in the paper",
         "line 3: timeIntegration: no value: 0.25 as without it (the reference code reads 0 out of the comment)"},
        {"dampingRatio 7", "line 3: dampingRatio: 7 is held in 0 to 1, as there"},
        {"fricIterAmt 1e1", "line 3: fricIterAmt: 1e1 is 10 here; the reference code stops reading"},
        {"tol 1e-1\n0.1", "line 3: tol: 1e-1 is 1 here; the reference code stops reading"},
        {"DBCTimeRange 0 inf", "line 3: DBCTimeRange: inf is no number to the reference code"},
        {"constraintSolver QP", "line 3: constraintSolver: QP: steps are solved by our method"},
        {"constraintSolver none", "line 3: constraintSolver: none is none: interiorPoint, as there"},
        {"timeStepper Newton", "line 3: timeStepper: Newton: the steps are solved by our method"},
        {"shape grid input/tetMeshes/cube.msh", "line 3: shape: 'grid' is read as input, as there"},
        {"tuning 2\n1e-4\n1e-3", "tuning: kappa = 0.0001 is a start value"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 material 0 1e5 0.4",
         "line 4: material: density and Young's modulus are not both > 0"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 DBC 2 2 2 3 3 3 0 0 0 0 0 0",
         "line 4: DBC: no vertex of the surface in the box"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 DBC 0 0 0 1 1 1 0 0 0 0 0 0 2 1",
         "line 4: DBC: it never acts: from 2 s to 1 s"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 DBC 0 0 0 1 1 1 0 0 0 0 0 0 -3 -1",
         "line 4: DBC: it never acts: from -3 s to -1 s"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 NBC 0 0 0 1 1 1 0 1 0 -3 -1",
         "line 4: NBC: it never acts: from -3 s to -1 s"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 DBC 0 0 0 1 1 1 0 0 0 0 0 0 0 1\nDBCTimeRange 2 3",
         "line 4: DBC: it never acts: from 0 s to 1 s, and DBCTimeRange is from 2 s to 3 s"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 DBC 0 0 0 1 1 1 0 0 0 0 0 0\nDBCTimeRange 3 2",
         "line 4: DBC: it never acts: from 0 s to inf s, and DBCTimeRange is from 3 s to 2 s"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 NBC 0 0 0 1 1 1 0 1 0\nNBCTimeRange -3 -1",
         "line 4: NBC: it never acts: from 0 s to inf s, and NBCTimeRange is from -3 s to -1 s"},
        {"timeIntegration NM 0.25 0.5\nshapes input 1\ninput/tetMeshes/cube.msh 5 0 0 0 0 0 1 1 1 NBC 0 0 0 1 1 1 0 1 "
         "0",
         "NBC under NM: accelerations count once"}};
    for (const Case& c : cases) {
        INFO(c.lines);
        const auto notes = place.import(one_cube + c.lines + '\n').imported->notes;
        REQUIRE(notes.size() >= 1);
        CAPTURE(notes[0]);
        CHECK(notes[0].find(c.note) == 0);
    }
    CHECK(place.import(one_cube + "dampingRatio 7\ntime 1 0.1\n").bodies[0].material.stiffness_damping ==
          relative(0.75 * 0.1, 1e-14));
    CHECK(contains(place.import(one_cube + "script twist 1 3\n").imported->without_effect, "values of script twist"));
    CHECK(place.import(one_cube + "handleRatio 0.3\nscript stampBoth\n").imported->notes.empty());
}

TEST_CASE("ipc script: sections go by the constraint solver so far") {
    const IpcPlace place;
    const auto friction = [&](const std::string& lines) { return place.import(one_cube + lines).contact.friction; };
    CHECK(friction("section IP\nselfFric 0.5\nsection end\n") == 0.5);
    CHECK(friction("section QP\nselfFric 0.5\nsection end\n") == 0.0);
    CHECK(friction("constraintSolver QP\nsection SQP QP\nselfFric 0.5\nsection end\n") == 0.5);
    CHECK(friction("constraintSolver QP\nsection interiorPoint\nselfFric 0.5\nsection end\nselfFric 0.2\n") == 0.2);
    CHECK(friction("section QP\nselfFric 0.5\n") == 0.0);  // to the end of the file
    CHECK(friction("section QP\nselfFric 0.5\nsection\nselfFric 0.3\nsection end\n") == 0.0);
    CHECK(friction("section\nselfFric 0.5\nsection end\nselfFric 0.3\n") == 0.3);
}

TEST_CASE("ipc script: bad scripts are refused by line and keyword") {
    const IpcPlace place;
    const auto message = [&](const std::string& text) {
        return input_error([&] { scene::import_ipc_script(text, {"s.txt", place.folder.path() / "input/scripts"}); });
    };
    place.folder.write("input/scripts/keep", "");
    write_msh(place.folder.path() / "input/tetMeshes/many.msh", generate_box(Vec3(1, 1, 1), {21, 21, 10}));
    const std::pair<std::string, std::string> cases[] = {
        {"\nselfFrick 0.1\n", "s.txt: line 2: selfFrick: expected 'selfFric'"},
        {"xyzzyplugh 1\n", "s.txt: line 1: xyzzyplugh: expected a keyword of the IPC script format"},
        {"foo 1\n", "s.txt: line 1: foo: expected a keyword of the IPC script format"},
        {"energy StVK\n", "s.txt: line 1: energy: StVK: expected NH or FCR"},
        {"timeIntegration NM 0.3 0.5\n",
         "s.txt: line 1: timeIntegration: 0.3 0.5: expected NM 0.25 0.5: no other Newmark method"},
        {"time 1 1e-12\n", "s.txt: time: 1 1e-12: expected at most 1e9 steps"},
        {"density -1\n", "s.txt: line 1: density: -1: expected a density > 0 (kg/m^3)"},
        {"selfFric -0.5\n", "s.txt: line 1: selfFric: -0.5: expected a friction coefficient >= 0"},
        {"dampingStiff -1\n", "s.txt: line 1: dampingStiff: -1: expected a number >= 0"},
        {"shapes input -3\n", "s.txt: line 1: shapes: -3: expected the number of shapes >= 0"},
        {"shapeMatrix input 100 100 10\ninput/tetMeshes/cube.msh 2 2 2 0 0 0 1 1 1\n",
         "s.txt: line 1: shapeMatrix: 100 100 10: expected at most 2000 shapes in all"},
        {"shapeMatrix input 40 40 1\ninput/tetMeshes/cube.msh 2 2 2 0 0 0 1 1 1\n"
         "shapeMatrix input 401 1 1\ninput/tetMeshes/cube.msh 2 2 2 0 0 0 1 1 1\n",
         "s.txt: line 3: shapeMatrix: 401 1 1: expected at most 2000 shapes in all"},
        {"shapeMatrix input 2000 1 1\ninput/tetMeshes/many.msh 2 2 2 0 0 0 1 1 1\n",
         "s.txt: line 2: shapeMatrix: 2000 copies with 1.0648e+07 vertices: expected at most 1e+07 vertices"},
        {one_cube + "stiffness 1e5 0.5\n", "s.txt: line 3: stiffness: nu = 0.5: expected"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1 material 1000 1e5 -1\n",
         "s.txt: line 2: material: nu = -1: expected"},
        {"density nan\n", "s.txt: line 1: density: nan: expected a density > 0 (kg/m^3)"},
        {"tuning 3\n0\n1e-3\n", "s.txt: line 1: tuning: 2 numbers: expected 3 below"},
        {"tuning 2\n0\nx\n", "s.txt: line 3: x: expected 2 numbers for line 1"},
        {"shapes input 2\ninput/tetMeshes/cube.msh 0 0 0 0 0 0 1 1 1\n",
         "s.txt: line 1: shapes: end of file: expected 2 shapes below"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 0 0 0 0 0 0 1 1\n",
         "s.txt: line 2: input/tetMeshes/cube.msh: end of line: expected a scale"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 0 0 0 0 0 0 1 -1 1\n",
         "s.txt: line 2: input/tetMeshes/cube.msh: -1: expected a scale > 0 along every axis of tetrahedra"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 0 0 0 0 0 0 1 1 1 materiel 1 1 1\n",
         "s.txt: line 2: materiel: expected 'material'"},
        {"shapes input 1\ninput/tetMeshes/cube.msh 0 0 0 0 0 0 1 1 1 meshSeq frames\n",
         "s.txt: line 2: meshSeq: expected a folder with frames/0.msh"},
        {"shape input cube.stl\n", "s.txt: line 1: cube.stl: expected a mesh file .msh, .ele, .obj, .seg or .pt"},
        {"shape input input/tetMeshes/none.msh\n",
         "s.txt: line 1: input/tetMeshes/none.msh: expected a file that exists"},
        {one_cube + "script twists\n", "s.txt: line 3: script: twists: expected 'twist', or another one of null, fall"},
        {one_cube + "script ACOSquash\n", "s.txt: line 3: script ACOSquash: 0 planes: expected at least 2 planes"},
        {one_cube + "script MCOSquash\n",
         "s.txt: line 3: script MCOSquash: 0 mesh obstacles: expected at least 2 mesh obstacles"},
        {one_cube + "script meshSeqFromFile frames\n",
         "s.txt: line 3: script meshSeqFromFile: no kinematic shape: expected one"},
        {"rotateModel 0 0 0 30\n", "s.txt: line 1: rotateModel: 0 0 0: expected an axis other than zero"},
        {one_cube + "script DCORotCylinders\n",
         "s.txt: line 3: script DCORotCylinders: 1 shapes: expected at least 4 shapes"},
        {one_cube + "shape input input/segMeshes/edge.seg\nscript fall\n",
         "s.txt: line 3: input/segMeshes/edge.seg: expected tetrahedra: script fall"},
        {one_cube + "tuning 2\n0\n0\n", "s.txt: tuning: 0 0 0.001: expected kappa >= 0, dHat > 0"},
        {"ground 0 0\n", "s.txt: shapes: no deformable one: expected a shape of tetrahedra"}};
    for (const auto& [text, expected] : cases) {
        INFO(text);
        const std::string got = message(text);
        INFO("said: ", got);
        CHECK(got.find(expected) == 0);
    }
}

TEST_CASE("ipc script: sides count in a file .ipc, too, and that is noted") {
    const IpcPlace place;
    const auto file = place.folder.write("input/scripts/s.ipc", one_cube + "script stamp\n");
    const SceneSpec spec = parse_scene(file);
    CHECK(spec.bodies[0].boundary.size() == 1);
    REQUIRE(spec.imported->notes.size() == 1);
    CHECK(spec.imported->notes[0].find("script stamp: its two sides count in a file .ipc, too") == 0);
}

TEST_CASE("ipc script: TetGen's pair of files, with and without an extension, is copied as a pair") {
    const IpcPlace place;
    const std::string tet = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
    for (const char* folder : {"a", "b"}) {
        place.folder.write(std::string("input/") + folder + "/tet.node", folder[0] == 'a' ? tet : tet + "# other\n");
        place.folder.write(std::string("input/") + folder + "/tet.ele", "1 4 0\n0 0 1 2 3\n");
    }
    const SceneSpec spec = place.import(
        "shapes input 3\ninput/a/tet 0 0 0  0 0 0  1 1 1\ninput/b/tet.ele 0 5 0  0 0 0  1 1 1\n"
        "input/a/tet.ele 0 9 0  0 0 0  1 1 1 linearVelocity 0 0 0\n");
    CHECK(*spec.bodies[0].mesh.file == "../a/tet.ele");
    CHECK(compile_world(spec).first.bodies[0].mesh.tets.size() == 1);
    const TemporaryFolder run;
    const SceneSpec copied = make_self_contained(spec, run.path());
    for (const char* name : {"tet.ele", "tet.node", "tet_1.ele", "tet_1.node"})
        CHECK(std::filesystem::exists(run.path() / "meshes" / name));
    CHECK(read_text(run.path() / "meshes" / "tet_1.node").find("# other") != std::string::npos);
    CHECK(compile_world(copied).first.bodies.size() == 3);
}
