#include "stiction/methods/mlcp/step_contacts.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace stiction::mlcp {
namespace {

/// Largest change of a normal in one linearisation (rad).
constexpr double largest_turn = 15.0 * std::numbers::pi / 180.0;
/// Linearisations of a contact in a step. A pair that collides again after that becomes a second contact.
constexpr int most_linearisations = 4;
/// Solves of a step that one contact may ask for because its gap is outside (0, eps_2).
constexpr int most_repeats = 8;

/// A closed contact at the end of a step.
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

/// Expresses friction (N, world frame) in the tangents of a pair.
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

/// Friction that a sliding contact starts the next step with: gamma + slip / S, projected onto the disk of radius mu
/// lambda, or of a pyramid onto the square. Inside of it the contact sticks.
Vec2 next_friction(const StepContact& contact, const Vec2& slip, FrictionUpdate update, ContactMode& mode) {
    const Vec2 friction = contact.unknowns.friction();
    const double size = contact.sliding_coefficient * std::max(contact.unknowns.normal, 0.0);
    if (!(contact.tangential_compliance > 0.0) || !(size > 0.0)) return friction;
    const Vec2 trial = friction + slip / contact.tangential_compliance;
    const bool pyramid = update == FrictionUpdate::pyramid;
    const double length = pyramid ? trial.lpNorm<Eigen::Infinity>() : trial.norm();
    if (length > size) return pyramid ? Vec2(trial.cwiseMax(-size).cwiseMin(size)) : Vec2(size / length * trial);
    mode = ContactMode::sticking;
    return trial;
}

ContactState state_of(const StepContact& contact) {
    switch (contact.unknowns.mode) {
        case ContactMode::open: return ContactState::none;
        case ContactMode::sticking: return ContactState::sticking;
        case ContactMode::sliding: break;
    }
    return ContactState::sliding;
}

/// Contact and friction force on the first feature (N).
std::array<Vec3, 2> forces_of(const StepContact& contact) {
    return {contact.unknowns.normal * contact.pair.normal, -in_world(contact.pair, contact.unknowns.friction())};
}

/// Inverse masses of the deformable bodies (1/kg). 0 for rigid bodies, whose mass is a diagonal block of A, and for
/// obstacles, which do not move.
std::vector<double> inverse_masses(const World& world) {
    std::vector<double> result;
    for (const Body& body : world.bodies) {
        const double mass = world.mass_of(body);
        result.push_back(body.kind == BodyKind::deformable && mass > 0.0 ? 1.0 / mass : 0.0);
    }
    return result;
}

/// Moves the linearisation of a contact to a pair, as far as largest_turn allows. Its friction keeps its direction.
void linearise(const ContactPair& wanted, StepContact& contact) {
    const Vec3 friction = in_world(contact.pair, contact.unknowns.friction());
    turn_towards(wanted, contact.pair);
    set_friction(friction, contact.pair, contact.unknowns);
    ++contact.linearisations;
}

auto positions_in(const VecX& x) {
    return [&x](Index v) -> Vec3 { return x.segment<3>(3 * v); };
}

}  // namespace

StepContacts::StepContacts(const World& world, const SurfaceNeighbours& neighbours, const State& state,
                           const VelocityProblem& velocities, const ContactSet& touching, const Limits& limits)
    : world_(world),
      neighbours_(neighbours),
      state_(state),
      velocities_(velocities),
      limits_(limits),
      initial_velocities_(velocities.initial_velocities()),
      inverse_mass_(inverse_masses(world)) {
    const auto remembered = state.warm_start.find(warm_start_key);
    const auto known = records(remembered != state.warm_start.end() ? remembered->second : std::string());
    for (const Contact& found : touching.contacts) {
        StepContact contact;
        contact.pair = contact_pair(found, state.x);
        neighbours.turn_upright(positions_in(state.x), state.x, contact.pair);
        if (!velocities.can_separate(contact.pair)) continue;
        contact.share = share_of(contact.pair);
        const auto entry = known.find(contact.pair.key);
        if (entry != known.end()) {
            const Remembered& record = entry->second;
            contact.unknowns.mode = record.mode;
            contact.unknowns.normal = contact.unknowns.last_normal = record.normal;
            contact.slip_error = Vec3(record.slip_error[0], record.slip_error[1], record.slip_error[2]);
            set_friction(Vec3(record.friction[0], record.friction[1], record.friction[2]), contact.pair,
                         contact.unknowns);
        }
        contacts_.push_back(contact);
    }
    std::sort(contacts_.begin(), contacts_.end(),
              [](const StepContact& a, const StepContact& b) { return a.pair.key < b.pair.key; });
    contacts_.erase(std::unique(contacts_.begin(), contacts_.end(),
                                [](const StepContact& a, const StepContact& b) { return a.pair.key == b.pair.key; }),
                    contacts_.end());
}

int StepContacts::closed() const {
    return static_cast<int>(std::count_if(contacts_.begin(), contacts_.end(), [](const StepContact& contact) {
        return contact.unknowns.mode != ContactMode::open;
    }));
}

bool StepContacts::any_rigid() const {
    return std::any_of(contacts_.begin(), contacts_.end(), [&](const StepContact& contact) {
        const auto& vertices = contact.pair.key.vertices;
        return world_.is_rigid(vertices[0]) ||
               world_.is_rigid(vertices[static_cast<std::size_t>(contact.pair.vertex_count() - 1)]);
    });
}

std::vector<std::size_t> StepContacts::groups() const {
    std::vector<std::size_t> root(world_.bodies.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](Index body) {
        auto k = static_cast<std::size_t>(body);
        while (root[k] != k) k = root[k] = root[root[k]];
        return k;
    };
    for (const StepContact& contact : contacts_) {
        const auto [a, b] = bodies(contact.pair);
        const auto is_obstacle = [&](Index body) {
            return world_.bodies[static_cast<std::size_t>(body)].is_obstacle();
        };
        if (is_obstacle(a) || is_obstacle(b)) continue;
        const std::size_t one = find(a), other = find(b);
        root[std::max(one, other)] = std::min(one, other);
    }
    // A root comes before the rest of its group.
    std::vector<std::size_t> number(root.size());
    std::size_t count = 0;
    for (std::size_t k = 0; k < root.size(); ++k) {
        const std::size_t first = find(static_cast<Index>(k));
        number[k] = world_.bodies[k].is_obstacle() ? 0 : first == k ? count++ : number[first];
    }
    return number;
}

void StepContacts::add(const std::vector<Collision>& collisions, const VecX& x_end) {
    const std::size_t known = contacts_.size();
    for (const Collision& collision : collisions) {
        if (collision.prescribed) continue;
        const auto same = [&](const StepContact& contact) {
            return contact.pair.key == collision.pair.key && contact.linearisations < most_linearisations;
        };
        const auto end = contacts_.begin() + static_cast<std::ptrdiff_t>(known);
        const auto found = std::find_if(contacts_.begin(), end, same);
        if (found != end) {
            linearise(collision.pair, *found);
            continue;
        }
        StepContact contact;
        contact.pair = collision.pair;
        contact.share = share_of(contact.pair);
        contact.free_slip = collision.time * (contact.pair.relative(x_end) - contact.pair.relative(state_.x));
        contacts_.push_back(contact);
    }
}

bool StepContacts::linearise_again(const VecX& x_end) {
    bool changed = false;
    for (StepContact& contact : contacts_) {
        if (contact.unknowns.mode == ContactMode::open) continue;
        const double gap = contact.pair.gap(x_end);
        if ((gap <= 0.0 || gap >= distance_tolerance(contact)) && contact.repeats < most_repeats) {
            ++contact.repeats;
            changed = true;
            continue;
        }
        if (contact.linearisations >= most_linearisations) continue;
        ContactPair wanted = contact.pair;
        // A contact that slid off its features keeps its linearisation to the end of the step: without it the vertex
        // would fall through the next feature.
        if (!update_closest_points(x_end, wanted)) continue;
        neighbours_.turn_upright(positions_in(x_end), state_.x, wanted);
        if (std::abs(wanted.gap(x_end) - contact.pair.gap(x_end)) < 0.5 * distance_tolerance(contact)) continue;
        linearise(wanted, contact);
        changed = true;
    }
    return changed;
}

std::array<Index, 2> StepContacts::bodies(const ContactPair& pair) const {
    const Index a = world_.body_of_vertex[static_cast<std::size_t>(pair.key.vertices[0])];
    const Index b = world_.body_of_vertex[static_cast<std::size_t>(
        pair.key.vertices[static_cast<std::size_t>(pair.vertex_count() - 1)])];
    return {a, b};
}

double StepContacts::share_of(const ContactPair& pair) const {
    const auto [a, b] = bodies(pair);
    return limits_.share(a, b);
}

void StepContacts::fill(const VecX& v, const VecX& x_end, std::vector<ContactConstraint>& constraints) const {
    constraints.assign(contacts_.size(), {});
    parallel_for(contacts_.size(), [&](std::size_t k) { constraints[k] = constraint(contacts_[k], v, x_end); });
}

ContactConstraint StepContacts::constraint(const StepContact& contact, const VecX& v, const VecX& x_end) const {
    const ContactPair& pair = contact.pair;
    ContactConstraint constraint;
    const Mat3 frame = pair.frame();
    Vec3 known = Vec3::Zero();
    for (int i = 0; i < pair.vertex_count(); ++i) {
        const Index vertex = pair.key.vertices[static_cast<std::size_t>(i)];
        known += pair.weights[i] * velocities_.displacement_remainder(vertex, v, x_end);
        velocities_.for_each_displacement_term(
            vertex, [&](Index node, const Mat3& block) { constraint.add(node, pair.weights[i] * frame * block); });
    }
    // The target of the gap is the middle of (0, eps_2), so that rounding reaches neither end. Where part of the pair
    // is driven to less than that, the rest opens it as far as it would a gap of its own.
    const double opening = 0.5 * distance_tolerance(contact) - pair.gap(state_.x) - pair.normal.dot(known);
    constraint.target[0] = opening > 0.0 ? opening * share_that_opens(pair) : opening;
    constraint.target.tail<2>() = in_plane(pair, contact.free_slip - contact.slip_error - known);
    const auto [a, b] = bodies(pair);
    constraint.share = contact.share;
    constraint.friction = world_.friction(a, b);
    constraint.body_compliance =
        velocities_.h() * velocities_.h() *
        (inverse_mass_[static_cast<std::size_t>(a)] + (a == b ? 0.0 : inverse_mass_[static_cast<std::size_t>(b)]));
    // Static friction has to be overcome first where the surfaces are at rest against each other.
    const double speed = in_plane(pair, pair.relative(initial_velocities_)).norm();
    constraint.kinetic_ratio = speed > limits_.kinetic_velocity_of(a, b) ? world_.friction.kinetic_ratio(a, b) : 1.0;
    return constraint;
}

/// The lever; one that is 1 but for rounding is 1, so that free pairs keep their bits.
double StepContacts::share_that_opens(const ContactPair& pair) const {
    const double lever = velocities_.lever(pair);
    return lever > 0.999 ? 1.0 : lever;
}

std::string StepContacts::warm_start(const VecX& x_end, FrictionUpdate update) const {
    std::string bytes;
    for (const StepContact& contact : contacts_) {
        if (contact.unknowns.mode == ContactMode::open) continue;
        const Vec2 slip = in_plane(contact.pair, contact.pair.relative(x_end) - contact.pair.relative(state_.x) -
                                                     contact.free_slip + contact.slip_error);
        const bool sticks = contact.unknowns.mode == ContactMode::sticking;
        ContactMode mode = contact.unknowns.mode;
        const Vec3 friction =
            in_world(contact.pair, mode == ContactMode::sliding ? next_friction(contact, slip, update, mode)
                                                                : contact.unknowns.friction());
        const Vec3 error = sticks ? in_world(contact.pair, slip) : Vec3(Vec3::Zero());
        append_record(bytes, Remembered{contact.pair.key,
                                        mode,
                                        contact.unknowns.normal,
                                        {friction.x(), friction.y(), friction.z()},
                                        {error.x(), error.y(), error.z()}});
    }
    return bytes;
}

void StepContacts::fill_forces(StepResult& result) const {
    result.contact_force.setZero(3 * static_cast<Eigen::Index>(world_.vertex_count()));
    result.friction_force.setZero(3 * static_cast<Eigen::Index>(world_.vertex_count()));
    result.contact_state.assign(static_cast<std::size_t>(world_.vertex_count()), ContactState::none);
    for (const StepContact& contact : contacts_) {
        if (contact.unknowns.mode == ContactMode::open) continue;
        const auto [normal, friction] = forces_of(contact);
        const ContactState state = state_of(contact);
        for (int i = 0; i < contact.pair.vertex_count(); ++i) {
            const Index vertex = contact.pair.key.vertices[static_cast<std::size_t>(i)];
            result.contact_force.segment<3>(3 * vertex) += contact.pair.weights[i] * normal;
            result.friction_force.segment<3>(3 * vertex) += contact.pair.weights[i] * friction;
            auto& entry = result.contact_state[static_cast<std::size_t>(vertex)];
            entry = std::max(entry, state);
        }
    }
}

std::vector<ContactForce> StepContacts::list_contacts(const VecX& x_end) const {
    std::vector<ContactForce> list;
    for (const StepContact& contact : contacts_) {
        const double gap = contact.pair.gap(x_end);
        const bool open = contact.unknowns.mode == ContactMode::open;
        if (open && gap >= distance_tolerance(contact)) continue;
        ContactForce entry = contact_without_force(world_, contact.pair, gap);
        entry.state = state_of(contact);
        if (!open) {
            const auto [normal, friction] = forces_of(contact);
            entry.contact_force = normal;
            entry.friction_force = friction;
        }
        list.push_back(entry);
    }
    return list;
}

}  // namespace stiction::mlcp
