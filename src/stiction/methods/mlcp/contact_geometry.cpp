#include "stiction/methods/mlcp/contact_geometry.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

/// @param positions  of the key's vertices, in its order
void measure(const Vec3* positions, ContactGeometry& geometry) {
    geometry.weights = closest_weights(geometry.key.kind, positions);
    geometry.normal = separation(geometry.key.kind, positions).normalized();
    geometry.tangents = any_tangents(geometry.normal);
}

/// @param local  places of the pair in `vertices` and `positions`
ContactGeometry reduced_geometry(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* positions,
                                 const std::array<int, 4>& local, double offset) {
    ContactGeometry geometry;
    geometry.key.kind = kind;
    geometry.offset = offset;
    const int count = stiction::vertex_count(kind);
    for (int k = 0; k < count; ++k) {
        geometry.key.vertices[static_cast<std::size_t>(k)] =
            vertices[static_cast<std::size_t>(local[static_cast<std::size_t>(k)])];
    }
    sort_features(geometry.key);
    Vec3 sorted[4];
    for (int k = 0; k < count; ++k) {
        sorted[k] =
            positions[std::find(vertices.begin(), vertices.end(), geometry.key.vertices[static_cast<std::size_t>(k)]) -
                      vertices.begin()];
    }
    measure(sorted, geometry);
    return geometry;
}

}  // namespace

Vec3 ContactGeometry::relative(const VecX& x) const {
    Vec3 r = Vec3::Zero();
    for (int i = 0; i < vertex_count(); ++i)
        r += weights[i] * x.segment<3>(3 * key.vertices[static_cast<std::size_t>(i)]);
    return r;
}

ContactGeometry pair_geometry(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* positions,
                              double offset) {
    const ClosestFeature feature = classify(kind, positions);
    return reduced_geometry(feature.kind, vertices, positions, feature.local, offset);
}

ContactGeometry half_space_geometry(Index vertex, const HalfSpace& plane, double offset) {
    ContactGeometry geometry;
    geometry.key.half_space = true;
    geometry.key.vertices = {vertex, plane.origin_vertex, -1, -1};
    geometry.weights = Vec4(1.0, -1.0, 0.0, 0.0);
    geometry.normal = plane.normal.normalized();
    geometry.tangents = any_tangents(geometry.normal);
    geometry.offset = offset;
    return geometry;
}

ContactGeometry contact_geometry(const Contact& contact, const VecX& x) {
    if (contact.kind == ContactKind::half_space) {
        return half_space_geometry(contact.vertices[0],
                                   HalfSpace{.origin_vertex = contact.vertices[1], .normal = contact.normal},
                                   contact.offset);
    }
    Vec3 positions[4];
    gather_stencil(contact.vertices, x, positions);
    return reduced_geometry(contact.pair, contact.vertices, positions,
                            contact.kind == ContactKind::mollified_pair ? contact.local : std::array{0, 1, 2, 3},
                            contact.offset);
}

bool update_geometry(const VecX& x, ContactGeometry& geometry) {
    if (geometry.key.half_space) return true;
    Vec3 positions[4];
    gather_stencil(geometry.key.vertices, x, positions);
    if (classify(geometry.key.kind, positions).kind != geometry.key.kind) return false;
    measure(positions, geometry);
    return true;
}

void turn_towards(const ContactGeometry& wanted, double largest_turn, ContactGeometry& geometry) {
    const double angle = std::acos(std::clamp(geometry.normal.dot(wanted.normal), -1.0, 1.0));
    if (angle <= largest_turn) {
        geometry = wanted;
        return;
    }
    const double part = largest_turn / angle;
    const Vec3 across = (wanted.normal - geometry.normal.dot(wanted.normal) * geometry.normal).normalized();
    geometry.normal = (std::cos(largest_turn) * geometry.normal + std::sin(largest_turn) * across).normalized();
    geometry.weights += part * (wanted.weights - geometry.weights);
    geometry.tangents = any_tangents(geometry.normal);
}

}  // namespace stiction
