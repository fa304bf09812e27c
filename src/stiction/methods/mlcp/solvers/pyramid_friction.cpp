#include "stiction/methods/mlcp/solvers/pyramid_friction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction::mlcp {
namespace {

/// Both tangents slide.
bool at_corner(const ContactUnknowns& unknowns) {
    return unknowns.mode == ContactMode::sliding && unknowns.turning_compliance < 0.0;
}

/// Of each tangent the sign of its slip; 0: it sticks.
Vec2 slip_signs(const ContactUnknowns& unknowns) {
    Vec2 signs = Vec2::Zero();
    if (unknowns.mode != ContactMode::sliding) return signs;
    for (const int i : {0, 1})
        if (at_corner(unknowns) || unknowns.direction[i] != 0.0) signs[i] = std::copysign(1.0, unknowns.direction[i]);
    return signs;
}

/// Splits friction (N) between the tangents that slide and those that stick.
void set_form(const Vec2& signs, const Vec2& friction, ContactUnknowns& unknowns) {
    const double count = signs.squaredNorm();
    unknowns.mode = count == 0.0 ? ContactMode::sticking : ContactMode::sliding;
    unknowns.direction = count == 0.0 ? signs : Vec2(signs.normalized());
    unknowns.sliding = friction.cwiseProduct(signs.cwiseAbs());
    unknowns.sticking = friction - unknowns.sliding;
    unknowns.turning_compliance = count == 1.0 ? 0.0 : -1.0;
}

bool has_form(const ContactUnknowns& unknowns) {
    const bool diagonal = std::abs(std::abs(unknowns.direction[0]) - std::abs(unknowns.direction[1])) < 1e-14,
               along = unknowns.direction[0] == 0.0 || unknowns.direction[1] == 0.0;
    return unknowns.turning_compliance < 0.0 ? diagonal : along && unknowns.turning_compliance == 0.0;
}

}  // namespace

ContactChange evaluate_pyramid(const ContactConstraint& contact, const Vec2& slip, double compliance, Progress progress,
                               double tolerance, ContactUnknowns& unknowns) {
    const double normal = std::max(unknowns.normal, 0.0), limit = contact.friction * normal,
                 size = contact.kinetic_ratio * limit,
                 mean = 0.5 * contact.kinetic_ratio * contact.friction * (normal + unknowns.last_normal);
    const Vec2 signs = slip_signs(unknowns);
    Vec2 next = signs, friction = unknowns.friction();
    ContactChange change = ContactChange::none;
    for (const int i : {0, 1}) {
        if (signs[i] == 0.0) {
            const bool torn = progress == Progress::contradictory && std::abs(slip[i]) > tolerance,
                       excessive = compliance * (std::abs(friction[i]) - limit) > tolerance &&
                                   (progress != Progress::iterating || slip[i] * friction[i] > 0.0);
            if ((torn && friction[i] != 0.0) || excessive) next[i] = std::copysign(1.0, friction[i]);
        } else if (signs[i] * slip[i] < -tolerance) {
            next[i] = 0.0;
        } else {
            const double natural = std::clamp(friction[i] + slip[i] / compliance, -size, size);
            if (compliance * std::abs(natural - friction[i]) <= tolerance) continue;
            friction[i] = signs[i] * mean;
            change = ContactChange::force;
        }
    }
    if (next != signs) change = ContactChange::mode;
    if (change == ContactChange::none) return change;
    set_form(next, friction, unknowns);
    unknowns.last_normal = normal;
    return change;
}

double full_friction(FrictionUpdate update, const ContactUnknowns& unknowns) {
    return update == FrictionUpdate::pyramid && at_corner(unknowns) ? std::numbers::sqrt2 : 1.0;
}

void take_pyramid_form(const ContactProblem& problem, ContactSolution& solution) {
    // A row that was turned since has friction that fits its tangents and its normal force but nearly.
    constexpr double nearly = 0.99;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        ContactUnknowns& unknowns = solution.contacts[k];
        const ContactConstraint& contact = problem.contacts[k];
        if (unknowns.mode != ContactMode::sliding || contact.friction == 0.0 || has_form(unknowns)) continue;
        const double size = contact.kinetic_ratio * contact.friction * std::max(unknowns.normal, 0.0);
        const Vec2 friction = unknowns.friction();
        Vec2 signs = Vec2::Zero();
        for (const int i : {0, 1})
            if (std::abs(friction[i]) >= nearly * size) signs[i] = std::copysign(1.0, friction[i]);
        set_form(signs, friction, unknowns);
    }
}

}  // namespace stiction::mlcp
