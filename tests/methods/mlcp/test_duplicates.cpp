#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/duplicates.hpp"

#include "linalg/random_system.hpp"
#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

/// Two soft and two rigid boxes, and an obstacle of the same mesh.
Scene boxes() {
    WorldBuilder builder;
    const Mesh box = generate_box({0.1, 0.1, 0.1}, {2, 2, 2});
    for (int i = 0; i < 2; ++i)
        builder.add_deformable("soft", translated(box, {0.2 * i, 0, 0}), {MaterialLaw::fixed_corotated, 1e6, 0.3, 1e3});
    for (int i = 2; i < 4; ++i) builder.add_rigid("rigid", translated(box, {0.2 * i, 0, 0}), 1e3);
    builder.add_obstacle("obstacle", translated(box, {0.8, 0, 0}));
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Pairs of random vertices of two bodies with random weights. Few vertices, so that many are shared.
StepContact random_contact(Random& random, const World& world) {
    StepContact contact;
    ContactKey& key = contact.pair.key;
    key.kind = std::array{PairKind::point_point, PairKind::point_edge, PairKind::point_triangle,
                          PairKind::edge_edge}[static_cast<std::size_t>(uniform(random, 0.0, 3.999))];
    const int count = contact.pair.vertex_count(), first = key.kind == PairKind::edge_edge ? 2 : 1;
    const auto body = [&] { return static_cast<std::size_t>(uniform(random, 0.0, 4.999)); };
    const std::array sides{body(), body()};
    for (int i = 0; i < count; ++i) {
        const Body& side = world.bodies[sides[i < first ? 0 : 1]];
        Index vertex = -1;
        const auto known = [&] { return std::count(key.vertices.begin(), key.vertices.end(), vertex) > 0; };
        do {
            vertex = side.first_vertex + static_cast<Index>(uniform(random, 0.0, 7.999));
        } while (known());
        key.vertices[static_cast<std::size_t>(i)] = vertex;
        contact.pair.weights[i] = (i < first ? 1.0 : -1.0) * uniform(random, 0.0, 1.0);
    }
    return contact;
}

bool stays_as_it_is(const World& world, Index vertex) {
    return world.is_rigid(vertex) || world.is_obstacle(vertex);
}

/// Neither body deforms.
bool rigid_alone(const World& world, const StepContact& contact) {
    const auto& vertices = contact.pair.key.vertices;
    return stays_as_it_is(world, vertices[0]) &&
           stays_as_it_is(world, vertices[static_cast<std::size_t>(contact.pair.vertex_count() - 1)]);
}

/// Section 3.4.1 of Verschoor and Jalba (2019), pair of contacts by pair of contacts.
double slow_duplicates(const World& world, const std::vector<StepContact>& contacts, std::size_t number) {
    const StepContact& contact = contacts[number];
    const auto bodies = [&](const StepContact& c) {
        const auto at = [&](int i) { return world.body_of_vertex[static_cast<std::size_t>(c.pair.key.vertices[i])]; };
        return std::minmax({at(0), at(c.pair.vertex_count() - 1)});
    };
    double sum = 1.0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const StepContact& other = contacts[k];
        if (k == number || rigid_alone(world, contact) != rigid_alone(world, other)) continue;
        if (rigid_alone(world, contact)) {
            sum += bodies(contact) == bodies(other) ? 1.0 : 0.0;
            continue;
        }
        double likeness = 1.0;
        bool shared = false;
        for (int i = 0; i < contact.pair.vertex_count(); ++i) {
            for (int j = 0; j < other.pair.vertex_count(); ++j) {
                const Index vertex = contact.pair.key.vertices[static_cast<std::size_t>(i)];
                if (vertex != other.pair.key.vertices[static_cast<std::size_t>(j)] || world.is_obstacle(vertex))
                    continue;
                shared = true;
                likeness *= 1.0 - std::abs(std::abs(contact.pair.weights[i]) - std::abs(other.pair.weights[j]));
            }
        }
        if (shared) sum += likeness;
    }
    return sum;
}

}  // namespace

TEST_CASE("duplicates are those of a comparison of every contact with every other") {
    const Scene scene = boxes();
    int rigid = 0, alone = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        std::vector<StepContact> contacts;
        for (int k = 0; k < 25; ++k) contacts.push_back(random_contact(random, scene.world));
        std::vector<ContactConstraint> constraints(contacts.size());
        count_duplicates(scene.world, contacts, constraints);
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            CHECK(constraints[k].duplicates ==
                  within(slow_duplicates(scene.world, contacts, k), 1e-12 * constraints[k].duplicates));
            rigid += rigid_alone(scene.world, contacts[k]) ? 1 : 0;
            alone += constraints[k].duplicates == 1.0 ? 1 : 0;
        }
    }
    CHECK(rigid > 50);
    CHECK(alone < 250);  // of 500
}
