// Checks of a scene that involve several keys.
#include "stiction/base/error.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/materials/membrane_law.hpp"
#include "stiction/materials/volume_law.hpp"
#include "stiction/scene/formula.hpp"
#include "stiction/scene/material.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace stiction {
namespace {

class Validator {
public:
    explicit Validator(const SceneSpec& spec) : spec_(spec) {}

    void run() {
        check_method();
        check_weights();
        check_length();
        if (spec_.bodies.empty()) refuse("bodies", "none", "at least one deformable or rigid body");
        for (std::size_t i = 0; i < spec_.bodies.size(); ++i) check_body(spec_.bodies[i], fmt::format("bodies[{}]", i));
        for (std::size_t i = 0; i < spec_.obstacles.size(); ++i)
            check_obstacle(spec_.obstacles[i], fmt::format("obstacles[{}]", i));
        check_pairs();
        check_held();
    }

private:
    [[noreturn]] void refuse(const std::string& field, const std::string& value, const std::string& expected) const {
        throw InputError(spec_.origin.file, field, value, expected);
    }

    void check_method() const {
        const auto names = method_names();
        if (std::find(names.begin(), names.end(), spec_.method) != names.end()) return;
        const std::string nearest = nearest_name(spec_.method, names);
        refuse("method", spec_.method,
               nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : "'" + nearest + "'");
    }

    /// The penalty has no barrier that could be weighted.
    void check_weights() const {
        const auto& options = spec_.implicit;
        if (spec_.method == "implicit" && options.contact == implicit::ContactModel::penalty &&
            options.barrier_weights != BarrierWeights::none)
            refuse("implicit.barrier_weights", "\"area\"",
                   "\"none\" beside implicit.contact: \"penalty\" (where it is not given, ipc.barrier_weights holds)");
    }

    /// A run that goes beyond what an importer knew would move things otherwise than the imported scene says.
    void check_length() const {
        if (!spec_.imported || spec_.imported->known_until <= 0.0) return;
        const double known = spec_.imported->known_until * (1.0 + 1e-9);
        if (spec_.time.steps * spec_.time.step <= known) return;
        const double most = std::floor(known / spec_.time.step);
        refuse("time.steps", fmt::format("{}", spec_.time.steps),
               fmt::format("at most {:.0f} steps of {} s: motions of the imported scene are known up to {:.6g} s "
                           "(imported.known_until); for more, give that scene a longer time and import it again",
                           most, spec_.time.step, spec_.imported->known_until));
    }

    void check_name(const std::string& name, const std::string& path) {
        const auto allowed = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
        };
        if (name.empty() || name.front() == '.' || !std::all_of(name.begin(), name.end(), allowed)) {
            refuse(path + ".name", "\"" + name + "\"", "letters, digits, '_', '-' and '.', not beginning with '.'");
        }
        const auto [entry, is_new] = names_.emplace(name, path);
        if (!is_new)
            refuse(path + ".name", "\"" + name + "\"",
                   fmt::format("a name of its own: {} has it already", entry->second));
    }

    void check_body(const BodySpec& body, const std::string& path) {
        check_name(body.name, path);
        check_transform(body.transform, path + ".transform");
        if (body.shell && body.rod) refuse(path + ".rod", "", "no such key in a shell");
        if (body.shell)
            check_shell(body.material, *body.shell, path);
        else if (body.rod)
            check_rod(body, path);
        else
            check_solid_material(body.material, spec_.origin.file, path + ".material");
        if ((body.shell || body.rod) && spec_.mass == "consistent")
            refuse("mass", "\"consistent\"",
                   fmt::format("\"lumped\" beside the {} '{}'", body.shell ? "shell" : "rod", body.name));
        if (body.collision_mesh && (body.shell || body.rod || body.rigid))
            refuse(path + ".collision_mesh", "", "no such key but in a solid");
        if (body.order.value_or(1) > 1 && (body.shell || body.rod || body.rigid))
            refuse(path + ".order", "2", "1, or no such key, but in a solid");
        if (body.rigid) check_rigid(body, path);
        if (body.start && (body.shell || body.rod || body.rigid))
            refuse(path + ".start", "", "no such key but in a solid");
        if (body.volume) check_volume(*body.volume, path + ".volume");
        for (std::size_t i = 0; i < body.parts.size(); ++i)
            check_part(body, body.parts[i], fmt::format("{}.parts[{}]", path, i));
        for (std::size_t i = 0; i < body.boundary.size(); ++i) {
            const std::string entry = fmt::format("{}.boundary[{}]", path, i);
            check_selection(body.boundary[i].select, entry + ".select");
            check_motion(body.boundary[i].motion, entry);
        }
        for (std::size_t i = 0; i < body.forces.size(); ++i) {
            const std::string entry = fmt::format("{}.forces[{}]", path, i);
            if (body.forces[i].select) check_selection(*body.forces[i].select, entry + ".select");
            check_interval(body.forces[i].begin, body.forces[i].end, entry);
        }
    }

    void check_rod(const BodySpec& body, const std::string& path) const {
        const auto refuse_key = [&](bool given, const std::string& key, const std::string& why) {
            if (given) refuse(path + key, "", "no such key in a rod: " + why);
        };
        const MaterialSpec& material = body.material;
        refuse_key(body.rigid.has_value(), ".rigid", "it is deformable");
        refuse_key(!body.parts.empty(), ".parts", "it is of one material");
        refuse_key(body.volume.has_value(), ".volume", "it encloses nothing");
        refuse_key(!material.terms.empty() || material.law == "sum", ".material.terms",
                   "it is linear elastic along its line");
        // The default is not told from the same law given. Poisson's ratio, of whatever law, has nothing to act on.
        if (material.law != MaterialSpec{}.law && material.law != "linear")
            refuse(path + ".material.law", "\"" + material.law + "\"",
                   "\"linear\" or no such key in a rod: it is linear elastic along its line");
        refuse_key(material.extrapolate_below.has_value(), ".material.extrapolate_below",
                   "it is linear elastic along its line");
        refuse_key(material.stiffness_damping > 0.0, ".material.stiffness_damping",
                   "it has damping in proportion to the mass only");
    }

    void check_rigid(const BodySpec& body, const std::string& path) {
        rigid_.insert(body.name);
        const auto refuse_key = [&](bool given, const std::string& key, const std::string& why) {
            if (given) refuse(path + key, "", "no such key in a rigid body: " + why);
        };
        refuse_key(body.shell.has_value(), ".shell", "it is no sheet");
        refuse_key(!body.parts.empty(), ".parts", "it has one density");
        refuse_key(body.volume.has_value(), ".volume", "its volume does not change");
        refuse_key(!body.boundary.empty(), ".boundary", "it is free; what goes where it is told is an obstacle");
        refuse_key(body.material.mass_damping > 0.0, ".material.mass_damping", "it has no damping");
        refuse_key(body.material.stiffness_damping > 0.0, ".material.stiffness_damping", "it has no damping");
        for (std::size_t i = 0; i < body.forces.size(); ++i) {
            const ForceSpec& force = body.forces[i];
            if (force.acceleration && force.select && !force.select->all)
                refuse(fmt::format("{}.forces[{}].select", path, i), "",
                       "no selection beside 'acceleration': a rigid body is accelerated as a whole");
        }
    }

    void check_obstacle(const ObstacleSpec& obstacle, const std::string& path) {
        check_name(obstacle.name, path);
        obstacles_.insert(obstacle.name);
        check_transform(obstacle.transform, path + ".transform");
        for (std::size_t i = 0; i < obstacle.motion.size(); ++i) {
            const std::string entry = fmt::format("{}.motion[{}]", path, i);
            const MotionSpec& motion = obstacle.motion[i];
            check_motion(motion, entry);
            if (motion.select) check_selection(*motion.select, entry + ".select");
            if (motion.select && obstacle.half_space)
                refuse(entry + ".select", "", "no selection: a half-space moves as a whole");
            if (motion.axes.size() != 3)
                refuse(entry + ".axes", "\"" + motion.axes + "\"", "\"xyz\": an obstacle has no free coordinates");
            if (obstacle.half_space && (motion.rotate || motion.twist))
                refuse(entry + (motion.rotate ? ".rotate" : ".twist"), "",
                       "no rotation: a half-space can only be moved");
        }
        if (obstacle.sequence) {
            if (!obstacle.motion.empty())
                refuse(path + ".motion", "", "no motion beside a sequence, which says where everything is");
            const std::size_t least = obstacle.mesh ? 1 : 2;
            if (obstacle.sequence->files && obstacle.sequence->files->size() < least)
                refuse(path + ".sequence.files", "", least == 1 ? "at least one file" : "at least two files");
        }
        if (obstacle.start && !obstacle.mesh) refuse(path + ".start", "", "no such key but beside 'mesh'");
        if (obstacle.start && obstacle.start->velocities)
            refuse(path + ".start.velocities", "", "no such key: an obstacle goes where it is told");
        if (obstacle.half_space) {
            check_direction(obstacle.half_space->normal, path + ".half_space.normal");
            const TransformSpec& t = obstacle.transform;
            const bool moved = t.center || t.scale || t.dimensions || t.rotation.euler || t.rotation.axis ||
                               !t.translation.isZero(0.0);
            if (moved) refuse(path + ".transform", "", "no transform of a half-space: give its point and normal");
            if (obstacle.use != "surface")
                refuse(path + ".use", "\"" + obstacle.use + "\"", "no such key beside a half-space");
        }
    }

    void check_transform(const TransformSpec& transform, const std::string& path) const {
        const RotationSpec& rotation = transform.rotation;
        if (rotation.axis.has_value() != rotation.angle.has_value())
            refuse(path + ".rotation", "", "both 'axis' and 'angle'");
        if (rotation.axis) check_direction(*rotation.axis, path + ".rotation.axis");
    }

    void check_part(const BodySpec& body, const PartSpec& part, const std::string& path) const {
        check_selection(part.select, path + ".select");
        if (!body.shell) {
            check_solid_material(part.material, spec_.origin.file, path + ".material");
            if (part.shell) refuse(path + ".shell", "", "no such key in a part of a solid");
            return;
        }
        const ShellSpec& shell = part.shell ? *part.shell : *body.shell;
        check_shell(part.material, shell, path);
        if (shell.bending != body.shell->bending)
            refuse(path + ".shell.bending", "\"" + shell.bending + "\"",
                   fmt::format("that of the body, \"{}\"", body.shell->bending));
        if (shell.rest_angles != body.shell->rest_angles)
            refuse(path + ".shell.rest_angles", "\"" + shell.rest_angles + "\"",
                   fmt::format("that of the body, \"{}\"", body.shell->rest_angles));
    }

    void check_shell(const MaterialSpec& material, const ShellSpec& shell, const std::string& path) const {
        const auto law = membrane_law_from_name(material.law);
        if (!material.terms.empty())
            refuse(path + ".material.terms", fmt::format("{} of them", material.terms.size()),
                   "no such key for a sheet");
        if (!law)
            refuse(path + ".material.law", "\"" + material.law + "\"",
                   fmt::format("a law of thin sheets: one of {}", fmt::join(membrane_law_names(), ", ")));
        if (const auto complaint = check_membrane_moduli(*law, material.youngs_modulus, material.poissons_ratio)) {
            const char* key = complaint->parameter == "E" ? ".material.youngs_modulus" : ".material.poissons_ratio";
            refuse(path + key, fmt::format("{}", complaint->value), complaint->expected);
        }
        if (material.extrapolate_below)
            refuse(path + ".material.extrapolate_below", fmt::format("{}", *material.extrapolate_below),
                   "no such key for a sheet: laws of sheets are not extrapolated");
        if (material.stiffness_damping > 0.0)
            refuse(path + ".material.stiffness_damping", fmt::format("{}", material.stiffness_damping),
                   "0: sheets have damping in proportion to the mass only");
        if (shell.bending_stiffness && shell.bending == "none")
            refuse(path + ".shell.bending_stiffness", fmt::format("{}", *shell.bending_stiffness),
                   "no such key beside \"bending\": \"none\"");
        if (shell.rest_angles != "as_given" && shell.bending != "hinge")
            refuse(path + ".shell.rest_angles", "\"" + shell.rest_angles + "\"",
                   "no such key unless \"bending\" is \"hinge\"");
        if (shell.strain_limit && shell.strain_limit->start &&
            *shell.strain_limit->start >= shell.strain_limit->limit) {
            refuse(path + ".shell.strain_limit.start", fmt::format("{}", *shell.strain_limit->start),
                   fmt::format("a stretch below 'limit' = {}", shell.strain_limit->limit));
        }
    }

    void check_volume(const VolumeSpec& volume, const std::string& path) const {
        const bool held = volume.law == "regulator";
        if (volume.pressure && !held)
            refuse(path + ".pressure", fmt::format("{}", *volume.pressure),
                   "no such key unless \"law\" is \"regulator\": the others have pressure_at_rest_volume");
        if (held && !volume.pressure && !volume.inflation)
            refuse(path + ".pressure", "missing", "a gauge pressure (Pa), or 'inflation': \"regulator\" holds it");
        if (held && volume.pressure_at_rest_volume != 0.0)
            refuse(path + ".pressure_at_rest_volume", fmt::format("{}", volume.pressure_at_rest_volume),
                   "no such key beside \"regulator\", which has 'pressure' at every volume");
        VolumeLaw law{*volume_law_from_name(volume.law), volume.compressibility, volume.atmospheric_pressure, 0.0};
        const auto check = [&](double overpressure, const std::string& key) {
            law.overpressure = overpressure;
            const auto complaint = check_volume_law(law);
            if (complaint)
                refuse(path + (complaint->parameter == "overpressure" ? key : "." + complaint->parameter),
                       fmt::format("{}", complaint->value), complaint->expected);
        };
        if (volume.pressure) return check(*volume.pressure, ".pressure");
        if (!volume.inflation) return check(volume.pressure_at_rest_volume, ".pressure_at_rest_volume");
        const auto& keys = *volume.inflation;
        if (keys.empty()) refuse(path + ".inflation", "[]", "at least one entry");
        for (std::size_t k = 0; k < keys.size(); ++k) {
            if (k > 0 && keys[k][0] <= keys[k - 1][0])
                refuse(fmt::format("{}.inflation[{}]", path, k), fmt::format("time {}", keys[k][0]),
                       fmt::format("a time after {}", keys[k - 1][0]));
            check(keys[k][1], fmt::format(".inflation[{}]", k));
        }
    }

    void check_selection(const SelectionSpec& select, const std::string& path) const {
        if (select.box && (select.box->min.array() > select.box->max.array()).any())
            refuse(path + ".box", "", "min <= max along every axis");
        if (select.half_space) check_direction(select.half_space->normal, path + ".half_space.normal");
        if (select.vertices && select.vertices->empty()) refuse(path + ".vertices", "[]", "at least one vertex id");
    }

    void check_motion(const MotionSpec& motion, const std::string& path) const {
        check_interval(motion.begin, motion.end, path);
        std::string axes = motion.axes;
        std::sort(axes.begin(), axes.end());
        const bool distinct = std::adjacent_find(axes.begin(), axes.end()) == axes.end();
        if (axes.empty() || !distinct || axes.find_first_not_of("xyz") != std::string::npos) {
            refuse(path + ".axes", "\"" + motion.axes + "\"", "letters out of \"xyz\", each at most once");
        }
        if (motion.rotate) check_direction(motion.rotate->axis, path + ".rotate.axis");
        if (motion.until_beyond) check_direction(motion.until_beyond->normal, path + ".until_beyond.normal");
        if (motion.until_beyond && (motion.twist || motion.commanded))
            refuse(path + ".until_beyond", "", "no such key beside 'twist' and 'commanded'");
        if (!motion.move || !motion.move->formula) return;
        if (motion.rotate) refuse(path, "'move.formula' and 'rotate' together", "only one of them");
        for (std::size_t i = 0; i < 3; ++i) {
            Formula((*motion.move->formula)[i], spec_.origin.file, fmt::format("{}.move.formula[{}]", path, i));
        }
    }

    void check_interval(double begin, const std::optional<double>& end, const std::string& path) const {
        if (end && *end <= begin)
            refuse(path + ".end", fmt::format("{}", *end), fmt::format("a time after 'begin' = {}", begin));
    }

    void check_direction(const Vec3& direction, const std::string& path) const {
        if (direction.isZero(0.0)) refuse(path, "[0, 0, 0]", "a direction: not all three may be zero");
    }

    void check_kinetic(const std::optional<double>& kinetic, double friction, const std::string& path) const {
        if (kinetic && *kinetic > friction)
            refuse(path + ".kinetic_friction", fmt::format("{}", *kinetic),
                   fmt::format("at most the static coefficient, {}", friction));
    }

    void check_pairs() const {
        check_kinetic(spec_.contact.kinetic_friction, spec_.contact.friction, "contact");
        std::map<std::set<std::string>, std::size_t> seen;
        for (std::size_t i = 0; i < spec_.contact.pairs.size(); ++i) {
            const auto& pair = spec_.contact.pairs[i];
            const std::string path = fmt::format("contact.pairs[{}]", i);
            for (std::size_t k = 0; k < 2; ++k) check_known(pair.bodies[k], fmt::format("{}.bodies[{}]", path, k));
            if (obstacles_.count(pair.bodies[0]) && obstacles_.count(pair.bodies[1])) {
                refuse(path + ".bodies", fmt::format("\"{}\", \"{}\"", pair.bodies[0], pair.bodies[1]),
                       "at least one body: obstacles never collide with obstacles");
            }
            if (pair.bodies[0] == pair.bodies[1] && rigid_.count(pair.bodies[0]))
                refuse(path + ".bodies", fmt::format("twice \"{}\"", pair.bodies[0]),
                       "two bodies: a rigid body never collides with itself");
            check_kinetic(pair.kinetic_friction, pair.friction.value_or(spec_.contact.friction), path);
            const auto [entry, is_new] = seen.emplace(std::set<std::string>(pair.bodies.begin(), pair.bodies.end()), i);
            if (!is_new)
                refuse(path, "the same two names",
                       fmt::format("each pair once: contact.pairs[{}] has it already", entry->second));
        }
    }

    void check_held() const {
        const local_global::Options& options = spec_.local_global;
        for (std::size_t i = 0; i < options.attachments.size(); ++i) {
            check_known(options.attachments[i].body, fmt::format("local_global.attachments[{}].body", i));
            if (!options.attachments[i].to.empty())
                check_known(options.attachments[i].to, fmt::format("local_global.attachments[{}].to", i));
        }
        for (std::size_t i = 0; i < options.cables.size(); ++i)
            check_known(options.cables[i].body, fmt::format("local_global.cables[{}].body", i));
    }

    void check_known(const std::string& name, const std::string& path) const {
        if (names_.count(name)) return;
        std::vector<std::string> known;
        for (const auto& [body, unused] : names_) known.push_back(body);
        const std::string nearest = nearest_name(name, known);
        const std::string all = fmt::format("{}", fmt::join(known, ", "));
        refuse(path, "\"" + name + "\"",
               nearest.empty() ? "the name of a body or obstacle: " + all
                               : fmt::format("'{}' (the names are {})", nearest, all));
    }

    const SceneSpec& spec_;
    std::map<std::string, std::string> names_;  ///< name -> path of its body or obstacle
    std::set<std::string> obstacles_, rigid_;
};

}  // namespace

void validate_scene(const SceneSpec& spec) {
    Validator(spec).run();
}

}  // namespace stiction
