// How far contact thickness keeps two bodies apart.
#pragma once

#include "stiction/world/world.hpp"

#include <algorithm>

namespace stiction {

/// What half of the contact thickness of either body takes of their distance (m).
inline double contact_offset(const Body& a, const Body& b) {
    return 0.5 * (a.contact_thickness + b.contact_thickness);
}

/// Largest offset (m) of two bodies with primitives that may touch; half-spaces, which have none, are left out. 0
/// without contact thickness.
inline double largest_contact_offset(const World& world) {
    double largest = 0.0;
    const auto count = static_cast<Index>(world.bodies.size());
    for (Index a = 0; a < count; ++a) {
        const Body& one = world.bodies[static_cast<std::size_t>(a)];
        for (Index b = a; b < count; ++b) {
            const Body& other = world.bodies[static_cast<std::size_t>(b)];
            if (one.kind == BodyKind::half_space || other.kind == BodyKind::half_space ||
                !world.contact_pairs.allowed(a, b))
                continue;
            largest = std::max(largest, contact_offset(one, other));
        }
    }
    return largest;
}

}  // namespace stiction
