#include "stiction/barrier/contact_list.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/contact/implicit_friction.hpp"
#include "stiction/dynamics/contact_state.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction {
namespace {

/// Weights of a pair of features on the vertices of the edges that they are of; 0 on the others.
std::array<double, 4> weights_on_edges(const ContactPair& pair, const std::array<Index, 4>& edges) {
    std::array<double, 4> weights{};
    for (int k = 0; k < pair.vertex_count(); ++k) {
        const auto place =
            std::find(edges.begin(), edges.end(), pair.key.vertices[static_cast<std::size_t>(k)]) - edges.begin();
        weights[static_cast<std::size_t>(place)] = pair.weights[k];
    }
    return weights;
}

/// Nearly parallel edges with all four vertices, which their mollifier acts on and which have a contact state.
ContactForce parallel_edges(const World& world, const Contact& contact, const VecX& x, double gap) {
    const ContactPair pair = contact_pair(contact, x);
    ContactForce result = contact_without_force(world, pair, gap);
    const std::array<Index, 4>& edges = contact.vertices;
    const Index first = pair.key.vertices[0];
    const bool swapped = first == edges[2] || first == edges[3];
    result.vertices = swapped ? std::array{edges[2], edges[3], edges[0], edges[1]} : edges;
    result.weights = result.friction_weights = weights_on_edges(pair, result.vertices);
    return result;
}

struct Place {
    std::size_t index;
    bool mollified;
};
using Places = std::map<ContactKey, Place>;

/// Where the friction of a pair of features belongs. Several contacts may have the same features: the first one that is
/// no pair of nearly parallel edges takes the friction of all, else the first.
Places places_of(const ContactSet& contacts, const VecX& x) {
    Places places;
    for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
        if (contacts.contacts[i].kind != ContactKind::mollified_pair)
            places.emplace(stencil_key(contacts.contacts[i]), Place{i, false});
    }
    for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
        if (contacts.contacts[i].kind == ContactKind::mollified_pair)
            places.emplace(contact_pair(contacts.contacts[i], x).key, Place{i, true});
    }
    return places;
}

/// Distance of the features of a pair, less its offset (m): their closest points at x need not be those of the pair.
double gap_of_features(const ContactPair& pair, const VecX& x) {
    if (pair.key.half_space) return pair.gap(x);
    Vec3 positions[4];
    gather_stencil(pair.key.vertices, x, positions);
    return closest_pair(pair.key.kind, pair.key.vertices, positions, pair.offset).gap(x);
}

}  // namespace

std::vector<ContactForce> list_contacts(const World& world, const ContactSet& contacts, const BarrierTerm& barrier,
                                        const StageSlip& end) {
    ImplicitFriction law;
    law.barrier_stiffness = barrier.stiffness;
    law.squared_dhat = barrier.dhat * barrier.dhat;
    std::vector<ContactForce> list(contacts.contacts.size());
    parallel_for(list.size(), [&](std::size_t i) {
        const Contact& contact = contacts.contacts[i];
        const double gap = std::sqrt(contact.squared_gap());
        ContactForce& entry = list[i];
        entry = contact.kind == ContactKind::mollified_pair
                    ? parallel_edges(world, contact, end.x, gap)
                    : contact_without_force(world, stencil_pair(contact, end.x), gap);
        const double force = contact_slip(law, contact, end.x, end.q_bar).normal_force;
        entry.contact_force = force / (end.scale * end.scale) * entry.normal;
        entry.state = contact_state(world, contact, end.x, end.q_bar, end.law);
    });
    return list;
}

void add_lagged_friction(const World& world, const ContactSet& contacts, const std::vector<LaggedFriction>& friction,
                         const StageSlip& end, std::vector<ContactForce>& list) {
    const Places places = places_of(contacts, end.x);
    for (const LaggedFriction& lagged : friction) {
        const Vec2 slip = tangential_displacement(lagged, end.x, end.q_bar);
        const double over_slip = end.law.of_pair(lagged.slip_share).over_slip(slip.norm(), lagged.kinetic_ratio);
        const Vec3 force = -lagged.force_limit * over_slip / (end.scale * end.scale) * (lagged.pair.tangents * slip);
        const ContactForce entry = contact_without_force(world, lagged.pair, 0.0);
        if (const auto place = places.find(lagged.pair.key); place != places.end()) {
            ContactForce& at = list[place->second.index];
            at.friction_weights = place->second.mollified ? weights_on_edges(lagged.pair, at.vertices) : entry.weights;
            at.friction_force += force;
        } else if (!force.isZero(0.0)) {
            list.push_back(entry);
            list.back().gap = gap_of_features(lagged.pair, end.x);
            list.back().friction_force = force;
        }
    }
}

}  // namespace stiction
