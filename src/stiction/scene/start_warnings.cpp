#include "stiction/scene/start_warnings.hpp"

#include "stiction/fem/elasticity.hpp"
#include "stiction/fem/tet10_elasticity.hpp"
#include "stiction/mesh/components.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/scales.hpp"
#include "stiction/world/turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stiction {
namespace {

/// Bounds of the field's usual range; the scenes of examples and gallery are within them.
constexpr double most_weight_strain = 1.0;
constexpr double most_size = 50.0;          // m
constexpr double least_modulus = 100.0;     // Pa
constexpr double most_ratio = 0.45;         // Poisson's
constexpr double most_contact_share = 0.7;  // of the shortest edge
constexpr double most_friction = 10.0;
constexpr double most_far = 4.0;           // of the diagonal without one body
constexpr double least_far_share = 0.2;    // of the shortest edge: below, no contact is off by much
constexpr double least_wave_time = 0.5;    // of the step
constexpr double standard_gravity = 9.81;  // m/s^2, where the scene has none

std::string body_path(std::size_t body) {
    return fmt::format("bodies[{}]", body);
}

class Warnings {
public:
    Warnings(const SceneSpec& spec, const World& world, const State& state, const std::vector<BodyNumbers>& bodies)
        : spec_(spec), world_(world), state_(state), bodies_(bodies) {}

    std::vector<std::string> run() {
        add_of_bodies(&Warnings::units);
        add_of_bodies(&Warnings::locking);
        add_of_bodies(&Warnings::contact_distance);
        add_of_bodies(&Warnings::step);
        add_of_bodies(&Warnings::strained_start);
        add_far_body();
        add_friction();
        add_open_obstacles();
        return std::move(warnings_);
    }

private:
    bool is_overlapping() const {
        const SceneMethod& method = scene_method(spec_);
        return method.acts_on_overlap != nullptr && method.acts_on_overlap(spec_) != nullptr;
    }

    /// What is said of the first body of which something is to say, and of how many others the same could be said.
    void add_of_bodies(std::string (Warnings::*text_of)(std::size_t) const) {
        std::string first;
        std::size_t more = 0;
        for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
            std::string text = (this->*text_of)(b);
            if (text.empty()) continue;
            if (first.empty())
                first = std::move(text);
            else
                ++more;
        }
        if (first.empty()) return;
        if (more > 0) first += fmt::format(" (and {} more bod{})", more, more == 1 ? "y" : "ies");
        warnings_.push_back(std::move(first));
    }

    /// Millimetres that are read as metres, and moduli in MPa that are read as Pa.
    std::string units(std::size_t b) const {
        const BodyNumbers& body = bodies_[b];
        if (body.weight_strain > most_weight_strain) {
            return fmt::format(
                "{}: body '{}' of {:.3g} m with E = {:.3g} Pa: its own weight strains it by {:.3g}: lengths are metres "
                "and moduli Pa; transform.scale 0.001 reads millimetres, 1 MPa is 1e6",
                body_path(b), body.name, body.size, body.youngs_modulus, body.weight_strain);
        }
        if (body.youngs_modulus > 0.0 && body.youngs_modulus < least_modulus) {
            return fmt::format("{}.material: E = {:.3g} Pa: softer than any gel: moduli are Pa; 1 MPa is 1e6",
                               body_path(b), body.youngs_modulus);
        }
        if (body.size <= most_size) return {};
        return fmt::format(
            "{}: body '{}' is {:.3g} m large: lengths are metres; transform.scale 0.001 reads millimetres",
            body_path(b), body.name, body.size);
    }

    std::string locking(std::size_t b) const {
        const BodyNumbers& body = bodies_[b];
        if (body.kind != "deformable" || world_.bodies[b].is_quadratic() ||
            body.poissons_ratio <= most_ratio * (1.0 + 1e-9))
            return {};
        return fmt::format(
            "{}.material.poissons_ratio: {:.6g}: linear tets lock above {:g}: a bar of four cells across bends by 0.29 "
            "of what it should at 0.49; take {:g}, or \"order\": 2 under `ipc` or `implicit`",
            body_path(b), body.poissons_ratio, most_ratio, most_ratio);
    }

    /// Of sheets, rods, and of distances above the thickness scale_warnings speaks.
    std::string contact_distance(std::size_t b) const {
        const BodyNumbers& body = bodies_[b];
        if (is_overlapping() || body.kind == "shell" || body.kind == "rod") return {};
        if (body.contact_distance <= most_contact_share) return {};
        const ContactDistanceKey contact = scene_method(spec_).contact_distance(spec_, world_);
        const double distance = contact.of_body(world_, static_cast<Index>(b));
        const auto [low, high] = bounding_box(world_.bodies[b].mesh.vertices);
        if (distance > (high - low).minCoeff()) return {};
        return fmt::format(
            "{}: {:.6g} m: is {:.3g} of the shortest edge of body '{}' ({:.3g} m): contact is felt from "
            "further away than its shape is resolved; take at most half of that edge",
            contact.key, distance, body.contact_distance, body.name, body.shortest_edge);
    }

    /// A body whose contacts end within the step after they begin: no integrator gets its bounce.
    std::string step(std::size_t b) const {
        const BodyNumbers& body = bodies_[b];
        if (spec_.time.integrator == "backward_euler" || spec_.time.integrator == "quasi_static") return {};
        if (body.wave_time == 0.0 || body.wave_time >= least_wave_time) return {};
        return fmt::format(
            "time.step: {:g} s: an impact of body '{}' lasts about {:.3g} s, twice the time of a wave across it; {} "
            "gets its bounce with steps of a tenth of that",
            spec_.time.step, body.name, 2.0 * body.wave_time * spec_.time.step, spec_.time.integrator);
    }

    /// A body that is let go from rest in a shape that is strained.
    std::string strained_start(std::size_t b) const {
        if (spec_.time.integrator == "quasi_static" || !spec_.bodies[b].start || bodies_[b].mass == 0.0) return {};
        const Body& body = world_.bodies[b];
        if (!state_.v.segment(3 * body.first_vertex, 3 * body.vertex_count()).isZero(0.0)) return {};
        const double energy = strain_energy(b), speed = std::sqrt(2.0 * energy / bodies_[b].mass);
        // Its weight alone gives it as much in the time of a wave.
        const double wave = bodies_[b].wave_time * spec_.time.step;
        if (speed <= std::max(world_.gravity.norm(), standard_gravity) * wave) return {};
        return fmt::format(
            "{}.start: body '{}' starts at rest with a strain energy of {:.3g} J, out of balance: let "
            "go it reaches {:.3g} m/s; time.integrator \"quasi_static\" finds a start in balance, and "
            "start.velocities continue a motion",
            body_path(b), body.name, energy, speed);
    }

    /// Of a body of tets (J).
    double strain_energy(std::size_t b) const {
        double sum = 0.0;
        std::vector<double> energies;
        world_.for_each_tet_group([&](const auto& group) {
            if (group.frames || std::ranges::find(group.body, static_cast<Index>(b)) == group.body.end()) return;
            element_energies(group.elements, state_.x, energies);
            for (std::size_t e = 0; e < energies.size(); ++e)
                sum += group.body[e] == static_cast<Index>(b) ? energies[e] : 0.0;
        });
        return sum;
    }

    /// A distance that is a share of the whole scene, which one body makes large.
    void add_far_body() {
        const auto& [key, value, distance, is_share] = scene_method(spec_).contact_distance(spec_, world_);
        if (is_overlapping() || !is_share || !world_.measured_by_scene || spec_.bodies.size() < 2) return;
        const bool matters = std::any_of(bodies_.begin(), bodies_.end(), [](const BodyNumbers& body) {
            return body.contact_distance > least_far_share;
        });
        if (!matters) return;
        for (std::size_t far = 0; far < spec_.bodies.size(); ++far) {
            const double without = diagonal_without(far);
            if (world_.diagonal <= most_far * std::max(without, bodies_[far].size)) continue;
            warnings_.push_back(
                fmt::format("{}: {:g}: body '{}' makes the scene {:.3g} m large, {:.3g} m without it, and contact "
                            "begins to act at {:.3g} m everywhere; give {} in metres, or "
                            "contact.lengths 'body'",
                            key, value, bodies_[far].name, world_.diagonal, without, distance,
                            key.substr(0, key.rfind("_relative"))));
            return;
        }
    }

    double diagonal_without(std::size_t far) const {
        Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
        for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
            if (b == far) continue;
            const auto [a, z] = bounding_box(world_.bodies[b].mesh.vertices);
            low = low.cwiseMin(a);
            high = high.cwiseMax(z);
        }
        return (high - low).norm();
    }

    void add_friction() {
        const auto add = [&](const std::string& key, double value) {
            if (value <= most_friction) return;
            warnings_.push_back(
                fmt::format("{}: {:g}: is above {:g}: a coefficient is the tangent of the angle at "
                            "which a body slides, about 1 of rubber; 1 holds up to 45 degrees",
                            key, value, most_friction));
        };
        add("contact.friction", spec_.contact.friction);
        for (std::size_t i = 0; i < spec_.contact.pairs.size(); ++i)
            add(fmt::format("contact.pairs[{}].friction", i), spec_.contact.pairs[i].friction.value_or(0.0));
    }

    void add_open_obstacles() {
        const bool penalty = is_overlapping();
        if (!penalty && spec_.method != "local_global") return;
        for (std::size_t k = 0; k < spec_.obstacles.size(); ++k) {
            const Body& body = world_.bodies[spec_.bodies.size() + k];
            if (body.surface.empty() || !first_edge_defect(body.surface, ClosedBy::balance)) continue;
            warnings_.push_back(fmt::format(
                "obstacles[{}]: '{}' is an open surface, and {} {}; close it, or take half_space for a plane", k,
                body.name, penalty ? "implicit.contact: penalty" : "method local_global",
                penalty ? "takes what is behind it for its inside" : "does not bring back what has passed through it"));
        }
    }

    const SceneSpec& spec_;
    const World& world_;
    const State& state_;
    const std::vector<BodyNumbers>& bodies_;
    std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> start_warnings(const SceneSpec& spec, const World& world, const State& state,
                                        const std::vector<BodyNumbers>& bodies) {
    std::vector<std::string> warnings = method_warnings(spec);
    for (std::string& warning : scale_warnings(spec, world)) warnings.push_back(std::move(warning));
    for (std::string& warning : Warnings(spec, world, state, bodies).run()) warnings.push_back(std::move(warning));
    return warnings;
}

std::string turn_note(const SceneSpec& spec, const World& world, const State& state, const Method& method) {
    const double h = spec.time.step, length = length_near_turns(world, state, h);
    const Turn turn = largest_turn(world, h, method.arc_sagitta(world, length));
    if (turn.pieces == 1) return "";
    return fmt::format("{} turns by {:.4g} degrees a step, {:.3g} m from its axis: such steps are made in {} pieces",
                       world.motions[static_cast<std::size_t>(turn.motion)].name, turn.angle * 180.0 / std::numbers::pi,
                       turn.radius, turn.pieces);
}

}  // namespace stiction
