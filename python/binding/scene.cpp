#include "arrays.hpp"
#include "mesh.hpp"
#include "scene.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/atomic_file.hpp"
#include "stiction/repair/repair_scene.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/json_document.hpp"
#include "stiction/scene/key_hints.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/reference.hpp"
#include "stiction/scene/resolve.hpp"
#include "stiction/scene/scene_text.hpp"
#include "stiction/scene/start_warnings.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

namespace stiction::python {
namespace {

/// The problems, and whether moving bodies apart may mend all of them.
nb::tuple start_problem_list(const ParsedScene& scene) {
    refuse_forked_child();
    std::vector<StartProblem> problems;
    bool repairable = false;
    {
        const nb::gil_scoped_release unlocked;
        const CompiledScene compiled = compile_scene(scene.spec);
        problems = find_start_problems(compiled.world, compiled.state);
        repairable = repair::can_help(compiled.spec, compiled.world, problems);
    }
    nb::list result;
    for (const StartProblem& problem : problems) result.append(problem_dictionary(problem));
    return nb::make_tuple(result, repairable);
}

nb::dict number_dictionary(const BodyNumbers& body) {
    nb::dict entry;
    entry["name"] = body.name;
    entry["kind"] = body.kind;
    entry["vertices"] = body.vertices;
    entry["elements"] = body.elements;
    entry["element_name"] = body.element_name;
    entry["size"] = body.size;
    entry["mass"] = body.mass;
    entry["volume"] = body.volume;
    entry["shortest_edge"] = body.shortest_edge;
    entry["cavities"] = body.cavities;
    entry["law"] = body.law;
    entry["youngs_modulus"] = body.youngs_modulus;
    entry["poissons_ratio"] = body.poissons_ratio;
    entry["weight_strain"] = body.weight_strain;
    entry["contact_distance"] = body.contact_distance;
    entry["wave_time"] = body.wave_time;
    return entry;
}

/// What `check` says of a scene: (warnings, table of bodies as text, their numbers).
nb::tuple checked(const ParsedScene& scene) {
    refuse_forked_child();
    std::vector<std::string> warnings;
    std::vector<BodyNumbers> bodies;
    {
        const nb::gil_scoped_release unlocked;
        const auto [world, state] = compile_world(scene.spec);
        bodies = body_numbers(scene.spec, world, state);
        warnings = start_warnings(scene.spec, world, state, bodies);
    }
    nb::list numbers;
    for (const BodyNumbers& body : bodies) numbers.append(number_dictionary(body));
    return nb::make_tuple(warnings, to_text(bodies, bodies.size()), numbers);
}

/// Writes the scene as `file`, its meshes into the folder "meshes" beside it.
void save(const ParsedScene& scene, const std::filesystem::path& file) {
    const SceneSpec saved = make_self_contained(scene.spec, file.parent_path());
    write_file_atomically(file, resolved_json(saved));
}

/// (text of the repaired scene, {gap, overlapping, moves}); `text` is what the scene was read from.
nb::tuple repaired(const ParsedScene& scene, const std::string& text, std::optional<double> gap) {
    refuse_forked_child();
    repair::RepairReport report;
    {
        const nb::gil_scoped_release unlocked;
        report = repair::repair_scene(scene.spec, text, gap);
    }
    nb::list overlapping;
    for (const repair::BodyOverlap& overlap : report.overlapping)
        overlapping.append(nb::make_tuple(overlap.names[0], overlap.names[1]));
    nb::dict moves;
    for (const repair::BodyMove& move : report.moves)
        moves[nb::cast(move.body)] = nb::make_tuple(move.shift[0], move.shift[1], move.shift[2]);
    nb::dict told;
    told["gap"] = report.gap;
    told["overlapping"] = overlapping;
    told["moves"] = moves;
    return nb::make_tuple(shifted_scene_text(text, scene.spec, report.shifts), told);
}

}  // namespace

StartError::StartError(const std::string& scene, std::vector<StartProblem> found, const char* remedy)
    : std::runtime_error(fmt::format("{}{}the start has {} problem{}: {}{}", scene, scene.empty() ? "" : ": ",
                                     found.size(), found.size() == 1 ? "" : "s, the first is", found.front().text,
                                     remedy)),
      problems(std::move(found)) {}

nb::dict problem_dictionary(const StartProblem& problem) {
    const auto rows = [](const auto& list) {
        nb::list out;
        for (const auto& element : list)
            out.append(nb::tuple(nb::cast(std::vector<Index>(element.begin(), element.end()))));
        return out;
    };
    nb::dict entry;
    entry["text"] = problem.text;
    entry["points"] = nb::cast(problem.points);
    entry["edges"] = rows(problem.edges);
    entry["triangles"] = rows(problem.triangles);
    entry["tets"] = rows(problem.tets);
    return entry;
}

void require_start(const std::string& scene, const World& world, const State& state, const SceneSpec* spec) {
    auto problems = find_start_problems(world, state);
    if (problems.empty()) return;
    const bool can_help = spec != nullptr && repair::can_help(*spec, world, problems);
    throw StartError(scene, std::move(problems), can_help ? "; Scene.repair() moves bodies apart" : "");
}

void bind_scene(nb::module_& module) {
    nb::class_<ParsedScene>(module, "ParsedScene",
                            "A scene that was read and checked; its mesh files are not open yet.")
        .def_prop_ro(
            "method", [](const ParsedScene& scene) { return scene.spec.method; }, "Name of the method.")
        .def_prop_ro(
            "steps", [](const ParsedScene& scene) { return scene.spec.time.steps; }, "Number of steps.")
        .def_prop_ro(
            "step_size", [](const ParsedScene& scene) { return scene.spec.time.step; }, "Step size (s).")
        .def(
            "json", [](const ParsedScene& scene) { return resolved_json(scene.spec); },
            "The scene as the text of a scene file, with nothing left to defaults.")
        .def("save", &save, nb::arg("file"),
             "Writes the scene file, and its meshes into the folder `meshes` beside it.")
        .def(
            "problems", &start_problem_list,
            "What keeps the scene from starting, a list of {text, points, edges, triangles, tets} with vertex ids, and "
            "whether moving bodies apart may mend all of it.")
        .def("repaired", &repaired, nb::arg("text"), nb::arg("gap").none(),
             "The text with bodies moved apart until the scene can start, and a dictionary {gap, overlapping, moves}. "
             "`text` is what the scene was read from.")
        .def("checked", &checked,
             "What can be simulated, but is hardly meant, the table of bodies as text, and their numbers.");

    module.def(
        "parse",
        [](const std::string& text, const std::string& file, const std::filesystem::path& directory,
           const std::map<std::string, MeshPointer>& meshes, const std::vector<std::string>& overrides) {
            return ParsedScene{
                parse_scene_text(text, SceneOrigin{file, directory, {meshes.begin(), meshes.end()}}, overrides)};
        },
        nb::arg("text"), nb::arg("file"), nb::arg("directory"), nb::arg("meshes"), nb::arg("overrides"),
        "Reads the text of a scene file. Mesh paths start from `directory`; those in `meshes` are not opened.");
    module.def(
        "parse_file",
        [](const std::filesystem::path& file, const std::vector<std::string>& overrides) {
            return ParsedScene{parse_scene(file, overrides)};
        },
        nb::arg("file"), nb::arg("overrides"), "Reads a scene file of ours, of PolyFEM or of the IPC reference code.");
    module.def(
        "overridden",
        [](const std::string& text, const std::string& file, const std::vector<std::string>& overrides) {
            scene::Json document = scene::parse_json(text, file);
            for (const auto& entry : overrides) scene::apply_override(document, entry);
            return document.dump();
        },
        nb::arg("text"), nb::arg("file"), nb::arg("overrides"),
        "The text of a scene file with single values replaced.");
    module.def("check_part", &check_scene_part, nb::arg("kind"), nb::arg("text"), nb::arg("name"),
               "Checks the text of one object of a scene file alone.");
    module.def("proposed_key", &scene::proposed_key, nb::arg("key"), nb::arg("known"),
               "The key that stands for one that does not exist, in quotes; empty when nothing is near.");
    module.def("schema", &scene_schema, "JSON Schema of a scene file.");
    module.def("method_names", &method_names, "Names of the methods.");
    module.def(
        "resolve_path",
        [](const std::filesystem::path& directory, const std::string& path) {
            return resolve_path(SceneOrigin{"", directory}, path);
        },
        nb::arg("directory"), nb::arg("path"), "Where a path of a scene leads.");
}

}  // namespace stiction::python
