#include "stiction/methods/local_global/solve.hpp"

#include "stiction/methods/local_global/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::local_global {
namespace {

/// Iterations without acceleration at the start (Wang 2015).
constexpr int chebyshev_delay = 10;

}  // namespace

bool Solve::start(const GlobalSystem& system, const VecX& x) {
    system_ = &system;
    rigid_.begin(system, modes_);
    modes_.driven = system.driven_coordinates();
    modes_.fillings.clear();
    constraints_ = nullptr;
    h_squared_ = system.step() * system.step();
    lbfgs_.begin();
    omega_ = 1.0;
    change_ = step_length_ = decrease_ = 0.0;
    iteration_ = global_steps_ = 0;
    predicted_ = false;
    evaluations_ = 1;
    here_.x = x;
    objective_.evaluate(here_);
    const bool filled = std::all_of(here_.filling.energy.begin(), here_.filling.energy.end(),
                                    [](double energy) { return std::isfinite(energy); });
    return filled && std::isfinite(objective_.elastic(here_)) && here_.gradient.allFinite();
}

void Solve::constrain_with(Constraints& constraints) {
    if (!constraints.any()) return;
    constraints.prepare(*system_, system_->step(), modes_.empty() ? nullptr : &modes_);
    constraints_ = &constraints;
}

void Solve::predict(VecX& x) {
    if (is_incomplete(options_.global_step)) {
        global_step();
    } else {
        first_half_step();
        direction_.resize(half_.size());
        system_->inverse().solve_second_half(half_.data(), direction_.data());
        linearise_modes();
        modes_.project(direction_.data());
        first_ = direction_;
        predicted_ = true;
    }
    x = here_.x;
    const std::vector<Index>& unknowns = system_->unknowns();
    for (std::size_t i = 0; i < unknowns.size(); ++i)
        x.segment<3>(3 * static_cast<Eigen::Index>(unknowns[i])) +=
            direction_.segment<3>(3 * static_cast<Eigen::Index>(i));
    rigid_.straighten(x);
}

/// Those of rigid bodies and fillings at the present iterate.
void Solve::linearise_modes() {
    rigid_.linearise(here_.x, modes_);
    objective_.fillings().linearise(here_.x, *system_, h_squared_, modes_);
}

bool Solve::iterate() {
    if (!predicted_ && !(rigid_.empty() && objective_.fillings().empty())) {
        linearise_modes();
        if (constraints_ != nullptr) constraints_->modes_changed();
    }
    global_step();
    predicted_ = false;
    ++iteration_;
    ++global_steps_;
    if (!direction_.allFinite()) return false;
    measure_change();
    switch (options_.global_step) {
        case GlobalStep::complete: return line_search();
        case GlobalStep::lbfgs:
            if (line_search()) return true;
            // Its pairs may hold rounding only: start anew with A.
            lbfgs_.begin();
            global_step();
            ++global_steps_;
            measure_change();
            return direction_.allFinite() && line_search();
        case GlobalStep::jacobi:
            move(1.0);
            accept();
            return true;
        case GlobalStep::chebyshev: chebyshev_step(); return true;
    }
    return false;
}

void Solve::measure_change() {
    change_ = 0.0;
    for (Eigen::Index i = 0; i < direction_.size() / 3; ++i)
        change_ = std::max(change_, direction_.segment<3>(3 * i).norm());
}

void Solve::global_step() {
    if (constraints_ == nullptr) {
        residual_ = here_.gradient;
        return free_global_step();
    }
    const std::vector<Index>& unknowns = system_->unknowns();
    present_.resize(here_.gradient.size());
    for (std::size_t i = 0; i < unknowns.size(); ++i)
        present_.segment<3>(3 * static_cast<Eigen::Index>(i)) =
            here_.x.segment<3>(3 * static_cast<Eigen::Index>(unknowns[i]));
    constrained_global_step();
}

/// Sets half_ for b = -gradient.
void Solve::first_half_step() {
    residual_ = -here_.gradient;
    half_.resize(residual_.size());
    system_->inverse().solve_first_half(residual_.data(), half_.data());
}

void Solve::free_global_step() {
    if (predicted_) {  // L-BFGS has no pairs yet
        direction_ = first_;
        return;
    }
    switch (options_.global_step) {
        case GlobalStep::complete:
            system_->solve_negative(residual_, direction_);
            modes_.project(direction_.data());
            return;
        case GlobalStep::lbfgs:
            lbfgs_.direction(
                residual_, [&](const VecX& r, VecX& z) { system_->solve_negative(r, z); }, direction_);
            return;
        case GlobalStep::jacobi:
        case GlobalStep::chebyshev: system_->jacobi_negative(residual_, direction_); return;
    }
}

/// A d = -grad E + h^2 H^T lambda, with the lambda of the end of the step. L-BFGS acts on the gradient less the forces
/// of the last iteration, and A on the change of the forces: both vanish at the solution.
void Solve::constrained_global_step() {
    const bool accelerated = options_.global_step == GlobalStep::lbfgs && iteration_ > 0;
    if (options_.global_step == GlobalStep::complete && constraints_->takes_half()) {
        if (!predicted_) first_half_step();
        constraints_->solve_from_half(half_, present_, direction_);
    } else {
        corrected_free_step(accelerated);
    }
    direction_ -= present_;
    constraints_->forces(force_);
    force_ *= h_squared_;
}

void Solve::corrected_free_step(bool accelerated) {
    residual_ = here_.gradient;
    if (accelerated) residual_ -= force_;
    free_global_step();
    free_ = present_ + direction_;
    if (accelerated) {
        system_->solve_negative(force_, direction_);
        free_ += direction_;
    }
    constraints_->solve(free_, present_, direction_);
}

double Solve::slope() {
    const auto size = static_cast<std::size_t>(direction_.size());
    const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
    if (constraints_ == nullptr)
        return sum_(size, [&](std::size_t i) { return here_.gradient[at(i)] * direction_[at(i)]; });
    return sum_(size, [&](std::size_t i) { return (here_.gradient[at(i)] - force_[at(i)]) * direction_[at(i)]; });
}

/// Work of the constraint forces, held fixed, along a fraction of the direction (times h^2).
double Solve::constraint_work(double fraction) {
    if (constraints_ == nullptr) return 0.0;
    const double along = fraction * sum_(static_cast<std::size_t>(direction_.size()), [&](std::size_t i) {
                             return force_[static_cast<Eigen::Index>(i)] * direction_[static_cast<Eigen::Index>(i)];
                         });
    return along + work_off_direction(fraction);
}

/// Work beyond that along the direction: rigid bodies turn.
double Solve::work_off_direction(double fraction) const {
    double work = 0.0;
    for (const InverseModes::RigidModes& body : modes_.rigid) {
        for (const Index unknown : body.unknowns) {
            const Eigen::Index here = 3 * static_cast<Eigen::Index>(unknown),
                               vertex = 3 * static_cast<Eigen::Index>(
                                                system_->unknowns()[static_cast<std::size_t>(unknown)]);
            const Vec3 moved = trial_.x.segment<3>(vertex) - here_.x.segment<3>(vertex);
            work += force_.segment<3>(here).dot(moved - fraction * direction_.segment<3>(here));
        }
    }
    return work;
}

/// Local step at a fraction of the direction from here_.
void Solve::move(double fraction) {
    trial_.x = here_.x;
    const std::vector<Index>& unknowns = system_->unknowns();
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        trial_.x.segment<3>(3 * static_cast<Eigen::Index>(unknowns[i])) +=
            fraction * direction_.segment<3>(3 * static_cast<Eigen::Index>(i));
    }
    rigid_.straighten(trial_.x);
    step_length_ = fraction;
    objective_.evaluate(trial_);
    ++evaluations_;
}

void Solve::accept() {
    decrease_ += objective_.difference(here_, trial_);
    std::swap(here_, trial_);
}

/// Backtracking on E less the work of the constraint forces, which decreases along the direction. A difference within
/// rounding is accepted.
bool Solve::line_search() {
    const double rounding = objective_.rounding(here_);
    const LineSearchEnd end = backtrack(slope(), rounding, [&](double fraction) {
        move(fraction);
        return objective_.difference(here_, trial_) - constraint_work(fraction);
    });
    step_length_ = end.fraction;
    if (end.fraction == 0.0) return false;
    // Changes within rounding carry no curvature.
    if (options_.global_step == GlobalStep::lbfgs && -end.difference > rounding) {
        gradient_change_ = trial_.gradient - here_.gradient;
        direction_ *= end.fraction;
        lbfgs_.add(direction_, gradient_change_);
    }
    decrease_ += end.difference;
    std::swap(here_, trial_);
    return true;
}

/// x_{k+1} = omega (x_k + d - x_{k-1}) + x_{k-1} (Wang 2015, algorithm 1).
void Solve::chebyshev_step() {
    const double square = system_->jacobi_radius() * system_->jacobi_radius();
    if (iteration_ <= chebyshev_delay) {
        omega_ = 1.0;
    } else if (iteration_ == chebyshev_delay + 1) {
        omega_ = 2.0 / (2.0 - square);
    } else {
        omega_ = 4.0 / (4.0 - square * omega_);
    }
    const std::vector<Index>& unknowns = system_->unknowns();
    if (omega_ > 1.0) {
        for (std::size_t i = 0; i < unknowns.size(); ++i) {
            const Eigen::Index at = 3 * static_cast<Eigen::Index>(unknowns[i]), here = 3 * static_cast<Eigen::Index>(i);
            direction_.segment<3>(here) = omega_ * direction_.segment<3>(here) +
                                          (omega_ - 1.0) * (here_.x.segment<3>(at) - last_x_.segment<3>(at));
        }
    }
    last_x_ = here_.x;
    move(1.0);
    accept();
}

}  // namespace stiction::local_global
