#include "stiction/scene/import/polyfem_conditions.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/import/polyfem_motion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

namespace stiction::scene {
namespace {

/// One entry of `dirichlet_boundary` or `obstacle_displacements`.
struct Condition {
    std::string path;
    bool all = false;  ///< every id
    std::vector<int> ids;
    MotionSpec motion;
    bool used = false;

    bool holds(int id) const { return all || std::find(ids.begin(), ids.end(), id) != ids.end(); }
};

std::vector<Condition> read_conditions(ImportObject& conditions, const char* key, const PolyfemContext& context) {
    std::vector<Condition> result;
    const auto list = conditions.list(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
        ImportObject entry(*list[i], conditions.entry_path(key, i), context.notes);
        Condition condition;
        condition.path = entry.path();
        const Json& id = entry.require("id", "the id of a surface selection");
        condition.all = id == "all";
        if (!condition.all) condition.ids = read_polyfem_ids(entry);
        for (const Condition& other : result) {
            const bool twice =
                condition.all || other.all ||
                std::any_of(condition.ids.begin(), condition.ids.end(), [&](int k) { return other.holds(k); });
            if (twice) entry.refuse("id", "each id once: " + other.path + " has it, too");
        }
        if (!condition.all && std::any_of(condition.ids.begin(), condition.ids.end(), [](int k) { return k <= 0; }))
            context.notes.notes.push_back(entry.path_of("id") +
                                          ": PolyFEM passes over ids <= 0; here the condition holds");
        condition.motion = read_polyfem_motion(entry, context);
        entry.finish();
        result.push_back(std::move(condition));
    }
    return result;
}

/// Conditions (their positions in the list) that drive x, y and z of a vertex; -1: none.
using DriversByAxis = std::array<int, 3>;

MotionSpec joined_motion(const std::vector<Condition>& conditions, const DriversByAxis& drivers) {
    MotionSpec motion;
    motion.axes.clear();
    motion.fix = true;
    std::array<std::string, 3> formula{"0", "0", "0"};
    for (std::size_t k = 0; k < 3; ++k) {
        if (drivers[k] < 0) continue;
        motion.axes += static_cast<char>('x' + k);
        const MotionSpec& other = conditions[static_cast<std::size_t>(drivers[k])].motion;
        if (other.fix) continue;
        motion.fix = false;
        formula[k] = (*other.move->formula)[k];
    }
    if (!motion.fix) motion.move.emplace().formula = formula;
    return motion;
}

/// In PolyFEM a vertex obeys all its conditions, along each axis the last. Ours obeys the last entry alone: where that
/// makes a difference, further entries hold what the conditions are together.
/// @param held  for each vertex the conditions that drive it, in their order
void add_joined(const std::vector<Condition>& conditions, const std::map<Index, std::vector<int>>& held,
                BodySpec& body) {
    std::map<DriversByAxis, std::vector<Index>> joined;
    for (const auto& [vertex, ids] : held) {
        DriversByAxis drivers{-1, -1, -1};
        bool last_alone = true;
        for (const int id : ids)
            for (const char axis : conditions[static_cast<std::size_t>(id)].motion.axes)
                drivers[static_cast<std::size_t>(axis - 'x')] = id;
        for (const int id : drivers) last_alone = last_alone && (id < 0 || id == ids.back());
        if (!last_alone) joined[drivers].push_back(vertex);
    }
    for (auto& [drivers, vertices] : joined) {
        BoundarySpec boundary;
        boundary.select.vertices = std::move(vertices);
        boundary.motion = joined_motion(conditions, drivers);
        body.boundary.push_back(std::move(boundary));
    }
}

void apply_to_body(std::vector<Condition>& conditions, PolyfemBody& body) {
    std::map<Index, std::vector<int>> held;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        Condition& condition = conditions[i];
        std::vector<Index> vertices;
        if (condition.all) vertices = body.boundary_vertices;
        for (const auto& [id, selected] : body.surface_vertices) {
            if (!condition.all && condition.holds(id))
                vertices.insert(vertices.end(), selected.begin(), selected.end());
        }
        if (vertices.empty()) continue;
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        condition.used = true;
        for (const Index vertex : vertices) held[vertex].push_back(static_cast<int>(i));
        BoundarySpec boundary;
        boundary.select.vertices = std::move(vertices);
        boundary.motion = condition.motion;
        body.spec.boundary.push_back(std::move(boundary));
    }
    add_joined(conditions, held, body.spec);
}

/// @return whether one of the conditions drives the obstacle
bool apply_to_obstacle(std::vector<Condition>& conditions, PolyfemObstacle& obstacle, const std::string& file) {
    if (!obstacle.surface_id) return false;
    for (Condition& condition : conditions) {
        if (!condition.holds(*obstacle.surface_id)) continue;
        if (condition.motion.axes != "xyz")
            throw InputError(file, condition.path + ".dimension", condition.motion.axes,
                             "all three: it drives the obstacle " + obstacle.path);
        condition.used = true;
        if (!condition.motion.fix) obstacle.spec.motion = {condition.motion};
        return true;
    }
    return false;
}

/// Refuses conditions whose ids nothing has.
/// @param known  ids that the condition could have met
void check_ids(const std::vector<Condition>& conditions, const std::set<int>& known, ImportNotes& notes) {
    for (const Condition& condition : conditions) {
        if (condition.used) continue;
        if (std::any_of(known.begin(), known.end(), [&](int id) { return condition.holds(id); })) {
            notes.without_effect.push_back(condition.path + " (obstacle_displacements moves its obstacles)");
            continue;
        }
        const std::string ids = condition.all ? "\"all\"" : fmt::format("{}", fmt::join(condition.ids, ", "));
        throw InputError(notes.file, condition.path + ".id", ids,
                         known.empty()
                             ? "a surface_selection in some geometry that gives this id"
                             : fmt::format("an id that a surface_selection gives: {}", fmt::join(known, ", ")));
    }
}

Vec3 read_gravity(ImportObject& conditions, const PolyfemContext& context) {
    const Json* rhs = conditions.find("rhs");
    if (!rhs || (rhs->is_array() && rhs->empty())) return Vec3::Zero();
    const auto list = conditions.list("rhs");
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i]->is_object() && list[i]->contains("id"))
            ImportObject(*list[i], conditions.entry_path("rhs", i), context.notes)
                .refuse("id", "no id: the acceleration is that of everything");
    }
    return Vec3::Zero() - polyfem_constants(*rhs, conditions.path_of("rhs"), acceleration_dimension, context);
}

/// Reads a list of vectors by volume id and gives each body its own.
template <class Give>
void read_initial(ImportObject& conditions, const char* key, const Dimension& dimension, const PolyfemContext& context,
                  PolyfemGeometry& geometry, const Give& give) {
    const auto list = conditions.list(key);
    for (std::size_t i = 0; i < list.size(); ++i) {
        ImportObject entry(*list[i], conditions.entry_path(key, i), context.notes);
        entry.require("id", "the id of a volume selection");
        const auto ids = read_polyfem_ids(entry);
        const Vec3 value = polyfem_constants(entry.require("value", "a list of three values"), entry.path_of("value"),
                                             dimension, context);
        bool used = false;
        for (PolyfemBody& body : geometry.bodies) {
            const auto count = std::count_if(body.volume_ids.begin(), body.volume_ids.end(), [&](int id) {
                return std::find(ids.begin(), ids.end(), id) != ids.end();
            });
            if (count == 0) continue;
            if (static_cast<std::size_t>(count) != body.volume_ids.size())
                entry.refuse("id", fmt::format("ids that hold a mesh as a whole: {} has others, too", body.path));
            used = true;
            give(entry, body.spec, value);
        }
        if (!used) entry.refuse("id", "an id that a volume_selection gives");
        entry.finish();
    }
}

}  // namespace

std::vector<int> read_polyfem_ids(ImportObject& entry) {
    const auto list = entry.list("id");
    if (list.empty()) entry.refuse("id", "an id or a list of ids");
    std::vector<int> ids;
    for (std::size_t i = 0; i < list.size(); ++i)
        ids.push_back(import_integer(*list[i], entry.entry_path("id", i), entry.notes().file));
    return ids;
}

void read_polyfem_boundary_conditions(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry,
                                      SceneSpec& scene) {
    ImportObject conditions = document.object("boundary_conditions");
    scene.gravity = read_gravity(conditions, context);
    auto dirichlet = read_conditions(conditions, "dirichlet_boundary", context);
    auto displacements = read_conditions(conditions, "obstacle_displacements", context);
    for (PolyfemBody& body : geometry.bodies) apply_to_body(dirichlet, body);
    for (PolyfemObstacle& obstacle : geometry.obstacles) {
        if (!apply_to_obstacle(displacements, obstacle, context.notes.file))
            apply_to_obstacle(dirichlet, obstacle, context.notes.file);
    }
    std::set<int> obstacle_ids;
    for (const auto& obstacle : geometry.obstacles)
        if (obstacle.surface_id) obstacle_ids.insert(*obstacle.surface_id);
    std::set<int> ids = obstacle_ids;
    for (const auto& body : geometry.bodies)
        for (const auto& [id, unused] : body.surface_vertices) ids.insert(id);
    check_ids(dirichlet, ids, context.notes);
    check_ids(displacements, obstacle_ids, context.notes);
    conditions.only_empty("neumann_boundary", "none: loads on surfaces are not offered");
    conditions.only_empty("nodal_neumann_boundary", "none: loads on surfaces are not offered");
    conditions.only_empty("normal_aligned_neumann_boundary", "none: loads on surfaces are not offered");
    conditions.only_empty("pressure_boundary", "none: pressure is not offered");
    conditions.only_empty("pressure_cavity", "none: pressure is not offered");
    ImportObject periodic = conditions.object("periodic_boundary");
    periodic.only("enabled", false, "false: periodic boundaries are not offered");
    periodic.without_effect(
        {"tolerance", "correspondence", "linear_displacement_offset", "fixed_macro_strain", "force_zero_mean"});
    periodic.finish();
    conditions.finish();
}

void read_polyfem_initial_conditions(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry) {
    ImportObject conditions = document.object("initial_conditions");
    conditions.only_empty("acceleration", "none: the start is balanced");
    read_initial(conditions, "solution", length_dimension, context, geometry,
                 [](ImportObject& entry, BodySpec& body, const Vec3& displacement) {
                     if (!body.boundary.empty() && !displacement.isZero(0.0))
                         entry.refuse("value",
                                      "zeros: vertices of " + body.name + " are driven from where they are undeformed");
                     body.start.emplace().translation = displacement;
                 });
    read_initial(conditions, "velocity", velocity_dimension, context, geometry,
                 [](ImportObject&, BodySpec& body, const Vec3& velocity) { body.velocity = velocity; });
    conditions.finish();
}

}  // namespace stiction::scene
