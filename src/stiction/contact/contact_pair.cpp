#include "stiction/contact/contact_pair.hpp"

#include "stiction/base/error.hpp"
#include "stiction/contact/barrier_stencil.hpp"

#include <algorithm>

namespace stiction {
namespace {

/// @param positions  of the key's vertices, in its order
void set_closest_points(const Vec3* positions, ContactPair& pair) {
    pair.weights = closest_weights(pair.key.kind, positions);
    pair.normal = separation(pair.key.kind, positions).normalized();
    pair.tangents = any_tangents(pair.normal);
}

/// @param local  places of the features' vertices in `vertices` and `positions`
ContactPair reduced_pair(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* positions,
                         const std::array<int, 4>& local, double offset) {
    ContactPair pair;
    pair.key.kind = kind;
    pair.offset = offset;
    const int count = vertex_count(kind);
    for (int k = 0; k < count; ++k) {
        pair.key.vertices[static_cast<std::size_t>(k)] =
            vertices[static_cast<std::size_t>(local[static_cast<std::size_t>(k)])];
    }
    sort_features(pair.key);
    Vec3 sorted[4];
    for (int k = 0; k < count; ++k) {
        const Index vertex = pair.key.vertices[static_cast<std::size_t>(k)];
        sorted[k] = positions[std::find(vertices.begin(), vertices.end(), vertex) - vertices.begin()];
    }
    set_closest_points(sorted, pair);
    return pair;
}

ContactPair half_space_pair(const Contact& contact) {
    return half_space_pair(contact.vertices[0],
                           HalfSpace{.origin_vertex = contact.vertices[1], .normal = contact.normal}, contact.offset);
}

}  // namespace

Vec3 ContactPair::relative(const VecX& x) const {
    Vec3 r = Vec3::Zero();
    for (int i = 0; i < vertex_count(); ++i)
        r += weights[i] * x.segment<3>(3 * key.vertices[static_cast<std::size_t>(i)]);
    return r;
}

Vec3 ContactPair::relative(const VecX& x, const VecX& x_ref) const {
    Vec3 r = Vec3::Zero();
    for (int i = 0; i < vertex_count(); ++i) {
        const Index vertex = key.vertices[static_cast<std::size_t>(i)];
        r += weights[i] * (x.segment<3>(3 * vertex) - x_ref.segment<3>(3 * vertex));
    }
    return r;
}

Mat3 ContactPair::frame() const {
    Mat3 rows;
    rows << normal.transpose(), tangents.transpose();
    return rows;
}

ContactKey stencil_key(const Contact& contact) {
    return {contact.pair, contact.kind == ContactKind::half_space, contact.vertices};
}

ContactPair closest_pair(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* positions, double offset) {
    const ClosestFeature feature = classify(kind, positions);
    return reduced_pair(feature.kind, vertices, positions, feature.local, offset);
}

ContactPair half_space_pair(Index vertex, const HalfSpace& plane, double offset) {
    ContactPair pair;
    pair.key.half_space = true;
    pair.key.vertices = {vertex, plane.origin_vertex, -1, -1};
    pair.weights = Vec4(1.0, -1.0, 0.0, 0.0);
    pair.normal = plane.normal.normalized();
    pair.tangents = any_tangents(pair.normal);
    pair.offset = offset;
    return pair;
}

ContactPair contact_pair(const Contact& contact, const VecX& x) {
    if (contact.kind == ContactKind::half_space) return half_space_pair(contact);
    Vec3 positions[4];
    gather_stencil(contact.vertices, x, positions);
    const bool mollified = contact.kind == ContactKind::mollified_pair;
    return reduced_pair(contact.pair, contact.vertices, positions, mollified ? contact.local : std::array{0, 1, 2, 3},
                        contact.offset);
}

ContactPair stencil_pair(const Contact& contact, const VecX& x) {
    STICTION_CHECK(contact.kind != ContactKind::mollified_pair, "a mollified pair has more vertices than its features");
    ContactPair pair;
    pair.key = stencil_key(contact);
    pair.weights = contact_weights(contact, x);
    pair.tangents = contact_frame(contact, x);
    pair.offset = contact.offset;
    if (pair.key.half_space) {
        pair.normal = contact.normal;
    } else {
        Vec3 positions[4];
        gather_stencil(contact.vertices, x, positions);
        pair.normal = separation(contact.pair, positions).normalized();
    }
    return pair;
}

bool update_closest_points(const VecX& x, ContactPair& pair) {
    if (pair.key.half_space) return true;
    Vec3 positions[4];
    gather_stencil(pair.key.vertices, x, positions);
    if (classify(pair.key.kind, positions).kind != pair.key.kind) return false;
    set_closest_points(positions, pair);
    return true;
}

}  // namespace stiction
