#include "stiction/methods/local_global/constraints.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

/// Names of this method's warm starts in a State.
const std::string contacts_key = "local_global_contacts", bilateral_key = "local_global_bilateral";

const std::string& warm_start_of(const State& state, const std::string& key) {
    static const std::string none;
    const auto found = state.warm_start.find(key);
    return found == state.warm_start.end() ? none : found->second;
}

ContactSolverOptions solver_options(const Options& options) {
    ContactSolverOptions result = options.contact;
    result.expected_solves = options.iterations;
    return result;
}

}  // namespace

Constraints::Constraints(const World& world, const Options& options)
    : contacts_(world, ContactLengths(world, options)), bilateral_(world, options), solver_(solver_options(options)) {
    contacts_.leave_out(bilateral_.held_to_bodies());
}

void Constraints::find(const GlobalSystem& system, const State& state, const StepInput& input, const VecX& guess,
                       const VecX& prediction) {
    contacts_.find(state, prediction);
    contacts_.fill(system, state, input.target, warm_start_of(state, contacts_key), rows_, lambda_);
    bilateral_.fill(system, guess, input.target, state.t + input.h, warm_start_of(state, bilateral_key), rows_,
                    lambda_);
    residual_ = {};
    dropped_ = false;
    taken_.clear();
}

void Constraints::take(const std::vector<double>& lambda, const std::vector<double>& acting,
                       const ContactResidual& residual) {
    lambda_ = lambda;
    taken_ = acting;
    residual_ = residual;
}

void Constraints::solve(const VecX& free, const VecX& last, VecX& end) {
    end.resize(free.size());
    residual_ = solver_.solve({.free = free.data(), .last = last.data(), .lambda = lambda_.data(), .q = end.data()});
}

void Constraints::solve_from_half(const VecX& half, const VecX& last, VecX& end) {
    end.resize(last.size());
    residual_ = solver_.solve(
        {.free = nullptr, .last = last.data(), .lambda = lambda_.data(), .q = end.data(), .half = half.data()});
}

void Constraints::forces(VecX& out) {
    out.resize(3 * static_cast<Eigen::Index>(solver_.unknown_count()));
    solver_.forces(out.data());
}

void Constraints::drop_forces() {
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    dropped_ = any();
}

void Constraints::carry_over_warm_starts(const State& from, State& to) {
    std::erase_if(to.warm_start, [&](const auto& entry) { return !from.warm_start.contains(entry.first); });
    for (const auto& [key, bytes] : from.warm_start) {
        if (key != contacts_key && key != bilateral_key) to.warm_start[key] = bytes;
    }
}

void Constraints::report(bool listed, StepResult& result) {
    acting_.assign(lambda_.size(), 0.0);
    if (any() && !dropped_) {
        if (taken_.empty())
            solver_.row_forces(acting_.data());
        else
            acting_ = taken_;
    }
    contacts_.spread(acting_, result);
    result.contacts.clear();
    if (listed) result.contacts = contacts_.list(acting_, result.state.x);
    contacts_.warm_start(acting_, result.state.warm_start[contacts_key]);
    if (!bilateral_.empty())
        bilateral_.warm_start(acting_, 3 * contacts_.contacts().size(), result.state.warm_start[bilateral_key]);
    report_conditions(result);
}

/// Driven coordinates are left out: their work is that of the motions.
double Constraints::bilateral_work(const std::vector<Index>& unknowns, const StepInput& input, const VecX& start,
                                   const StepResult& result) {
    if (bilateral_.empty() || !any() || dropped_) return 0.0;
    bilateral_forces(static_cast<Eigen::Index>(3 * unknowns.size()));
    double work = 0.0;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
        const Eigen::Index at = 3 * unknowns[k];
        for (int axis = 0; axis < 3; ++axis) {
            if ((input.driven_axes[static_cast<std::size_t>(unknowns[k])] >> axis & 1) == 0)
                work +=
                    forces_[3 * static_cast<Eigen::Index>(k) + axis] * (result.state.x[at + axis] - start[at + axis]);
        }
    }
    return work;
}

/// forces_ = H^T of the bilateral rows' forces, stacked over the unknowns.
void Constraints::bilateral_forces(Eigen::Index size) {
    bilateral_acting_ = acting_;
    std::fill_n(bilateral_acting_.begin(), static_cast<std::ptrdiff_t>(3 * contacts_.contacts().size()), 0.0);
    columns_.resize(3 * at(rows_.column_count()));
    rows_.column_forces(bilateral_acting_.data(), columns_.data());
    forces_.setZero(size);
    rows_.add_to_unknowns(columns_.data(), forces_.data());
}

void Constraints::report_conditions(StepResult& result) const {
    StepReport& report = result.report;
    report.contact = contacts_.outcome(acting_, result.state.x);
    if (any()) report.contact.residual = std::max(report.contact.residual, residual_.largest());
    ComplementarityReport& total = report.complementarity.emplace();
    total.rows = static_cast<int>(contacts_.contacts().size());
    for (std::size_t k = 0; k < contacts_.contacts().size(); ++k) {
        const double* force = acting_.data() + 3 * k;
        if (!(force[0] > 0.0)) continue;
        ++report.contacts;
        const StepContact& contact = contacts_.contacts()[k];
        total.constraints += contact.friction > 0.0 ? 3 : 1;
        ++(contact.sticks(force) ? total.sticking : total.sliding);
    }
    total.solves = 1;
    total.distance_tolerance = tolerance();
    total.normal_error = residual_.normal;
    total.sticking_error = total.sliding_error = residual_.friction;
}

}  // namespace stiction::local_global
