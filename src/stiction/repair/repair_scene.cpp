#include "stiction/repair/repair_scene.hpp"

#include "stiction/audit/audit.hpp"
#include "stiction/base/error.hpp"
#include "stiction/repair/separate.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/scene_text.hpp"
#include "stiction/world/start_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stiction::repair {
namespace {

std::string name_of(const World& world, Index body) {
    const Body& named = world.bodies[static_cast<std::size_t>(body)];
    const char* kind = named.kind == BodyKind::half_space ? "half-space"
                       : named.kind == BodyKind::obstacle ? "obstacle"
                                                          : "body";
    return fmt::format("{} '{}'", kind, named.name);
}

std::string text_of(const World& world, const std::array<Index, 2>& pair) {
    return fmt::format("{} and {}", name_of(world, pair[0]), name_of(world, pair[1]));
}

/// Bodies of the primitives of a problem.
std::set<Index> bodies_of(const World& world, const StartProblem& problem) {
    std::set<Index> bodies;
    const auto add = [&](const auto& vertices) {
        for (const Index v : vertices) bodies.insert(world.body_of_vertex[static_cast<std::size_t>(v)]);
    };
    add(problem.points);
    for (const auto& edge : problem.edges) add(edge);
    for (const auto& triangle : problem.triangles) add(triangle);
    for (const auto& tet : problem.tets) add(tet);
    return bodies;
}

/// What moving bodies apart cannot mend, one line for each body: problems of primitives of one body alone. Of those a
/// single vertex with a place is one against a half-space.
std::vector<std::string> faults_of_bodies(const World& world, const State& state,
                                          const std::vector<StartProblem>& problems) {
    std::vector<std::string> lines;
    std::set<Index> named;
    for (const StartProblem& problem : problems) {
        const std::set<Index> bodies = bodies_of(world, problem);
        const bool vertex_alone =
            problem.points.size() == 1 && problem.edges.empty() && problem.triangles.empty() && problem.tets.empty();
        if (bodies.size() != 1) continue;
        if (vertex_alone && state.x.segment<3>(3 * problem.points[0]).allFinite()) continue;
        if (!named.insert(*bodies.begin()).second) continue;
        const bool crosses_itself = problem.points.size() + problem.edges.size() + problem.triangles.size() > 1;
        lines.push_back(crosses_itself
                            ? fmt::format("{} intersects itself ({})", name_of(world, *bodies.begin()), problem.text)
                            : problem.text);
    }
    return lines;
}

/// Bodies that are held, driven, attached or pulled are tied to places.
std::vector<bool> movable_bodies(const SceneSpec& spec, std::size_t count) {
    std::set<std::string> tied;
    for (const auto& attachment : spec.local_global.attachments) tied.insert({attachment.body, attachment.to});
    for (const auto& cable : spec.local_global.cables) tied.insert(cable.body);
    std::vector<bool> movable(count, false);
    for (std::size_t b = 0; b < spec.bodies.size(); ++b)
        movable[b] = spec.bodies[b].boundary.empty() && !tied.contains(spec.bodies[b].name);
    return movable;
}

std::vector<bool> solid_bodies(const SceneSpec& spec, const World& world) {
    std::vector<bool> solid;
    for (const Body& body : world.bodies) solid.push_back(!body.is_obstacle() && !body.is_shell() && !body.is_rod());
    for (std::size_t o = 0; o < spec.obstacles.size(); ++o) {
        const ObstacleSpec& obstacle = spec.obstacles[o];
        if (!obstacle.mesh || obstacle.use != "surface") continue;
        const Mesh mesh = load_mesh(*obstacle.mesh, spec.origin, fmt::format("obstacles[{}].mesh", o));
        solid[spec.bodies.size() + o] = !mesh.tets.empty();
    }
    return solid;
}

[[noreturn]] void refuse(const SceneSpec& spec, const std::vector<std::string>& lines) {
    constexpr std::size_t shown = 10;
    std::vector<std::string> first = lines;
    first.resize(std::min(shown, lines.size()));
    if (lines.size() > shown) first.push_back(fmt::format("and {} more", lines.size() - shown));
    throw InputError(fmt::format("{}{}moving bodies cannot repair the start: {}", spec.origin.file,
                                 spec.origin.file.empty() ? "" : ": ", fmt::join(first, "; ")));
}

/// The repaired scene is read and looked at as a run would, and by the audit, which shares no code with the former.
void check_repaired(const SceneSpec& spec, const std::string& text, const std::vector<Vec3>& shifts) {
    const SceneSpec repaired = parse_scene_text(shifted_scene_text(text, spec, shifts), spec.origin);
    const CompiledScene scene = compile_scene(repaired);
    std::vector<std::string> left = start_problems(scene.world, scene.state);
    if (left.empty())
        left = audit::messages(scene.world, audit::audit_state(scene.world, scene.state.x), scene.state.x);
    if (!left.empty()) refuse(spec, left);
}

}  // namespace

bool can_help(const SceneSpec& spec, const World& world, const std::vector<StartProblem>& problems) {
    const std::vector<bool> movable = movable_bodies(spec, world.bodies.size());
    return std::ranges::all_of(
        problems, [&](const StartProblem& problem) { return can_be_moved_apart(world, problem, movable); });
}

RepairReport repair_scene(const SceneSpec& spec, const std::string& text, std::optional<double> gap) {
    if (gap && !(std::isfinite(*gap) && *gap > 0.0))
        throw InputError("", "gap", fmt::format("{}", *gap), "a length above 0 (m)");
    const CompiledScene scene = compile_scene(spec);
    const World& world = scene.world;
    std::vector<std::string> lines = faults_of_bodies(world, scene.state, find_start_problems(world, scene.state));
    if (!lines.empty()) refuse(spec, lines);

    SeparateOptions options;
    const ContactDistanceKey contact = scene_method(spec).contact_distance(spec, world);
    options.gap = gap.value_or(contact.distance);
    options.is_share = !gap && contact.is_share;
    options.movable = movable_bodies(spec, world.bodies.size());
    options.solid = solid_bodies(spec, world);
    const BodySeparation separation = separate_bodies(world, scene.state.x, options);
    for (const auto& pair : separation.immovable)
        lines.push_back(text_of(world, pair) + " overlap, and neither may move");
    for (const auto& pair : separation.left) lines.push_back("no way was found that separates " + text_of(world, pair));
    if (!lines.empty()) refuse(spec, lines);

    RepairReport report;
    report.gap = options.gap;
    report.shifts.assign(separation.shifts.begin(), separation.shifts.begin() + static_cast<long>(spec.bodies.size()));
    for (const auto& pair : separation.overlapping) {
        const auto name = [&](Index body) { return world.bodies[static_cast<std::size_t>(body)].name; };
        report.overlapping.push_back({{name(pair[0]), name(pair[1])}, text_of(world, pair)});
        report.any_smaller_gap =
            report.any_smaller_gap || (options.is_share && world.length_share(pair[0], pair[1]) < 1.0);
    }
    for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
        if (report.shifts[b] != Vec3::Zero()) report.moves.push_back({spec.bodies[b].name, report.shifts[b]});
    }
    check_repaired(spec, text, report.shifts);
    return report;
}

}  // namespace stiction::repair
