// Every key of PolyFEM's scenes: the page lists what the code knows, the code knows every key, and each is treated as
// the page says. After a change of the list, STICTION_UPDATE_DOCS=1 test_scene -tc="published*" writes the tables anew.
#include "stiction/scene/import/polyfem_keys.hpp"
#include "stiction/scene/resolve.hpp"

#include "scene/import/polyfem_fixtures.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

using namespace polyfem_testing;
using namespace stiction::scene;

namespace {

namespace fs = std::filesystem;

const fs::path polyfem_page = fs::path(STICTION_SOURCE_DIR) / "docs" / "import_polyfem.md";

std::string text_of(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string with_current_polyfem_tables(std::string page) {
    for (const auto& table : polyfem_reference()) {
        const std::string mark = "<!-- " + table.name + " of PolyFEM scenes -->\n";
        const std::size_t begin = page.find(mark);
        CHECK_MESSAGE(begin != std::string::npos, mark);
        if (begin == std::string::npos) continue;
        const std::size_t end = page.find("\n\n", begin);
        REQUIRE(end != std::string::npos);
        page.replace(begin, end + 1 - begin, mark + table.markdown);
    }
    return page;
}

/// The value that a path of the table leads to, the first entry of lists; nullptr if there is none.
Json* value_at(Json& scene, const std::string& path, bool parent) {
    Json* at = &scene;
    std::string rest = path;
    while (!rest.empty()) {
        const std::size_t dot = rest.find('.');
        std::string name = rest.substr(0, dot);
        rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
        if (parent && rest.empty()) return at;
        const bool is_list = name.ends_with("[]");
        if (is_list) name.resize(name.size() - 2);
        if (at->is_array()) at = &at->at(0);  // a list where the table has none: an interpolation, say
        if (!at->is_object() || !at->contains(name)) return nullptr;
        at = &at->at(name);
        if (is_list && at->is_array()) at = &at->at(0);
    }
    return at;
}

std::string leaf_of(const std::string& path) {
    std::string leaf = path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
    if (leaf.ends_with("[]")) leaf.resize(leaf.size() - 2);
    return leaf;
}

/// "geometry[3].mesh" and "geometry.mesh" -> "geometry[].mesh" as far as the table writes it so.
std::string without_indices(const std::string& path) {
    return std::regex_replace(path, std::regex(R"(\[\d*\])"), "");
}

/// What a message names where the key is refused: the outermost key of the table that holds it and is refused itself.
std::string refused_ancestor(const std::string& path) {
    for (std::size_t end = path.find('.'); end != std::string::npos; end = path.find('.', end + 1)) {
        for (const PolyfemKey& key : polyfem_keys()) {
            if (key.kind == PolyfemKind::refused && without_indices(key.path) == without_indices(path.substr(0, end)))
                return without_indices(key.path);
        }
    }
    return without_indices(path);
}

struct Outcome {
    std::string error;  ///< "" when the scene imports
    Json scene;         ///< resolved, without `imported`
    std::vector<std::string> without_effect, notes;
};

Outcome outcome_of(const PolyfemFolder& folder, const Json& scene) {
    Outcome outcome;
    outcome.error = scene_testing::input_error([&] {
        const SceneSpec spec = folder.import(scene.dump());
        outcome.scene = Json::parse(resolved_json(spec));
        outcome.without_effect = spec.imported->without_effect;
        outcome.notes = spec.imported->notes;
    });
    if (outcome.error.empty()) outcome.scene.erase("imported");
    return outcome;
}

}  // namespace

TEST_CASE("published tables of PolyFEM keys are those of the code") {
    const std::string page = text_of(polyfem_page);
    REQUIRE(!page.empty());
    const std::string current = with_current_polyfem_tables(page);
    if (std::getenv("STICTION_UPDATE_DOCS") != nullptr) std::ofstream(polyfem_page, std::ios::binary) << current;
    CHECK_MESSAGE((page == current || std::getenv("STICTION_UPDATE_DOCS") != nullptr),
                  "docs/import_polyfem.md is out of date: STICTION_UPDATE_DOCS=1 test_scene -tc=\"published*\"");
}

TEST_CASE("every PolyFEM key has one row and one fixture") {
    std::set<std::string> keys, fixtures;
    for (const PolyfemKey& key : polyfem_keys()) CHECK_MESSAGE(keys.insert(key.path).second, key.path);
    for (const PolyfemFixture& fixture : polyfem_fixtures)
        for (const std::string& path : fixture.paths) CHECK_MESSAGE(fixtures.insert(path).second, path);
    for (const std::string& key : keys) CHECK_MESSAGE(fixtures.count(key) == 1, key, " has no fixture");
    for (const std::string& fixture : fixtures) CHECK_MESSAGE(keys.count(fixture) == 1, fixture, " has no row");
}

namespace {

/// Another value of the same kind: numbers are changed, whatever list they stand in.
Json changed(const Json& value) {
    if (value.is_number_integer()) return value.get<int>() + 1;
    if (value.is_number()) return 0.75 * value.get<double>();
    if (value.is_boolean()) return !value.get<bool>();
    Json result = value;
    if (value.is_array())
        for (Json& entry : result) entry = changed(entry);
    return result;
}

/// Whether the scene is another without the key; where it must be there, with another value of it.
bool value_matters(const PolyfemFolder& folder, const Json& scene, const std::string& path, const Outcome& with,
                   const Outcome& absent) {
    if (absent.error.empty()) return with.scene != absent.scene;
    Json other = scene;
    Json& value = *value_at(other, path, false);
    const auto given = polyfem_other_values.find(path);
    const bool is_given = given != polyfem_other_values.end();
    value = is_given ? Json::parse(given->second.json) : changed(value);
    const Outcome outcome = outcome_of(folder, other);
    const std::string expected = is_given ? given->second.error : "";
    CHECK_MESSAGE(outcome.error.find(expected) != std::string::npos, outcome.error);
    CHECK_MESSAGE(outcome.error.empty() == expected.empty(), outcome.error);
    return outcome.scene != with.scene;
}

/// Whether the importer treats the key as the page says, in the scene that this patch makes.
void check_key(const PolyfemFolder& folder, const std::string& path, const char* patch) {
    CAPTURE(path);
    const auto key =
        std::find_if(polyfem_keys().begin(), polyfem_keys().end(), [&](const PolyfemKey& k) { return path == k.path; });
    if (key == polyfem_keys().end()) return;
    Json scene = Json::parse(scene_of(body_of("cube.msh")));
    scene.merge_patch(Json::parse(patch));
    REQUIRE(value_at(scene, path, false) != nullptr);
    Json without = scene;
    Json* parent = value_at(without, path, true);
    REQUIRE(parent != nullptr);
    if (parent->is_array()) parent = &parent->at(0);
    parent->erase(leaf_of(path));
    const Outcome with = outcome_of(folder, scene), absent = outcome_of(folder, without);
    if (key->kind == PolyfemKind::refused) {
        CHECK_MESSAGE(with.error.find(leaf_of(path)) != std::string::npos, with.error);
        CHECK_MESSAGE(without_indices(with.error).find(": " + refused_ancestor(path) + ": ") != std::string::npos,
                      with.error);
        CHECK_MESSAGE(with.error.find("scene.json") != std::string::npos, with.error);
        CHECK_MESSAGE(with.error.find("unknown key") == std::string::npos, with.error);
        return;
    }
    CHECK_MESSAGE(with.error.empty(), with.error);
    const auto names_path = [&](const std::string& noted) {
        const std::string at = without_indices(noted), named = without_indices(path);
        return at == named || at.starts_with(named + ".") || at.starts_with(named + " ");
    };
    const bool is_listed = std::any_of(with.without_effect.begin(), with.without_effect.end(), names_path);
    CHECK(is_listed == (key->kind == PolyfemKind::without_effect));
    if (key->kind == PolyfemKind::noted) {
        const std::regex leaf("\\b" + leaf_of(path) + "\\b");
        CHECK(std::any_of(with.notes.begin(), with.notes.end(),
                          [&](const std::string& note) { return std::regex_search(note, leaf); }));
    } else {
        CHECK(value_matters(folder, scene, path, with, absent) == (key->kind == PolyfemKind::honoured));
    }
}

}  // namespace

TEST_CASE("every PolyFEM key is honoured, noted, without effect or refused as the page says") {
    const PolyfemFolder folder;
    write_files_of_fixtures(folder);
    for (const PolyfemFixture& fixture : polyfem_fixtures)
        for (const std::string& path : fixture.paths) check_key(folder, path, fixture.patch);
}

namespace {

/// Words between the marks of a regular expression's first group, all in the text.
std::set<std::string> words_of(const std::string& text, const char* pattern) {
    const std::regex found(pattern), word("[A-Za-z_][A-Za-z_0-9]*(?:-[A-Z][A-Za-z]*)*");
    std::set<std::string> words;
    for (std::sregex_iterator i(text.begin(), text.end(), found), end; i != end; ++i) {
        const std::string part = (*i)[1].str();
        for (std::sregex_iterator j(part.begin(), part.end(), word); j != end; ++j) words.insert(j->str());
    }
    return words;
}

/// Words of the sheet that look like keys: quoted, with an underscore, or in front of `=` and their default.
std::set<std::string> keys_of_sheet(const std::string& text) {
    std::set<std::string> keys = words_of(text, "`([A-Za-z_0-9 ]+)`");
    for (const char* pattern : {"\\b([A-Za-z0-9]+_[A-Za-z_0-9]*)", "\\b([A-Za-z_]+)=[^=]"})
        keys.merge(words_of(text, pattern));
    // Values, functions, symbols and beginnings of names.
    const std::string no_keys =
        "Ax D_i INT_MAX P V axis_angle b brute_force err_ f half_smoothstep hash_grid i key linear_ramp "
        "mesh_array node_id piecewise_constant repeat_offset rotate_2D_x rotation_vector s sizing_field "
        "smooth_abs spatial_hash step_ sweep_and_prune";
    for (const std::string& word : words_of(no_keys, "(.+)")) keys.erase(word);
    return keys;
}

/// Keys that the sheet gives inside others, in braces or in words. The table must have each under its full path.
const std::vector<std::pair<std::string, std::string>> nested_keys_of_sheet{
    {"preset_problem", "type"},
    {"constraints.soft[]", "weight data"},
    {"tests", "margin time_steps"},
    {"geometry[].array", "size offset relative"},
    {"geometry[].transformation", "scale dimensions rotation rotation_mode translation"},
    {"geometry[].surface_selection[]",
     "id box center radius p1 p2 axis position point normal relative threshold id_offset file"},
    {"geometry[].point_selection[]", "boundary_only"},
    {"geometry[].volume_selection", "id_offset"},
    {"geometry[].advanced", "normalize_mesh refinement_location force_linear_geometry min_component"},
    {"space.discr_order[]", "id order"},
    {"space.remesh", "enabled type"},
    {"space.remesh.split", "enabled acceptance_tolerance culling_threshold max_depth min_edge_length"},
    {"space.remesh.collapse",
     "enabled acceptance_tolerance culling_threshold max_depth rel_max_edge_length abs_max_edge_length"},
    {"space.remesh.swap", "enabled acceptance_tolerance max_depth"},
    {"space.remesh.smooth", "enabled acceptance_tolerance max_iters"},
    {"space.remesh.local_relaxation", "local_mesh_n_ring local_mesh_rel_area max_nl_iterations"},
    {"time.integrator", "type steps gamma beta"},
    {"contact.collision_mesh", "enabled mesh linear_map max_edge_length tessellation_type"},
    {"contact.adhesion", "adhesion_enabled dhat_p dhat_a adhesion_strength tangential_adhesion_coefficient epsa"},
    {"boundary_conditions.rhs[]", "id"},
    {"boundary_conditions.dirichlet_boundary[]", "id value dimension time_reference interpolation"},
    {"boundary_conditions.dirichlet_boundary[].value[]", "value unit file_name function_name"},
    {"boundary_conditions.dirichlet_boundary[].interpolation", "type from to points values extend"},
    {"boundary_conditions.obstacle_displacements[]", "id value interpolation"},
    {"boundary_conditions.neumann_boundary[]", "id value interpolation"},
    {"boundary_conditions.normal_aligned_neumann_boundary[]", "id value interpolation"},
    {"boundary_conditions.pressure_boundary[]", "id value time_reference"},
    {"boundary_conditions.pressure_cavity[]", "id value"},
    {"boundary_conditions.periodic_boundary",
     "enabled tolerance correspondence linear_displacement_offset fixed_macro_strain force_zero_mean"},
    {"initial_conditions.solution[]", "id value"},
    {"initial_conditions.velocity[]", "id value"},
    {"initial_conditions.acceleration[]", "id value"},
    {"solver.linear", "solver precond enable_overwrite_solver"},
    {"solver.nonlinear",
     "solver norm_type grad_norm_tol rel_grad_norm_tol first_grad_norm_tol x_delta_tol rel_x_delta_tol "
     "newton_decrement_tol max_iterations iterations_per_strategy allow_out_of_iterations line_search Newton L-BFGS "
     "L-BFGS-B ADAM box_constraints advanced"},
    {"solver.nonlinear.line_search", "method"},
    {"solver.augmented_lagrangian", "initial_weight scaling max_weight eta nonlinear"},
    {"solver.contact.CCD", "broad_phase tolerance max_iterations"},
    {"solver.rayleigh_damping[]", "form stiffness stiffness_ratio lagging_iterations"},
    {"output.log", "level"},
    {"output.data", "solution state rest_mesh mises"},
    {"output.paraview", "file_name skip_frame"},
    {"output.advanced", "timestep_prefix save_time_sequence"},
};

}  // namespace

TEST_CASE("every key of the sheet of PolyFEM's keys is in the table") {
    const fs::path sheet = fs::path(STICTION_SHARED_DATA) / "polyfem-keys.md";
    if (!fs::exists(sheet)) {
        MESSAGE("skipped: no data at ", sheet.string());
        return;
    }
    std::set<std::string> paths, names;
    const std::regex separator("[.\\[\\]]+");
    for (const PolyfemKey& key : polyfem_keys()) {
        const std::string path = key.path;
        paths.insert(path);
        names.insert(std::sregex_token_iterator(path.begin(), path.end(), separator, -1), {});
    }
    const std::string text = text_of(sheet);
    for (const std::string& key : keys_of_sheet(text)) CHECK_MESSAGE(names.count(key) == 1, key, " is no key of a row");
    for (const auto& [parent, list] : nested_keys_of_sheet) {
        std::istringstream leaves(list);
        for (std::string leaf; leaves >> leaf;) {
            CHECK_MESSAGE(paths.count(parent + "." + leaf) == 1, parent, ".", leaf, " has no row");
            CHECK_MESSAGE(text.find(leaf) != std::string::npos, leaf, " is not in the sheet");
        }
    }
}
