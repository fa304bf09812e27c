// A close pair of features at fixed closest points: weights, normal and tangents.
#pragma once

#include "stiction/contact/contact_key.hpp"
#include "stiction/contact/contact_set.hpp"

namespace stiction {

/// Two close features at fixed closest points. The separation r = sum_i weights[i] x[key.vertices[i]] points from the
/// second feature to the first. The methods build on it: what friction lags, what a contact does in a step.
struct ContactPair {
    ContactKey key;                  ///< the features
    Vec4 weights = Vec4::Zero();     ///< of key.vertices: 1 in sum on the first feature, -1 on the second
    Vec3 normal = Vec3::UnitZ();     ///< unit, from the second feature to the first
    Mat32 tangents = Mat32::Zero();  ///< orthonormal, at right angles to the normal
    double offset = 0.0;             ///< m: part of the distance that is no gap (contact thickness)

    /// Vertices in use: 2, 3 or 4.
    int vertex_count() const { return key.half_space ? 2 : stiction::vertex_count(key.kind); }
    /// r of any stacked vector: positions, displacements or velocities.
    Vec3 relative(const VecX& x) const;
    /// r of x - x_ref.
    Vec3 relative(const VecX& x, const VecX& x_ref) const;
    /// normal . r - offset (m).
    double gap(const VecX& x) const { return normal.dot(relative(x)) - offset; }
    /// Normal, then tangents, as rows.
    Mat3 frame() const;
};

/// The features of a contact that is no mollified pair, its vertices in the order of the contact.
ContactKey stencil_key(const Contact& contact);

/// The closest features of a pair of primitives, in the order of sort_features().
/// @param vertices   of the two primitives, in the order of PairKind
/// @param positions  of these vertices (m); the primitives are apart
ContactPair closest_pair(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* positions, double offset);
/// A vertex and the origin vertex of a half-space.
ContactPair half_space_pair(Index vertex, const HalfSpace& plane, double offset);
/// The pair of a contact that find_contacts() found at x, in the order of sort_features().
ContactPair contact_pair(const Contact& contact, const VecX& x);
/// The same with the vertices in the order of the contact, and the tangents of its features (tangent_frame).
/// @param contact  no mollified pair
ContactPair stencil_pair(const Contact& contact, const VecX& x);

/// Gives a pair the closest points that its features have at x. The pair of a half-space stays as it is.
/// @return false, and leaves the pair as it is, where the closest points at x lie outside of the features
bool update_closest_points(const VecX& x, ContactPair& pair);

}  // namespace stiction
