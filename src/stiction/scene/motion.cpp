#include "stiction/scene/motion.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/formula.hpp"
#include "stiction/world/release.hpp"
#include "stiction/world/twist.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiction {
namespace {

std::uint8_t axes_mask(const std::string& axes) {
    std::uint8_t mask = 0;
    for (const char axis : axes) mask = static_cast<std::uint8_t>(mask | (1u << (axis - 'x')));
    return mask;
}

std::shared_ptr<const Trajectory> formula_trajectory(const std::array<std::string, 3>& text, const std::string& file,
                                                     const std::string& field) {
    std::array<Formula, 3> formulas{Formula(text[0], file, field + "[0]"), Formula(text[1], file, field + "[1]"),
                                    Formula(text[2], file, field + "[2]")};
    return std::make_shared<FormulaTrajectory>([formulas](const Vec3& initial, double t) {
        return Vec3(formulas[0](initial, t), formulas[1](initial, t), formulas[2](initial, t));
    });
}

}  // namespace

Motion make_motion(const MotionSpec& spec, std::vector<Index> vertices, const Vec3& center, const SceneOrigin& origin,
                   const std::string& field) {
    Motion motion;
    motion.name = field;
    motion.vertices = std::move(vertices);
    motion.begin = spec.begin;
    if (spec.end) motion.end = *spec.end;
    motion.axes = axes_mask(spec.axes);
    motion.commanded = spec.commanded;
    if (spec.fix || spec.commanded) {
        motion.trajectory = std::make_shared<HoldTrajectory>();
    } else if (spec.twist) {
        auto twist = std::make_shared<TwistTrajectory>();
        twist->velocity = spec.twist->velocity;
        twist->angular_velocity = spec.twist->angular_velocity;
        motion.trajectory = std::move(twist);
    } else if (spec.move && spec.move->formula) {
        motion.trajectory = formula_trajectory(*spec.move->formula, origin.file, field + ".move.formula");
    } else {
        auto rigid = std::make_shared<RigidTrajectory>();
        if (spec.move && spec.move->velocity) rigid->velocity = *spec.move->velocity;
        if (spec.move && spec.move->keyframes) rigid->keys = *spec.move->keyframes;
        if (spec.rotate) {
            rigid->axis = spec.rotate->axis.stableNormalized();
            rigid->centre = spec.rotate->center.value_or(center);
            rigid->angular_velocity = spec.rotate->angular_velocity;
        }
        motion.trajectory = std::move(rigid);
    }
    if (spec.until_beyond) {
        auto releasing = std::make_shared<ReleasingTrajectory>();
        releasing->path = std::move(motion.trajectory);
        releasing->point = spec.until_beyond->point;
        releasing->normal = spec.until_beyond->normal.stableNormalized();
        motion.trajectory = std::move(releasing);
    }
    return motion;
}

void check_formulas_at_start(const MotionSpec& spec, const std::vector<Vec3>& positions, const SceneOrigin& origin,
                             const std::string& field) {
    if (!spec.move || !spec.move->formula) return;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string& text = (*spec.move->formula)[i];
        const std::string path = fmt::format("{}.move.formula[{}]", field, i);
        const Formula formula(text, origin.file, path);
        for (const Vec3& x : positions) {
            const double value = formula(x, spec.begin);
            if (std::isfinite(value)) continue;
            throw InputError(
                origin.file, path, fmt::format("\"{}\"", text),
                fmt::format(
                    "a finite value at t = {:g}, when the motion begins; it is {:g} at the vertex ({:g}, {:g}, {:g})",
                    spec.begin, value, x.x(), x.y(), x.z()));
        }
    }
}

Mesh colliding_part(Mesh mesh, const std::string& use, std::vector<Index>& new_id) {
    const MeshSurface surface = extract_surface(mesh);
    mesh.tets.clear();
    mesh.tet_tags.clear();
    mesh.further_tet_tags.clear();
    mesh.triangles = surface.triangles;
    mesh.triangle_tags = surface.tags;
    mesh.further_triangle_tags = surface.further_tags;
    if (use == "triangles" || use == "edges" || use == "points") {
        mesh.edges.clear();
        mesh.points.clear();
    }
    if (use == "edges") mesh.edges = surface.edges;
    if (use == "points") mesh.points = surface.vertices;
    if (use == "edges" || use == "points") {
        mesh.triangles.clear();
        mesh.triangle_tags.clear();
        mesh.further_triangle_tags.clear();
    }
    new_id = compact(mesh);
    return mesh;
}

}  // namespace stiction
