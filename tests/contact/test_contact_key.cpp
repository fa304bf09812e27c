#include "stiction/contact/contact_key.hpp"

#include <doctest/doctest.h>

using namespace stiction;

namespace {

ContactKey key_of(PairKind kind, const std::array<Index, 4>& vertices) {
    ContactKey key{kind, false, vertices};
    sort_features(key);
    return key;
}

}  // namespace

TEST_CASE("contact keys do not depend on the order in which a pair's vertices were found") {
    CHECK(key_of(PairKind::point_point, {7, 3, -1, -1}) == key_of(PairKind::point_point, {3, 7, -1, -1}));
    CHECK(key_of(PairKind::point_edge, {7, 5, 3, -1}) == key_of(PairKind::point_edge, {7, 3, 5, -1}));
    CHECK(key_of(PairKind::point_triangle, {7, 5, 3, 4}) == key_of(PairKind::point_triangle, {7, 4, 5, 3}));
    CHECK(key_of(PairKind::edge_edge, {7, 5, 3, 4}) == key_of(PairKind::edge_edge, {4, 3, 5, 7}));
    CHECK(key_of(PairKind::edge_edge, {7, 5, 3, 4}).vertices == std::array<Index, 4>{3, 4, 5, 7});
}

TEST_CASE("contact keys tell pairs apart whose features differ") {
    CHECK(key_of(PairKind::point_edge, {7, 5, 3, -1}) != key_of(PairKind::point_edge, {5, 7, 3, -1}));
    CHECK(key_of(PairKind::point_triangle, {7, 5, 3, 4}) != key_of(PairKind::point_triangle, {3, 5, 7, 4}));
    CHECK(key_of(PairKind::edge_edge, {7, 5, 3, 4}) != key_of(PairKind::edge_edge, {7, 3, 5, 4}));
    CHECK(ContactKey{PairKind::point_point, true, {3, 7, -1, -1}} !=
          ContactKey{PairKind::point_point, false, {3, 7, -1, -1}});
}

TEST_CASE("contact keys come back from their bytes") {
    const ContactKey pair = key_of(PairKind::edge_edge, {700000, 5, 3, 4}),
                     plane{PairKind::point_point, true, {12, 9, -1, -1}};
    std::string bytes;
    append_bytes(bytes, pair);
    append_bytes(bytes, plane);
    REQUIRE(bytes.size() == 2 * ContactKey::byte_count);
    const char* at = bytes.data();
    ContactKey first, second;
    take_bytes(at, first);
    take_bytes(at, second);
    CHECK(first == pair);
    CHECK(second == plane);
    CHECK(at == bytes.data() + bytes.size());
}
