// The identity of a contact over the steps.
#pragma once

#include "stiction/collision/distance.hpp"

#include <array>
#include <compare>
#include <string>

namespace stiction {

/// The closest features of a contact. After sort_features() the vertices of a feature ascend, and of two equal features
/// the one with the lower vertex is first. A half-space has {vertex, origin}.
struct ContactKey {
    PairKind kind = PairKind::point_point;
    bool half_space = false;
    std::array<Index, 4> vertices{-1, -1, -1, -1};
    auto operator<=>(const ContactKey&) const = default;

    static constexpr std::size_t byte_count = 5 * sizeof(Index) + 1;
};

/// Sorts the vertices of a pair, so that keys do not depend on how the pair was found.
void sort_features(ContactKey& key);

/// Writes and reads a key: ContactKey::byte_count bytes.
void append_bytes(std::string& bytes, const ContactKey& key);
void take_bytes(const char*& bytes, ContactKey& key);

}  // namespace stiction
