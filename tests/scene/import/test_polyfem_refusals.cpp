// What the PolyFEM importer refuses: one message each, with file, key, value and what was expected.
#include "scene/import/polyfem_testing.hpp"
#include <nlohmann/json.hpp>

using namespace polyfem_testing;

namespace {

struct Refusal {
    const char* key;      ///< of the top level, or "" when `json` is a whole scene
    const char* json;     ///< its value
    const char* message;  ///< what the message holds
};

}  // namespace

TEST_CASE("PolyFEM keys that cannot be honoured are refused") {
    const PolyfemFolder folder;
    const std::vector<Refusal> refusals{
        // unknown keys, with the nearest known one
        {"contacts", "{}", "scene.json: contacts: unknown key: expected 'contact'"},
        {"contact", R"({"d_hat": 1})", "contact.d_hat: unknown key: expected 'dhat'"},
        {"boundary_conditions", R"({"dirichlet": []})",
         "boundary_conditions.dirichlet: unknown key: expected 'dirichlet_boundary'"},
        {"solver", R"({"contact": {"frictions": 1}})", "solver.contact.frictions: unknown key"},
        {"geometry", R"({"mesh": "cube.msh", "is_obstacl": true})",
         "geometry.is_obstacl: unknown key: expected 'is_obstacle'"},
        {"geometry", R"({"mesh": "cube.msh", "transformation": {"rotate": [0, 0, 1]}})",
         "geometry.transformation.rotate: unknown key: expected 'rotation'"},
        {"geometry", R"({"mesh": "cube.msh", "surface_selection": {"id": 1, "axis": 1, "positon": 2}})",
         "geometry.surface_selection.position: missing"},
        {"materials", R"([{"type": "NeoHookean", "E": 1, "nu": 0.1, "density": 5}])",
         "materials[0].density: unknown key"},
        // features
        {"contact", R"({"use_convergent_formulation": true})",
         "contact.use_convergent_formulation: true: expected false"},
        {"contact", R"({"periodic": true})", "contact.periodic: true: expected false"},
        {"contact", R"({"adhesion": {"adhesion_enabled": true}})", "contact.adhesion.adhesion_enabled: true"},
        {"contact", R"({"collision_mesh": {"max_edge_length": 1}})", "contact.collision_mesh: "},
        {"contact", R"({"dhat": 0})", "contact.dhat: 0: expected a length > 0"},
        {"contact", R"({"friction_coefficient": -1})", "contact.friction_coefficient: -1: expected a number >= 0"},
        {"contact", R"({"epsv": 0})", "contact.epsv: 0: expected a speed > 0"},
        {"contact", R"({"enabled": 1})", "contact.enabled: 1: expected true or false"},
        {"solver", R"({"contact": {"barrier_stiffness": 1e7}})",
         "solver.contact.barrier_stiffness: 10000000.0: expected \"adaptive\""},
        {"solver", R"({"contact": {"friction_iterations": 1.5}})",
         "solver.contact.friction_iterations: 1.5: expected an integer"},
        {"solver", R"({"rayleigh_damping": [{"form": "elasticity", "stiffness_ratio": 0.1}]})",
         "solver.rayleigh_damping: "},
        {"solver", R"({"advanced": {"lagged_regularization_weight": 1}})",
         "solver.advanced.lagged_regularization_weight: 1: expected 0"},
        {"space", R"({"discr_order": 2})", "space.discr_order: 2: expected 1"},
        {"space", R"({"remesh": {"enabled": true}})", "space.remesh.enabled: true: expected false"},
        {"preset_problem", R"({"type": "Walk"})", "preset_problem: "},
        {"input", R"({"data": {"state": "restart.hdf5"}})", "input.data.state: \"restart.hdf5\": expected nothing"},
        {"root_path", R"("elsewhere")", "root_path: \"elsewhere\": expected nothing"},
        {"output", R"({"paraview": {"skip_frame": 0}})", "output.paraview.skip_frame: 0: expected a number of steps"},
        {"units", R"({"length": "parsec"})",
         "units.length: \"parsec\": expected a unit that is known here, of a length"},
        {"units", R"({"mass": "m"})", "units.mass: \"m\": expected a unit that is known here, of a mass"},
        // time
        {"time", R"({"dt": 0.1})", "time: 1 of them: expected exactly two of"},
        {"time", R"({"dt": 0.1, "tend": 1, "time_steps": 10})", "time: 3 of them: expected exactly two of"},
        {"time", R"({"dt": 0, "tend": 1})", "time.dt: 0: expected a time > 0"},
        {"time", R"({"dt": 1e-12, "tend": 1})", "time.tend: 1: expected at most 1e9 steps"},
        {"time", R"({"tend": 1, "time_steps": 0})", "time.time_steps: 0: expected at least 1"},
        {"time", R"({"dt": 0.1, "tend": 1, "t0": 1})", "time.t0: 1: expected 0"},
        {"time", R"({"dt": 0.1, "tend": 1, "quasistatic": true})", "time.quasistatic: true: expected false"},
        {"time", R"({"dt": 0.1, "tend": 1, "integrator": "BDF4"})",
         "time.integrator: \"BDF4\": expected ImplicitEuler"},
        {"time", R"({"dt": 0.1, "tend": 1, "integrator": {"type": "BDF", "steps": 3}})",
         "time.integrator.steps: 3: expected 1 or 2"},
        {"time", R"({"dt": 0.1, "tend": 1, "integrator": {"type": "ImplicitNewmark", "beta": 0.3}})",
         "time.integrator.beta: 0.3: expected 0.25"},
        // materials
        {"materials", "[]", "materials: []: expected at least one material"},
        {"materials", R"({"type": "MooneyRivlin", "c1": 1, "c2": 1, "k": 1})",
         "materials.type: \"MooneyRivlin\": expected NeoHookean"},
        {"materials", R"({"type": "NeoHookean", "E": 1e5})", "materials.nu: missing"},
        {"materials", R"({"type": "NeoHookean", "E": 1e5, "nu": 0.5})",
         "materials.nu: 0.5: expected a Poisson's ratio in [0, 0.5)"},
        {"materials", R"({"type": "NeoHookean", "E": "1e5*x", "nu": 0.4})",
         "materials.E: \"1e5*x\": expected a value that does not depend on"},
        {"materials", R"({"type": "NeoHookean", "E": {"value": 1, "unit": "kg"}, "nu": 0.4})",
         "materials.E.unit: \"kg\": expected a unit that is known here, of a pressure"},
        {"materials", R"({"type": "NeoHookean", "E": 1, "nu": 0.4, "rho": -5})",
         "materials.rho: -5: expected a density > 0"},
        {"materials", R"({"type": "NeoHookean", "E": 1, "nu": 0.4, "phi": 2})", "materials.phi: 2: expected 0"},
        {"materials", R"({"type": "NeoHookean", "E": 1, "nu": 0.4, "lambda": 2})",
         "materials.E: 1: expected no such key beside"},
        {"materials", R"([{"type": "NeoHookean", "E": 1, "nu": 0.4}, {"type": "NeoHookean", "E": 1, "nu": 0.4}])",
         "materials[0].id: missing"},
        {"materials",
         R"([{"id": 0, "type": "NeoHookean", "E": 1, "nu": 0.4}, {"id": [3, 0], "type": "NeoHookean", "E": 1, "nu": 0.4}])",
         "materials[1].id: 0: expected each id once: materials[0] has it"},
        {"materials", R"({"id": 5, "type": "NeoHookean", "E": 1, "nu": 0.4})",
         "geometry.volume_selection: 0: expected an id that one of `materials` has"},
        // conditions
        {"boundary_conditions", R"({"rhs": [0, 9.81]})",
         "boundary_conditions.rhs: [0,9.81]: expected a list of three values"},
        {"boundary_conditions", R"({"rhs": [0, "t", 0]})",
         "boundary_conditions.rhs[1]: \"t\": expected a value that does not depend"},
        {"boundary_conditions", R"({"neumann_boundary": [{"id": 1, "value": [1, 0, 0]}]})",
         "boundary_conditions.neumann_boundary: "},
        {"boundary_conditions", R"({"pressure_boundary": [{"id": 1, "value": 1}]})",
         "boundary_conditions.pressure_boundary: "},
        {"boundary_conditions", R"({"periodic_boundary": {"enabled": true}})",
         "boundary_conditions.periodic_boundary.enabled: true"},
        {"boundary_conditions", R"({"dirichlet_boundary": [{"id": 3, "value": [0, 0, 0]}]})",
         "boundary_conditions.dirichlet_boundary[0].id: 3: expected a surface_selection in some geometry"},
        {"boundary_conditions", R"({"dirichlet_boundary": ["values.txt"]})",
         "boundary_conditions.dirichlet_boundary[0]: \"values.txt\": expected an object"},
        {"boundary_conditions", R"({"dirichlet_boundary": {"id": "all", "value": [0, 0]}})",
         "boundary_conditions.dirichlet_boundary.value: [0,0]: expected a list of three"},
        {"boundary_conditions", R"_({"dirichlet_boundary": {"id": "all", "value": [0, "sinn(t)", 0]}})_",
         "boundary_conditions.dirichlet_boundary.value[1]: \"sinn(t)\": expected known names"},
        {"boundary_conditions",
         R"({"dirichlet_boundary": {"id": "all", "value": [[0, 1], 0, 0], "time_reference": [0, 1]}})",
         "boundary_conditions.dirichlet_boundary.time_reference: "},
        {"boundary_conditions",
         R"({"dirichlet_boundary": {"id": "all", "value": [0, 0, 0], "dimension": [false, false, false]}})",
         "dimension: [false,false,false]: expected at least one"},
        {"boundary_conditions",
         R"({"dirichlet_boundary": {"id": "all", "value": [0, 0, 0], "interpolation": [{"type": "linear_ramp"}]}})",
         "dirichlet_boundary.interpolation: "},
        {"boundary_conditions",
         R"({"dirichlet_boundary": [{"id": 1, "value": [0, 0, 0]}, {"id": [2, 1], "value": [0, 0, 0]}]})",
         "dirichlet_boundary[1].id: [2,1]: expected each id once: boundary_conditions.dirichlet_boundary[0] has it"},
        {"boundary_conditions", R"({"obstacle_displacements": [{"id": 0, "value": [0, 0, 0]}]})",
         "boundary_conditions.obstacle_displacements[0].id: 0: expected a surface_selection"},
        {"initial_conditions", R"({"velocity": [{"id": 9, "value": [0, 0, 0]}]})",
         "initial_conditions.velocity[0].id: 9: expected an id that a volume_selection gives"},
        {"initial_conditions", R"({"solution": [{"id": 0, "value": [0, 0, 0]}]})", "initial_conditions.solution: "},
        // geometry
        {"geometry", "[]", "geometry: []: expected at least one geometry"},
        {"geometry", R"({"mesh": "gone.msh"})", "geometry.mesh: "},
        {"geometry", R"([{"mesh": "cube.msh", "is_obstacle": true}])",
         "expected at least one mesh that is no obstacle"},
        {"geometry", R"({"mesh": "plane.obj"})", "geometry.mesh: \"plane.obj\": expected a mesh of tetrahedra"},
        {"geometry", R"({"mesh": "cube.msh", "type": "mesh_arry"})",
         "geometry.type: \"mesh_arry\": expected 'mesh_array'"},
        {"geometry", R"({"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]})",
         "geometry.type: \"plane\": expected a mesh, or `is_obstacle` beside it"},
        {"geometry",
         R"([{"mesh": "cube.msh"}, {"type": "plane", "is_obstacle": true, "point": [0, 0, 0], "normal": [0, 0, 0]}])",
         "geometry[1].normal: [0,0,0]: expected a direction"},
        {"geometry",
         R"([{"mesh": "cube.msh"}, {"type": "mesh_sequence", "is_obstacle": true, "mesh_sequence": "frames/*.obj", "fps": 5}])",
         "geometry[1].mesh_sequence: \"frames/*.obj\": expected a folder"},
        {"geometry", R"({"mesh": "cube.msh", "n_refs": 1})", "geometry.n_refs: 1: expected 0"},
        {"geometry", R"({"mesh": "cube.msh", "extract": "surface"})",
         "geometry.extract: \"surface\": expected \"volume\""},
        {"geometry", R"({"mesh": "cube.msh", "advanced": {"normalize_mesh": true}})",
         "geometry.advanced.normalize_mesh: true"},
        {"geometry", R"({"mesh": "cube.msh", "point_selection": 3})",
         "geometry.point_selection: 3: expected no selection of points"},
        {"geometry", R"({"mesh": "cube.msh", "surface_selection": "ids.txt"})",
         "geometry.surface_selection: \"ids.txt\": expected no file of ids"},
        {"geometry", R"({"mesh": "cube.msh", "surface_selection": [{"threshold": 0.1}]})",
         "geometry.surface_selection[0].threshold: 0.1: expected no sides"},
        {"geometry", R"({"mesh": "cube.msh", "surface_selection": {"id": 1, "axis": 4, "position": 0}})",
         "geometry.surface_selection.axis: 4: expected an axis"},
        {"geometry", R"({"mesh": "cube.msh", "surface_selection": {"id": 1, "axis": "w", "position": 0}})",
         "geometry.surface_selection.axis: \"w\": expected an axis"},
        {"geometry", R"({"mesh": "cube.msh", "surface_selection": {"id": 1, "box": [[1, 0, 0], [0, 1, 1]]}})",
         "geometry.surface_selection.box: [[1,0,0],[0,1,1]]: expected the lower corner"},
        {"geometry", R"({"mesh": "cube.msh", "surface_selection": {"id": 1}})",
         "geometry.surface_selection: expected one of the keys 'box'"},
        {"geometry",
         R"([{"mesh": "cube.msh"}, {"mesh": "tet.msh", "is_obstacle": true, "surface_selection": [{"id": 1, "axis": 1, "position": 0}]}])",
         "geometry[1].surface_selection: "},
        {"geometry", R"({"mesh": "cube.msh", "transformation": {"scale": -1}})",
         "geometry.transformation.scale: -1: expected factors > 0"},
        {"geometry", R"({"mesh": "cube.msh", "transformation": {"scale": [1, 2]}})",
         "geometry.transformation.scale: [1,2]: expected a list of three numbers"},
        {"geometry", R"({"mesh": "cube.msh", "transformation": {"rotation": [1, 2, 3], "rotation_mode": "abc"}})",
         "geometry.transformation.rotation_mode: \"abc\": expected letters out of 'xyz'"},
        {"geometry", R"({"mesh": "cube.msh", "transformation": {"rotation": 90}})",
         "geometry.transformation.rotation: 90: expected a list of three angles"},
        {"geometry", R"({"mesh": "cube.msh", "transformation": {"translation": [1, "2", 3]}})",
         "geometry.transformation.translation[1]: \"2\": expected a number"},
        {"geometry", R"({"mesh": "cube.msh", "type": "mesh_array", "array": {"offset": 1, "size": [2, 0, 1]}})",
         "geometry.array.size: [2,0,1]: expected a list of three numbers of copies"},
        {"geometry",
         R"({"mesh": "cube.msh", "type": "mesh_array", "array": {"offset": 1, "size": [1000, 1000, 1000]}})",
         "geometry.array.size: [1000,1000,1000]: expected at most 100000 copies"},
        {"geometry", R"({"mesh": "cube.msh", "type": "mesh_array"})", "geometry.array: missing"},
        {"geometry", R"({"mesh": "cube.msh", "unit": "s"})",
         "geometry.unit: \"s\": expected a unit that is known here, of a length"},
        {"geometry", "3", "geometry: 3: expected an object"},
    };
    for (const Refusal& refusal : refusals) {
        const std::string json = refusal.json;
        CAPTURE(json);
        auto scene = nlohmann::ordered_json::parse(scene_of(body_of("cube.msh")));
        scene[refusal.key] = nlohmann::ordered_json::parse(refusal.json);
        const std::string message = folder.error(scene.dump());
        CAPTURE(message);
        CHECK(message.find(refusal.message) != std::string::npos);
        CHECK(message.find("scene.json") != std::string::npos);
        CHECK(message.find('\n') == std::string::npos);
    }
    CHECK(folder.error(R"({"geometry": {"mesh": "cube.msh"}, "materials": {"type": "NeoHookean", "E": 1, "nu": 0.1}})")
              .find("time: missing: expected an object") != std::string::npos);
    CHECK(folder.error(R"({"geometry": {"mesh": "cube.msh"}, "time": {"dt": 1, "tend": 1}})")
              .find("materials: missing: expected at least one material") != std::string::npos);
}
