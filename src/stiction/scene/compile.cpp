#include "stiction/scene/compile.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/material.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/motion.hpp"
#include "stiction/scene/obstacle_mesh.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/scales.hpp"
#include "stiction/scene/selection.hpp"
#include "stiction/world/world_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace stiction {
namespace {

class Compiler {
public:
    explicit Compiler(const SceneSpec& spec) : spec_(spec), file_(spec.origin.file) {}

    std::pair<World, State> run() {
        builder_.set_gravity(spec_.gravity);
        builder_.set_consistent_mass(spec_.mass == "consistent");
        for (std::size_t i = 0; i < spec_.bodies.size(); ++i) add_body(spec_.bodies[i], fmt::format("bodies[{}]", i));
        for (std::size_t i = 0; i < spec_.obstacles.size(); ++i)
            add_obstacle(spec_.obstacles[i], fmt::format("obstacles[{}]", i));
        add_contact();
        if (spec_.contact.lengths == "scene") builder_.measure_by_scene();
        auto result = builder_.build();
        for (const auto& [vertex, velocity] : start_velocities_) {
            result.second.v.segment<3>(3 * vertex) = velocity;
            result.second.previous_v.segment<3>(3 * vertex) = velocity;
        }
        carry(result.first.carried, result.second.v);
        carry(result.first.carried, result.second.previous_v);
        return result;
    }

private:
    [[noreturn]] void refuse(const std::string& field, const std::string& value, const std::string& expected) const {
        throw InputError(file_, field, value, expected);
    }

    void count_vertices(const Mesh& mesh, const std::string& path) {
        vertices_ += mesh.vertices.size();
        if (vertices_ > max_scene_vertices) {
            refuse(path + ".mesh", fmt::format("{} vertices so far", vertices_),
                   fmt::format("at most {} in a scene", max_scene_vertices));
        }
    }

    void add_body(const BodySpec& body, const std::string& path) {
        Mesh mesh = load_mesh(body.mesh, spec_.origin, path + ".mesh");
        const bool enclosed = body.rigid && mesh.tets.empty();
        if (body.shell)
            check_sheet(mesh, path + ".mesh");
        else if (body.rod)
            check_rod(mesh, path + ".mesh");
        else if (!enclosed)
            check_solid(mesh, path + ".mesh");
        if (body.order.value_or(2) == 1 || body.rigid) mesh.mid_nodes.clear();
        const std::vector<Index> new_id = compact(mesh);
        const Placement place = make_placement(body.transform, mesh.vertices, file_, path + ".transform");
        for (Vec3& x : mesh.vertices) x = place(x);
        const std::size_t read = mesh.vertices.size();
        if (body.order.value_or(1) == 2) add_mid_nodes(mesh);
        check_size(mesh, true, spec_.origin, path);
        count_vertices(mesh, path);

        const std::vector<ShellPart> parts =
            body.shell ? shell_parts(body, mesh, new_id, path) : std::vector<ShellPart>{};
        const Index id = guarded(path, [&] {
            if (body.rigid)
                return builder_.add_rigid(body.name, mesh, body.material.density, body.velocity, body.angular_velocity,
                                          body.rigid->rigidity);
            if (body.rod)
                return builder_.add_rod(body.name, mesh, rod_material(body.material, *body.rod), body.velocity,
                                        body.angular_velocity);
            return body.shell ? builder_.add_shell(body.name, mesh, shell_material(body.material, *body.shell),
                                                   body.velocity, body.angular_velocity, {}, parts)
                              : add_solid(body, mesh, read, new_id, path);
        });
        ids_[body.name] = id;
        if (body.collision_mesh) add_collision_mesh(body, place, id, path + ".collision_mesh");
        builder_.set_contact_thickness(id, body.contact_thickness);
        if (!mesh.tets.empty()) check_unfolded(mesh, path + ".mesh");
        if (!mesh.tets.empty()) add_parts(body, mesh, new_id, id, path);
        if (body.volume) add_volume(body, id, path);
        add_boundary(body, mesh, new_id, id, path);
        add_forces(body, mesh, new_id, id, path);
    }

    /// @param read  how many vertices the mesh has that are not nodes added in the middle of its edges
    Index add_solid(const BodySpec& body, const Mesh& mesh, std::size_t read, const std::vector<Index>& new_id,
                    const std::string& path) {
        const BodyMaterial material = solid_material(body.material);
        const int subdivisions = body.collision_mesh ? 0 : body.proxy_subdivisions;
        if (!body.start)
            return builder_.add_deformable(body.name, mesh, material, body.velocity, body.angular_velocity, {},
                                           subdivisions);
        Mesh start = mesh;
        const std::vector<Vec3> rest(mesh.vertices.begin(), mesh.vertices.begin() + static_cast<std::ptrdiff_t>(read));
        start.vertices = start_positions(*body.start, rest, new_id, file_, path + ".start");
        append_middles(mesh, start.vertices);
        check_size(start, false, spec_.origin, path + ".start");
        const Index id = builder_.add_deformable(body.name, start, material, body.velocity, body.angular_velocity,
                                                 mesh.vertices, subdivisions);
        if (!body.start->velocities) return id;
        std::vector<Vec3> velocities = kept_entries(*body.start->velocities, new_id, file_, path + ".start.velocities");
        append_middles(mesh, velocities);
        for (std::size_t v = 0; v < velocities.size(); ++v)
            start_velocities_.emplace_back(builder_.first_vertex(id) + static_cast<Index>(v), velocities[v]);
        return id;
    }

    void add_collision_mesh(const BodySpec& body, const Placement& place, Index id, const std::string& path) {
        Mesh mesh = load_mesh(*body.collision_mesh, spec_.origin, path);
        if (!mesh.tets.empty()) mesh = surface_mesh(mesh);
        mesh.triangle_tags.clear();
        mesh.further_triangle_tags.clear();
        compact(mesh);
        for (Vec3& x : mesh.vertices) x = place(x);
        count_vertices(mesh, path);
        guarded(path, [&] {
            builder_.set_collision_mesh(id, mesh);
            return id;
        });
    }

    void add_volume(const BodySpec& body, Index id, const std::string& path) {
        const VolumeSpec& volume = *body.volume;
        const VolumeLaw law{*volume_law_from_name(volume.law), volume.compressibility, volume.atmospheric_pressure,
                            volume.pressure.value_or(volume.pressure_at_rest_volume)};
        const auto& parts = filled_part_names();
        const std::string region = volume.region.value_or(body.shell ? "surface" : "cavity");
        std::vector<PressureKey> keys;
        if (volume.inflation) {
            for (const auto& [time, overpressure] : *volume.inflation) keys.push_back({time, overpressure});
        }
        guarded(path + ".volume", [&] {
            builder_.add_filling(id,
                                 static_cast<FilledPart>(std::find(parts.begin(), parts.end(), region) - parts.begin()),
                                 law, keys, volume.exact_matrix);
            return id;
        });
    }

    static BodyMaterial solid_material(const MaterialSpec& material) {
        return {*law_from_name(material.law),
                material.youngs_modulus,
                material.poissons_ratio,
                material.density,
                material.mass_damping,
                material.stiffness_damping,
                material.extrapolate_below.value_or(0.0),
                compiled_terms(material)};
    }

    /// Ids of the elements with all vertices in part i's selection; at least one.
    template <class Element>
    std::vector<Index> elements_of_part(const BodySpec& body, std::size_t i, const Mesh& mesh,
                                        const std::vector<Element>& elements, const char* kind,
                                        const std::vector<Index>& new_id, const std::string& path) const {
        const std::string field = fmt::format("{}.parts[{}].select", path, i);
        std::vector<char> selected(mesh.vertices.size(), 0);
        for (const Index vertex : select_vertices(body.parts[i].select, mesh, new_id, spec_.origin, field))
            selected[static_cast<std::size_t>(vertex)] = 1;
        std::vector<Index> ids;
        for (std::size_t e = 0; e < elements.size(); ++e) {
            if (std::all_of(elements[e].begin(), elements[e].end(),
                            [&](Index vertex) { return selected[static_cast<std::size_t>(vertex)] != 0; }))
                ids.push_back(static_cast<Index>(e));
        }
        if (ids.empty()) refuse(field, fmt::format("holds no {}", kind), "all vertices of at least one");
        return ids;
    }

    void add_parts(const BodySpec& body, const Mesh& mesh, const std::vector<Index>& new_id, Index id,
                   const std::string& path) {
        for (std::size_t i = 0; i < body.parts.size(); ++i)
            builder_.set_material(id, elements_of_part(body, i, mesh, mesh.tets, "tetrahedron", new_id, path),
                                  solid_material(body.parts[i].material));
    }

    std::vector<ShellPart> shell_parts(const BodySpec& body, const Mesh& mesh, const std::vector<Index>& new_id,
                                       const std::string& path) const {
        std::vector<ShellPart> parts;
        for (std::size_t i = 0; i < body.parts.size(); ++i) {
            const PartSpec& part = body.parts[i];
            parts.push_back({elements_of_part(body, i, mesh, mesh.triangles, "triangle", new_id, path),
                             shell_material(part.material, part.shell.value_or(*body.shell))});
        }
        return parts;
    }

    /// Adds the scene's file and path to what the builder says about a body.
    template <class Add>
    Index guarded(const std::string& path, const Add& add) const {
        try {
            return add();
        } catch (const InputError& error) {
            throw InputError(fmt::format("{}{}{}: {}", file_, file_.empty() ? "" : ": ", path, error.what()));
        }
    }

    void check_sheet(const Mesh& mesh, const std::string& path) const {
        if (!mesh.tets.empty())
            refuse(path, fmt::format("a mesh of {} tetrahedra", mesh.tets.size()),
                   "triangles only for a shell; without the key 'shell' the body is a solid");
        if (mesh.triangles.empty()) refuse(path, "a mesh without triangles", "triangles for a shell");
        if (mesh.edges.empty() && mesh.points.empty()) return;
        refuse(path,
               fmt::format("{} edges and {} points that belong to no triangle", mesh.edges.size(), mesh.points.size()),
               "nothing beside triangles: a rod of edges is a body of its own");
    }

    void check_rod(const Mesh& mesh, const std::string& path) const {
        if (mesh.tets.empty() && mesh.triangles.empty() && mesh.points.empty() && !mesh.edges.empty()) return;
        refuse(path,
               fmt::format("a mesh of {} tetrahedra, {} triangles, {} bare edges and {} bare points", mesh.tets.size(),
                           mesh.triangles.size(), mesh.edges.size(), mesh.points.size()),
               "bare edges only for a rod");
    }

    void check_solid(Mesh& mesh, const std::string& path) const {
        if (mesh.tets.empty()) {
            refuse(path,
                   mesh.triangles.empty()
                       ? "a mesh without tetrahedra"
                       : fmt::format("a mesh of {} triangles and no tetrahedra", mesh.triangles.size()),
                   mesh.triangles.empty() ? "tetrahedra for a solid; the key 'rod' makes bare edges a thin rod"
                                          : "tetrahedra for a solid; the key 'shell' makes triangles a thin sheet, and "
                                            "obstacles may be of triangles");
        }
        const std::vector<bool> on_tets = triangles_on_tets(mesh);
        const auto loose = std::count(on_tets.begin(), on_tets.end(), false);
        if (loose > 0 || !mesh.edges.empty() || !mesh.points.empty()) {
            refuse(path,
                   fmt::format("{} triangles, {} edges and {} points that belong to no tetrahedron", loose,
                               mesh.edges.size(), mesh.points.size()),
                   "nothing beside tetrahedra: a shell and a rod are bodies of their own");
        }
        orient_tets(mesh);
    }

    /// Refuses what can only be seen once no tet is there twice and all have a volume.
    void check_unfolded(const Mesh& mesh, const std::string& path) const {
        const auto [a, b] = folded_tets(mesh.tets);
        if (a < 0) return;
        refuse(path, fmt::format("tet {} is inverted", b),
               fmt::format("a mesh without folds: tet {} is on the same side of a face that both have", a));
    }

    std::vector<Index> global(std::vector<Index> local, Index body) const {
        for (Index& vertex : local) vertex += builder_.first_vertex(body);
        return local;
    }

    std::vector<Index> all_vertices(Index body) const {
        std::vector<Index> vertices(static_cast<std::size_t>(builder_.body(body).vertex_count()));
        std::iota(vertices.begin(), vertices.end(), builder_.first_vertex(body));
        return vertices;
    }

    static Vec3 box_center(const Mesh& mesh) {
        const auto [low, high] = bounding_box(mesh.vertices);
        return 0.5 * (low + high);
    }

    void add_boundary(const BodySpec& body, const Mesh& mesh, const std::vector<Index>& new_id, Index id,
                      const std::string& path) {
        for (std::size_t i = 0; i < body.boundary.size(); ++i) {
            const std::string entry = fmt::format("{}.boundary[{}]", path, i);
            const auto selected =
                select_vertices(body.boundary[i].select, mesh, new_id, spec_.origin, entry + ".select");
            std::vector<Vec3> positions;
            positions.reserve(selected.size());
            for (const Index vertex : selected) positions.push_back(mesh.vertices[static_cast<std::size_t>(vertex)]);
            check_formulas_at_start(body.boundary[i].motion, positions, spec_.origin, entry);
            builder_.add_motion(
                make_motion(body.boundary[i].motion, global(selected, id), box_center(mesh), spec_.origin, entry));
        }
    }

    void add_forces(const BodySpec& body, const Mesh& mesh, const std::vector<Index>& new_id, Index id,
                    const std::string& path) {
        for (std::size_t i = 0; i < body.forces.size(); ++i) {
            const ForceSpec& force = body.forces[i];
            const std::string entry = fmt::format("{}.forces[{}].select", path, i);
            auto vertices =
                global(select_vertices(force.select.value_or(SelectionSpec{}), mesh, new_id, spec_.origin, entry), id);
            const double end = force.end.value_or(std::numeric_limits<double>::max());
            if (force.acceleration) {
                builder_.add_body_force({std::move(vertices), *force.acceleration, force.begin, end});
            } else {
                const double count = static_cast<double>(vertices.size());
                const Vec3 each = force.force ? *force.force : Vec3(*force.total_force / count);
                builder_.add_point_load({std::move(vertices), each, force.begin, end});
            }
        }
    }

    void add_obstacle(const ObstacleSpec& obstacle, const std::string& path) {
        Index id = -1;
        Vec3 center = Vec3::Zero();
        Mesh mesh;
        std::vector<Index> new_id;
        if (obstacle.half_space) {
            center = obstacle.half_space->point;
            mesh.vertices = {center};
            id = builder_.add_half_space(obstacle.name, center, obstacle.half_space->normal.stableNormalized());
            ++vertices_;
        } else if (obstacle.sequence) {
            id = add_sequence(obstacle, path);
        } else {
            mesh = load_obstacle(obstacle, spec_.origin, path, new_id);
            count_vertices(mesh, path);
            center = box_center(mesh);
            id = guarded(path, [&] { return builder_.add_obstacle(obstacle.name, mesh); });
        }
        ids_[obstacle.name] = id;
        builder_.set_contact_thickness(id, obstacle.contact_thickness);
        for (std::size_t i = 0; i < obstacle.motion.size(); ++i) {
            const std::string entry = fmt::format("{}.motion[{}]", path, i);
            const auto& select = obstacle.motion[i].select;
            check_formulas_at_start(obstacle.motion[i], mesh.vertices, spec_.origin, entry);
            const auto moved = select
                                   ? global(select_vertices(*select, mesh, new_id, spec_.origin, entry + ".select"), id)
                                   : all_vertices(id);
            builder_.add_motion(make_motion(obstacle.motion[i], moved, center, spec_.origin, entry));
        }
    }

    Index add_sequence(const ObstacleSpec& obstacle, const std::string& path) {
        const ObstacleSequence sequence =
            load_sequence(obstacle, spec_.origin, path, [&](const Mesh& mesh) { count_vertices(mesh, path); });
        const Index id = guarded(path, [&] { return builder_.add_obstacle(obstacle.name, sequence.mesh); });
        Motion motion;
        motion.name = path + ".sequence";
        motion.vertices = all_vertices(id);
        motion.trajectory = sequence.trajectory;
        builder_.add_motion(std::move(motion));
        return id;
    }

    void add_contact() {
        const double friction = spec_.contact.friction, kinetic = spec_.contact.kinetic_friction.value_or(friction);
        builder_.set_default_friction(friction, kinetic);
        if (!spec_.contact.self_contact) {
            for (const auto& body : spec_.bodies) builder_.set_contact(ids_.at(body.name), ids_.at(body.name), false);
        }
        for (const auto& pair : spec_.contact.pairs) {
            const Index a = ids_.at(pair.bodies[0]), b = ids_.at(pair.bodies[1]);
            builder_.set_contact(a, b, pair.enabled);
            if (pair.friction) {
                builder_.set_friction(a, b, *pair.friction, pair.kinetic_friction.value_or(*pair.friction));
            } else if (pair.kinetic_friction) {
                builder_.set_friction(a, b, friction, *pair.kinetic_friction);
            }
        }
    }

    const SceneSpec& spec_;
    const std::string& file_;
    WorldBuilder builder_;
    std::map<std::string, Index> ids_;
    std::vector<std::pair<Index, Vec3>> start_velocities_;  ///< m/s, by global vertex
    std::size_t vertices_ = 0;
};

}  // namespace

std::pair<World, State> compile_world(const SceneSpec& spec) {
    validate_scene(spec);
    auto result = Compiler(spec).run();
    check_barrier_distance(spec, result.first);
    check_kinetic_velocity(spec, result.first);
    return result;
}

}  // namespace stiction
