#include "stiction/barrier/line_search.hpp"

#include "stiction/linalg/vector_ops.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiction {

bool LineSearch::bound(const Iterate& iterate, const SearchDomain& domain, const VecX& p, IterationTrace& trace) {
    const ScopedTimer timer(log_.timers(), "ccd");
    const double longest = direction_.longest_step(iterate, domain, p);
    const VecX furthest = longest * p;
    const StepBound bound = domain.step_bound(model_.world, iterate.x, furthest, model_.options.ccd_slack);
    log_.report().ccd_queries += bound.ccd_queries;
    trace.step_bound = longest * bound.fraction;
    if (bound.fraction > 0.0) return true;
    log_.stop(Status::line_search_stalled,
              fmt::format("no move could be certified: {}{}", describe_stencil(model_.world, bound.stencil),
                          fixed_stiffness_cause(model_.options, iterate.contacts)));
    return false;
}

bool LineSearch::move(Iterate& iterate, const SearchDomain& domain, const VecX& p, IterationTrace& trace) {
    // Lines 11 and 12: as far as CCD certifies.
    if (!bound(iterate, domain, p, trace)) return false;

    // Lines 13 and 14: halved until the potential falls.
    const ScopedTimer timer(log_.timers(), "line_search");
    const BarrierPotentialValues start = potential_.values(iterate.x, iterate.contacts, domain.moving());
    VecX trial;
    ContactSet contacts;
    const auto difference = [&](double alpha) {
        trial = iterate.x + alpha * p;
        contacts = domain.contacts(trial);
        return potential_.difference(iterate.x, start, trial, potential_.values(trial, contacts, domain.moving()),
                                     iterate.force_sum);
    };
    const auto measure = [&](const VecX& gradient) {
        VecX free;
        domain.assembly().map().restrict_gradient(direction_.without_still(gradient), free);
        return GradientMeasure{dot(p, gradient), norm(free)};
    };
    const auto gradient = [&](double) {
        return measure(potential_.gradient(trial, contacts, nullptr, domain.moving()));
    };
    const LineSearchResult found =
        backtracking_search(trace.step_bound, difference, measure(iterate.gradient), gradient);
    log_.report().line_search += found.trials;
    trace.line_search = found.trials;
    trace.step_length = found.alpha;
    trace.objective = found.difference;
    if (found.accepted_by == LineSearchResult::AcceptedBy::none) {
        log_.stop(Status::line_search_stalled, fmt::format("no decrease in {} trials, |p|/h = {:.3g} m/s{}",
                                                           found.trials, stopping_.speed(p, iterate.contacts),
                                                           fixed_stiffness_cause(model_.options, iterate.contacts)));
        return false;
    }

    // Line 15: the iterate moves.
    confirmation_.report_move(iterate.x, trial);
    direction_.moved(iterate, domain, p, found);
    iterate.move(std::move(trial), std::move(contacts));
    return true;
}

}  // namespace stiction
