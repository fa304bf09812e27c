#include "stiction/methods/mlcp/duplicates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

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

/// A contact of a vertex, and its weight there.
struct Place {
    std::size_t contact;
    double weight;
};

/// Contacts by the vertices that may move.
class SharedVertices {
public:
    /// @param deforms  of every contact: whether one of its bodies does; the others are left out
    SharedVertices(const World& world, const std::vector<StepContact>& contacts, const std::vector<bool>& deforms)
        : begin_(static_cast<std::size_t>(world.vertex_count()) + 1, 0) {
        const auto visit = [&](const auto& each) {
            for (std::size_t k = 0; k < contacts.size(); ++k) {
                for (int i = 0; deforms[k] && i < contacts[k].pair.vertex_count(); ++i) {
                    const Index vertex = vertex_of(contacts[k], i);
                    if (!world.is_obstacle(vertex)) each(static_cast<std::size_t>(vertex), k, i);
                }
            }
        };
        visit([&](std::size_t vertex, std::size_t, int) { ++begin_[vertex + 1]; });
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        places_.resize(begin_.back());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        visit([&](std::size_t vertex, std::size_t k, int i) {
            places_[next[vertex]++] = {k, contacts[k].pair.weights[i]};
        });
    }

    /// Sum over the other contacts that share a vertex with this one of their likeness in [0, 1]: 1 where both have the
    /// same weights at all vertices that they share.
    double likeness(const StepContact& contact, std::size_t number) {
        others_.clear();
        for (int i = 0; i < contact.pair.vertex_count(); ++i) {
            const auto vertex = static_cast<std::size_t>(vertex_of(contact, i));
            for (std::size_t at = begin_[vertex]; at < begin_[vertex + 1]; ++at) {
                const Place& place = places_[at];
                if (place.contact == number) continue;
                const double difference = std::abs(std::abs(contact.pair.weights[i]) - std::abs(place.weight));
                others_.push_back({place.contact, std::max(0.0, 1.0 - difference)});
            }
        }
        std::sort(others_.begin(), others_.end());
        double sum = 0.0;
        for (std::size_t i = 0; i < others_.size();) {
            double product = 1.0;
            const std::size_t other = others_[i].contact;
            for (; i < others_.size() && others_[i].contact == other; ++i) product *= others_[i].likeness;
            sum += product;
        }
        return sum;
    }

private:
    struct Other {
        std::size_t contact;
        double likeness;
        auto operator<=>(const Other&) const = default;
    };
    std::vector<std::size_t> begin_;  ///< of every vertex in places_
    std::vector<Place> places_;       ///< by vertex, then by contact
    std::vector<Other> others_;
};

}  // namespace

void count_duplicates(const World& world, const std::vector<StepContact>& contacts,
                      std::vector<ContactConstraint>& constraints) {
    std::map<std::array<Index, 2>, int> rigid_pairs;
    std::vector<std::array<Index, 2>> pair_of(contacts.size());
    std::vector<bool> deforms(contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        pair_of[k] = rigid_pair(world, contacts[k]);
        deforms[k] = pair_of[k][0] < 0;
        if (!deforms[k]) ++rigid_pairs[pair_of[k]];
    }
    SharedVertices shared(world, contacts, deforms);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        if (!deforms[k]) {
            constraints[k].duplicates = rigid_pairs[pair_of[k]];
        } else {
            constraints[k].duplicates += shared.likeness(contacts[k], k);
        }
    }
}

}  // namespace stiction::mlcp
