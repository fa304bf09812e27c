#include "stiction/contact/contact_key.hpp"

#include "stiction/base/bytes.hpp"

#include <algorithm>
#include <cstdint>

namespace stiction {

void sort_features(ContactKey& key) {
    auto& v = key.vertices;
    switch (key.kind) {
        case PairKind::point_point: std::sort(v.begin(), v.begin() + 2); break;
        case PairKind::point_edge: std::sort(v.begin() + 1, v.begin() + 3); break;
        case PairKind::point_triangle: std::sort(v.begin() + 1, v.end()); break;
        case PairKind::edge_edge:
            std::sort(v.begin(), v.begin() + 2);
            std::sort(v.begin() + 2, v.end());
            if (v[2] < v[0]) std::swap_ranges(v.begin(), v.begin() + 2, v.begin() + 2);
            break;
    }
}

void append_bytes(std::string& bytes, const ContactKey& key) {
    for (const Index vertex : key.vertices) append_bytes(bytes, vertex);
    append_bytes(bytes, static_cast<Index>(key.kind));
    append_bytes(bytes, static_cast<std::uint8_t>(key.half_space));
}

void take_bytes(const char*& bytes, ContactKey& key) {
    Index kind = 0;
    std::uint8_t half_space = 0;
    for (Index& vertex : key.vertices) take_bytes(bytes, vertex);
    take_bytes(bytes, kind);
    take_bytes(bytes, half_space);
    key.kind = static_cast<PairKind>(kind);
    key.half_space = half_space != 0;
}

}  // namespace stiction
