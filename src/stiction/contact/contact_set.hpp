// The pairs that are in contact at one configuration: facts, no formulation.
#pragma once

#include "stiction/collision/candidates.hpp"
#include "stiction/collision/half_space.hpp"

#include <span>
#include <vector>

namespace stiction {

/// How a contact's distance is measured.
enum class ContactKind : std::uint8_t {
    pair,           ///< a reduced pair of features: point-point, point-edge, point-triangle or edge-edge
    mollified_pair, ///< nearly parallel edges: the reduced pair's law times the edge-edge mollifier, on all four vertices
    half_space,     ///< a vertex and the origin vertex of a half-space
};

/// One contact. Pairs of primitives that reduce to the same point-point or point-edge pair are merged; `multiplicity` counts them.
struct Contact {
    ContactKind kind = ContactKind::pair;
    PairKind pair = PairKind::point_point;           ///< the reduced pair that realises the distance
    std::array<Index, 4> vertices{-1, -1, -1, -1};   ///< global ids; mollified_pair: both edges; half_space: {vertex, origin}
    std::array<int, 4> local{0, 1, 2, 3};            ///< mollified_pair: places of the reduced pair in `vertices`, -1 = unused
    double multiplicity = 1.0;
    double squared_distance = 0.0;                   ///< m^2
    double mollifier_threshold = 0.0;                ///< mollified_pair: eps_x (m^4)
    Vec3 normal = Vec3::Zero();                      ///< half_space: unit normal

    /// Vertices of the stencil the law acts on: 2, 3 or 4.
    int vertex_count() const {
        return kind == ContactKind::half_space ? 2 : kind == ContactKind::mollified_pair ? 4 : stiction::vertex_count(pair);
    }
};

/// All contacts closer than a distance, in an order that depends on the configuration alone.
struct ContactSet {
    std::vector<Contact> contacts;
    /// Smallest distance among all pairs that were looked at (m); infinity when there was none.
    double min_distance = 0.0;
};

/// What detection needs beside positions.
struct ContactScene {
    const CollisionSurface* surface = nullptr;
    const BodyPairTable* pairs = nullptr;
    std::span<const HalfSpace> half_spaces;
    std::span<const double> edge_rest_length_squared;  ///< one entry an edge of the surface (m^2)
};

/// Contacts closer than `dhat` (m) at x among the candidates, and of all surface vertices with the half-spaces.
ContactSet find_contacts(const ContactScene& scene, const Candidates& candidates, const VecX& x, double dhat);

/// Vertices of every candidate pair, unreduced, that is closer than `distance` (m) at x, and of every vertex that near a half-space.
std::vector<std::array<Index, 4>> near_stencils(const ContactScene& scene, const Candidates& candidates, const VecX& x, double distance);

/// Squared rest lengths of a surface's edges.
std::vector<double> edge_lengths_squared(const CollisionSurface& surface, const VecX& rest);

}  // namespace stiction
