#include "stiction/scene/import/ipc_script.hpp"

#include "stiction/base/error.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/scene/import/copies.hpp"
#include "stiction/scene/import/ipc_script_lines.hpp"
#include "stiction/scene/import/ipc_script_meshes.hpp"
#include "stiction/scene/import/ipc_script_stage.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"
#include "stiction/scene/import/names.hpp"
#include "stiction/scene/placement.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiction::scene {
namespace {

namespace fs = std::filesystem;

Mat3 rotation_of(const Vec3& degrees) {
    return (Eigen::AngleAxisd(degrees.x() * degree, Vec3::UnitX()) *
            Eigen::AngleAxisd(degrees.y() * degree, Vec3::UnitY()) *
            Eigen::AngleAxisd(degrees.z() * degree, Vec3::UnitZ()))
        .toRotationMatrix();
}

/// Rx Ry Rz of the angles (degrees). A scene's `euler` is Rz Ry Rx, so more than one angle becomes one turn.
RotationSpec rotation_spec(const Vec3& degrees) {
    RotationSpec rotation;
    const auto angles = (degrees.array() != 0.0).count();
    if (angles == 1) rotation.euler = degrees;
    if (angles > 1) {
        const Eigen::AngleAxisd turn(rotation_of(degrees));
        rotation.axis = turn.axis();
        rotation.angle = turn.angle() / degree;
    }
    return rotation;
}

class IpcScriptImporter {
public:
    IpcScriptImporter(const std::string& text, const SceneOrigin& origin)
        : script_(read_ipc_script(text, origin.file)),
          library_(origin),
          stage_{script_, origin.file, script_.step, steps_until(script_.duration, script_.step)} {
        spec_.origin = origin;
        stage_.frames = [this](const std::string& folder, const std::string& extension, int first) {
            return library_.frames(folder, extension, first);
        };
    }

    SceneSpec run() {
        place_shapes();
        place_mesh_obstacles();
        for (const IpcHalfSpace& plane : script_.half_spaces) stage_.planes.push_back({plane.point, std::nullopt});
        animate_ipc_stage(stage_);
        if (script_.restart) restart();
        spec_.title = fs::path(spec_.origin.file).stem().string();
        spec_.time.step = script_.step;
        spec_.time.steps = stage_.steps;
        spec_.time.integrator = script_.newmark ? "trapezoidal" : "backward_euler";
        spec_.gravity = script_.gravity ? Vec3(0, -9.80665, 0) : Vec3(Vec3::Zero());
        for (const IpcActor& actor : stage_.actors) actor.kinematic ? add_kinematic(actor) : add_body(actor);
        if (spec_.bodies.empty())
            throw InputError(spec_.origin.file, "shapes", "no deformable one",
                             "a shape of tetrahedra without a velocity of its own");
        add_mesh_obstacles();
        add_half_spaces();
        set_contact();
        set_options();
        spec_.implicit.take(spec_.ipc);
        spec_.imported =
            ImportSpec{"ipc_script", script_.without_effect, stage_.known_until.value_or(0.0), script_.notes};
        return std::move(spec_);
    }

private:
    /// Places all shapes, turns and rescales them together and lifts them.
    void place_shapes() {
        for (const IpcShape& shape : script_.shapes) {
            IpcActor actor;
            actor.shape = &shape;
            actor.mesh = library_.open(shape.file, shape.line, false);
            check_copies(actor);
            place(actor);
            put(actor);
            stage_.actors.push_back(std::move(actor));
        }
        if (script_.turn) turn_start();
        if (script_.size > 0.0 && !stage_.actors.empty()) rescale();
        const auto [low, high] = stage_.bounds();
        const double lift = ipc_animation_lift(script_.animation, low, high);
        if (lift != 0.0) shift_all(Vec3(0, lift, 0));
    }

    void check_copies(const IpcActor& actor) const {
        const IpcShape& shape = *actor.shape;
        const double vertices = static_cast<double>(actor.mesh->mesh.vertices.size()) * shape.copies;
        if (shape.copies > 1 && vertices > most_copied_vertices)
            throw InputError(spec_.origin.file, fmt::format("line {}: shapeMatrix", shape.line),
                             fmt::format("{} copies with {:g} vertices", shape.copies, vertices),
                             fmt::format("at most {:g} vertices", most_copied_vertices));
    }

    /// Kinematic shapes may be flattened or mirrored, which no transform does.
    void place(IpcActor& actor) const {
        const IpcShape& shape = *actor.shape;
        actor.transform.scale = shape.scale;
        actor.transform.rotation = rotation_spec(shape.rotation);
        actor.transform.translation = shape.translation;
        if (shape.scale.minCoeff() > 0.0) return;
        if (actor.tets())
            throw InputError(spec_.origin.file, fmt::format("line {}: {}", shape.line, shape.file),
                             fmt::format("{}", shape.scale.minCoeff()), "a scale > 0 along every axis of tetrahedra");
        const Mat3 matrix = rotation_of(shape.rotation) * shape.scale.asDiagonal();
        actor.transform = TransformSpec{};
        actor.transform.scale = Vec3::Ones();
        actor.start.emplace().matrix.emplace();
        for (int row = 0; row < 3; ++row) (*actor.start->matrix)[static_cast<std::size_t>(row)] = matrix.row(row);
        actor.start->translation = shape.translation;
    }

    /// Turns the start about half of the extents, as the reference code does: not about the middle.
    void turn_start() {
        const auto [low, high] = stage_.bounds();
        const Vec3 pivot = 0.5 * (high - low);
        const Mat3 matrix = Eigen::AngleAxisd(script_.turn->angle * degree, script_.turn->axis).toRotationMatrix();
        stage_.map_start(matrix, pivot - matrix * pivot);
    }

    /// Largest extent of everything at the start = size, its lower corner = 0; the rest shape goes along.
    void rescale() {
        const auto [low, high] = stage_.bounds();
        const double extent = (high - low).maxCoeff();
        if (!(extent > 0.0))
            throw InputError(spec_.origin.file, "size", fmt::format("{}", script_.size), "shapes with an extent");
        const double factor = script_.size / extent;
        for (IpcActor& actor : stage_.actors) {
            *actor.transform.scale *= factor;
            actor.transform.translation *= factor;
            if (actor.start) actor.start->translation *= factor;
        }
        shift_all(-factor * low);
    }

    /// Shifts all shapes, at rest and at the start.
    void shift_all(const Vec3& shift) {
        for (IpcActor& actor : stage_.actors) {
            actor.transform.translation += shift;
            if (actor.start) {
                Mat3 matrix;
                for (int row = 0; row < 3; ++row)
                    matrix.row(row) = (*actor.start->matrix)[static_cast<std::size_t>(row)];
                actor.start->translation += shift - matrix * shift;
            }
            put(actor);
        }
    }

    void put(IpcActor& actor) const {
        const Placement place = make_placement(actor.transform, actor.mesh->mesh.vertices, spec_.origin.file, "");
        actor.rest.clear();
        for (const Vec3& x : actor.mesh->mesh.vertices) actor.rest.push_back(place(x));
        std::vector<Index> all(actor.rest.size());
        std::iota(all.begin(), all.end(), Index{0});
        actor.x = actor.start ? start_positions(*actor.start, actor.rest, all, spec_.origin.file, "") : actor.rest;
    }

    void restart() {
        const std::string field = fmt::format("line {}: restart", script_.restart_line);
        const auto path = library_.find(*script_.restart);
        if (!path) throw InputError(spec_.origin.file, field, *script_.restart, "a file that exists");
        const int step = restart_ipc_stage(stage_, resolve_path(spec_.origin, *path));
        stage_.steps = std::max(0, stage_.steps - step);
        add_once(script_.notes,
                 fmt::format("{}: {} steps are left after step {}; clocks begin anew, and what the file has beside "
                             "positions and velocities is not read",
                             field, stage_.steps, step));
    }

    /// The mean of the vertices goes to the origin, the largest extent is made `size`, then the turn and the shift.
    void place_mesh_obstacles() {
        for (const IpcMeshObstacle& obstacle : script_.mesh_obstacles) {
            ObstacleSpec spec;
            const auto mesh = library_.open(obstacle.file, obstacle.line, true);
            const auto& vertices = mesh->mesh.vertices;
            Vec3 mean = Vec3::Zero();
            for (const Vec3& x : vertices) mean += x / static_cast<double>(vertices.size());
            const auto [low, high] = bounding_box(vertices);
            const double extent = (high - low).maxCoeff();
            if (!(extent > 0.0))
                throw InputError(spec_.origin.file, fmt::format("line {}", obstacle.line), obstacle.file,
                                 "a mesh with an extent");
            const double factor = obstacle.size / extent;
            spec.name = names_.next(obstacle.file);
            spec.mesh.emplace().file = mesh->path;
            spec.use = "triangles";
            spec.transform.scale = Vec3::Constant(factor);
            spec.transform.rotation = rotation_spec(obstacle.rotation);
            spec.transform.translation = obstacle.position - rotation_of(obstacle.rotation) * (factor * mean);
            const Placement place = make_placement(spec.transform, vertices, spec_.origin.file, "");
            std::vector<Vec3> x;
            for (const Vec3& vertex : vertices) x.push_back(place(vertex));
            const auto [from, to] = bounding_box(x);
            stage_.mesh_obstacles.push_back({from, to, obstacle.position, obstacle.size, std::nullopt});
            mesh_obstacles_.push_back(std::move(spec));
        }
    }

    void add_body(const IpcActor& actor) {
        BodySpec body;
        body.name = names_.next(actor.shape->file);
        body.mesh.file = actor.mesh->path;
        body.transform = actor.transform;
        body.start = actor.start;
        const IpcMaterial& material = actor.shape->material ? *actor.shape->material : script_.material;
        body.material.law = script_.law;
        check_material(material);
        body.material.density = material.density;
        body.material.youngs_modulus = material.youngs_modulus;
        body.material.poissons_ratio = material.poissons_ratio;
        body.material.stiffness_damping = script_.damping_stiffness / (stage_scale() * stage_scale());
        // A spin is about the centre of the bounding box in a script, about the centre of mass in a scene.
        const auto [low, high] = bounding_box(actor.x);
        body.velocity = actor.velocity;
        if (!actor.spin.isZero(0.0)) body.velocity += actor.spin.cross(center_of_mass(actor) - 0.5 * (low + high));
        body.angular_velocity = actor.spin;
        if (!actor.velocities.empty()) {
            if (!body.start) body.start.emplace();
            body.start->velocities = actor.velocities;
        }
        body.boundary = actor.boundary;
        body.forces = actor.forces;
        bodies_.push_back(body.name);
        spec_.bodies.push_back(std::move(body));
    }

    /// Refuses moduli that the law cannot have by the script's own line, which the check of the scene cannot name.
    void check_material(const IpcMaterial& material) const {
        const auto complaint =
            check_moduli(*law_from_name(script_.law), material.youngs_modulus, material.poissons_ratio);
        if (!complaint) return;
        throw InputError(spec_.origin.file, fmt::format("line {}: {}", material.line, material.keyword),
                         fmt::format("{} = {}", complaint->parameter, complaint->value), complaint->expected);
    }

    static Vec3 center_of_mass(const IpcActor& actor) {
        Vec3 moment = Vec3::Zero();
        double volume = 0.0;
        for (const Tet& tet : actor.mesh->mesh.tets) {
            const auto x = [&](std::size_t k) -> const Vec3& { return actor.x[static_cast<std::size_t>(tet[k])]; };
            const double v = std::abs((x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0)));
            moment += v / 4.0 * (x(0) + x(1) + x(2) + x(3));
            volume += v;
        }
        return volume > 0.0 ? Vec3(moment / volume) : bounding_box(actor.x).first;
    }

    void add_kinematic(const IpcActor& actor) {
        ObstacleSpec obstacle;
        obstacle.name = names_.next(actor.shape->file);
        obstacle.mesh.emplace().file = actor.mesh->path;
        obstacle.use = actor.mesh->use;
        obstacle.transform = actor.transform;
        obstacle.start = actor.start;
        obstacle.motion = actor.motion;
        if (!actor.sequence.empty()) {
            SequenceSpec& sequence = obstacle.sequence.emplace();
            sequence.files = actor.sequence;
            sequence.interval = sequence.start = script_.step;
        }
        if (actor.shape->material)
            script_.no_effect(fmt::format("material of the kinematic shape on line {}", actor.shape->line));
        kinematic_.push_back(obstacle.name);
        spec_.obstacles.push_back(std::move(obstacle));
    }

    void add_mesh_obstacles() {
        for (std::size_t k = 0; k < mesh_obstacles_.size(); ++k) {
            ObstacleSpec& obstacle = mesh_obstacles_[k];
            if (stage_.mesh_obstacles[k].motion) obstacle.motion.push_back(*stage_.mesh_obstacles[k].motion);
            // The reference code reads their friction and never uses it.
            if (script_.self_friction != 0.0) rub_with_bodies(obstacle.name, 0.0);
            spec_.obstacles.push_back(std::move(obstacle));
        }
    }

    void add_half_spaces() {
        for (std::size_t k = 0; k < script_.half_spaces.size(); ++k) {
            const IpcHalfSpace& plane = script_.half_spaces[k];
            ObstacleSpec obstacle;
            if (stage_.planes[k].motion) obstacle.motion.push_back(*stage_.planes[k].motion);
            obstacle.name = names_.next("half_space");
            obstacle.half_space = HalfSpaceSpec{plane.point, plane.normal};
            if (plane.friction != script_.self_friction) rub_with_bodies(obstacle.name, plane.friction);
            spec_.obstacles.push_back(std::move(obstacle));
        }
    }

    void rub_with_bodies(const std::string& obstacle, double friction) {
        for (const std::string& body : bodies_) spec_.contact.pairs.push_back({{body, obstacle}, friction, true});
    }

    /// `selfFric` and `selfCollisionOff` are about all shapes, kinematic ones too, but not about planes and mesh
    /// obstacles.
    void set_contact() {
        spec_.contact.friction = script_.self_friction;
        spec_.contact.self_contact = script_.self_collision;
        spec_.contact.lengths = "scene";
        if (script_.self_collision) return;
        const auto part = [&](const std::string& a, const std::string& b) {
            spec_.contact.pairs.push_back({{a, b}, std::nullopt, false});
        };
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            for (std::size_t j = i + 1; j < bodies_.size(); ++j) part(bodies_[i], bodies_[j]);
            for (const std::string& shape : kinematic_) part(bodies_[i], shape);
        }
    }

    /// s = a h of the integrator (s).
    double stage_scale() const { return script_.newmark ? 0.5 * script_.step : script_.step; }

    /// D of the reference code: diagonal of the bounding box of all tet shapes at rest (m).
    double rest_diagonal() const {
        Eigen::AlignedBox3d box;
        for (const IpcActor& actor : stage_.actors)
            for (const Vec3& x : actor.rest)
                if (actor.tets()) box.extend(x);
        return box.diagonal().norm();
    }

    /// l of ours: that of the deformable ones at the start.
    double start_diagonal() const {
        Eigen::AlignedBox3d box;
        for (const IpcActor& actor : stage_.actors)
            for (const Vec3& x : actor.x)
                if (!actor.kinematic) box.extend(x);
        return box.diagonal().norm();
    }

    /// A limit that the script gives as a fraction of D. Ours are fractions of l: where they differ, the limit becomes
    /// absolute.
    void set_limit(double fraction, double& absolute, double& relative) const {
        const double all = rest_diagonal();
        if (std::abs(all - start_diagonal()) <= 1e-12 * all)
            relative = fraction;
        else
            absolute = fraction * all;
    }

    void set_options() {
        ipc::Options& ipc = spec_.ipc;
        ipc.max_iterations = 10000;
        ipc.friction_tolerance_factor = 0.0;
        ipc.friction_iterations = script_.friction_iterations;
        ipc.barrier_stiffness_scale = script_.kappa_min_multiplier / 1e11;
        // The reference code halves a larger start value until it reaches the target.
        const double dhat = std::min(script_.tuning_or(1, 1e-3), script_.tuning_or(2, 1e-3));
        const double speed = std::min(script_.tuning_or(4, 1e-3), script_.tuning_or(5, 1e-3));
        const double kappa = script_.tuning_or(0, 0.0);
        if (!(dhat > 0.0) || !(speed > 0.0) || kappa < 0.0)
            throw InputError(spec_.origin.file, "tuning", fmt::format("{} {} {}", kappa, dhat, speed),
                             "kappa >= 0, dHat > 0 and epsv > 0");
        if (kappa > 0.0)
            add_once(script_.notes,
                     fmt::format("tuning: kappa = {:g} is a start value, which the balance replaces on contact: the "
                                 "barrier stiffness adapts here from the start",
                                 kappa));
        const double tolerance = *std::min_element(script_.tolerances.begin(), script_.tolerances.end());
        if (script_.absolute) {
            ipc.dhat = dhat;
            ipc.friction_velocity = speed;
            ipc.velocity_tolerance = tolerance / script_.step;
        } else {
            set_limit(dhat, ipc.dhat, ipc.dhat_relative);
            set_limit(speed, ipc.friction_velocity, ipc.friction_velocity_relative);
            set_limit(tolerance, ipc.velocity_tolerance, ipc.velocity_tolerance_relative);
        }
        note_schedules(dhat, speed, tolerance);
    }

    void note_schedules(double dhat, double speed, double tolerance) {
        const auto note = [&](bool given, const char* text) {
            if (given) add_once(script_.notes, text);
        };
        const auto differs = [&](std::size_t k, double value) { return script_.tuning_or(k, 1e-3) != value; };
        note(differs(1, dhat) || differs(2, dhat), "tuning: the smaller of the two dHat holds for all steps");
        note(differs(4, speed) || differs(5, speed), "tuning: the smaller of the two epsv holds for all steps");
        note(script_.tuning_or(3, 1e-9) != 1e-9, "tuning: d_eps is 1e-9 here");
        note(script_.tuning.size() > 6, "tuning: values after the sixth are passed over, as there");
        const auto& all = script_.tolerances;
        note(std::any_of(all.begin(), all.end(), [&](double other) { return other != tolerance; }),
             "tol: the smallest value holds for all steps");
    }

    IpcScript script_;
    IpcMeshLibrary library_;
    IpcStage stage_;
    SceneSpec spec_;
    std::vector<ObstacleSpec> mesh_obstacles_;
    std::vector<std::string> bodies_, kinematic_;
    ImportNames names_;
};

}  // namespace

SceneSpec import_ipc_script(const std::string& text, const SceneOrigin& origin) {
    return IpcScriptImporter(text, origin).run();
}

}  // namespace stiction::scene
