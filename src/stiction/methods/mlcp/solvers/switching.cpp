#include "stiction/methods/mlcp/solvers/switching.hpp"

#include "stiction/methods/mlcp/solvers/pyramid_friction.hpp"

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

/// The direction of friction, turned towards the slip by a hundredth of their difference where they are more than 1.2
/// degrees apart (Algorithm 3, lines 6 to 8). Slips within the tolerance have no direction (figure 4).
Vec2 turned(const Vec2& slip, double tolerance, const Vec2& direction) {
    constexpr double share = 0.01, cosine = 0.99978;
    if (slip.norm() <= tolerance) return direction;
    const Vec2 wanted = slip.normalized();
    const double along = wanted.dot(direction);
    if (along <= 0.0 || along >= cosine) return direction;
    return (direction + share * (wanted - direction)).normalized();
}

/// Algorithm 3 as printed, without a postponement. False: the size of friction fits the normal force.
bool update_as_published(const ContactConstraint& contact, const Vec2& slip, double tolerance,
                         ContactUnknowns& unknowns) {
    const double normal = std::max(unknowns.normal, 0.0);
    if (unknowns.sliding.norm() == kinetic(contact) * normal && unknowns.turning_compliance < 0.0) return false;
    if (unknowns.direction.isZero() && slip.norm() > 0.0) unknowns.direction = slip.normalized();
    unknowns.direction = turned(slip, tolerance, unknowns.direction);
    unknowns.sliding = 0.5 * kinetic(contact) * (normal + unknowns.last_normal) * unknowns.direction;
    unknowns.last_normal = normal;
    unknowns.sticking.setZero();
    unknowns.turning_compliance = -1.0;
    return true;
}

/// From sticking to sliding (Algorithm 2, line 14). The friction force stays as it is.
void begin_to_slide(const ContactConstraint& contact, ContactUnknowns& unknowns) {
    unknowns.mode = ContactMode::sliding;
    unknowns.direction = unknowns.sticking.normalized();
    unknowns.last_normal = unknowns.sticking.norm() / contact.friction;
    unknowns.sliding = unknowns.sticking;
    unknowns.sticking.setZero();
}

/// From sliding to sticking (Algorithm 2, line 17).
void begin_to_stick(ContactUnknowns& unknowns) {
    unknowns.mode = ContactMode::sticking;
    unknowns.sticking = unknowns.friction();
    unknowns.sliding.setZero();
    unknowns.turning_compliance = -1.0;
}

/// Algorithm 2 as printed. A change is a distance (line 19): of its forces, or the overlap or slip that it ends, since
/// a contact that closes or sticks begins with the forces that it has.
ContactChange evaluate_as_published(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance,
                                    const SwitchingRules& rules, ContactUnknowns& unknowns) {
    const Vec2 slip = motion.tail<2>();
    const double tangential = tangential_compliance(compliance);
    if (unknowns.mode == ContactMode::open)
        return motion[0] < -rules.row_tolerance ? close(contact, slip, unknowns) : ContactChange::none;
    if (motion[0] >= 0.0 && unknowns.normal <= 0.0) {
        if (-compliance[0] * unknowns.normal <= rules.tolerance) return ContactChange::none;
        unknowns = ContactUnknowns{};
        return ContactChange::mode;
    }
    if (contact.friction == 0.0) return ContactChange::none;
    if (rules.friction_update == FrictionUpdate::pyramid)
        return evaluate_pyramid(contact, slip, tangential, Progress::iterating, rules.tolerance, unknowns);
    ContactUnknowns next = unknowns;
    ContactChange change = ContactChange::force;
    if (unknowns.mode == ContactMode::sticking) {
        const double limit = contact.friction * std::max(unknowns.normal, 0.0);
        if (unknowns.sticking.norm() <= limit || slip.dot(unknowns.sticking) <= 0.0) return ContactChange::none;
        begin_to_slide(contact, next);
        update_as_published(contact, slip, rules.tolerance, next);
        change = ContactChange::mode;
    } else if (slip.dot(unknowns.direction) <= 0.0) {
        if (slip.dot(unknowns.direction) >= -rules.tolerance) return ContactChange::none;
        begin_to_stick(unknowns);
        return ContactChange::mode;
    } else if (rules.friction_update != FrictionUpdate::published) {
        return update_sliding(contact, slip, tangential, rules.tolerance, unknowns);
    } else if (!update_as_published(contact, slip, rules.tolerance, next)) {
        return ContactChange::none;
    }
    if (tangential * (next.friction() - unknowns.friction()).norm() <= rules.tolerance) return ContactChange::none;
    unknowns = next;
    return change;
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

ContactUnknowns cut_to_cone(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance,
                            const ContactUnknowns& unknowns) {
    if (unknowns.mode == ContactMode::open || contact.friction == 0.0) return unknowns;
    const double normal = std::max(unknowns.normal, 0.0), size = kinetic(contact) * normal;
    const Vec2 friction = unknowns.friction();
    const double tangential = tangential_compliance(compliance);
    const Vec2 trial =
        unknowns.mode == ContactMode::sticking ? friction : Vec2(friction + motion.tail<2>() / tangential);
    const double length = trial.norm();
    if (!(length > friction_bound(contact, unknowns))) return unknowns;
    ContactUnknowns cut = unknowns;
    cut.mode = ContactMode::sliding;
    cut.direction = trial / length;
    cut.sliding = size * cut.direction;
    cut.last_normal = normal;
    cut.sticking = friction - friction.dot(cut.direction) * cut.direction;
    cut.turning_compliance = size > 0.0 ? tangential * (length - size) / size : -1.0;
    if (size == 0.0) cut.sticking.setZero();
    return cut;
}

ContactChange evaluate_contact(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance,
                               Progress progress, const SwitchingRules& all, ContactUnknowns& unknowns) {
    const SwitchingRules rules = all.of_contact(contact.share);
    if (rules.acceptance == Acceptance::published && progress != Progress::contradictory)
        return evaluate_as_published(contact, motion, compliance, rules, unknowns);
    const double tolerance = rules.tolerance;
    const bool settled = progress != Progress::iterating;
    const Vec2 slip = motion.tail<2>();
    if (unknowns.mode == ContactMode::open) {
        return motion[0] < -rules.row_tolerance ? close(contact, slip, unknowns) : ContactChange::none;
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
    if (rules.friction_update == FrictionUpdate::pyramid)
        return evaluate_pyramid(contact, slip, tangential, progress, tolerance, unknowns);
    if (unknowns.mode == ContactMode::sticking) {
        const bool torn = progress == Progress::contradictory && slip.norm() > tolerance && !unknowns.sticking.isZero();
        if (!torn && !slips(contact, slip, tangential, settled, tolerance, unknowns)) return ContactChange::none;
        const double normal = std::max(unknowns.normal, 0.0);
        begin_to_slide(contact, unknowns);
        unknowns.last_normal = normal;
        return ContactChange::mode;
    }
    if (slip.dot(unknowns.direction) < -tolerance) {
        begin_to_stick(unknowns);
        return ContactChange::mode;
    }
    if (rules.friction_update != FrictionUpdate::published)
        return update_sliding(contact, slip, tangential, tolerance, unknowns);
    const ContactUnknowns before = unknowns;
    if (update_sliding(contact, slip, tangential, tolerance, unknowns) == ContactChange::none)
        return ContactChange::none;
    unknowns = before;
    update_as_published(contact, slip, tolerance, unknowns);
    return ContactChange::force;
}

}  // namespace stiction::mlcp
