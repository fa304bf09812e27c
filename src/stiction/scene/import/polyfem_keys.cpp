#include "stiction/scene/import/polyfem_keys.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <iterator>

namespace stiction::scene {
namespace {

using enum PolyfemKind;

struct Section {
    const char* name;
    std::vector<PolyfemKey> keys;
};

const Section scene_keys{"scene",
                         {{"common", honoured,
                           "path, relative to the file that names it, of a JSON file that lies beneath this one as a "
                           "merge patch; it may have "
                           "a `common` of its own; cycles are refused"},
                          {"patch", refused, ""},
                          {"root_path", refused, "but for an empty text: paths are relative to the scene"},
                          {"preset_problem", refused, ""},
                          {"preset_problem.type", refused, ""},
                          {"units.length", honoured, "unit of plain numbers, m when absent; see [Numbers](#numbers)"},
                          {"units.mass", honoured, "the same, kg"},
                          {"units.time", honoured, "the same, s"},
                          {"units.characteristic_length", without_effect, ""},
                          {"input.data.state", refused, "but for an empty text"},
                          {"input.data.reorder", without_effect, ""},
                          {"constraints.hard", refused, "but for an empty list"},
                          {"constraints.soft", refused, "but for an empty list"},
                          {"constraints.soft[].weight", refused, ""},
                          {"constraints.soft[].data", refused, ""},
                          {"fe_space", refused, ""},
                          {"tests", without_effect, "with all that it holds (`err_h1` and the like)"},
                          {"tests.margin", without_effect, ""},
                          {"tests.time_steps", without_effect, ""}}};

const Section geometry_keys{
    "geometry",
    {{"geometry[].type", honoured,
      "`mesh`, `mesh_array`, `plane`, `ground`, `mesh_sequence`; the last three only with `is_obstacle`"},
     {"geometry[].enabled", honoured, "`false` leaves the geometry out (its path is listed)"},
     {"geometry[].is_obstacle", honoured, "an obstacle; of tets their surface collides"},
     {"geometry[].mesh", honoured, "mesh file, relative to the scene (not to `common`)"},
     {"geometry[].extract", honoured,
      "of obstacles: `volume` and `surface` all that the mesh has, `edges`, `points`; of bodies only `volume`"},
     {"geometry[].unit", honoured, "unit of the mesh file"},
     {"geometry[].n_refs", honoured,
      "up to 6; of obstacles only with `extract: edges`, as there. Without effect beside planes; of sequences of edges "
      "refused but for 0"},
     {"geometry[].array.size", honoured,
      "copies along x, y, z; at most 2000 bodies and obstacles in all, and 1e7 vertices an array"},
     {"geometry[].array.offset", honoured, "distance between copies"},
     {"geometry[].array.relative", honoured, "`offset` is in extents of the placed mesh"},
     {"geometry[].point", noted, "of `plane`: a half-space. PolyFEM stores planes and its contact passes over them"},
     {"geometry[].normal", noted, "the same"},
     {"geometry[].height", noted, "of `ground`: the same, y is up"},
     {"geometry[].mesh_sequence", honoured,
      "a folder, a list of meshes, or a pattern with `*`, `?`, `[]` (in the order of the numbers in their names); "
      "`dimensions` beside it is refused"},
     {"geometry[].fps", honoured, "meshes per unit of time"},
     {"geometry[].transformation.scale", honoured, "one factor or three, all > 0; see [Placement](#placement)"},
     {"geometry[].transformation.dimensions", honoured, "extents before the rotation, in place of `scale`"},
     {"geometry[].transformation.rotation", honoured, "degrees"},
     {"geometry[].transformation.rotation_mode", honoured,
      "letters out of `xyz`, `axis_angle`, `quaternion`, `rotation_vector`"},
     {"geometry[].transformation.translation", honoured, "in the scene's unit of length"},
     {"geometry[].volume_selection", honoured,
      "ids that `materials` and initial conditions refer to; see [Selections](#selections). Without effect beside "
      "`is_obstacle`"},
     {"geometry[].volume_selection.id_offset", honoured, "added to the ids of the mesh file"},
     {"geometry[].surface_selection", honoured,
      "ids that boundary conditions refer to; of an obstacle a single id. Without effect beside planes and sequences, "
      "which no condition moves"},
     {"geometry[].point_selection", honoured, "the same, of vertices; refused beside `is_obstacle`"},
     {"geometry[].curve_selection", refused, "as PolyFEM does"},
     {"geometry[].surface_selection[].id", honoured, "the id that the selection gives"},
     {"geometry[].surface_selection[].box", honoured, "lower and upper corner"},
     {"geometry[].surface_selection[].center", honoured, "of a ball, with `radius`"},
     {"geometry[].surface_selection[].radius", honoured, "of a ball or cylinder"},
     {"geometry[].surface_selection[].p1", honoured, "of a cylinder, with `p2` and `radius`"},
     {"geometry[].surface_selection[].p2", honoured, ""},
     {"geometry[].surface_selection[].axis", honoured,
      "1 to 3 or x, y, z, with a sign: -2 and \"-y\" are what lies below `position`"},
     {"geometry[].surface_selection[].position", honoured, ""},
     {"geometry[].surface_selection[].normal", honoured, "of a plane, with `point` or `offset`"},
     {"geometry[].surface_selection[].point", honoured, ""},
     {"geometry[].surface_selection[].offset", honoured, "of the plane from the origin"},
     {"geometry[].surface_selection[].relative", honoured,
      "positions are fractions of the bounding box of the placed mesh, and radii of its diagonal"},
     {"geometry[].surface_selection[].threshold", honoured,
      "the sides of the bounding box that a face or vertex is nearer to than this: ids 1 to 6 are low x, low y, high "
      "x, "
      "high y, low z, high z, 7 the rest"},
     {"geometry[].surface_selection[].id_offset", honoured, "added to the ids of `threshold` and of a file"},
     {"geometry[].surface_selection[].file", honoured,
      "a text file: one id a tet or vertex; of faces rows of an id and three vertices (one id a face is refused: the "
      "order of faces is PolyFEM's own)"},
     {"geometry[].point_selection[].boundary_only", honoured,
      "`false` selects vertices inside, too; of tets and faces it makes no difference"},
     {"geometry[].advanced.normalize_mesh", refused, "but for false"},
     {"geometry[].advanced.min_component", refused, "but for -1"},
     {"geometry[].advanced.force_linear_geometry", without_effect, ""},
     {"geometry[].advanced.refinement_location", without_effect, ""}}};

const Section material_keys{
    "materials",
    {{"materials[].id", honoured,
      "volume id or a list of them. Without effect when `materials` is an object: that is for everything, and so is a "
      "list of one without an id. All of a mesh must be of one material; an id that none has is refused (PolyFEM only "
      "warns, and such elements have no law)"},
     {"materials[].type", honoured, "see [Laws](#laws)"},
     {"materials[].rho", honoured, "density, 1 when absent"},
     {"materials[].E", honoured, "Young's modulus, with `nu`"},
     {"materials[].nu", honoured, "Poisson's ratio"},
     {"materials[].lambda", honoured, "Lame parameter, with `mu`, in place of `E` and `nu`"},
     {"materials[].mu", honoured, "shear modulus"},
     {"materials[].phi", refused, "but for 0"},
     {"materials[].psi", refused, "but for 0"},
     {"materials[].elasticity_tensor", refused, "of `HookeLinearElasticity`, `SaintVenant`"},
     {"materials[].fiber_direction", refused, "of `HGOFiber`, `ActiveFiber`, `HookeLinearElasticity`"},
     {"materials[].c1", honoured, "of `MooneyRivlin`, `MooneyRivlin3Param`"},
     {"materials[].c2", honoured, "the same"},
     {"materials[].c3", honoured, "of `MooneyRivlin3Param`"},
     {"materials[].d1", honoured, "the same"},
     {"materials[].k", honoured, "of `MooneyRivlin`, `IncompressibleOgden`, `VolumePenalty`"},
     {"materials[].alphas", honoured, "of `UnconstrainedOgden`: a number or a list"},
     {"materials[].mus", honoured, "the same"},
     {"materials[].Ds", honoured, "the same, 1 / stress"},
     {"materials[].c", honoured, "of `IncompressibleOgden`: a number or a list"},
     {"materials[].m", honoured, "the same"},
     {"materials[].k1", refused, "of `HGOFiber`"},
     {"materials[].k2", refused, ""},
     {"materials[].activation", refused, "of `ActiveFiber`"},
     {"materials[].Tmax", refused, ""},
     {"materials[].use_rest_pose", refused, "of `AMIPS`"},
     {"materials[].weight", refused, ""},
     {"materials[].models", honoured, "of `MaterialSum`; `rho`, `phi` and `psi` in them are without effect"}}};

const Section time_keys{
    "time",
    {{"time.dt", honoured,
      "exactly two of `dt`, `tend` and `time_steps`. A scene without `time` is static: one step to equilibrium under "
      "the conditions at t = 1, which is noted"},
     {"time.tend", honoured, "ceil((tend - t0) / dt) steps"},
     {"time.time_steps", honoured, "with `tend` the step is (tend - t0) / time_steps"},
     {"time.t0", honoured, "expressions and interpolations count from it"},
     {"time.quasistatic", honoured, "the integrator `quasi_static`"},
     {"time.integrator", honoured,
      "`ImplicitEuler`, `BDF1`; `BDF2` is `bdf2` (whose first step is one of SDIRK2); `ImplicitNewmark` is "
      "`trapezoidal`; others are refused"},
     {"time.integrator.type", honoured, "`ImplicitEuler`, `BDF`, `ImplicitNewmark`"},
     {"time.integrator.steps", honoured, "1 or 2"},
     {"time.integrator.gamma", noted,
      "only 1/2. PolyFEM takes it for `beta` here, and `beta` for it; both mean what their names say"},
     {"time.integrator.beta", noted, "only 1/4"}}};

const Section condition_keys{
    "conditions",
    {{"boundary_conditions.rhs", honoured,
      "**minus** the acceleration: `[0, 9.81, 0]` is gravity downwards; constants only; 0 when absent"},
     {"boundary_conditions.rhs[].id", refused, "so is `value` beside it: gravity is that of everything"},
     {"boundary_conditions.dirichlet_boundary", honoured, "see [Motion](#motion); files of displacements are refused"},
     {"boundary_conditions.dirichlet_boundary[].id", honoured,
      "an id, a list or `\"all\"`. PolyFEM passes over ids <= 0: here they count, which is noted"},
     {"boundary_conditions.dirichlet_boundary[].value", honoured, "displacement from the placed mesh"},
     {"boundary_conditions.dirichlet_boundary[].value[].value", honoured,
      "a number or an expression; see [Numbers](#numbers)"},
     {"boundary_conditions.dirichlet_boundary[].value[].unit", honoured, "its unit"},
     {"boundary_conditions.dirichlet_boundary[].value[].file_name", refused, "of a function, in any value"},
     {"boundary_conditions.dirichlet_boundary[].value[].function_name", refused, "the same"},
     {"boundary_conditions.dirichlet_boundary[].dimension", honoured, "which coordinates are driven"},
     {"boundary_conditions.dirichlet_boundary[].time_reference", honoured,
      "times of the lists in `value`: one within 1e-3 for the end of every step; linear in between"},
     {"boundary_conditions.dirichlet_boundary[].interpolation", honoured,
      "one or three, multiplies `value`: `none`, `linear`, `linear_ramp`, `piecewise_constant`, `piecewise_linear`; "
      "`piecewise_cubic` is refused"},
     {"boundary_conditions.dirichlet_boundary[].interpolation.type", honoured, ""},
     {"boundary_conditions.dirichlet_boundary[].interpolation.from", honoured, "of `linear_ramp`: 0 before"},
     {"boundary_conditions.dirichlet_boundary[].interpolation.to", honoured, "of `linear_ramp`: to - from after"},
     {"boundary_conditions.dirichlet_boundary[].interpolation.points", honoured, "times, rising"},
     {"boundary_conditions.dirichlet_boundary[].interpolation.values", honoured, "one for each of `points`"},
     {"boundary_conditions.dirichlet_boundary[].interpolation.extend", honoured,
      "`constant`, `extrapolate`, `repeat`, `repeat_offset`"},
     {"boundary_conditions.obstacle_displacements", honoured,
      "the same for obstacles alone; goes before `dirichlet_boundary`"},
     {"boundary_conditions.obstacle_displacements[].id", honoured, ""},
     {"boundary_conditions.obstacle_displacements[].value", honoured, ""},
     {"boundary_conditions.obstacle_displacements[].interpolation", honoured, ""},
     {"boundary_conditions.neumann_boundary", refused, "but for an empty list"},
     {"boundary_conditions.neumann_boundary[].id", refused, ""},
     {"boundary_conditions.neumann_boundary[].value", refused, ""},
     {"boundary_conditions.neumann_boundary[].interpolation", refused, ""},
     {"boundary_conditions.nodal_neumann_boundary", refused, "but for an empty list"},
     {"boundary_conditions.normal_aligned_neumann_boundary", refused, "but for an empty list"},
     {"boundary_conditions.normal_aligned_neumann_boundary[].id", refused, ""},
     {"boundary_conditions.normal_aligned_neumann_boundary[].value", refused, ""},
     {"boundary_conditions.normal_aligned_neumann_boundary[].interpolation", refused, ""},
     {"boundary_conditions.pressure_boundary", refused, "but for an empty list"},
     {"boundary_conditions.pressure_boundary[].id", refused, ""},
     {"boundary_conditions.pressure_boundary[].value", refused, ""},
     {"boundary_conditions.pressure_boundary[].time_reference", refused, ""},
     {"boundary_conditions.pressure_cavity", refused, "but for an empty list"},
     {"boundary_conditions.pressure_cavity[].id", refused, ""},
     {"boundary_conditions.pressure_cavity[].value", refused, ""},
     {"boundary_conditions.periodic_boundary.enabled", refused, "but for false"},
     {"boundary_conditions.periodic_boundary.tolerance", without_effect, ""},
     {"boundary_conditions.periodic_boundary.correspondence", without_effect, ""},
     {"boundary_conditions.periodic_boundary.linear_displacement_offset", without_effect, ""},
     {"boundary_conditions.periodic_boundary.fixed_macro_strain", without_effect, ""},
     {"boundary_conditions.periodic_boundary.force_zero_mean", without_effect, ""},
     {"initial_conditions.solution", honoured,
      "by volume id: a constant shift of the start, of a mesh that no condition drives"},
     {"initial_conditions.solution[].id", honoured, ""},
     {"initial_conditions.solution[].value", honoured, ""},
     {"initial_conditions.velocity", honoured, "by volume id; constants only"},
     {"initial_conditions.velocity[].id", honoured, ""},
     {"initial_conditions.velocity[].value", honoured, ""},
     {"initial_conditions.acceleration", refused, "but for an empty list"},
     {"initial_conditions.acceleration[].id", refused, ""},
     {"initial_conditions.acceleration[].value", refused, ""}}};

const Section contact_keys{
    "contact",
    {{"contact.enabled", honoured, "false when absent: everything passes through everything"},
     {"contact.dhat", honoured,
      "in metres, not relative to anything. 1e-3 when absent, or `dhat_percentage` (0.8) times the shortest edge that "
      "collides if that edge is shorter. PolyFEM takes one that stands in `common` alone for absent: here it counts, "
      "which is noted"},
     {"contact.dhat_percentage", honoured, "without effect beside `dhat`"},
     {"contact.friction_coefficient", honoured, "of everything"},
     {"contact.epsv", honoured, "speed below which friction sticks, 1e-3 m/s when absent"},
     {"contact.use_convergent_formulation", refused, "but for false"},
     {"contact.use_area_weighting", refused, "but for false"},
     {"contact.use_improved_max_operator", refused, "but for false"},
     {"contact.use_physical_barrier", refused, "but for false"},
     {"contact.use_gcp_formulation", refused, "but for false"},
     {"contact.use_adaptive_dhat", refused, "but for false"},
     {"contact.alpha_t", without_effect, "of `use_gcp_formulation`"},
     {"contact.alpha_n", without_effect, "the same"},
     {"contact.min_distance_ratio", without_effect, "the same"},
     {"contact.periodic", refused, "but for false"},
     {"contact.collision_mesh.enabled", honoured,
      "`true` when absent; needs `mesh` then: boundaries are not tessellated anew"},
     {"contact.collision_mesh.mesh", honoured, "of scenes with one body: its `collision_mesh`, placed as the body is"},
     {"contact.collision_mesh.linear_map", noted,
      "not read: each vertex of `mesh` hangs in the tetrahedron that it is in, or in the nearest one"},
     {"contact.collision_mesh.max_edge_length", without_effect,
      "as there with `regular`: without `mesh` a face of order 2 is 81 triangles whatever the length"},
     {"contact.collision_mesh.tessellation_type", without_effect, "without `mesh` but for `regular` refused"},
     {"contact.adhesion.adhesion_enabled", refused, "but for false; the rest of it is without effect then"},
     {"contact.adhesion.dhat_p", without_effect, ""},
     {"contact.adhesion.dhat_a", without_effect, ""},
     {"contact.adhesion.adhesion_strength", without_effect, ""},
     {"contact.adhesion.tangential_adhesion_coefficient", without_effect, ""},
     {"contact.adhesion.epsa", without_effect, ""}}};

const Section solver_keys{
    "solver",
    {{"solver.max_threads", without_effect,
      "so are `linear`, `nonlinear` and the next ones, with all that they hold, listed here or not; see "
      "[Stopping](#stopping)"},
     {"solver.linear", without_effect, ""},
     {"solver.linear.solver", without_effect, ""},
     {"solver.linear.precond", without_effect, ""},
     {"solver.linear.enable_overwrite_solver", without_effect, ""},
     {"solver.adjoint_linear", without_effect, ""},
     {"solver.nonlinear", without_effect, ""},
     {"solver.nonlinear.solver", without_effect, ""},
     {"solver.nonlinear.norm_type", without_effect, ""},
     {"solver.nonlinear.grad_norm_tol", without_effect, ""},
     {"solver.nonlinear.rel_grad_norm_tol", without_effect, ""},
     {"solver.nonlinear.first_grad_norm_tol", without_effect, ""},
     {"solver.nonlinear.x_delta_tol", without_effect, ""},
     {"solver.nonlinear.rel_x_delta_tol", without_effect, ""},
     {"solver.nonlinear.newton_decrement_tol", without_effect, ""},
     {"solver.nonlinear.max_iterations", without_effect, ""},
     {"solver.nonlinear.iterations_per_strategy", without_effect, ""},
     {"solver.nonlinear.allow_out_of_iterations", without_effect, ""},
     {"solver.nonlinear.line_search", without_effect, ""},
     {"solver.nonlinear.line_search.method", without_effect, ""},
     {"solver.nonlinear.Newton", without_effect, ""},
     {"solver.nonlinear.L-BFGS", without_effect, ""},
     {"solver.nonlinear.L-BFGS-B", without_effect, ""},
     {"solver.nonlinear.ADAM", without_effect, ""},
     {"solver.nonlinear.box_constraints", without_effect, ""},
     {"solver.nonlinear.advanced", without_effect, ""},
     {"solver.augmented_lagrangian", without_effect, ""},
     {"solver.augmented_lagrangian.initial_weight", without_effect, ""},
     {"solver.augmented_lagrangian.scaling", without_effect, ""},
     {"solver.augmented_lagrangian.max_weight", without_effect, ""},
     {"solver.augmented_lagrangian.eta", without_effect, ""},
     {"solver.augmented_lagrangian.nonlinear", without_effect, ""},
     {"solver.contact.friction_iterations", honoured,
      "-1: until friction agrees with the solution; 0 switches friction off; 1 when absent"},
     {"solver.contact.friction_convergence_tol", without_effect,
      "our test is that of [ipc](physics/ipc.md#friction-equations-12-to-16)"},
     {"solver.contact.barrier_stiffness", refused, "but for `\"adaptive\"`"},
     {"solver.contact.initial_barrier_stiffness", without_effect, ""},
     {"solver.contact.CCD", without_effect, ""},
     {"solver.contact.CCD.broad_phase", without_effect, ""},
     {"solver.contact.CCD.tolerance", without_effect, ""},
     {"solver.contact.CCD.max_iterations", without_effect, ""},
     {"solver.contact.tangential_adhesion_iterations", without_effect, ""},
     {"solver.rayleigh_damping", honoured, "a list"},
     {"solver.rayleigh_damping[].form", honoured, "`elasticity`; others are refused"},
     {"solver.rayleigh_damping[].stiffness", honoured,
      "c: `stiffness_damping` c / s^2, with s the step of the integrator (h under backward Euler)"},
     {"solver.rayleigh_damping[].stiffness_ratio", honoured, "r in place of it: c = 0.75 r h^3"},
     {"solver.rayleigh_damping[].lagging_iterations", without_effect, ""},
     {"solver.advanced.lump_mass_matrix", honoured, "the mass is `consistent` when absent"},
     {"solver.advanced.lagged_regularization_weight", refused, "but for 0"},
     {"solver.advanced.lagged_regularization_iterations", without_effect, ""},
     {"solver.advanced.characteristic_length", without_effect, ""},
     {"solver.advanced.characteristic_force_density", without_effect, ""},
     {"solver.advanced.cache_size", without_effect, ""},
     {"solver.advanced.check_inversion", without_effect, ""},
     {"solver.advanced.jacobian_threshold", without_effect, ""}}};

const Section space_keys{
    "space",
    {{"space.discr_order", honoured, "1 or 2; a number, or a list by volume id: the `order` of each body"},
     {"space.discr_order[].id", honoured, "ids that are not named have order 1"},
     {"space.discr_order[].order", honoured, "1 or 2, one for all parts of a body"},
     {"space.discr_orderq", refused, "but for 1"},
     {"space.basis_type", refused, "but for `Lagrange`"},
     {"space.use_p_ref", refused, "but for false"},
     {"space.pressure_discr_order", without_effect, ""},
     {"space.poly_basis_type", without_effect, ""},
     {"space.remesh.enabled", refused, "but for false; the rest of `remesh` is without effect then"},
     {"space.remesh.type", without_effect, ""},
     {"space.remesh.split", without_effect, ""},
     {"space.remesh.split.enabled", without_effect, ""},
     {"space.remesh.split.acceptance_tolerance", without_effect, ""},
     {"space.remesh.split.culling_threshold", without_effect, ""},
     {"space.remesh.split.max_depth", without_effect, ""},
     {"space.remesh.split.min_edge_length", without_effect, ""},
     {"space.remesh.collapse", without_effect, ""},
     {"space.remesh.collapse.enabled", without_effect, ""},
     {"space.remesh.collapse.acceptance_tolerance", without_effect, ""},
     {"space.remesh.collapse.culling_threshold", without_effect, ""},
     {"space.remesh.collapse.max_depth", without_effect, ""},
     {"space.remesh.collapse.rel_max_edge_length", without_effect, ""},
     {"space.remesh.collapse.abs_max_edge_length", without_effect, ""},
     {"space.remesh.swap", without_effect, ""},
     {"space.remesh.swap.enabled", without_effect, ""},
     {"space.remesh.swap.acceptance_tolerance", without_effect, ""},
     {"space.remesh.swap.max_depth", without_effect, ""},
     {"space.remesh.smooth", without_effect, ""},
     {"space.remesh.smooth.enabled", without_effect, ""},
     {"space.remesh.smooth.acceptance_tolerance", without_effect, ""},
     {"space.remesh.smooth.max_iters", without_effect, ""},
     {"space.remesh.local_relaxation", without_effect, ""},
     {"space.remesh.local_relaxation.local_mesh_n_ring", without_effect, ""},
     {"space.remesh.local_relaxation.local_mesh_rel_area", without_effect, ""},
     {"space.remesh.local_relaxation.max_nl_iterations", without_effect, ""},
     {"space.advanced.bc_method", refused, "but for `sample`: boundary conditions are met at the vertices"},
     {"space.advanced.isoparametric", without_effect, ""},
     {"space.advanced.n_boundary_samples", without_effect, ""},
     {"space.advanced.quadrature_order", without_effect, ""},
     {"space.advanced.mass_quadrature_order", without_effect, ""},
     {"space.advanced.use_corner_quadrature", without_effect, ""},
     {"space.advanced.count_flipped_els", without_effect, ""},
     {"space.advanced.count_flipped_els_continuous", without_effect, ""},
     {"space.advanced.discr_order_max", without_effect, ""},
     {"space.advanced.B", without_effect, ""},
     {"space.advanced.h1_formula", without_effect, ""},
     {"space.advanced.integral_constraints", without_effect, ""},
     {"space.advanced.n_harmonic_samples", without_effect, ""},
     {"space.advanced.force_no_ref_for_harmonic", without_effect, ""},
     {"space.advanced.use_particle_advection", without_effect, ""}}};

const Section output_keys{"output",
                          {{"output.directory", without_effect, ""},
                           {"output.log", without_effect, ""},
                           {"output.log.level", without_effect, ""},
                           {"output.json", without_effect, ""},
                           {"output.restart_json", without_effect, ""},
                           {"output.stats", without_effect, ""},
                           {"output.reference", without_effect, ""},
                           {"output.checkpoint", without_effect, ""},
                           {"output.data", without_effect, ""},
                           {"output.data.solution", without_effect, ""},
                           {"output.data.state", without_effect, ""},
                           {"output.data.rest_mesh", without_effect, ""},
                           {"output.data.mises", without_effect, ""},
                           {"output.advanced", without_effect, ""},
                           {"output.advanced.timestep_prefix", without_effect, ""},
                           {"output.advanced.save_time_sequence", without_effect, ""},
                           {"output.paraview.skip_frame", honoured, "`output.every`"},
                           {"output.paraview.file_name", without_effect, ""},
                           {"output.paraview.vismesh_rel_area", without_effect, ""},
                           {"output.paraview.high_order_mesh", without_effect, ""},
                           {"output.paraview.volume", without_effect, ""},
                           {"output.paraview.surface", without_effect, ""},
                           {"output.paraview.wireframe", without_effect, ""},
                           {"output.paraview.fields", without_effect, ""},
                           {"output.paraview.points", without_effect, ""},
                           {"output.paraview.options", without_effect, ""}}};

const std::vector<const Section*> sections{&scene_keys,   &geometry_keys, &material_keys, &time_keys,  &condition_keys,
                                           &contact_keys, &solver_keys,   &space_keys,    &output_keys};

}  // namespace

const std::vector<PolyfemKey>& polyfem_keys() {
    static const std::vector<PolyfemKey> all = [] {
        std::vector<PolyfemKey> keys;
        for (const Section* section : sections) keys.insert(keys.end(), section->keys.begin(), section->keys.end());
        return keys;
    }();
    return all;
}

const char* polyfem_kind_name(PolyfemKind kind) {
    switch (kind) {
        case honoured: return "honoured";
        case noted: return "noted";
        case without_effect: return "without effect";
        case refused: return "refused";
    }
    throw InternalError("unknown kind of a key");
}

std::vector<PolyfemReferenceTable> polyfem_reference() {
    std::vector<PolyfemReferenceTable> tables;
    for (const Section* section : sections) {
        std::string text = "| key | class | meaning here |\n|---|---|---|\n";
        for (const PolyfemKey& key : section->keys)
            text += fmt::format("| `{}` | {} | {} |\n", key.path, polyfem_kind_name(key.kind), key.meaning);
        tables.push_back({section->name, std::move(text)});
    }
    return tables;
}

}  // namespace stiction::scene
