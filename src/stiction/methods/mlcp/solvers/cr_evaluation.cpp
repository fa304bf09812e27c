// The evaluations of contacts between the iterations of conjugate residuals.
#include "stiction/base/parallel.hpp"
#include "stiction/methods/mlcp/solvers/cr_iteration.hpp"
#include "stiction/methods/mlcp/solvers/pyramid_friction.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {

/// Whether contacts are evaluated together. Where A is far from its diagonal, that may come to no end.
bool CrIteration::solves_laws() const {
    return options_.friction_update == FrictionUpdate::exact && report_.evaluations < options_.variants.evaluations;
}

/// True: contacts have changed.
bool CrIteration::evaluate_while_iterating() {
    return solves_laws() && ratio_at_restart_ > 1.0 ? solve_contacts() : evaluate(Progress::iterating);
}

/// Algorithm 2, line 2: the smaller the residual, the more often contacts are evaluated.
bool CrIteration::evaluation_is_due() const {
    const double ratio = residual_ratio();
    const double logarithm = std::log(std::max(ratio, 1.0));
    const int interval = std::max(1, static_cast<int>(logarithm * logarithm / 3.0));
    if (solves_laws())
        return since_evaluation_ >=
               std::max(interval, static_cast<int>(options_.variants.restart_growth * report_.evaluations));
    if (!options_.variants.back_off) return since_evaluation_ >= interval;
    // Friction forces that reach no fixed point would restart the recurrences for ever.
    return since_evaluation_ >= interval + force_updates_ * force_updates_ / 16;
}

/// Anderson acceleration of the size of sliding friction. Without switches, the sizes at two successive solutions are
/// related by an affine map.
void CrIteration::accelerate(const std::vector<ContactUnknowns>& before) {
    std::vector<std::size_t> sliding;
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
        if (solution_.contacts[k].mode == ContactMode::sliding && constraints_.contacts()[k].friction > 0.0)
            sliding.push_back(k);
    }
    if (sliding != accelerated_) {
        acceleration_.clear();
        accelerated_ = sliding;
    }
    const auto size = static_cast<Eigen::Index>(sliding.size());
    VecX x(size), g(size);
    const auto scale = [&](std::size_t k) {
        return 0.5 * (preconditioner_.compliance()[k][1] + preconditioner_.compliance()[k][2]);
    };
    for (Eigen::Index i = 0; i < size; ++i) {
        const std::size_t k = sliding[static_cast<std::size_t>(i)];
        const ContactConstraint& contact = constraints_.contacts()[k];
        x[i] = scale(k) * before[k].sliding.norm();
        g[i] = scale(k) * full_friction(options_.friction_update, before[k]) * contact.kinetic_ratio *
               contact.friction * std::max(before[k].normal, 0.0);
    }
    const VecX next = acceleration_.next(x, g);
    for (Eigen::Index i = 0; i < size; ++i) {
        const std::size_t k = sliding[static_cast<std::size_t>(i)];
        solution_.contacts[k].sliding = std::max(next[i], 0.0) / scale(k) * solution_.contacts[k].direction;
    }
}

/// Solves Coulomb's law of each contact exactly at the present velocities, with A_d in place of A. False: no contact
/// changes its mode, or its force by more than the tolerance as a distance; all stay as they are.
bool CrIteration::solve_contacts() {
    constexpr double part = 0.03;  // of the tolerance
    store_contacts();
    ++report_.evaluations;
    since_evaluation_ = 0;
    const std::vector<ContactUnknowns> before = solution_.contacts;
    VecX forces = cone_forces(problem_, solution_);
    multipliers_ = multipliers();
    anticipated_v_.resize(y_.v.size());
    // What r has and the forces have not: multipliers outside the cones.
    constraints_.visit_transposed(multipliers_ + forces, [&](Index node, const Vec3& rest) {
        const auto at = 3 * static_cast<Eigen::Index>(node);
        anticipated_v_.segment<3>(at) =
            y_.v.segment<3>(at) + preconditioner_.node_product(node, r_.v.segment<3>(at) + rest);
    });
    if (!anticipated_)
        anticipated_.emplace(constraints_, [&](Index node) { return preconditioner_.node_inverse(node); });
    report_.sweeps +=
        anticipated_->solve(part * options_.distance_tolerance, options_.variants.sweeps, anticipated_v_, forces);
    take_forces(problem_, forces, solution_);
    bool changed = false;
    const double least_change = share_now() * options_.distance_tolerance;
    for (std::size_t k = 0; k < before.size(); ++k) {
        const ContactUnknowns& now = solution_.contacts[k];
        if (before[k].mode != now.mode) ++report_.mode_switches;
        const Vec2 turn = now.friction() - before[k].friction();
        const Vec3 change =
            preconditioner_.compliance()[k].cwiseProduct(Vec3(now.normal - before[k].normal, turn.x(), turn.y()));
        changed =
            changed || before[k].mode != now.mode || !(change.norm() <= problem_.contacts[k].share * least_change);
    }
    if (!changed) solution_.contacts = before;
    if (changed) take_contacts();
    return changed;
}

/// Whether a contact is left as it is. The more often it has switched, the less often it may switch before convergence.
bool CrIteration::back_off(std::size_t contact, bool settled) const {
    const int switches = switches_[contact];
    return options_.variants.back_off && !settled && switches > 0 && report_.evaluations % (1 + switches / 4) != 0;
}

bool CrIteration::evaluate(Progress progress) {
    const bool settled = progress != Progress::iterating;
    store_contacts();
    multipliers_ = multipliers();
    ++report_.evaluations;
    since_evaluation_ = 0;
    const std::vector<ContactUnknowns> before = settled ? solution_.contacts : std::vector<ContactUnknowns>{};
    std::vector<ContactChange> changes(constraints_.size(), ContactChange::none);
    const SwitchingRules rules{options_.acceptance, options_.friction_update, options_.distance_tolerance,
                               row_tolerance_};
    parallel_for(constraints_.size(), [&](std::size_t k) {
        if (back_off(k, settled)) return;
        const ContactConstraint& contact = constraints_.contacts()[k];
        changes[k] = evaluate_contact(contact, relative_motion(contact, y_.v), preconditioner_.compliance()[k],
                                      progress, rules, solution_.contacts[k]);
    });
    bool changed = false;
    const int switches_before = report_.mode_switches;
    for (std::size_t k = 0; k < changes.size(); ++k) {
        changed = changed || changes[k] != ContactChange::none;
        if (changes[k] != ContactChange::mode) continue;
        ++report_.mode_switches;
        ++switches_[k];
    }
    if (!changed) return false;
    if (report_.mode_switches > switches_before) {
        force_updates_ /= 2;
        acceleration_.clear();
    } else if (settled) {
        if (options_.friction_update != FrictionUpdate::published) accelerate(before);
    } else {
        ++force_updates_;
    }
    take_contacts();
    return true;
}

/// Cuts friction to the cones where the momentum that this changes is not within the tolerance of the momentum balance.
/// False: it is within, or has been cut often enough. Follows evaluate(), which has stored contacts and multipliers.
bool CrIteration::cut_friction() {
    const bool wanted = options_.friction_cuts > 0 && options_.acceptance == Acceptance::strict &&
                        options_.friction_update != FrictionUpdate::pyramid;
    if (!wanted) return false;
    const auto cut = [&](std::size_t k) {
        return cut_to_cone(constraints_.contacts()[k], constraints_.motion(k, y_.v) - constraints_.contacts()[k].target,
                           preconditioner_.compliance()[k], solution_.contacts[k]);
    };
    VecX change(3 * static_cast<Eigen::Index>(constraints_.size())), impulse = VecX::Zero(y_.v.size());
    parallel_for(constraints_.size(), [&](std::size_t k) {
        const Vec2 turn = cut(k).friction() - solution_.contacts[k].friction();
        change.segment<3>(3 * static_cast<Eigen::Index>(k)) = Vec3(0.0, turn.x(), turn.y());
    });
    if (change.isZero(0.0)) return false;
    constraints_.add_transposed(change, impulse);
    if (!(problem_.momentum_error(impulse) > options_.tolerance)) return false;
    report_.friction_is_left = cuts_ >= options_.friction_cuts;
    if (report_.friction_is_left) return false;
    ++cuts_;
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
        const ContactMode before = solution_.contacts[k].mode;
        solution_.contacts[k] = cut(k);
        if (solution_.contacts[k].mode != before) ++report_.mode_switches;
    }
    take_contacts();
    return true;
}

}  // namespace stiction::mlcp
