#include "stiction/methods/local_global/contact_pairs.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/base/error.hpp"
#include "stiction/world/contact_offset.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Part of what two sides are too near that a step makes good.
constexpr double recovery = 0.2;

Vec3 relative(const StepContact& pair, const VecX& x) {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < pair.count; ++i)
        sum += pair.weights[i] * x.segment<3>(3 * pair.key.vertices[static_cast<std::size_t>(i)]);
    return sum;
}

constexpr std::size_t record_size = ContactKey::byte_count + 4 * sizeof(double);

}  // namespace

ContactPairs::ContactPairs(const World& world, double thickness)
    : world_(world),
      thickness_(thickness),
      candidates_(world, thickness),
      neighbours_(world.surface, world.vertex_count()) {}

void ContactPairs::find(const State& state, const VecX& prediction) {
    pairs_.clear();
    depth_.clear();
    double farthest = 0.0;
    for (Index v = 0; v < world_.vertex_count(); ++v)
        farthest = std::max(farthest, (prediction - state.x).segment<3>(3 * v).norm());
    const double distance = std::max(StepCandidates::deep_reach * thickness_, 2.0 * (thickness_ + farthest));
    for (const Contact& contact :
         search_.find(candidates_.scene(), candidates_.find(state.x, prediction), state.x, distance).contacts)
        add(contact, state.x, prediction);
    keep_shallowest();
}

double ContactPairs::smallest_gap(const VecX& x) {
    return search_.find(candidates_.scene(), candidates_.find_near(x), x, StepCandidates::near_reach * thickness_)
        .min_gap;
}

void ContactPairs::add(const Contact& contact, const VecX& x, const VecX& prediction) {
    StepContact pair;
    const Index a = contact.vertices[0], b = contact.vertices[static_cast<std::size_t>(contact.vertex_count() - 1)];
    const Index body_a = world_.body_of_vertex[static_cast<std::size_t>(a)],
                body_b = world_.body_of_vertex[static_cast<std::size_t>(b)];
    pair.distance = contact.offset + thickness_;
    pair.friction = world_.friction(body_a, body_b);
    double depth = 0.0;
    if (contact.kind == ContactKind::half_space) {
        pair.key.half_space = true;
        pair.key.vertices = {a, b, -1, -1};
        pair.count = 2;
        pair.weights = {1.0, -1.0, 0.0, 0.0};
        pair.frame.row(0) = contact.normal.normalized().transpose();
    } else {
        pair.key.kind = contact.pair;
        pair.count = vertex_count(contact.pair);
        for (int k = 0; k < pair.count; ++k) {
            const int place =
                contact.kind == ContactKind::mollified_pair ? contact.local[static_cast<std::size_t>(k)] : k;
            pair.key.vertices[static_cast<std::size_t>(k)] = contact.vertices[static_cast<std::size_t>(place)];
        }
        sort_features(pair.key);
        if (held_together(pair.key, first_count(pair.key.kind), pair.count)) return;
        if (neighbours_.nearer_neighbour(pair.key.kind, pair.key.vertices, contact.squared_distance, x)) return;
        Vec3 positions[4];
        gather_stencil(pair.key.vertices, x, positions);
        pair.weights = closest_weights(pair.key.kind, positions);
        const Vec3 apart = separation(pair.key.kind, positions);
        if (!(apart.squaredNorm() > 0.0)) return;
        // The first feature's body is in front of the second one's surface, and the other way round; or both are
        // behind: inside.
        const int first = first_count(pair.key.kind);
        const bool has_a = candidates_.oriented(pair.key.vertices[0]),
                   has_b = candidates_.oriented(pair.key.vertices[static_cast<std::size_t>(first)]);
        const bool behind_b =
            has_b && apart.dot(neighbours_.pseudo_normal(pair.key.vertices, first, pair.count - first, x)) < 0.0;
        const bool behind_a = has_a && apart.dot(neighbours_.pseudo_normal(pair.key.vertices, 0, first, x)) > 0.0;
        const bool inside = (has_a || has_b) && behind_a == has_a && behind_b == has_b;
        if (!inside && (behind_a || behind_b)) return;  // through a body
        if (inside && (body_a == body_b || pair.key.kind == PairKind::edge_edge)) return;
        if (inside) depth = apart.norm();
        Vec3 away = inside ? Vec3(-apart) : apart;
        if (pair.key.kind == PairKind::edge_edge &&
            !(has_a && has_b ? neighbours_.upright(pair.key.vertices, x, away)
                             : neighbours_.straighten(pair.key.vertices, x, away)))
            return;
        pair.frame.row(0) = away.normalized().transpose();
    }
    const Vec3 normal = pair.frame.row(0).transpose();
    pair.frame.bottomRows<2>() = any_tangents(normal).transpose();
    // What touches now may be let go by the prediction, and brought back by elasticity.
    if (normal.dot(relative(pair, x)) - pair.distance > thickness_ &&
        normal.dot(relative(pair, prediction)) - pair.distance > thickness_)
        return;
    if (!pairs_.empty() && pairs_.back().key == pair.key) return;
    pairs_.push_back(pair);
    depth_.push_back(depth);
}

void ContactPairs::leave_out(std::vector<std::array<Index, 2>> held) {
    held_ = std::move(held);
    std::sort(held_.begin(), held_.end());
}

bool ContactPairs::held_together(const ContactKey& key, int first, int count) const {
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

/// What is inside a body leaves it the shortest way: of the pairs of a point that is in there, only the least deep one
/// stays.
void ContactPairs::keep_shallowest() {
    const auto place = [&](const StepContact& pair) -> std::array<Index, 2> {
        return {pair.key.vertices[0], world_.body_of_vertex[static_cast<std::size_t>(pair.key.vertices[1])]};
    };
    inside_.clear();
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        if (depth_[k] > 0.0) inside_.push_back({place(pairs_[k]), depth_[k]});
    }
    if (inside_.empty()) return;
    std::sort(inside_.begin(), inside_.end());
    const auto shallowest = [&](const StepContact& pair) {
        return std::lower_bound(inside_.begin(), inside_.end(), Inside{place(pair), 0.0})->depth;
    };
    std::size_t kept = 0;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        if (depth_[k] > 0.0 && depth_[k] > shallowest(pairs_[k])) continue;
        depth_[kept] = depth_[k];
        pairs_[kept++] = pairs_[k];
    }
    pairs_.resize(kept);
    depth_.resize(kept);
}

void ContactPairs::fill(const GlobalSystem& system, const State& state, const VecX& target,
                        const std::string& warm_start, ContactRows& rows, std::vector<double>& lambda) {
    const auto has_unknown = [&](const StepContact& pair) {
        return std::any_of(pair.key.vertices.begin(), pair.key.vertices.begin() + pair.count,
                           [&](Index v) { return system.unknown_of(v) >= 0; });
    };
    std::erase_if(pairs_, [&](const StepContact& pair) { return !has_unknown(pair); });
    std::sort(pairs_.begin(), pairs_.end(), [](const StepContact& a, const StepContact& b) { return a.key < b.key; });
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end(),
                             [](const StepContact& a, const StepContact& b) { return a.key == b.key; }),
                 pairs_.end());
    remember(warm_start);
    rows.clear();
    lambda.assign(3 * pairs_.size(), 0.0);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        const StepContact& pair = pairs_[k];
        std::array<Index, 4> unknowns{};
        std::array<double, 4> weights{};
        std::size_t count = 0;
        Vec3 driven = Vec3::Zero();
        for (int i = 0; i < pair.count; ++i) {
            const Index v = pair.key.vertices[static_cast<std::size_t>(i)];
            if (system.unknown_of(v) < 0) {
                driven += pair.weights[i] * target.segment<3>(3 * v);
                continue;
            }
            unknowns[count] = system.unknown_of(v);
            weights[count++] = pair.weights[i];
        }
        const Vec3 moved = pair.frame * (driven - relative(pair, state.x));
        // What is too near at the start comes apart over some steps, not at the speed of its depth over h.
        const double lack = std::max(pair.distance - pair.frame.row(0).dot(relative(pair, state.x)), 0.0);
        rows.add_contact({unknowns.data(), count}, {weights.data(), count}, pair.frame,
                         pair.frame.row(0).dot(driven) - pair.distance + (1.0 - recovery) * lack, moved.tail<2>(),
                         pair.friction);
        const auto found =
            std::lower_bound(remembered_.begin(), remembered_.end(), pair.key,
                             [](const Remembered& force, const ContactKey& key) { return force.key < key; });
        if (found == remembered_.end() || found->key != pair.key) continue;
        const auto& friction = found->friction;
        lambda[3 * k] = found->normal;
        Eigen::Map<Vec2>(lambda.data() + 3 * k + 1) =
            pair.frame.bottomRows<2>() * Vec3(friction[0], friction[1], friction[2]);
    }
}

void ContactPairs::spread(const std::vector<double>& forces, StepResult& result) const {
    result.contact_force.setZero(3 * world_.vertex_count());
    result.friction_force.setZero(3 * world_.vertex_count());
    result.contact_state.assign(static_cast<std::size_t>(world_.vertex_count()), ContactState::none);
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        const StepContact& pair = pairs_[k];
        if (!(forces[3 * k] > 0.0)) continue;
        const Vec3 normal = forces[3 * k] * pair.frame.row(0).transpose();
        const Vec2 tangential(forces[3 * k + 1], forces[3 * k + 2]);
        const Vec3 friction = pair.frame.bottomRows<2>().transpose() * tangential;
        const ContactState state = pair.sticks(forces.data() + 3 * k) ? ContactState::sticking : ContactState::sliding;
        for (int i = 0; i < pair.count; ++i) {
            const Index v = pair.key.vertices[static_cast<std::size_t>(i)];
            result.contact_force.segment<3>(3 * v) += pair.weights[i] * normal;
            result.friction_force.segment<3>(3 * v) += pair.weights[i] * friction;
            ContactState& entry = result.contact_state[static_cast<std::size_t>(v)];
            entry = std::max(entry, state);
        }
    }
}

/// What warm_start() wrote.
void ContactPairs::remember(const std::string& bytes) {
    STICTION_CHECK(bytes.size() % record_size == 0, "warm start of another size");
    remembered_.clear();
    for (const char* at = bytes.data(); at != bytes.data() + bytes.size();) {
        Remembered force;
        take_bytes(at, force.key);
        take_bytes(at, force.normal);
        take_bytes(at, force.friction);
        remembered_.push_back(force);
    }
    std::sort(remembered_.begin(), remembered_.end(),
              [](const Remembered& a, const Remembered& b) { return a.key < b.key; });
}

void ContactPairs::warm_start(const std::vector<double>& forces, std::string& bytes) const {
    bytes.clear();
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        if (!(forces[3 * k] > 0.0)) continue;
        const StepContact& pair = pairs_[k];
        const Vec3 friction = pair.frame.bottomRows<2>().transpose() * Vec2(forces[3 * k + 1], forces[3 * k + 2]);
        append_bytes(bytes, pair.key);
        append_bytes(bytes, forces[3 * k]);
        append_bytes(bytes, std::array<double, 3>{friction[0], friction[1], friction[2]});
    }
}

}  // namespace stiction::local_global
