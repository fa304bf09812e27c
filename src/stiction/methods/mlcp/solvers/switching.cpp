#include "stiction/methods/mlcp/solvers/switching.hpp"

#include <cmath>

namespace stiction::mlcp {
namespace {

ContactChange close(const ContactConstraint& contact, const Vec2& slip, ContactUnknowns& unknowns) {
    const double speed = slip.norm();
    unknowns = ContactUnknowns{};
    unknowns.mode = contact.friction > 0.0 && speed == 0.0 ? ContactMode::sticking : ContactMode::sliding;
    if (speed > 0.0) unknowns.direction = slip / speed;
    return ContactChange::mode;
}

/// Whether friction is too large: |gamma| > mu lambda, and the slip is in the direction of gamma.
bool slips(const ContactConstraint& contact, const Vec2& slip, double compliance, bool settled, double tolerance,
           const ContactUnknowns& unknowns) {
    const double excess = unknowns.sticking.norm() - contact.friction * std::max(unknowns.normal, 0.0);
    return compliance * excess > tolerance && (settled || slip.dot(unknowns.sticking) > 0.0);
}

/// Kinetic coefficient.
double kinetic(const ContactConstraint& contact) {
    return contact.kinetic_ratio * contact.friction;
}

double tangential_compliance(const Vec3& compliance) {
    return 0.5 * (compliance[1] + compliance[2]);
}

/// Algorithm 3 with a Newton step for the direction of friction, in place of a turn by a fixed share. Friction of the
/// given size s is the projection of w = gamma + u_t / S onto the disk of radius s. The derivative of this projection
/// at |w| > s is a compliance S (|w| - s) / s across w.
ContactChange update_sliding(const ContactConstraint& contact, const Vec2& slip, double compliance, double tolerance,
                             ContactUnknowns& unknowns) {
    const double normal = std::max(unknowns.normal, 0.0), size = kinetic(contact) * normal;
    const Vec2 friction = unknowns.friction(), trial = friction + slip / compliance;
    const double length = trial.norm();
    const Vec2 natural = length > size ? Vec2(size / length * trial) : trial;
    if (compliance * (natural - friction).norm() <= tolerance) return ContactChange::none;
    if (length > 0.0) unknowns.direction = trial / length;
    unknowns.sliding = 0.5 * kinetic(contact) * (normal + unknowns.last_normal) * unknowns.direction;
    unknowns.last_normal = normal;
    unknowns.sticking = friction - friction.dot(unknowns.direction) * unknowns.direction;
    unknowns.turning_compliance = size > 0.0 ? compliance * std::max(length - size, 0.0) / size : -1.0;
    if (unknowns.turning_compliance < 0.0) unknowns.sticking.setZero();
    return ContactChange::force;
}

}  // namespace

ActiveRows active_rows(const ContactConstraint& contact, const ContactUnknowns& unknowns) {
    if (unknowns.mode == ContactMode::open) return {};
    if (contact.friction == 0.0) return {.count = 1};
    if (unknowns.mode == ContactMode::sticking) return {.count = 3};
    if (unknowns.turning_compliance < 0.0) return {.count = 1};
    return {.count = 2,
            .across = Vec2(-unknowns.direction.y(), unknowns.direction.x()),
            .compliance = unknowns.turning_compliance};
}

ContactChange evaluate_contact(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance,
                               Progress progress, double tolerance, ContactUnknowns& unknowns) {
    const bool settled = progress != Progress::iterating;
    const Vec2 slip = motion.tail<2>();
    if (unknowns.mode == ContactMode::open) {
        return motion[0] < -tolerance ? close(contact, slip, unknowns) : ContactChange::none;
    }
    // Where the equations are solved, the gap is zero to within the tolerance, so the sign of the force decides.
    const bool pulls = settled ? compliance[0] * unknowns.normal < -tolerance
                               : motion[0] >= 0.0 && unknowns.normal <= 0.0 &&
                                     std::max(motion[0], -compliance[0] * unknowns.normal) > tolerance;
    // Of contradictory rows, those are released that the others keep from their targets.
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
        unknowns.sticking = unknowns.friction();
        unknowns.sliding.setZero();
        unknowns.turning_compliance = -1.0;
        return ContactChange::mode;
    }
    return update_sliding(contact, slip, tangential, tolerance, unknowns);
}

}  // namespace stiction::mlcp
