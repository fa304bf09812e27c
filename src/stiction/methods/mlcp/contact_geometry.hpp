// Where a contact is: closest features of a pair, its normal and tangents.
#pragma once

#include "stiction/contact/contact_key.hpp"
#include "stiction/contact/contact_set.hpp"

namespace stiction {

/// r = sum_i weights[i] x[key.vertices[i]] points from the second side to the first; distance = normal . r.
struct ContactGeometry {
    ContactKey key;
    Vec4 weights = Vec4::Zero();
    Vec3 normal = Vec3::UnitZ();     ///< unit
    Mat32 tangents = Mat32::Zero();  ///< orthonormal, at right angles to the normal
    double offset = 0.0;             ///< m: what of the distance is no gap

    int vertex_count() const { return key.half_space ? 2 : stiction::vertex_count(key.kind); }
    /// r for any stacked vector, positions or displacements.
    Vec3 relative(const VecX& x) const;
    /// normal . r - offset (m).
    double gap(const VecX& x) const { return normal.dot(relative(x)) - offset; }
};

/// The closest features of a pair of any kind.
/// @param positions  of its vertices (m): apart
ContactGeometry pair_geometry(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* positions,
                              double offset);
/// A vertex and the origin vertex of a half-space.
ContactGeometry half_space_geometry(Index vertex, const HalfSpace& plane, double offset);
/// What find_contacts() found, at the same x.
ContactGeometry contact_geometry(const Contact& contact, const VecX& x);
/// The same features, with the weights and the normal that they have at x; nothing for a half-space, which does not
/// change.
/// @return false where the closest points at x are not inside the features: the contact slid off them
bool update_geometry(const VecX& x, ContactGeometry& geometry);
/// Turns the geometry's normal toward that of `wanted`, by at most `largest_turn` (rad), and takes its weights as far
/// as it got (equation 21).
void turn_towards(const ContactGeometry& wanted, double largest_turn, ContactGeometry& geometry);

}  // namespace stiction
