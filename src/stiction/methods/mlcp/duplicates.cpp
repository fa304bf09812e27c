#include "stiction/methods/mlcp/duplicates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stiction::mlcp {
namespace {

Index vertex_of(const StepContact& contact, int i) {
    return contact.pair.key.vertices[static_cast<std::size_t>(i)];
}

bool cannot_deform(const World& world, Index vertex) {
    return world.is_rigid(vertex) || world.is_obstacle(vertex);
}

/// The two bodies of a contact, the lower number first; -1 unless both are rigid or obstacles.
std::array<Index, 2> rigid_pair(const World& world, const StepContact& contact) {
    const Index a = vertex_of(contact, 0), b = vertex_of(contact, contact.pair.vertex_count() - 1);
    if (!cannot_deform(world, a) || !cannot_deform(world, b)) return {-1, -1};
    const auto [first, second] = std::minmax(world.body_of_vertex[static_cast<std::size_t>(a)],
                                             world.body_of_vertex[static_cast<std::size_t>(b)]);
    return {first, second};
}

/// Similarity in [0, 1] of two contacts that share a vertex: 1 where they have the same weight there.
double likeness_at(Index vertex, double weight, const StepContact& other) {
    const auto& vertices = other.pair.key.vertices;
    const auto place = std::find(vertices.begin(), vertices.end(), vertex) - vertices.begin();
    return std::max(0.0, 1.0 - std::abs(std::abs(weight) - std::abs(other.pair.weights[place])));
}

}  // namespace

void count_duplicates(const World& world, const std::vector<StepContact>& contacts,
                      std::vector<ContactConstraint>& constraints) {
    std::map<std::array<Index, 2>, int> rigid_pairs;
    std::vector<std::array<Index, 2>> pair_of(contacts.size());
    std::map<Index, std::vector<std::size_t>> at_vertex;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        pair_of[k] = rigid_pair(world, contacts[k]);
        if (pair_of[k][0] >= 0) {
            ++rigid_pairs[pair_of[k]];
            continue;
        }
        for (int i = 0; i < contacts[k].pair.vertex_count(); ++i) {
            if (!world.is_obstacle(vertex_of(contacts[k], i))) at_vertex[vertex_of(contacts[k], i)].push_back(k);
        }
    }
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        if (pair_of[k][0] >= 0) {
            constraints[k].duplicates = rigid_pairs[pair_of[k]];
            continue;
        }
        std::map<std::size_t, double> likeness;  // to contacts that share a vertex
        for (int i = 0; i < contacts[k].pair.vertex_count(); ++i) {
            const auto found = at_vertex.find(vertex_of(contacts[k], i));
            if (found == at_vertex.end()) continue;
            for (const std::size_t other : found->second) {
                if (other != k)
                    likeness.emplace(other, 1.0).first->second *=
                        likeness_at(found->first, contacts[k].pair.weights[i], contacts[other]);
            }
        }
        for (const auto& [other, value] : likeness) constraints[k].duplicates += value;
    }
}

}  // namespace stiction::mlcp
