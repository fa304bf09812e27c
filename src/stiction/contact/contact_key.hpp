// What names a contact from step to step.
#pragma once

#include "stiction/collision/distance.hpp"

#include <array>
#include <compare>
#include <string>

namespace stiction {

/// Closest features of a contact, the point or the edge of the lower vertex first, vertices ascending in each; of
/// half-spaces {vertex, origin}.
struct ContactKey {
    PairKind kind = PairKind::point_point;
    bool half_space = false;
    std::array<Index, 4> vertices{-1, -1, -1, -1};
    auto operator<=>(const ContactKey&) const = default;

    static constexpr std::size_t byte_count = 5 * sizeof(Index) + 1;
};

/// Brings the vertices of a pair, in the order of its features, into an order that does not depend on how the pair was
/// found.
void sort_features(ContactKey& key);

/// ContactKey::byte_count bytes for the next step.
void append_bytes(std::string& bytes, const ContactKey& key);
void take_bytes(const char*& bytes, ContactKey& key);

}  // namespace stiction
