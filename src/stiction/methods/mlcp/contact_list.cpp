#include "stiction/methods/mlcp/contact_list.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace stiction {
namespace {

constexpr double largest_turn = 15.0 * std::numbers::pi / 180.0;
/// Times that a row is turned in a step, before another one is put beside it.
constexpr int most_linearisations = 4;
/// Times that a row may ask for another solve, because linear motion left its gap outside (0, eps_2).
constexpr int most_repeats = 8;

/// What is carried over, as bytes.
struct Remembered {
    ContactKey key;
    ContactMode mode;
    double normal;
    std::array<double, 3> friction, slip_error;  ///< world frame (N, m)
};

Vec3 in_world(const ContactPair& pair, const Vec2& tangential) {
    return pair.tangents * tangential;
}
Vec2 in_plane(const ContactPair& pair, const Vec3& vector) {
    return pair.tangents.transpose() * vector;
}

/// Turns the normal of a pair toward that of `wanted`, by at most largest_turn, and takes the weights along as far as
/// it got (Verschoor and Jalba 2019, equation 21).
void turn_towards(const ContactPair& wanted, ContactPair& pair) {
    const double angle = std::acos(std::clamp(pair.normal.dot(wanted.normal), -1.0, 1.0));
    if (angle <= largest_turn) {
        pair = wanted;
        return;
    }
    const double part = largest_turn / angle;
    const Vec3 across = (wanted.normal - pair.normal.dot(wanted.normal) * pair.normal).normalized();
    pair.normal = (std::cos(largest_turn) * pair.normal + std::sin(largest_turn) * across).normalized();
    pair.weights += part * (wanted.weights - pair.weights);
    pair.tangents = any_tangents(pair.normal);
}

constexpr std::size_t record_size = ContactKey::byte_count + 1 + 7 * sizeof(double);

void append_record(std::string& bytes, const Remembered& record) {
    append_bytes(bytes, record.key);
    append_bytes(bytes, static_cast<std::uint8_t>(record.mode));
    append_bytes(bytes, record.normal);
    append_bytes(bytes, record.friction);
    append_bytes(bytes, record.slip_error);
}

std::map<ContactKey, Remembered> records(const std::string& bytes) {
    STICTION_CHECK(bytes.size() % record_size == 0, "warm start of another size");
    std::map<ContactKey, Remembered> result;
    const char* at = bytes.data();
    while (at != bytes.data() + bytes.size()) {
        Remembered record;
        std::uint8_t mode = 0;
        take_bytes(at, record.key);
        take_bytes(at, mode);
        take_bytes(at, record.normal);
        take_bytes(at, record.friction);
        take_bytes(at, record.slip_error);
        record.mode = static_cast<ContactMode>(mode);
        result.emplace(record.key, record);
    }
    return result;
}

/// Friction of the row, expressed in another frame.
void set_friction(const Vec3& friction, const ContactPair& pair, ContactUnknowns& unknowns) {
    const Vec2 force = in_plane(pair, friction);
    if (unknowns.mode == ContactMode::sticking) {
        unknowns.sticking = force;
    } else if (unknowns.mode == ContactMode::sliding) {
        unknowns.sliding = force;
        unknowns.sticking.setZero();
        unknowns.turning_compliance = -1.0;
        unknowns.direction = force.isZero() ? force : Vec2(force.normalized());
    }
}

/// Friction of a sliding row for the step to come, gamma + slip / S projected onto the disk of radius mu lambda; inside
/// of it the row is going to stick.
Vec2 next_friction(const ContactRow& row, const Vec2& slip, ContactMode& mode) {
    const Vec2 friction = row.unknowns.friction();
    const double size = row.sliding_coefficient * std::max(row.unknowns.normal, 0.0);
    if (!(row.tangential_compliance > 0.0) || !(size > 0.0)) return friction;
    const Vec2 trial = friction + slip / row.tangential_compliance;
    const double length = trial.norm();
    if (length > size) return size / length * trial;
    mode = ContactMode::sticking;
    return trial;
}

/// Of every deformable body (1/kg); 0 for the others: rigid ones show theirs in the matrix, obstacles do not move.
std::vector<double> inverse_masses(const World& world) {
    std::vector<double> result;
    for (const Body& body : world.bodies) {
        const double mass = world.mass.segment(body.first_vertex, body.vertex_count()).sum();
        result.push_back(body.kind == BodyKind::deformable && mass > 0.0 ? 1.0 / mass : 0.0);
    }
    return result;
}

}  // namespace

ContactList::ContactList(const World& world, const ContactSet& touching, const VecX& x, const MlcpLimits& limits,
                         const std::string& warm_start)
    : world_(world),
      distance_tolerance_(limits.distance),
      kinetic_velocity_(limits.kinetic_velocity),
      inverse_mass_(inverse_masses(world)) {
    const auto known = records(warm_start);
    for (const Contact& contact : touching.contacts) {
        ContactRow row;
        row.pair = contact_pair(contact, x);
        const auto found = known.find(row.pair.key);
        if (found != known.end()) {
            const Remembered& record = found->second;
            row.unknowns.mode = record.mode;
            row.unknowns.normal = row.unknowns.last_normal = record.normal;
            row.slip_error = Vec3(record.slip_error[0], record.slip_error[1], record.slip_error[2]);
            set_friction(Vec3(record.friction[0], record.friction[1], record.friction[2]), row.pair, row.unknowns);
        }
        rows_.push_back(row);
    }
    std::sort(rows_.begin(), rows_.end(),
              [](const ContactRow& a, const ContactRow& b) { return a.pair.key < b.pair.key; });
    rows_.erase(std::unique(rows_.begin(), rows_.end(),
                            [](const ContactRow& a, const ContactRow& b) { return a.pair.key == b.pair.key; }),
                rows_.end());
}

void ContactList::turn(const ContactPair& wanted, ContactRow& row) const {
    const Vec3 friction = in_world(row.pair, row.unknowns.friction());
    turn_towards(wanted, row.pair);
    set_friction(friction, row.pair, row.unknowns);
    ++row.linearisations;
}

void ContactList::add(const std::vector<Encounter>& encounters, const VecX& x_start, const VecX& x_end) {
    const std::size_t known = rows_.size();
    for (const Encounter& encounter : encounters) {
        const auto same = [&](const ContactRow& row) {
            return row.pair.key == encounter.pair.key && row.linearisations < most_linearisations;
        };
        const auto found = std::find_if(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(known), same);
        if (found != rows_.begin() + static_cast<std::ptrdiff_t>(known)) {
            turn(encounter.pair, *found);
            continue;
        }
        ContactRow row;
        row.pair = encounter.pair;
        row.free_slip = encounter.time * (row.pair.relative(x_end) - row.pair.relative(x_start));
        rows_.push_back(row);
    }
}

bool ContactList::linearise_again(const VecX& x_end) {
    bool turned = false;
    for (ContactRow& row : rows_) {
        if (row.unknowns.mode == ContactMode::open) continue;
        const double gap = row.pair.gap(x_end);
        if ((gap <= 0.0 || gap >= distance_tolerance_) && row.repeats < most_repeats) {
            ++row.repeats;
            turned = true;
            continue;
        }
        if (row.linearisations >= most_linearisations) continue;
        ContactPair wanted = row.pair;
        // What slid off its features holds against their continuation until the end of the step: to let it go would let
        // it fall through what comes next.
        if (!update_closest_points(x_end, wanted) ||
            std::abs(wanted.gap(x_end) - row.pair.gap(x_end)) < 0.5 * distance_tolerance_)
            continue;
        turn(wanted, row);
        turned = true;
    }
    return turned;
}

std::array<Index, 2> ContactList::bodies(const ContactPair& pair) const {
    const Index a = world_.body_of_vertex[static_cast<std::size_t>(pair.key.vertices[0])];
    const Index b = world_.body_of_vertex[static_cast<std::size_t>(
        pair.key.vertices[static_cast<std::size_t>(pair.vertex_count() - 1)])];
    return {a, b};
}

void ContactList::fill(const VelocityProblem& velocities, const State& start, const VecX& speeds, const VecX& v,
                       const VecX& x_end, std::vector<ContactConstraint>& constraints) const {
    constraints.assign(rows_.size(), {});
    parallel_for(rows_.size(), [&](std::size_t k) {
        const ContactRow& row = rows_[k];
        const ContactPair& pair = row.pair;
        ContactConstraint& constraint = constraints[k];
        const Mat3 frame = pair.frame();
        Vec3 known = Vec3::Zero();
        for (int i = 0; i < pair.vertex_count(); ++i) {
            const Index vertex = pair.key.vertices[static_cast<std::size_t>(i)];
            known += pair.weights[i] * velocities.remainder(vertex, v, x_end);
            for (const VelocityProblem::Part& part : velocities.parts(vertex)) {
                if (part.node < 0) continue;
                const auto end = constraint.nodes.begin() + constraint.node_count;
                const auto place = static_cast<std::size_t>(std::find(constraint.nodes.begin(), end, part.node) -
                                                            constraint.nodes.begin());
                if (static_cast<int>(place) == constraint.node_count) {
                    constraint.nodes[place] = part.node;
                    constraint.jacobian[place].setZero();
                    ++constraint.node_count;
                }
                constraint.jacobian[place] += pair.weights[i] * frame * part.block;
            }
        }
        // The middle of what is allowed, so that neither side is reached by rounding.
        constraint.target[0] = 0.5 * distance_tolerance_ - pair.gap(start.x) - pair.normal.dot(known);
        constraint.target.tail<2>() = in_plane(pair, row.free_slip - row.slip_error - known);
        const auto [a, b] = bodies(pair);
        constraint.friction = world_.friction(a, b);
        constraint.body_compliance =
            velocities.h() * velocities.h() *
            (inverse_mass_[static_cast<std::size_t>(a)] + (a == b ? 0.0 : inverse_mass_[static_cast<std::size_t>(b)]));
        // What was at rest against each other at the start of the step has to be torn loose first.
        const double speed = in_plane(pair, pair.relative(speeds)).norm();
        constraint.kinetic_ratio = speed > kinetic_velocity_ ? world_.friction.kinetic_ratio(a, b) : 1.0;
    });
}

std::string ContactList::warm_start(const VecX& x_start, const VecX& x_end) const {
    std::string bytes;
    for (const ContactRow& row : rows_) {
        if (row.unknowns.mode == ContactMode::open) continue;
        const Vec2 slip =
            in_plane(row.pair, row.pair.relative(x_end) - row.pair.relative(x_start) - row.free_slip + row.slip_error);
        ContactMode mode = row.unknowns.mode;
        const Vec3 friction =
            in_world(row.pair, mode == ContactMode::sliding ? next_friction(row, slip, mode) : row.unknowns.friction());
        // What slid has nothing to take back.
        const Vec3 error = row.unknowns.mode == ContactMode::sticking ? in_world(row.pair, slip) : Vec3(Vec3::Zero());
        append_record(bytes, Remembered{row.pair.key,
                                        mode,
                                        row.unknowns.normal,
                                        {friction.x(), friction.y(), friction.z()},
                                        {error.x(), error.y(), error.z()}});
    }
    return bytes;
}

void ContactList::fill_forces(StepResult& result, Index vertex_count) const {
    result.contact_force.setZero(3 * static_cast<Eigen::Index>(vertex_count));
    result.friction_force.setZero(3 * static_cast<Eigen::Index>(vertex_count));
    result.contact_state.assign(static_cast<std::size_t>(vertex_count), ContactState::none);
    for (const ContactRow& row : rows_) {
        if (row.unknowns.mode == ContactMode::open) continue;
        const Vec3 push = row.unknowns.normal * row.pair.normal, rub = -in_world(row.pair, row.unknowns.friction());
        const ContactState does =
            row.unknowns.mode == ContactMode::sticking ? ContactState::sticking : ContactState::sliding;
        for (int i = 0; i < row.pair.vertex_count(); ++i) {
            const Index vertex = row.pair.key.vertices[static_cast<std::size_t>(i)];
            result.contact_force.segment<3>(3 * vertex) += row.pair.weights[i] * push;
            result.friction_force.segment<3>(3 * vertex) += row.pair.weights[i] * rub;
            auto& state = result.contact_state[static_cast<std::size_t>(vertex)];
            state = std::max(state, does);
        }
    }
}

}  // namespace stiction
