#include "stiction/methods/mlcp/contact_switching.hpp"

#include <cmath>

namespace stiction {
namespace {

ContactChange close(const ContactConstraint& contact, const Vec2& slip, ContactUnknowns& unknowns) {
    const double speed = slip.norm();
    unknowns = ContactUnknowns{};
    unknowns.mode = contact.friction > 0.0 && speed == 0.0 ? ContactMode::sticking : ContactMode::sliding;
    if (speed > 0.0) unknowns.direction = slip / speed;
    return ContactChange::mode;
}

/// |gamma| > mu lambda while the slip goes with the friction: it is too much.
bool slips(const ContactConstraint& contact, const Vec2& slip, double compliance, bool settled, double tolerance, const ContactUnknowns& unknowns) {
    const double excess = unknowns.sticking.norm() - contact.friction * std::max(unknowns.normal, 0.0);
    return compliance * excess > tolerance && (settled || slip.dot(unknowns.sticking) > 0.0);
}

/// Where friction of a size points next: a step of projected gradients, which turns far where the slip is large against what the force does to it, and
/// little where a turn would reverse the slip.
Vec2 turned(const Vec2& slip, double size, double compliance, const SwitchingOptions& options, const Vec2& direction) {
    const double speed = slip.norm();
    if (speed <= options.distance_tolerance) return direction;
    if (direction.isZero()) return slip / speed;
    if (slip.dot(direction) >= speed * std::cos(options.turning_angle)) return direction;
    const Vec2 wanted = size * direction + options.turning_rate / compliance * slip;
    return wanted.isZero() ? direction : Vec2(wanted.normalized());
}

/// Coefficient while it slides.
double kinetic(const ContactConstraint& contact) { return contact.kinetic_ratio * contact.friction; }

double tangential_compliance(const Vec3& compliance) { return 0.5 * (compliance[1] + compliance[2]); }

/// Algorithm 3.
ContactChange update_sliding(const ContactConstraint& contact, const Vec2& slip, double compliance, const SwitchingOptions& options, ContactUnknowns& unknowns) {
    const double average = 0.5 * (std::max(unknowns.normal, 0.0) + unknowns.last_normal);
    const Vec2 direction = turned(slip, kinetic(contact) * average, compliance, options, unknowns.direction);
    // Neither the average, since that of two extremes looks like a solution where the normal force swings to and fro, nor the turned direction, since a small turn may
    // be left of a large angle.
    const bool aligned = slip.norm() <= options.distance_tolerance || slip.dot(unknowns.direction) >= slip.norm() * std::cos(options.turning_angle);
    const Vec2 wanted = kinetic(contact) * std::max(unknowns.normal, 0.0) * (aligned ? unknowns.direction : Vec2(slip.normalized()));
    if (compliance * (wanted - unknowns.sliding).norm() <= options.distance_tolerance) return ContactChange::none;
    const Vec2 force = kinetic(contact) * average * direction;
    unknowns.last_normal = std::max(unknowns.normal, 0.0);
    unknowns.direction = direction;
    unknowns.sliding = force;
    return ContactChange::force;
}

}  // namespace

Vec2 coulomb_friction(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance, const SwitchingOptions& options, const ContactUnknowns& unknowns) {
    const double size = kinetic(contact) * std::max(unknowns.normal, 0.0);
    return size * turned(motion.tail<2>(), size, tangential_compliance(compliance), options, unknowns.direction);
}

std::uint8_t active_rows(const ContactConstraint& contact, ContactMode mode) {
    if (mode == ContactMode::open) return 0;
    return mode == ContactMode::sticking && contact.friction > 0.0 ? 3 : 1;
}

ContactChange evaluate_contact(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance, Progress progress, const SwitchingOptions& options,
                               ContactUnknowns& unknowns) {
    const bool settled = progress != Progress::iterating;
    const double tolerance = options.distance_tolerance;
    const Vec2 slip = motion.tail<2>();
    if (unknowns.mode == ContactMode::open) {
        return motion[0] < -tolerance ? close(contact, slip, unknowns) : ContactChange::none;
    }
    // Once the equations are solved the distance is zero to within the tolerance, and the force alone tells.
    const bool pulls = settled ? compliance[0] * unknowns.normal < -tolerance : motion[0] >= 0.0 && unknowns.normal <= 0.0 &&
                                     std::max(motion[0], -compliance[0] * unknowns.normal) > tolerance;
    // Rows that contradict each other: those that ask for more than the others let them have are the ones to give way.
    const bool gives_way = progress == Progress::contradictory && motion[0] > tolerance;
    if (pulls || gives_way) {
        unknowns = ContactUnknowns{};
        return ContactChange::mode;
    }
    if (contact.friction == 0.0) return ContactChange::none;
    const double tangential = tangential_compliance(compliance);
    if (unknowns.mode == ContactMode::sticking) {
        const bool torn = progress == Progress::contradictory && slip.norm() > tolerance && !unknowns.sticking.isZero();
        if (!torn && !slips(contact, slip, tangential, settled, tolerance, unknowns)) return ContactChange::none;
        unknowns.mode = ContactMode::sliding;
        unknowns.direction = unknowns.sticking.normalized();
        unknowns.last_normal = std::max(unknowns.normal, 0.0);
        unknowns.sliding = unknowns.sticking;
        unknowns.sticking.setZero();
        return ContactChange::mode;
    }
    if (slip.dot(unknowns.direction) < -tolerance) {
        unknowns.mode = ContactMode::sticking;
        unknowns.sticking = unknowns.sliding;
        unknowns.sliding.setZero();
        return ContactChange::mode;
    }
    return update_sliding(contact, slip, tangential, options, unknowns);
}

}  // namespace stiction
