#include "stiction/methods/local_global/step_contacts.hpp"

#include "stiction/base/parallel.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Fraction of a lacking distance between two sides that one step restores.
constexpr double recovery = 0.2;

/// Fraction of the thickness from which features behind each other overlap: less is rounding.
constexpr double least_overlap = 1e-3;

bool has_kinetic_friction(const World& world) {
    const auto bodies = static_cast<Index>(world.bodies.size());
    for (Index a = 0; a < bodies; ++a) {
        for (Index b = 0; b <= a; ++b) {
            if (world.friction(a, b) != 0.0 && world.friction.kinetic_ratio(a, b) != 1.0) return true;
        }
    }
    return false;
}

/// For find_contacts() of vertices and half-spaces alone.
const Candidates no_candidates;

}  // namespace

StepContacts::StepContacts(const World& world, const ContactLengths& lengths)
    : world_(world),
      lengths_(lengths),
      kinetic_(has_kinetic_friction(world)),
      candidates_(world, lengths),
      neighbours_(world.surface, world.vertex_count()) {}

void StepContacts::find(const State& state, const VecX& prediction) {
    const std::vector<ClosePair>& pairs = candidates_.find(state.x, prediction);
    made_.resize(pairs.size());
    parallel_for(
        pairs.size(), [&](std::size_t k) { make(pairs[k], state.x, prediction, made_[k]); }, 16);
    contacts_.clear();
    depth_.clear();
    for (const Made& made : made_) {
        if (!made.touches) continue;
        contacts_.push_back(made.contact);
        depth_.push_back(made.depth);
    }
    add_half_spaces(state.x, prediction);
    keep_shallowest();
}

double StepContacts::smallest_gap(const VecX& x) {
    const ContactSet& set =
        search_.find(candidates_.scene(), no_candidates, x, StepCandidates::near_reach * thickness());
    return std::min(set.min_gap, candidates_.smallest_gap(x));
}

/// A pair that touches now stays, even if the prediction opens it: elasticity may close it again.
bool StepContacts::touches(const StepContact& contact, const VecX& x, const VecX& prediction) const {
    return contact.pair.gap(x) <= contact.thickness || contact.pair.gap(prediction) <= contact.thickness;
}

void StepContacts::set_bodies(Index a, Index b, double offset, StepContact& contact) const {
    const Index one = world_.body_of_vertex[static_cast<std::size_t>(a)],
                other = world_.body_of_vertex[static_cast<std::size_t>(b)];
    contact.share = lengths_.share(one, other);
    contact.thickness = contact.share * thickness();
    contact.pair.offset = offset + contact.thickness;
    contact.friction = world_.friction(one, other);
}

void StepContacts::make(const ClosePair& close, const VecX& x, const VecX& prediction, Made& made) const {
    made = {};
    ContactPair& pair = made.contact.pair;
    if (!set_features(close, x, pair, made.depth)) return;
    const std::array<Index, 4>& vertices = pair.key.vertices;
    set_bodies(vertices[0], vertices[static_cast<std::size_t>(pair.vertex_count() - 1)], close.offset, made.contact);
    made.touches = touches(made.contact, x, prediction);
}

void StepContacts::add_half_spaces(const VecX& x, const VecX& prediction) {
    if (world_.half_spaces.empty()) return;
    double farthest = 0.0;
    for (Index v = 0; v < world_.vertex_count(); ++v)
        farthest = std::max(farthest, (prediction - x).segment<3>(3 * v).norm());
    const double distance = std::max(StepCandidates::deep_reach * thickness(), 2.0 * (thickness() + farthest));
    for (const Contact& contact : search_.find(candidates_.scene(), no_candidates, x, distance).contacts) {
        StepContact result;
        result.pair = contact_pair(contact, x);
        set_bodies(contact.vertices[0], contact.vertices[1], contact.offset, result);
        if (!touches(result, x, prediction)) continue;
        contacts_.push_back(result);
        depth_.push_back(0.0);
    }
}

/// Key, weights, normal and tangents of a pair of primitives at x, and how deep its point is inside a body.
/// @return false where it is no contact: the two are held together, a neighbouring feature is the contact, or the pair
/// goes through a body
bool StepContacts::set_features(const ClosePair& close, const VecX& x, ContactPair& pair, double& depth) const {
    pair.key = close.key;
    const PairKind kind = pair.key.kind;
    const std::array<Index, 4>& vertices = pair.key.vertices;
    const int first = first_count(kind), count = pair.vertex_count();
    if (held_together(pair.key, first, count)) return false;
    if (neighbours_.nearer_neighbour(kind, vertices, close.squared_distance, x)) return false;
    Vec3 positions[4];
    gather_stencil(vertices, x, positions);
    pair.weights = closest_weights(kind, positions);
    const Vec3 apart = separation(kind, positions);
    if (!(apart.squaredNorm() > 0.0)) return false;

    // Each feature is in front of the other body's surface or behind it. Both in front: a contact. Both behind: one is
    // inside the other's body. One of them behind: the pair goes through a body.
    const bool has_a = candidates_.oriented(vertices[0]),
               has_b = candidates_.oriented(vertices[static_cast<std::size_t>(first)]);
    const bool behind_b = has_b && apart.dot(neighbours_.pseudo_normal(vertices, first, count - first, x)) < 0.0;
    const bool behind_a = has_a && apart.dot(neighbours_.pseudo_normal(vertices, 0, first, x)) > 0.0;
    const bool inside = (has_a || has_b) && behind_a == has_a && behind_b == has_b;
    if (!inside && (behind_a || behind_b)) return false;
    const bool one_body = world_.body_of_vertex[static_cast<std::size_t>(vertices[0])] ==
                          world_.body_of_vertex[static_cast<std::size_t>(vertices[static_cast<std::size_t>(first)])];
    if (inside && (one_body || kind == PairKind::edge_edge)) return false;
    if (inside) depth = apart.norm();

    Vec3 away = inside ? Vec3(-apart) : apart;
    if (kind == PairKind::edge_edge &&
        !(has_a && has_b ? neighbours_.upright(vertices, x, away) : neighbours_.straighten(vertices, x, away)))
        return false;
    pair.normal = away.normalized();
    pair.tangents = any_tangents(pair.normal);
    return true;
}

void StepContacts::leave_out(std::vector<std::array<Index, 2>> held) {
    held_ = std::move(held);
    std::sort(held_.begin(), held_.end());
}

bool StepContacts::held_together(const ContactKey& key, int first, int count) const {
    if (held_.empty()) return false;
    const auto body = [&](int k) {
        return world_.body_of_vertex[static_cast<std::size_t>(key.vertices[static_cast<std::size_t>(k)])];
    };
    for (int k = 0; k < count; ++k) {
        const std::array<Index, 2> wanted{key.vertices[static_cast<std::size_t>(k)], body(k < first ? first : 0)};
        if (std::binary_search(held_.begin(), held_.end(), wanted)) return true;
    }
    return false;
}

/// Of the contacts of a point that is inside a body only the least deep one stays: the point leaves along the shortest
/// way.
void StepContacts::keep_shallowest() {
    const auto point_and_body = [&](const StepContact& contact) -> std::array<Index, 2> {
        const auto& vertices = contact.pair.key.vertices;
        return {vertices[0], world_.body_of_vertex[static_cast<std::size_t>(vertices[1])]};
    };
    inside_.clear();
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        if (depth_[k] > 0.0) inside_.push_back({point_and_body(contacts_[k]), depth_[k]});
    }
    if (inside_.empty()) return;
    std::sort(inside_.begin(), inside_.end());
    const auto shallowest = [&](const StepContact& contact) {
        return std::lower_bound(inside_.begin(), inside_.end(), Inside{point_and_body(contact), 0.0})->depth;
    };
    std::size_t kept = 0;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        if (depth_[k] > 0.0 && depth_[k] > shallowest(contacts_[k])) continue;
        depth_[kept] = depth_[k];
        contacts_[kept++] = contacts_[k];
    }
    contacts_.resize(kept);
    depth_.resize(kept);
}

void StepContacts::fill(const GlobalSystem& system, const State& state, const VecX& target,
                        const std::string& warm_start, ContactRows& rows, std::vector<double>& lambda) {
    sort_and_drop_driven(system, state.x, target);
    if (kinetic_) set_friction(state.v);
    remembered_.read(warm_start);
    rows.clear();
    lack_.clear();
    lambda.assign(3 * contacts_.size(), 0.0);
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        add_row(contacts_[k], system, state.x, target, rows);
        const RememberedForce* force = remembered_.find(contacts_[k].pair.key);
        if (force == nullptr) continue;
        const auto& friction = force->friction;
        lambda[3 * k] = force->normal;
        Eigen::Map<Vec2>(lambda.data() + 3 * k + 1) =
            contacts_[k].pair.frame().bottomRows<2>() * Vec3(friction[0], friction[1], friction[2]);
    }
}

void StepContacts::sort_and_drop_driven(const GlobalSystem& system, const VecX& x, const VecX& target) {
    prescribed_.clear();
    crosses_ = false;
    std::erase_if(contacts_, [&](const StepContact& contact) {
        const auto begin = contact.pair.key.vertices.begin();
        const bool prescribed =
            std::none_of(begin, begin + contact.pair.vertex_count(), [&](Index v) { return system.moves(v); });
        if (!prescribed) return false;
        prescribed_.push_back(contact.pair);
        if (!crosses_ && crosses(contact.pair, x, target)) {
            crossing_ = contact.pair;
            crosses_ = true;
        }
        return true;
    });
    std::sort(contacts_.begin(), contacts_.end(),
              [](const StepContact& a, const StepContact& b) { return a.pair.key < b.pair.key; });
    contacts_.erase(std::unique(contacts_.begin(), contacts_.end(),
                                [](const StepContact& a, const StepContact& b) { return a.pair.key == b.pair.key; }),
                    contacts_.end());
}

/// Prescribed motions may be nearer than surfaces keep, so only what lies behind counts. A plane is behind a vertex
/// wherever that goes; of other features the closest ones at the targets have to lie inside a body.
bool StepContacts::crosses(const ContactPair& pair, const VecX& x, const VecX& target) const {
    const double least = least_overlap * thickness_of(pair);
    if (pair.normal.dot(pair.relative(x)) < -least || pair.normal.dot(pair.relative(target)) >= -least) return false;
    return depth_at(pair, target) > least;
}

/// How deep the first feature of a pair is inside a body or behind a half-space at x (m); 0 where it is not. The normal
/// of a pair is that at the start of a step, and features slide off each other: there it says nothing.
double StepContacts::depth_at(const ContactPair& pair, const VecX& x) const {
    if (pair.key.half_space) return std::max(-pair.normal.dot(pair.relative(x)), 0.0);
    ContactPair there = pair;
    if (!update_closest_points(x, there)) return 0.0;
    Vec3 positions[4];
    gather_stencil(pair.key.vertices, x, positions);
    ClosePair close;
    close.key = pair.key;
    close.squared_distance = separation(pair.key.kind, positions).squaredNorm();
    double depth = 0.0;
    if (!set_features(close, x, there, depth)) return 0.0;
    // A feature that has left the others sideways is far from them, and hardly behind along the normal.
    return -pair.normal.dot(pair.relative(x)) > 0.5 * depth ? depth : 0.0;
}

std::array<int, 2> StepContacts::bodies_of(const ContactPair& pair) const {
    const auto body = [&](int k) {
        return static_cast<int>(
            world_.body_of_vertex[static_cast<std::size_t>(pair.key.vertices[static_cast<std::size_t>(k)])]);
    };
    return {body(0), body(pair.vertex_count() - 1)};
}

double StepContacts::thickness_of(const ContactPair& pair) const {
    const auto [a, b] = bodies_of(pair);
    return lengths_.share(a, b) * thickness();
}

ContactOutcome StepContacts::outcome(const std::vector<double>& forces, const VecX& x) const {
    ContactOutcome result;
    // Only what is behind along the normal is worth a closer look.
    const auto look = [&](const ContactPair& pair) {
        const double thickness = thickness_of(pair), least = least_overlap * thickness;
        if (pair.normal.dot(pair.relative(x)) > -least) return;
        const double depth = depth_at(pair, x);
        const bool reached = pair.key.half_space || depth < StepCandidates::deep_reach * thickness;
        if (!(depth > least) || !reached) return;
        ++result.overlaps;
        if (!(depth > result.deepest)) return;
        result.deepest = depth;
        result.bodies = bodies_of(pair);
    };
    double sum = 0.0, clamped = 0.0;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const StepContact& contact = contacts_[k];
        const double* force = forces.data() + 3 * k;
        look(contact.pair);
        result.residual = std::max(result.residual, -(contact.pair.gap(x) + lack_[k]) / contact.share);
        if (!(force[0] > 0.0) || contact.friction == 0.0) continue;
        sum += force[0];
        if (!contact.sticks(force)) clamped += force[0];
    }
    for (const ContactPair& pair : prescribed_) look(pair);
    if (sum > 0.0) result.clamped = clamped / sum;
    return result;
}

/// A contact that slides at the start of a step has the kinetic coefficient in all of it.
void StepContacts::set_friction(const VecX& velocity) {
    for (StepContact& contact : contacts_) {
        const ContactPair& pair = contact.pair;
        const auto [a, b] = bodies_of(pair);
        const double speed = (pair.tangents.transpose() * pair.relative(velocity)).norm();
        if (!(speed > lengths_.kinetic_velocity(a, b))) continue;
        contact.friction *= world_.friction.kinetic_ratio(a, b);
    }
}

/// Driven vertices enter the constants of the row, at their targets.
void StepContacts::add_row(const StepContact& contact, const GlobalSystem& system, const VecX& x, const VecX& target,
                           ContactRows& rows) {
    const ContactPair& pair = contact.pair;
    column_.clear();
    for (int i = 0; i < pair.vertex_count(); ++i)
        column_.add(pair.key.vertices[static_cast<std::size_t>(i)], pair.weights[i], system, target);
    const Mat3 frame = pair.frame();
    const Vec3 moved = frame * (column_.driven() - pair.relative(x));
    // Two sides that start too near separate over some steps. In one step they would gain the speed depth / h.
    const double lack = std::max(pair.offset - frame.row(0).dot(pair.relative(x)), 0.0);
    lack_.push_back((1.0 - recovery) * lack);
    rows.add_contact(column_.unknowns(), column_.weights(), frame,
                     frame.row(0).dot(column_.driven()) - pair.offset + (1.0 - recovery) * lack, moved.tail<2>(),
                     contact.friction, contact.share);
}

void StepContacts::spread(const std::vector<double>& forces, StepResult& result) const {
    result.contact_force.setZero(3 * world_.vertex_count());
    result.friction_force.setZero(3 * world_.vertex_count());
    result.contact_state.assign(static_cast<std::size_t>(world_.vertex_count()), ContactState::none);
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const ContactPair& pair = contacts_[k].pair;
        const double* force = forces.data() + 3 * k;
        if (!(force[0] > 0.0)) continue;
        const Vec3 normal = force[0] * pair.normal, friction = pair.tangents * Vec2(force[1], force[2]);
        const ContactState state = contacts_[k].sticks(force) ? ContactState::sticking : ContactState::sliding;
        for (int i = 0; i < pair.vertex_count(); ++i) {
            const Index v = pair.key.vertices[static_cast<std::size_t>(i)];
            result.contact_force.segment<3>(3 * v) += pair.weights[i] * normal;
            result.friction_force.segment<3>(3 * v) += pair.weights[i] * friction;
            ContactState& entry = result.contact_state[static_cast<std::size_t>(v)];
            entry = std::max(entry, state);
        }
    }
}

std::vector<ContactForce> StepContacts::list(const std::vector<double>& forces, const VecX& x) const {
    std::vector<ContactForce> result;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const ContactPair& pair = contacts_[k].pair;
        const double* force = forces.data() + 3 * k;
        // The offset of a pair holds the distance that surfaces keep, which is part of the gap.
        const double gap = pair.gap(x) + contacts_[k].thickness;
        const bool closed = force[0] > 0.0;
        if (!closed && gap >= contacts_[k].thickness) continue;
        ContactForce entry = contact_without_force(world_, pair, gap);
        if (closed) {
            entry.contact_force = force[0] * pair.normal;
            entry.friction_force = pair.tangents * Vec2(force[1], force[2]);
            entry.state = contacts_[k].sticks(force) ? ContactState::sticking : ContactState::sliding;
        }
        result.push_back(entry);
    }
    return result;
}

void StepContacts::warm_start(const std::vector<double>& forces, std::string& bytes) const {
    bytes.clear();
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const double* force = forces.data() + 3 * k;
        if (!(force[0] > 0.0)) continue;
        const ContactPair& pair = contacts_[k].pair;
        const Vec3 friction = pair.tangents * Vec2(force[1], force[2]);
        append_bytes(bytes, {pair.key, force[0], {friction[0], friction[1], friction[2]}});
    }
}

}  // namespace stiction::local_global
