// Iterates are plain values: a copy goes on by itself, the guard of its stiffness too.
#include "stiction/barrier/iterate.hpp"

#include <doctest/doctest.h>

using namespace stiction;

namespace {

/// A set with one contact at this gap (m).
ContactSet one_contact(double gap) {
    ContactSet set;
    Contact contact;
    contact.vertices = {0, 1, -1, -1};
    contact.squared_distance = gap * gap;
    set.contacts = {contact};
    set.min_gap = gap;
    return set;
}

}  // namespace

TEST_CASE("iterate: a copy goes on by itself, and moving forgets the contacts") {
    Iterate first{.x = VecX::Zero(6),
                  .contacts = one_contact(1e-3),
                  .knows_contacts = true,
                  .gradient = {},
                  .guard = StiffnessGuard(1e-2)};
    CHECK_FALSE(first.guard.shrinking(first.contacts));
    Iterate second = first;
    second.move(VecX::Ones(6));
    CHECK_FALSE(second.knows_contacts);
    CHECK(first.knows_contacts);
    CHECK(first.x == VecX::Zero(6));
    second.move(VecX::Ones(6), one_contact(5e-4));
    CHECK(second.knows_contacts);
    CHECK(second.guard.shrinking(second.contacts));
    // The guard of the first has not seen that: 0.7 mm is nearer than its 1 mm.
    CHECK(first.guard.shrinking(one_contact(7e-4)));
}

TEST_CASE("stiffness guard: a triangle's point and two edges may have the same vertices, and are two pairs") {
    const auto four = [](PairKind kind, double gap) {
        ContactSet set = one_contact(gap);
        set.contacts[0].pair = kind;
        set.contacts[0].vertices = {0, 1, 2, 3};
        return set;
    };
    StiffnessGuard guard(1e-2);
    CHECK_FALSE(guard.shrinking(four(PairKind::point_triangle, 1e-3)));
    CHECK_FALSE(guard.shrinking(four(PairKind::edge_edge, 5e-4)));
    CHECK(guard.shrinking(four(PairKind::edge_edge, 4e-4)));
}
