// Puts bodies together into a World.
#pragma once

#include "stiction/materials/material_law.hpp"
#include "stiction/world/step.hpp"

namespace stiction {

/// Linear elastic constants and damping of one deformable body.
struct BodyMaterial {
    MaterialLaw law = MaterialLaw::neo_hookean;
    double youngs_modulus = 1e5;     ///< Pa
    double poissons_ratio = 0.4;     ///< in (-1, 0.5)
    double density = 1000.0;         ///< kg/m^3
    double mass_damping = 0.0;       ///< Rayleigh alpha (1/s)
    double stiffness_damping = 0.0;  ///< Rayleigh beta (s)
};

/// Collects bodies and schedules, then compiles them. Ids are returned in order of addition, starting at 0.
class WorldBuilder {
public:
    /// A body of tets. `rest` gives the stress-free shape; `mesh.vertices` the initial positions (equal length; empty = same).
    /// Tets must be positive in both. Throws InputError naming `name` and the element otherwise.
    Index add_deformable(const std::string& name, Mesh mesh, const BodyMaterial& material, const Vec3& velocity = Vec3::Zero(),
                         const Vec3& angular_velocity = Vec3::Zero(), std::vector<Vec3> rest = {});
    /// An obstacle: triangles, bare edges and bare points collide; tets contribute their surface. Fixed unless a motion says otherwise.
    Index add_obstacle(const std::string& name, Mesh mesh);
    /// The plane through `origin` with unit normal `normal` pointing to the allowed side.
    Index add_half_space(const std::string& name, const Vec3& origin, const Vec3& normal);

    /// First global vertex of a body.
    Index first_vertex(Index body) const { return world_.bodies.at(static_cast<std::size_t>(body)).first_vertex; }
    const Body& body(Index index) const { return world_.bodies.at(static_cast<std::size_t>(index)); }
    Index body_count() const { return static_cast<Index>(world_.bodies.size()); }

    void add_motion(Motion motion) { world_.motions.push_back(std::move(motion)); }
    void add_point_load(PointLoad load) { world_.point_loads.push_back(std::move(load)); }
    void add_body_force(BodyForce force) { world_.body_forces.push_back(std::move(force)); }
    void set_gravity(const Vec3& gravity) { world_.gravity = gravity; }
    void set_consistent_mass(bool consistent) { world_.consistent_mass = consistent; }
    /// Static and kinetic coefficient for every pair that has no entry of its own; 0 <= kinetic <= static.
    void set_default_friction(double coefficient, double kinetic) { default_friction_ = {0, 0, coefficient, kinetic}; }
    void set_default_friction(double coefficient) { set_default_friction(coefficient, coefficient); }
    void set_friction(Index a, Index b, double coefficient, double kinetic) { friction_.push_back({a, b, coefficient, kinetic}); }
    void set_friction(Index a, Index b, double coefficient) { set_friction(a, b, coefficient, coefficient); }
    /// Switches a pair of bodies (or self-contact: a == b) on or off. Obstacles never collide with obstacles.
    void set_contact(Index a, Index b, bool allowed) { contact_.push_back({a, b, allowed}); }

    /// The finished world and its state at t = 0. The builder is spent afterwards.
    std::pair<World, State> build();

private:
    struct Deformable {
        Index body;
        BodyMaterial material;
        Vec3 velocity, angular_velocity;
        std::vector<Vec3> rest;
    };
    struct PairFriction {
        Index a, b;
        double coefficient, kinetic;
        double kinetic_ratio() const { return coefficient > 0.0 ? kinetic / coefficient : 1.0; }
    };
    struct PairContact {
        Index a, b;
        bool allowed;
    };
    Index add_body(Body body);
    void build_elasticity();
    void build_surface();
    void build_tables();

    World world_;
    std::vector<Deformable> deformables_;
    std::vector<PairFriction> friction_;
    std::vector<PairContact> contact_;
    PairFriction default_friction_{0, 0, 0.0, 0.0};
};

}  // namespace stiction
