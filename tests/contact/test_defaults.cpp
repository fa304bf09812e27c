// Contacts of which nothing has been said yet: no vertex, no force, no thickness.
#include "stiction/contact/contact_key.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/contact/implicit_friction.hpp"
#include "stiction/contact/penalty.hpp"

#include <doctest/doctest.h>

using namespace stiction;

TEST_CASE("contacts start without vertices, each of them once, with nothing taken from their distance") {
    constexpr std::array<Index, 4> nothing{-1, -1, -1, -1};
    const Contact contact;
    CHECK(contact.kind == ContactKind::pair);
    CHECK(contact.vertices == nothing);
    CHECK(contact.local == std::array{0, 1, 2, 3});
    CHECK(contact.multiplicity == 1.0);
    CHECK(contact.squared_distance == 0.0);
    CHECK(contact.squared_gap() == 0.0);
    CHECK(contact.offset == 0.0);
    CHECK(contact.mollifier_threshold == 0.0);
    CHECK(ContactKey{}.vertices == nothing);
    CHECK_FALSE(ContactKey{}.half_space);
    CHECK(ContactSet{}.min_gap == 0.0);
    const LaggedFriction friction;
    CHECK(friction.pair.key.vertices == nothing);
    CHECK(friction.pair.weights == Vec4::Zero());
    CHECK(friction.pair.normal == Vec3::UnitZ());
    CHECK(friction.pair.tangents == Mat32::Zero());
    CHECK(friction.pair.offset == 0.0);
    CHECK(friction.force_limit == 0.0);
    CHECK(friction.kinetic_ratio == 1.0);
}

TEST_CASE("friction starts without a force, and with one coefficient for rest and motion") {
    const ImplicitFriction friction;
    CHECK(friction.barrier_stiffness == 0.0);
    CHECK(friction.squared_dhat == 0.0);
    CHECK(friction.coefficient == 0.0);
    CHECK(friction.kinetic_ratio == 1.0);
    CHECK(friction.law.sticking_slip == 0.0);
    CHECK(friction.law.kinetic_slip == 0.0);
    CHECK(ContactSlip{}.normal_force == 0.0);
    const PenaltyStiffness stiffness;
    CHECK(stiffness.kappa() == 0.0);
    CHECK(stiffness.delta() == 0.0);
    const ScalarJet jet;
    CHECK(jet.value == 0.0);
    CHECK(jet.first == 0.0);
    CHECK(jet.second == 0.0);
}

TEST_CASE("the number of vertices that a contact acts on") {
    Contact contact;
    for (const PairKind pair :
         {PairKind::point_point, PairKind::point_edge, PairKind::point_triangle, PairKind::edge_edge}) {
        contact.pair = pair;
        contact.kind = ContactKind::pair;
        CHECK(contact.vertex_count() == vertex_count(pair));
        contact.kind = ContactKind::mollified_pair;
        CHECK(contact.vertex_count() == 4);
        contact.kind = ContactKind::half_space;
        CHECK(contact.vertex_count() == 2);
    }
}
