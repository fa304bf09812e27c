// Damped Newton with exact and inexact directions: Algorithms 1 and 2 of Larionov et al. 2022.
#include "stiction/methods/implicit/newton.hpp"

#include "stiction/linalg/vector_ops.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction::implicit {
namespace {

/// Shortest step the search tries, as a part of the longest.
constexpr double smallest_step = 1.0 / 1024.0;

}  // namespace

bool BalanceNewton::run() {
    VecX p;
    r_ = first_residual();
    double last_size = 0.0;
    for (int iteration = 0; iteration < limits_.iterations; ++iteration) {
        if (limits_.watch != nullptr && !limits_.watch->go_on(report_.iterations, report_.residual)) {
            report_.status = Status::interrupted;
            return stalled("interrupted");
        }
        if (!factorise())
            return stalled(jacobian_.failure().empty() ? "the Jacobian is not finite" : jacobian_.failure());
        const double size = jacobian_.residual_norm(assembly_, r_);
        sigma_ = iteration == 0 ? forcing_.first() : forcing_.next(size, last_size);
        last_size = size;
        double measure = 0.0;
        {
            const ScopedTimer timer(timers_, "solve");
            if (!jacobian_.solve(assembly_, r_, sigma_, p))
                return stalled(jacobian_.failure().empty() ? "the search direction is not finite"
                                                           : jacobian_.failure());
            measure = jacobian_.measure_of_solved(r_, assembly_);
        }
        IterationTrace trace;
        const double before = trace.residual = report_.residual = length_of(p) / limits_.scale;
        describe(trace);
        ++report_.iterations;
        const bool moved = line_search(p, measure, trace.step_length);
        report_.trace.push_back(trace);
        if (!moved)
            return before < limits_.tolerance ||
                   stalled(fmt::format("no step along the Newton direction helps, |p|/h = {:.3g} m/s", before));
        // A direction that was solved for to a share sigma may be that much too short.
        const double share = jacobian_.solver() == LinearSolver::direct ? 1.0 : 1.0 - sigma_;
        if (before < share * limits_.tolerance && trace.step_length > 0.99) {
            move_once_more();
            return true;
        }
    }
    return stalled(fmt::format("{} iterations, |p|/h = {:.3g} m/s, wanted {:.3g}", limits_.iterations, report_.residual,
                               limits_.tolerance));
}

void BalanceNewton::move_once_more() {
    // The Jacobian is that of the point before, so that more digits would be lost. A first direction may have a half.
    sigma_ = std::clamp(sigma_, JacobianSolver::measure_accuracy, 1e-2);
    VecX p;
    double measure = 0.0;
    {
        const ScopedTimer timer(timers_, "solve");
        if (!jacobian_.solve_again(assembly_, r_, sigma_, p)) return;
        measure = jacobian_.measure_of_solved(r_, assembly_);
    }
    if (is_negligible(p)) return;
    double bound = 0.0;
    {
        const ScopedTimer timer(timers_, "ccd");
        bound = step_bound(p);
    }
    const ScopedTimer timer(timers_, "line_search");
    if (bound == 1.0) try_move(p, measure, 1.0);
}

bool BalanceNewton::factorise() {
    ++report_.linear_solves;
    if (jacobian_.solver() == LinearSolver::iterative && !precondition()) jacobian_.rescue();
    {
        const ScopedTimer timer(timers_, "assembly");
        assemble(false);
        jacobian_.take_symmetric(assembly_);
        add_rest(jacobian_);
    }
    const ScopedTimer timer(timers_, "solve");
    return jacobian_.finish();
}

bool BalanceNewton::precondition() {
    {
        const ScopedTimer timer(timers_, "assembly");
        assemble(true);
    }
    const ScopedTimer timer(timers_, "solve");
    return jacobian_.precondition(assembly_);
}

bool BalanceNewton::accepts(const VecX& r, const VecX& p, double measure, double alpha) {
    if (!r.allFinite()) return false;
    // The test asks for a decrease by alpha / 2.
    const double after = jacobian_.measure(r, assembly_, std::min(JacobianSolver::measure_accuracy, 0.02 * alpha));
    const bool enough = jacobian_.solver() == LinearSolver::direct
                            ? after <= (1.0 - 0.5 * alpha) * measure
                            : is_sufficient_decrease(after, measure, alpha, sigma_);
    return enough || (std::isfinite(after) && is_negligible(p));
}

double largest_over_share(const World& world, const VecX& p) {
    double largest = 0.0;
    for (Index b = 0; b < static_cast<Index>(world.bodies.size()); ++b) {
        const Body& body = world.bodies[static_cast<std::size_t>(b)];
        const double own = infinity_norm(p.segment(3 * body.first_vertex, 3 * body.vertex_count()));
        largest = std::max(largest, own / world.length_share(b, b));
    }
    return largest;
}

double BalanceNewton::length_of(const VecX& p) const {
    return infinity_norm(p);
}

bool BalanceNewton::is_negligible(const VecX& p) const {
    return infinity_norm(p) < 1e-13 * infinity_norm(x_);
}

bool BalanceNewton::line_search(const VecX& p, double measure, double& alpha) {
    double bound = 0.0;
    {
        const ScopedTimer timer(timers_, "ccd");
        bound = step_bound(p);
    }
    const ScopedTimer timer(timers_, "line_search");
    for (alpha = bound; alpha > smallest_step * bound; alpha *= 0.5) {
        if (try_move(p, measure, alpha)) return true;
    }
    alpha = 0.0;
    return false;
}

bool BalanceNewton::try_move(const VecX& p, double measure, double alpha) {
    ++report_.line_search;
    const VecX trial = x_ + alpha * p;
    VecX r = trial_residual(trial);
    if (!accepts(r, p, measure, alpha)) return false;
    x_ = trial;
    r_ = std::move(r);
    take_trial();
    return true;
}

void BalanceNewton::fill_phases() const {
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
}

bool BalanceNewton::stalled(std::string why) {
    stall_ = std::move(why);
    return false;
}

}  // namespace stiction::implicit
