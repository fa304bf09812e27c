// PolyFEM scenes: conditions, materials, time, contact, units, `common`.
#include "scene/import/polyfem_testing.hpp"
#include "support/compare.hpp"

#include <cmath>
#include <numbers>

using namespace polyfem_testing;
using namespace stiction::test;

namespace {

bool lists(const SceneSpec& spec, const std::string& path) {
    const auto& paths = spec.imported->without_effect;
    return std::find(paths.begin(), paths.end(), path) != paths.end();
}

std::string conditions(const std::string& text) {
    return R"("boundary_conditions": )" + text + ", ";
}

}  // namespace

TEST_CASE("PolyFEM's right-hand side is minus the acceleration") {
    const PolyfemFolder folder;
    CHECK(folder.import(scene_of(body_of("cube.msh"), conditions(R"({"rhs": [1, 9.81, "2*pi"]})"))).gravity ==
          Vec3(-1, -9.81, -2 * std::numbers::pi));
    CHECK(folder.import(scene_of(body_of("cube.msh"))).gravity == Vec3(0, 0, 0));
    CHECK(!std::signbit(folder.import(scene_of(body_of("cube.msh"), conditions(R"({"rhs": [0, 1, 0]})"))).gravity.x()));
}

TEST_CASE("PolyFEM's Dirichlet values are displacements from the transformed mesh") {
    const PolyfemFolder folder;
    const std::string placed =
        R"(, "transformation": {"scale": 2, "translation": [0, 3, 0]}, "surface_selection": {"id": 1, "axis": "y", "position": 4})";
    const SceneSpec spec = folder.import(scene_of(
        body_of("cube.msh", placed),
        conditions(
            R"({"dirichlet_boundary": {"id": [5, 1], "value": ["10*t", "x*t", 0.25], "dimension": [true, true, false]}})")));
    const double t = 0.3;
    const World world = compile_world(spec).first;
    CHECK(world.motions[0].axes == 3);
    const auto x = targets(spec, t);
    int moved = 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
        const Vec3 rest = world.bodies[0].mesh.vertices[v];
        const bool on_top = rest.y() > 3.5;
        moved += on_top;
        const Vec3 expected = on_top ? Vec3(rest.x() + 10 * t, rest.y() + rest.x() * t, rest.z()) : rest;
        CHECK((x[v] - expected).norm() < 1e-14);
    }
    CHECK(moved == 4);
    // zeros hold, and leave the other axes alone
    const SceneSpec held = folder.import(scene_of(
        body_of("cube.msh", placed),
        conditions(R"({"dirichlet_boundary": [{"id": 1, "value": [0, "0", 5], "dimension": [true, true, false]}]})")));
    CHECK(held.bodies[0].boundary[0].motion.fix);
    CHECK(held.bodies[0].boundary[0].motion.axes == "xy");
    // "all" is the whole surface: of the fine box all but its 8 inner vertices
    const World all = folder.world(
        scene_of(body_of("fine.msh"), conditions(R"({"dirichlet_boundary": {"id": "all", "value": [0, 0, 0]}})")));
    CHECK(all.motions[0].vertices.size() == 64 - 8);
}

TEST_CASE("PolyFEM vertices with several Dirichlet conditions obey all of them, along each axis the last") {
    const PolyfemFolder folder;
    const std::string body = body_of("fine.msh", R"(, "surface_selection": [
        {"id": 1, "axis": "-x", "position": -1.5}, {"id": 2, "axis": "-y", "position": -1.5}])");
    const SceneSpec held = folder.import(scene_of(body, conditions(R"({"dirichlet_boundary": [
        {"id": 1, "value": [0, 0, 0], "dimension": [true, false, false]},
        {"id": 2, "value": [0, 0, 0], "dimension": [false, true, false]}]})")));
    const auto [world, state] = compile_world(held);
    const StepInput input = schedule(world, state, 0.3);
    int on_edge = 0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Vec3 x = state.x.segment<3>(3 * v);
        const bool left = x.x() < -1.4, low = x.y() < -1.4;
        on_edge += left && low;
        CHECK(input.driven_axes[static_cast<std::size_t>(v)] == (left ? 1 : 0) + (low ? 2 : 0));
    }
    CHECK(on_edge == 4);
    // Both drive y: the second wins there, and neither loses its other axis.
    const SceneSpec driven = folder.import(scene_of(body, conditions(R"({"dirichlet_boundary": [
        {"id": 1, "value": ["t", "7*t", 0], "dimension": [true, true, false]},
        {"id": 2, "value": [0, "2*t", 0], "dimension": [false, true, true]}]})")));
    const double t = 0.3;
    const auto x = targets(driven, t);
    for (std::size_t v = 0; v < x.size(); ++v) {
        const Vec3 rest = world.bodies[0].mesh.vertices[v];
        const bool left = rest.x() < -1.4, low = rest.y() < -1.4;
        CHECK((x[v] - rest - Vec3(left ? t : 0, low ? 2 * t : left ? 7 * t : 0, 0)).norm() < 1e-14);
    }
    const auto drives = schedule(compile_world(driven).first, compile_world(driven).second, t).driven_axes;
    for (std::size_t v = 0; v < x.size(); ++v) {
        const Vec3 rest = world.bodies[0].mesh.vertices[v];
        CHECK(drives[v] == ((rest.x() < -1.4 ? 3 : 0) | (rest.y() < -1.4 ? 6 : 0)));
    }
    // Where the last condition has all the axes of the others, nothing is joined.
    CHECK(folder
              .import(scene_of(body, conditions(R"({"dirichlet_boundary": [
        {"id": 1, "value": [0, 0, 0], "dimension": [true, false, false]}, {"id": 2, "value": [0, 0, 1]}]})")))
              .bodies[0]
              .boundary.size() == 2);
}

TEST_CASE("PolyFEM obstacles are moved by obstacle displacements, or else by Dirichlet ids") {
    const PolyfemFolder folder;
    const std::string geometry =
        "[" + body_of("cube.msh", R"(, "surface_selection": 2, "transformation": {"translation": [0, 20, 0]})") + "," +
        body_of("tet.msh", R"(, "is_obstacle": true, "surface_selection": 1000)") + "," +
        body_of("tet.msh",
                R"(, "is_obstacle": true, "surface_selection": 2, "transformation": {"translation": [4, 0, 0]})") +
        "," +
        body_of("tet.msh",
                R"(, "is_obstacle": true, "surface_selection": 0, "transformation": {"translation": [8, 0, 0]})") +
        "]";
    const SceneSpec spec = folder.import(scene_of(geometry, conditions(R"_({
        "dirichlet_boundary": [{"id": 2, "value": [0, "max(-2*t, -1)", 0]}, {"id": 1000, "value": [7, 7, 7]}],
        "obstacle_displacements": [{"id": 1000, "value": [0, "rotate_2D_x(y + 1, z, t*pi/2) - (y + 1)", "rotate_2D_y(y + 1, z, t*pi/2) - z"]}]})_")));
    CHECK(lists(spec, "boundary_conditions.dirichlet_boundary[1] (obstacle_displacements moves its obstacles)"));
    const auto x = targets(spec, 1.0);
    REQUIRE(x.size() == 8 + 12);
    const World world = compile_world(spec).first;
    for (std::size_t v = 0; v < 8; ++v)
        CHECK((x[v] - (world.bodies[0].mesh.vertices[v] + Vec3(0, -1, 0))).norm() < 1e-14);
    for (std::size_t v = 0; v < 4; ++v) {
        const Vec3 rest = world.bodies[1].mesh.vertices[v];  // a quarter turn about the x axis through (0, -1, 0)
        CHECK((x[8 + v] - Vec3(rest.x(), -1 - rest.z(), rest.y() + 1)).norm() < 1e-14);
        CHECK((x[12 + v] - (world.bodies[2].mesh.vertices[v] + Vec3(0, -1, 0))).norm() < 1e-14);
        CHECK(x[16 + v] == world.bodies[3].mesh.vertices[v]);
    }
}

TEST_CASE("PolyFEM time: two of step, end and number of steps") {
    const PolyfemFolder folder;
    const auto time = [&](const std::string& text) {
        return folder.import(scene_of(body_of("cube.msh"), "", text)).time;
    };
    CHECK(time(R"({"dt": 0.025, "tend": 2.5})").steps == 100);
    CHECK(time(R"({"dt": 0.3, "tend": 1})").steps == 4);
    CHECK(time(R"({"tend": 5, "time_steps": 200})").step == 0.025);
    CHECK(time(R"({"tend": 5, "time_steps": 200})").steps == 200);
    CHECK(time(R"({"dt": 0.1, "time_steps": 7, "t0": 0, "quasistatic": false})").steps == 7);
    CHECK(time(R"({"dt": 0.1, "time_steps": 7})").integrator == "backward_euler");
    CHECK(time(R"({"dt": 0.1, "time_steps": 7, "quasistatic": true})").integrator == "quasi_static");
    for (const char* name : {R"("ImplicitEuler")", R"("BDF1")", R"({"type": "BDF", "steps": 1})", R"({"type": "BDF"})",
                             R"({"type": "ImplicitEuler"})"})
        CHECK(time(R"({"dt": 0.1, "time_steps": 7, "integrator": )" + std::string(name) + "}").integrator ==
              "backward_euler");
    for (const char* name : {R"("BDF2")", R"({"type": "BDF", "steps": 2})"})
        CHECK(time(R"({"dt": 0.1, "time_steps": 7, "integrator": )" + std::string(name) + "}").integrator == "bdf2");
    for (const char* name : {R"("ImplicitNewmark")", R"({"type": "ImplicitNewmark", "gamma": 0.5, "beta": 0.25})"})
        CHECK(time(R"({"dt": 0.1, "time_steps": 7, "integrator": )" + std::string(name) + "}").integrator ==
              "trapezoidal");
}

TEST_CASE("PolyFEM contact: absolute lengths and speeds, and its defaults") {
    const PolyfemFolder folder;
    const auto spec_of = [&](const std::string& more, const std::string& mesh = "cube.msh") {
        return folder.import(scene_of(body_of(mesh), more));
    };
    const SceneSpec plain = spec_of("");
    CHECK(plain.ipc.dhat == 1e-3);
    CHECK(plain.ipc.friction_velocity == 1e-3);
    CHECK(plain.ipc.friction_iterations == 1);
    CHECK(plain.contact.friction == 0.0);
    CHECK(plain.mass == "consistent");
    CHECK(plain.output.every == 1);
    CHECK(!plain.contact.self_contact);  // contact is off unless it is enabled

    const SceneSpec set =
        spec_of(R"("contact": {"enabled": true, "dhat": 1e-6, "epsv": 1e-5, "friction_coefficient": 0.5},
        "solver": {"contact": {"friction_iterations": 10}, "advanced": {"lump_mass_matrix": true}}, "output": {"paraview": {"skip_frame": 5}}, )");
    CHECK(set.ipc.dhat == 1e-6);
    CHECK(set.ipc.friction_velocity == 1e-5);
    CHECK(set.ipc.friction_iterations == 10);
    CHECK(set.contact.friction == 0.5);
    CHECK(set.contact.self_contact);
    CHECK(set.contact.pairs.empty());
    CHECK(set.mass == "lumped");
    CHECK(set.output.every == 5);

    const auto iterations = [&](int n) {
        return spec_of(
            R"("contact": {"enabled": true, "friction_coefficient": 0.5}, "solver": {"contact": {"friction_iterations": )" +
            std::to_string(n) + "}}, ");
    };
    CHECK(iterations(-1).ipc.friction_iterations == 0);  // until it converges
    CHECK(iterations(-1).contact.friction == 0.5);
    CHECK(iterations(0).contact.friction == 0.0);  // 0 switches friction off

    // without `dhat`, edges shorter than its default decide
    const std::string tiny = body_of("cube.msh", R"(, "transformation": {"scale": 5e-4})");
    CHECK(folder.import(scene_of(tiny)).ipc.dhat == relative(0.8 * 5e-4, 1e-13));
    CHECK(folder.import(scene_of(tiny, R"("contact": {"dhat_percentage": 0.5}, )")).ipc.dhat ==
          relative(0.5 * 5e-4, 1e-13));
    CHECK(folder.import(scene_of(tiny, R"("contact": {"dhat": 2e-3}, )")).ipc.dhat == 2e-3);
    // Where a collision mesh stands in the place of the boundary, its edges do: here diagonals of the cube's faces.
    folder.folder.write("long.obj", "v -0.5 -0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 0.5 0.5\nf 1 2 3\n");
    const std::string small = body_of("cube.msh", R"(, "transformation": {"scale": 9e-4})");
    CHECK(folder.import(scene_of(small)).ipc.dhat == relative(0.8 * 9e-4, 1e-13));
    CHECK(folder.import(scene_of(small, R"("contact": {"collision_mesh": {"mesh": "long.obj"}}, )")).ipc.dhat == 1e-3);
}

TEST_CASE("PolyFEM scenes without contact let everything pass") {
    const PolyfemFolder folder;
    const World world = folder.world(scene_of("[" + body_of("cube.msh") + "," + body_of("cube.msh") + "," +
                                              body_of("plane.obj", R"(, "is_obstacle": true)") + "]"));
    for (Index a = 0; a < 3; ++a)
        for (Index b = 0; b < 2; ++b) CHECK(!world.contact_pairs.allowed(a, b));
}

TEST_CASE("PolyFEM materials by volume id") {
    const PolyfemFolder folder;
    const auto geometry = [](const std::string& first, const std::string& second) {
        return "[" +
               body_of("cube.msh",
                       ", \"volume_selection\": " + first + R"(, "transformation": {"translation": [0, 5, 0]})") +
               "," + body_of("cube.msh", ", \"volume_selection\": " + second) + "]";
    };
    const auto spec_of = [&](const std::string& materials, const std::string& bodies) {
        return folder.import(R"({"time": {"dt": 1, "tend": 1}, "materials": )" + materials + R"(, "geometry": )" +
                             bodies + "}");
    };
    const std::string two = R"([{"id": 1, "type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000},
                                {"id": [2, 3], "type": "FixedCorotational", "lambda": 4e5, "mu": 1e5}])";
    const SceneSpec spec = spec_of(two, geometry("1", "3"));
    CHECK(spec.bodies[0].material.law == "neo_hookean");
    CHECK(spec.bodies[0].material.youngs_modulus == 1e5);
    CHECK(spec.bodies[0].material.density == 1000);
    CHECK(spec.bodies[1].material.law == "fixed_corotated");
    CHECK(spec.bodies[1].material.poissons_ratio == relative(0.4, 1e-13));
    CHECK(spec.bodies[1].material.youngs_modulus == relative(2.8e5, 1e-13));
    CHECK(spec.bodies[1].material.density == 1);
    // selections by place; two ids of one material are fine, of two are not
    const std::string halves = R"([{"id": 2, "axis": "y", "position": 0}, {"id": 3, "axis": "-y", "position": 0}])";
    CHECK(spec_of(two, geometry("1", halves)).bodies[1].material.law == "fixed_corotated");
    const std::string mixed = R"([{"id": 1, "axis": "y", "position": 0}, {"id": 3, "axis": "-y", "position": 0}])";
    CHECK(scene_testing::input_error([&] {
              spec_of(two, geometry("1", mixed));
          }).find("geometry[1].volume_selection: 1, 3: expected one material a mesh") != std::string::npos);
    CHECK(scene_testing::input_error([&] {
              spec_of(two, geometry("1", "4"));
          }).find("geometry[1].volume_selection: 4: expected an id that one of `materials` has") != std::string::npos);
    // one material without an id is for everything
    CHECK(spec_of(R"({"type": "SaintVenant", "E": 7, "nu": 0.1})", geometry("1", "4")).bodies[1].material.law ==
          "saint_venant_kirchhoff");
    CHECK(lists(spec_of(two, geometry("1", "1")), "materials[1] (no body has its id)"));
}

TEST_CASE("PolyFEM initial velocities by volume id") {
    const PolyfemFolder folder;
    const SceneSpec spec = folder.import(scene_of(
        "[" + body_of("cube.msh", R"(, "volume_selection": 1)") + "," +
            body_of("cube.msh", R"(, "volume_selection": 2, "transformation": {"translation": [0, 5, 0]})") + "]",
        R"("initial_conditions": {"velocity": {"id": 2, "value": [1, "-2", 3]}}, )"));
    CHECK(spec.bodies[0].velocity == Vec3(0, 0, 0));
    CHECK(spec.bodies[1].velocity == Vec3(1, -2, 3));
}

TEST_CASE("a PolyFEM scene in millimetres, grams and milliseconds is the one in SI units") {
    const PolyfemFolder folder;
    write_msh(folder.folder.path() / "cube_mm.msh", generate_box(Vec3(1000, 1000, 1000), {1, 1, 1}));
    const auto scene = [](const std::string& units, const std::string& mesh, const std::string& rest) {
        return "{" + units + R"("geometry": [{"mesh": ")" + mesh + "\", " + rest + "}";
    };
    const SceneSpec si = folder.import(scene(
        "", "cube.msh",
        R"_("transformation": {"translation": [0, 2, 0]}, "surface_selection": {"id": 1, "axis": "y", "position": 2.4}},
            {"type": "ground", "is_obstacle": true, "height": 0.25}],
        "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}, "time": {"dt": 0.01, "tend": 0.5},
        "contact": {"enabled": true, "dhat": 2e-3, "epsv": 5e-3}, "initial_conditions": {"velocity": {"id": 0, "value": [3, 0, 0]}},
        "boundary_conditions": {"rhs": [0, 9.81, 0], "dirichlet_boundary": {"id": 1, "value": ["2*x*t", "0.1*sin(t)", 0.5]}})_"));
    const SceneSpec small = folder.import(scene(
        R"("units": {"length": "mm", "mass": "g", "time": "ms"}, )", "cube_mm.msh",
        R"_("transformation": {"translation": [0, 2000, 0]}, "surface_selection": {"id": 1, "axis": "y", "position": 2400}},
            {"type": "ground", "is_obstacle": true, "height": 250}],
        "materials": {"type": "NeoHookean", "E": {"value": 0.1, "unit": "MPa"}, "nu": 0.4, "rho": 1e-3}, "time": {"dt": 10, "tend": {"value": 0.5, "unit": "s"}},
        "contact": {"enabled": true, "dhat": 2, "epsv": 5e-3}, "initial_conditions": {"velocity": {"id": 0, "value": [3, 0, 0]}},
        "boundary_conditions": {"rhs": [0, 9.81e-3, 0], "dirichlet_boundary": {"id": 1, "value": ["2*x*t/1000", "100*sin(t/1000)", {"value": 50, "unit": "cm"}]}})_"));
    CHECK(small.gravity.y() == relative(si.gravity.y(), 1e-13));
    CHECK(small.time.step == relative(si.time.step, 1e-13));
    CHECK(small.time.steps == si.time.steps);
    CHECK(small.ipc.dhat == relative(si.ipc.dhat, 1e-13));
    CHECK(small.ipc.friction_velocity == relative(si.ipc.friction_velocity, 1e-13));
    CHECK(small.bodies[0].material.density == relative(si.bodies[0].material.density, 1e-13));
    CHECK(small.bodies[0].material.youngs_modulus == relative(si.bodies[0].material.youngs_modulus, 1e-13));
    CHECK((small.bodies[0].velocity - si.bodies[0].velocity).norm() < 1e-12);
    CHECK(small.obstacles[0].half_space->point.y() == relative(0.25, 1e-13));
    for (const double t : {0.0, 0.2, 0.5}) {
        const auto a = targets(si, t), b = targets(small, t);
        REQUIRE(a.size() == b.size());
        for (std::size_t v = 0; v < a.size(); ++v) CHECK((a[v] - b[v]).norm() < 1e-13);
    }
    // a mesh in a unit of its own
    const World world = folder.world(scene_of(
        body_of("cube_mm.msh", R"(, "unit": "mm", "transformation": {"scale": 2, "translation": [1, 0, 0]})")));
    CHECK((world.bodies[0].mesh.vertices[0] - Vec3(0, -1, -1)).norm() < 1e-14);
}

TEST_CASE("PolyFEM's `common` lies beneath a scene as a merge patch") {
    const PolyfemFolder folder;
    folder.folder.write(
        "shared/base.json",
        R"({"common": "deeper/more.json", "contact": {"enabled": true, "dhat": 0.01}, "output": {"json": "sim.json"}})");
    folder.folder.write("shared/deeper/more.json",
                        R"({"contact": {"enabled": false, "epsv": 0.02, "dhat": 5}, "time": {"dt": 0.5, "tend": 3}})");
    const SceneSpec spec = folder.import(
        R"({"common": "shared/base.json", "contact": {"dhat": 0.03, "friction_coefficient": 0.1}, "output": {"json": null},
        "materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4}, "geometry": {"mesh": "cube.msh"}})");
    CHECK(spec.contact.self_contact);
    CHECK(spec.ipc.dhat == 0.03);
    CHECK(spec.ipc.friction_velocity == 0.02);
    CHECK(spec.time.steps == 6);
    CHECK(spec.imported->without_effect.empty());  // null takes a key away

    folder.folder.write("shared/loop.json", R"({"common": "../shared/loop2.json"})");
    folder.folder.write("shared/loop2.json", R"({"common": "loop.json"})");
    CHECK(folder.error(R"({"common": "shared/loop.json"})").find("expected a file that does not lead back to itself") !=
          std::string::npos);
    CHECK(folder.error(R"({"common": "scene.json"})").find("expected a file that does not lead back to itself") !=
          std::string::npos);
    CHECK(folder.error(R"({"common": "gone.json"})").find("gone.json: expected a JSON file that can be opened") !=
          std::string::npos);
    folder.folder.write("broken.json", "{\"contact\": \n oops}");
    CHECK(folder.error(R"({"common": "broken.json"})").find("broken.json: line 2") != std::string::npos);
    folder.folder.write("list.json", "[1]");
    CHECK(folder.error(R"({"common": "list.json"})").find("list.json: the document: [1]: expected an object") !=
          std::string::npos);
}

TEST_CASE("PolyFEM keys without effect are listed") {
    const PolyfemFolder folder;
    const SceneSpec spec = folder.import(scene_of(body_of("cube.msh"), R"("tests": {"err_h1": 1, "margin": 1e-5},
        "solver": {"linear": {"solver": ["a", "b"]}, "nonlinear": {"line_search": {"method": "RobustArmijo"}, "Newton": {"force_psd_projection": true}}, "contact": {"friction_convergence_tol": 0.01}},
        "output": {"json": "sim.json", "paraview": {"file_name": "a.pvd", "options": {"material": true}}, "advanced": {"save_time_sequence": true}}, )"));
    REQUIRE(spec.imported);
    CHECK(spec.imported->format == "polyfem");
    CHECK(spec.imported->without_effect ==
          std::vector<std::string>{"output.advanced.save_time_sequence", "output.json", "output.paraview.file_name",
                                   "output.paraview.options.material", "solver.contact.friction_convergence_tol",
                                   "solver.linear.solver", "solver.nonlinear.Newton.force_psd_projection",
                                   "solver.nonlinear.line_search.method", "tests.err_h1", "tests.margin"});
}

TEST_CASE("overrides of a PolyFEM scene are those of ours") {
    const PolyfemFolder folder;
    const auto file = folder.folder.write("scene.json", scene_of(body_of("cube.msh")));
    const SceneSpec spec = parse_scene(file, {"time.steps=3", "bodies[0].material.density=5"});
    CHECK(spec.time.steps == 3);
    CHECK(spec.bodies[0].material.density == 5);
}

TEST_CASE("PolyFEM scenes without a time are static: one step to equilibrium under the conditions at t = 1") {
    const PolyfemFolder folder;
    const SceneSpec spec = folder.import(R"({"materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.3, "rho": 1000},
        "geometry": {"mesh": "cube.msh", "surface_selection": 4},
        "boundary_conditions": {"dirichlet_boundary": [{"id": 4, "value": ["0.2 * t", 0, 0]}]}})");
    CHECK(spec.time.integrator == "quasi_static");
    CHECK(spec.time.steps == 1);
    REQUIRE(spec.imported.has_value());
    CHECK(std::any_of(spec.imported->notes.begin(), spec.imported->notes.end(),
                      [](const std::string& note) { return note.starts_with("no `time`:"); }));
    const World world = compile_world(spec).first;
    const auto x = targets(spec, 1.0);
    for (std::size_t v = 0; v < 8; ++v)
        CHECK((x[v] - (world.bodies[0].mesh.vertices[v] + Vec3(0.2, 0, 0))).norm() < 1e-14);
}
