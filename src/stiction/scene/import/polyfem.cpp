#include "stiction/scene/import/polyfem.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/import/polyfem_conditions.hpp"
#include "stiction/scene/import/polyfem_material.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace stiction::scene {
namespace {

namespace fs = std::filesystem;

/// The document with what its `common` file says beneath it, and the `common` of that file beneath both.
/// @param chain  the files that led here
Json with_common(Json document, const fs::path& directory, const std::string& file, std::vector<fs::path> chain) {
    const auto found = document.is_object() ? document.find("common") : document.end();
    if (!document.is_object() || found == document.end()) return document;
    if (!found->is_string()) throw InputError(file, "common", quoted(*found), "the path of a JSON file");
    const auto name = found->get<std::string>();
    document.erase("common");
    if (name.empty()) return document;
    const fs::path path = (directory / name).lexically_normal();
    std::error_code error;
    const fs::path unique = fs::weakly_canonical(path, error);
    if (std::find(chain.begin(), chain.end(), unique) != chain.end())
        throw InputError(file, "common", path.string(), "a file that does not lead back to itself");
    chain.push_back(unique);
    std::ifstream stream(path, std::ios::binary);
    if (!stream || fs::is_directory(path, error))
        throw InputError(file, "common", path.string(), "a JSON file that can be opened");
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    Json common = with_common(parse_json(text, path.string()), path.parent_path(), path.string(), std::move(chain));
    if (!common.is_object()) throw InputError(path.string(), "the document", quoted(common), "an object {...}");
    common.merge_patch(document);
    return common;
}

class PolyfemImporter {
public:
    /// @param document  with its `common` beneath it
    PolyfemImporter(const Json& document, const SceneOrigin& origin, bool dhat_is_common)
        : notes_{origin.file, {}},
          document_(document, "", notes_),
          context_{origin, {}, notes_},
          dhat_is_common_(dhat_is_common) {
        scene_.origin = origin;
        scene_.title = fs::path(origin.file).stem().string();
    }

    SceneSpec run() {
        read_units();
        read_time();
        geometry_ = read_polyfem_geometry(document_, context_);
        if (geometry_.bodies.empty()) document_.refuse("geometry", "at least one mesh that is no obstacle");
        read_polyfem_materials(document_, context_, geometry_);
        read_polyfem_boundary_conditions(document_, context_, geometry_, scene_);
        read_polyfem_initial_conditions(document_, context_, geometry_);
        read_contact();
        read_solver();
        read_space();
        read_output();
        read_rest();
        document_.finish();
        for (auto& body : geometry_.bodies) scene_.bodies.push_back(std::move(body.spec));
        for (auto& obstacle : geometry_.obstacles) scene_.obstacles.push_back(std::move(obstacle.spec));
        if (!contact_) switch_contact_off();
        std::sort(notes_.without_effect.begin(), notes_.without_effect.end());
        scene_.implicit.take(scene_.ipc);
        scene_.imported = ImportSpec{"polyfem", notes_.without_effect, notes_.known_until, notes_.notes};
        return std::move(scene_);
    }

private:
    void read_units() {
        ImportObject units = document_.object("units");
        const auto base = [&](const char* key, const Dimension& dimension, double& factor) {
            const std::string unit = units.text(key, "");
            if (!unit.empty()) factor = unit_factor(unit, dimension, notes_.file, units.path_of(key));
        };
        base("length", length_dimension, context_.units.length);
        base("mass", mass_dimension, context_.units.mass);
        base("time", time_dimension, context_.units.time);
        units.without_effect({"characteristic_length"});
        units.finish();
    }

    /// Time comes first: expressions count from `t0`, and lists of values over time belong to the ends of steps.
    void read_time() {
        if (document_.find("time") == nullptr) return read_static();
        ImportObject time = document_.object("time");
        const bool has_step = time.find("dt"), has_end = time.find("tend"), has_count = time.find("time_steps");
        if (has_step + has_end + has_count != 2)
            throw InputError(notes_.file, "time", fmt::format("{} of them", has_step + has_end + has_count),
                             "exactly two of `dt`, `tend` and `time_steps`");
        const Json* start = time.find("t0");
        context_.start = start ? polyfem_constant(*start, time.path_of("t0"), time_dimension, context_) : 0.0;
        const auto duration = [&](const char* key, double from) {
            const double value = polyfem_constant(*time.find(key), time.path_of(key), time_dimension, context_) - from;
            if (!(value > 0.0)) time.refuse(key, from == 0.0 ? "a time > 0" : "a time after `t0`");
            return value;
        };
        if (has_count) scene_.time.steps = time.integer("time_steps", 0);
        if (has_count && (scene_.time.steps < 1 || scene_.time.steps > 1000000000))
            time.refuse("time_steps", "at least 1, and at most 1e9");
        if (has_step) scene_.time.step = duration("dt", 0.0);
        if (has_end && has_count) scene_.time.step = duration("tend", context_.start) / scene_.time.steps;
        if (has_end && has_step) {
            const double end = duration("tend", context_.start);
            if (end / scene_.time.step > 1e9) time.refuse("tend", "at most 1e9 steps");
            scene_.time.steps = steps_until(end, scene_.time.step);
        }
        scene_.time.integrator = read_integrator(time);
        if (time.boolean("quasistatic", false)) scene_.time.integrator = "quasi_static";
        context_.step = scene_.time.step;
        context_.steps = scene_.time.steps;
        time.finish();
    }

    /// One step to equilibrium under the conditions at t = 1, as there.
    void read_static() {
        context_.start = 0.0;
        scene_.time.integrator = "quasi_static";
        context_.step = scene_.time.step = 1.0;
        context_.steps = scene_.time.steps = 1;
        notes_.notes.push_back("no `time`: one step to equilibrium under the conditions at t = 1");
    }

    std::string read_integrator(ImportObject& time) {
        const char* expected = "ImplicitEuler, BDF1, BDF2, or ImplicitNewmark with gamma 1/2 and beta 1/4";
        const Json* json = time.find("integrator");
        if (!json) return "backward_euler";
        if (json->is_object()) {
            ImportObject integrator = time.object("integrator");
            const std::string type = integrator.text("type", "");
            const int steps = type == "BDF" ? integrator.integer("steps", 1) : 1;
            if (steps != 1 && steps != 2) integrator.refuse("steps", "1 or 2: higher orders are not offered");
            if (type == "ImplicitNewmark") {
                notes_.notes.push_back(
                    "time.integrator: PolyFEM takes gamma for beta and beta for gamma here; both mean "
                    "what their names say");
                integrator.only("gamma", 0.5, "0.5");
                integrator.only("beta", 0.25, "0.25");
            }
            integrator.finish();
            if (type == "ImplicitEuler" || type == "BDF") return steps == 2 ? "bdf2" : "backward_euler";
            if (type != "ImplicitNewmark") integrator.refuse("type", "ImplicitEuler, BDF or ImplicitNewmark");
            return "trapezoidal";
        }
        if (*json == "ImplicitEuler" || *json == "BDF1") return "backward_euler";
        if (*json == "BDF2") return "bdf2";
        if (*json != "ImplicitNewmark") time.refuse("integrator", expected);
        return "trapezoidal";
    }

    void read_contact() {
        ImportObject contact = document_.object("contact");
        contact_ = contact.boolean("enabled", false);
        read_collision_mesh(contact);
        scene_.contact.lengths = "scene";
        scene_.ipc.dhat = read_dhat(contact);
        const Json* friction = contact.find("friction_coefficient");
        scene_.contact.friction = friction ? contact.number("friction_coefficient", 0.0) : 0.0;
        if (scene_.contact.friction < 0.0) contact.refuse("friction_coefficient", "a number >= 0");
        const Json* speed = contact.find("epsv");
        const double epsv = speed ? polyfem_constant(*speed, contact.path_of("epsv"), velocity_dimension, context_)
                                  : 1e-3 * context_.units.factor(velocity_dimension);
        if (!(epsv > 0.0)) contact.refuse("epsv", "a speed > 0");
        scene_.ipc.friction_velocity = epsv;
        const char* classic = "false: only the barrier of the original method is offered";
        for (const char* key : {"use_convergent_formulation", "use_area_weighting", "use_improved_max_operator",
                                "use_physical_barrier", "use_gcp_formulation"})
            contact.only(key, false, classic);
        contact.only("use_adaptive_dhat", false, classic);
        contact.only("periodic", false, "false: periodic contact is not offered");
        contact.without_effect({"alpha_t", "alpha_n", "min_distance_ratio"});
        ImportObject adhesion = contact.object("adhesion");
        adhesion.only("adhesion_enabled", false, "false: adhesion is not offered");
        adhesion.without_effect({"dhat_p", "dhat_a", "adhesion_strength", "tangential_adhesion_coefficient", "epsa"});
        adhesion.finish();
        contact.finish();
    }

    /// There one mesh and one linear map stand for all that collides; here a mesh hangs in the tets of one body.
    void read_collision_mesh(ImportObject& contact) {
        const bool given = contact.find("collision_mesh") != nullptr;
        ImportObject mesh = contact.object("collision_mesh");
        if (given && mesh.boolean("enabled", true)) {
            if (mesh.find("mesh") == nullptr) {
                // "regular", the default there, does not ask for the length either.
                if (mesh.find("max_edge_length") == nullptr || mesh.text("tessellation_type", "regular") != "regular")
                    contact.refuse("collision_mesh",
                                   "`mesh` in it, `max_edge_length` with `tessellation_type` "
                                   "\"regular\", or `enabled` false: boundaries collide as they are");
                tessellated_ = true;
                mesh.without_effect({"max_edge_length", "linear_map"});
                return mesh.finish();
            }
            if (geometry_.bodies.size() != 1)
                contact.refuse("collision_mesh", "one body, or `enabled` false: a mesh of several is not offered");
            BodySpec& body = geometry_.bodies.front().spec;
            body.collision_mesh.emplace().file = mesh.text("mesh", "");
            note_edges_of(body, contact.path_of("collision_mesh"));
            if (mesh.find("linear_map") != nullptr)
                notes_.notes.push_back(
                    "contact.collision_mesh.linear_map: is not read; each vertex of the mesh hangs in the tetrahedron "
                    "that it is in");
            mesh.without_effect({"max_edge_length", "tessellation_type"});
        } else {
            mesh.without_effect({"mesh", "linear_map", "max_edge_length", "tessellation_type"});
        }
        mesh.finish();
    }

    /// What collides sets the default of `dhat`: the boundary of the tets, which does not, no longer counts.
    void note_edges_of(const BodySpec& body, const std::string& path) {
        Mesh mesh = surface_mesh(load_mesh(*body.collision_mesh, context_.origin, path + ".mesh"));
        const Mesh solid = load_mesh(body.mesh, context_.origin, path);
        const Placement place = make_placement(body.transform, solid.vertices, context_.origin.file, path);
        for (Vec3& x : mesh.vertices) x = place(x);
        geometry_.shortest_body_edge = std::numeric_limits<double>::infinity();
        for (const Edge& e : unique_edges(mesh.triangles)) {
            const Vec3 edge =
                mesh.vertices[static_cast<std::size_t>(e[1])] - mesh.vertices[static_cast<std::size_t>(e[0])];
            geometry_.shortest_body_edge = std::min(geometry_.shortest_body_edge, edge.norm());
        }
    }

    /// Without `dhat` the default gives way to short edges.
    double read_dhat(ImportObject& contact) {
        if (const Json* json = contact.find("dhat")) {
            const double dhat = polyfem_constant(*json, contact.path_of("dhat"), length_dimension, context_);
            if (!(dhat > 0.0)) contact.refuse("dhat", "a length > 0");
            contact.without_effect({"dhat_percentage"});
            if (dhat_is_common_)
                notes_.notes.push_back(
                    "contact.dhat: PolyFEM takes one that stands in `common` alone for absent; here it "
                    "counts");
            return dhat;
        }
        const double dhat = 1e-3 * context_.units.length;
        const double fraction = contact.number("dhat_percentage", 0.8);
        if (!(fraction > 0.0)) contact.refuse("dhat_percentage", "a number > 0");
        const double shortest = std::min(geometry_.shortest_body_edge, geometry_.shortest_obstacle_edge);
        return dhat > shortest ? fraction * shortest : dhat;
    }

    void read_solver() {
        ImportObject solver = document_.object("solver");
        ImportObject contact = solver.object("contact");
        const int iterations = contact.integer("friction_iterations", 1);
        if (iterations > 1000000) contact.refuse("friction_iterations", "at most 1000000");
        if (iterations == 0) scene_.contact.friction = 0.0;  // this is how PolyFEM reads it
        scene_.ipc.friction_iterations = iterations < 0 ? 0 : std::max(iterations, 1);
        contact.only("barrier_stiffness", "adaptive", "\"adaptive\": a given stiffness means something else here");
        contact.without_effect(
            {"CCD", "friction_convergence_tol", "initial_barrier_stiffness", "tangential_adhesion_iterations"});
        contact.finish();
        ImportObject advanced = solver.object("advanced");
        scene_.mass = advanced.boolean("lump_mass_matrix", false) ? "lumped" : "consistent";
        advanced.only("lagged_regularization_weight", 0, "0: there is no regularisation");
        advanced.without_effect({"cache_size", "lagged_regularization_iterations", "check_inversion",
                                 "jacobian_threshold", "characteristic_length", "characteristic_force_density"});
        advanced.finish();
        read_damping(solver);
        solver.without_effect({"max_threads", "linear", "adjoint_linear", "nonlinear", "augmented_lagrangian"});
        solver.finish();
    }

    /// PolyFEM adds the damping to the potential without the factor s^2 of all other forces, s = h under backward
    /// Euler: its `stiffness` is ours times s^2.
    void read_damping(ImportObject& solver) {
        const auto list = solver.list("rayleigh_damping");
        for (std::size_t i = 0; i < list.size(); ++i) {
            ImportObject entry(*list[i], solver.entry_path("rayleigh_damping", i), notes_);
            entry.require("form", "elasticity");
            if (entry.text("form", "") != "elasticity") entry.refuse("form", "elasticity: no other damping is offered");
            const double h = scene_.time.step, scale = stage_of_integrator() * h;
            const bool has_ratio = entry.find("stiffness_ratio");
            if (has_ratio == (entry.find("stiffness") != nullptr))
                entry.refuse("stiffness", "either `stiffness` or `stiffness_ratio`");
            const double given = entry.number(has_ratio ? "stiffness_ratio" : "stiffness", 0.0);
            const double unit = context_.units.time;
            const double stiffness = has_ratio ? 0.75 * given * h * h * h : given * unit * unit * unit;
            if (!(given >= 0.0)) entry.refuse(has_ratio ? "stiffness_ratio" : "stiffness", "a number >= 0");
            for (PolyfemBody& body : geometry_.bodies)
                body.spec.material.stiffness_damping += stiffness / (scale * scale);
            entry.without_effect({"lagging_iterations"});
            entry.finish();
        }
    }

    /// s / h: the forces of a step count s^2 times against the mass.
    double stage_of_integrator() const {
        if (scene_.time.integrator == "bdf2") return 2.0 / 3.0;
        return scene_.time.integrator == "trapezoidal" ? 0.5 : 1.0;
    }

    /// One order, or one of each volume id; ids that are not named have order 1. Bodies of order 2 collide with what
    /// that program makes of them: four flat triangles a face, or 81 where it tessellates their boundaries anew.
    void read_orders(ImportObject& space) {
        std::map<int, int> order_of;
        const Json* json = space.find("discr_order");
        const bool by_id = json != nullptr && json->is_array();
        const int order_of_all = by_id ? 1 : space.integer("discr_order", 1);
        const auto check = [](ImportObject& object, const char* key, int order) {
            if (order != 1 && order != 2) object.refuse(key, "1 or 2: other orders are not offered");
        };
        check(space, "discr_order", order_of_all);
        const auto list = by_id ? space.list("discr_order") : std::vector<const Json*>{};
        for (std::size_t i = 0; i < list.size(); ++i) {
            ImportObject entry(*list[i], space.entry_path("discr_order", i), notes_);
            const int order = entry.integer("order", 1);
            check(entry, "order", order);
            order_of[entry.integer("id", 0)] = order;
            entry.finish();
        }
        for (PolyfemBody& body : geometry_.bodies) {
            std::set<int> orders;
            for (const int id : body.volume_ids) orders.insert(order_of.contains(id) ? order_of.at(id) : order_of_all);
            if (orders.size() > 1) space.refuse("discr_order", "one order for all parts of a body");
            if (*orders.begin() == 1) continue;
            body.spec.order = 2;
            body.spec.proxy_subdivisions = tessellated_ ? 9 : 2;
        }
    }

    void read_space() {
        ImportObject space = document_.object("space");
        read_orders(space);
        space.only("discr_orderq", 1, "1: elements are tetrahedra");
        space.only("basis_type", "Lagrange", "\"Lagrange\"");
        space.only("use_p_ref", false, "false: orders are 1 or 2");
        space.without_effect({"pressure_discr_order", "poly_basis_type"});
        ImportObject remesh = space.object("remesh");
        remesh.only("enabled", false, "false: meshes keep their connectivity");
        remesh.without_effect({"split", "collapse", "swap", "smooth", "local_relaxation", "type"});
        remesh.finish();
        ImportObject advanced = space.object("advanced");
        advanced.only("bc_method", "sample", "\"sample\": boundary conditions are met at the vertices");
        advanced.without_effect({"discr_order_max", "isoparametric", "n_boundary_samples", "quadrature_order",
                                 "mass_quadrature_order", "use_corner_quadrature", "integral_constraints",
                                 "n_harmonic_samples", "force_no_ref_for_harmonic", "B", "h1_formula",
                                 "count_flipped_els", "count_flipped_els_continuous", "use_particle_advection"});
        advanced.finish();
        space.finish();
    }

    void read_output() {
        ImportObject output = document_.object("output");
        ImportObject paraview = output.object("paraview");
        scene_.output.every = paraview.integer("skip_frame", 1);
        if (scene_.output.every < 1 || scene_.output.every > 1000000000)
            paraview.refuse("skip_frame", "a number of steps in [1, 1000000000]");
        paraview.without_effect({"file_name", "vismesh_rel_area", "high_order_mesh", "volume", "surface", "wireframe",
                                 "fields", "points", "options"});
        paraview.finish();
        output.without_effect(
            {"directory", "log", "json", "restart_json", "data", "advanced", "reference", "stats", "checkpoint"});
        output.finish();
    }

    void read_rest() {
        document_.without_effect({"tests"});
        if (document_.find("preset_problem"))
            document_.refuse("preset_problem", "no such key: give geometry, materials and conditions");
        if (document_.find("fe_space")) document_.refuse("fe_space", "no such key: elements are linear");
        if (document_.find("patch")) document_.refuse("patch", "no such key: say it in the scene itself");
        ImportObject constraints = document_.object("constraints");
        constraints.only_empty("hard", "none: constraints of this kind are not offered");
        constraints.only_empty("soft", "none: constraints of this kind are not offered");
        constraints.finish();
        document_.only_empty("root_path", "nothing: paths are relative to the scene");
        ImportObject input = document_.object("input");
        ImportObject data = input.object("data");
        data.only_empty("state", "nothing: states of PolyFEM cannot be read");
        data.without_effect({"reorder"});
        data.finish();
        input.finish();
    }

    void switch_contact_off() {
        scene_.contact.self_contact = false;
        const auto off = [&](const std::string& a, const std::string& b) {
            scene_.contact.pairs.push_back({{a, b}, std::nullopt, false});
        };
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
            for (std::size_t j = i + 1; j < scene_.bodies.size(); ++j)
                off(scene_.bodies[i].name, scene_.bodies[j].name);
            for (const auto& obstacle : scene_.obstacles) off(scene_.bodies[i].name, obstacle.name);
        }
    }

    ImportNotes notes_;
    ImportObject document_;
    PolyfemContext context_;
    PolyfemGeometry geometry_;
    SceneSpec scene_;
    bool contact_ = false;
    bool dhat_is_common_;       ///< only the `common` file has it
    bool tessellated_ = false;  ///< boundaries of order 2 collide as finer surfaces
};

}  // namespace

bool is_polyfem(const Json& document) {
    if (!document.is_object() || document.contains("bodies")) return false;
    const auto names = {"geometry", "common", "boundary_conditions", "materials"};
    return std::any_of(names.begin(), names.end(), [&](const char* key) { return document.contains(key); });
}

SceneSpec import_polyfem(const Json& document, const SceneOrigin& origin) {
    std::error_code error;
    const Json merged =
        with_common(document, origin.directory, origin.file, {fs::weakly_canonical(origin.file, error)});
    const auto has_dhat = [](const Json& json) {
        const auto contact = json.find("contact");
        return contact != json.end() && contact->is_object() && contact->contains("dhat");
    };
    return PolyfemImporter(merged, origin, has_dhat(merged) && !has_dhat(document)).run();
}

}  // namespace stiction::scene
