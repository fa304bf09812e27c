#include "stiction/sim/simulator.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/base/error.hpp"
#include "stiction/report/merge_reports.hpp"
#include "stiction/sim/contact_load.hpp"
#include "stiction/sim/energy_balance.hpp"
#include "stiction/sim/energy_guard.hpp"
#include "stiction/sim/first_move.hpp"
#include "stiction/world/element_quality.hpp"
#include "stiction/world/turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction {
namespace {

double energy_of(const World& world, const State& state) {
    StepReport report;
    measure(world, state, report);
    return report.kinetic + report.elastic;
}

/// A method may sum energies in an order of its own. So the state carries the sum of its step to the next one, and a
/// run that goes on from a checkpoint reports the same bits.
constexpr const char* energy_key = "simulator";

void carry_energy(double energy, State& state) {
    std::string& bytes = state.warm_start[energy_key];
    bytes.clear();
    append_bytes(bytes, energy);
}

/// The energy that the state carries, if it is that of its positions and velocities but for rounding.
double energy_from(const World& world, const State& state) {
    constexpr double rounding = 1e-9;
    const double measured = energy_of(world, state);
    const auto entry = state.warm_start.find(energy_key);
    double carried = 0.0;
    if (entry == state.warm_start.end() || entry->second.size() != sizeof(carried)) return measured;
    const char* bytes = entry->second.data();
    take_bytes(bytes, carried);
    return std::abs(carried - measured) <= rounding * std::abs(measured) ? carried : measured;
}

std::unique_ptr<Method> required(std::unique_ptr<Method> method) {
    STICTION_CHECK(method != nullptr, "a simulator needs a method");
    return method;
}

}  // namespace

int halvings_within(int max_substeps) {
    STICTION_CHECK(max_substeps >= 1, "a step has at least one piece");
    return std::min(30, static_cast<int>(std::floor(std::log2(max_substeps))));
}

/// Tells the observers of iterations, and the method of an interrupt, during one scene step.
class Simulator::Watch final : public StepWatch {
public:
    Watch(const Simulator& simulator, const std::atomic<bool>* interrupt)
        : simulator_(simulator), interrupt_(interrupt) {}
    bool go_on(int iterations, double residual) override {
        for (Observer* observer : simulator_.observers_)
            observer->iterated(simulator_.world_, simulator_.state_, before_ + iterations, residual);
        // Once it is asked for, whatever becomes of the flag.
        if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) ended_ = true;
        return !ended_;
    }
    /// What the attempts before took, for the next.
    void count_from(int iterations) { before_ = iterations; }
    int counted() const { return before_; }

private:
    const Simulator& simulator_;
    const std::atomic<bool>* interrupt_;
    int before_ = 0;
    bool ended_ = false;
};

Simulator::Simulator(World world, State state, std::unique_ptr<Method> method, const SimulatorOptions& options)
    : world_(std::move(world)),
      state_(std::move(state)),
      method_(required(std::move(method))),
      options_(options),
      program_(world_),
      momentum_(world_, *method_) {
    STICTION_CHECK(state_.x.size() == 3 * world_.vertex_count(), "state and world have different numbers of vertices");
    if (!(options_.h > 0.0) || !std::isfinite(options_.h)) {
        throw InputError("", "h", fmt::format("{}", options_.h), "a positive step size in seconds");
    }
    if (options_.max_halvings < 0 || options_.max_halvings > 30) {
        throw InputError("", "max_halvings", fmt::format("{}", options_.max_halvings), "a number from 0 to 30");
    }
    energy_ = energy_from(world_, state_);
    unnoticed_energy_ = unnoticed_energy(world_);
    turns_ = has_turns(world_);
}

void Simulator::restore(State state) {
    STICTION_CHECK(state.x.size() == 3 * world_.vertex_count(), "state and world have different numbers of vertices");
    state_ = std::move(state);
    energy_ = energy_from(world_, state_);
    has_result_ = has_failure_ = false;
    program_.forget_commands();
}

/// @param energy  kinetic + elastic, of `from` (J)
bool Simulator::attempt(const State& from, double energy, double h, Watch& watch) {
    StepInput input = schedule(world_, from, h);
    input.moves = moves_;
    input.watch = &watch;
    input.list_contacts = list_contacts_;
    program_.follow(world_, from, static_cast<double>(state_.step + 1) * options_.h, input);
    if (!solve(from, energy, input) || !guard(from, energy, input, watch)) return false;
    if (!method_->has_joints()) {
        momentum_.load(from);
        momentum_.add(world_, from, input, *result_);
        momentum_.store(result_->state);
        result_->report.momentum_loss = momentum_.worst();
        result_->report.contact_load = contact_load(world_, from, input, *result_);
    }
    result_->state.anchor = std::move(input.anchor);
    result_->state.anchor_time = std::move(input.anchor_time);
    result_->state.active_motion = std::move(input.active_motion);
    result_->applied_force = program_.force();
    return true;
}

/// One solve of a step or a piece of one, with the works of an accepted one.
bool Simulator::solve(const State& from, double energy, const StepInput& input) {
    result_->report = StepReport{};
    if (moves_ != nullptr) moves_->attempt_started();
    method_->step(world_, from, input, *result_);
    if (!is_accepted(result_->report.status)) {
        if (moves_ != nullptr) moves_->attempt_failed();
        return false;
    }
    result_->report.balance = energy_balance(world_, from, energy, input, *result_);
    return true;
}

/// Makes an accepted step again where it gained energy, by the integrator that damps. Where that one fails, the step is
/// made as it was at first.
bool Simulator::guard(const State& from, double energy, StepInput& input, Watch& watch) {
    const bool may_gain = method_->may_gain_energy(from, input);
    if (!may_gain && !EnergyGuard::watches(from)) return true;
    EnergyGuard guard(from, unnoticed_energy_);
    if (may_gain && guard.refuses(result_->report)) {
        StepReport refused = result_->report;
        if (moves_ != nullptr) moves_->attempt_failed();
        watch.count_from(watch.counted() + refused.iterations);
        input.damped = true;
        bool solved = solve(from, energy, input);
        if (!solved && result_->report.status != Status::interrupted) {
            add_work(refused, result_->report);
            input.damped = false;
            solved = solve(from, energy, input);
        }
        add_work(result_->report, refused);
        if (!solved) return false;
        if (input.damped)
            result_->report.damped = 1;
        else
            result_->report.notes.push_back("a step that gained energy could not be damped");
    }
    guard.accept(result_->report, !may_gain || input.damped);
    guard.carry(result_->state);
    return true;
}

/// Makes the scene step in `planned` equal pieces, or in halves where that is 1, and in smaller ones from the first
/// piece on that fails. `total` holds the attempts before.
bool Simulator::substep(long planned, StepReport& total, Watch& watch) {
    // Positions inside the step are whole numbers of the smallest sub-step, so that they add up without rounding.
    const long smallest = 1L << options_.max_halvings, pieces = planned * smallest;
    long position = 0;
    bool failed = planned == 1;
    std::string cause = fmt::format("{}{}{}", to_string(total.status), total.cause.empty() ? "" : ": ", total.cause);
    Status worst = Status::converged;
    std::string worst_cause;
    total.substeps = 0;
    State from = state_;
    double energy = energy_;
    for (int halvings = failed ? 1 : 0; position < pieces;) {
        if (halvings > options_.max_halvings) return false;
        const long size = smallest >> halvings;
        watch.count_from(total.iterations);
        const double h = options_.h * static_cast<double>(size) / static_cast<double>(pieces);
        const bool ok = attempt(from, energy, h, watch);
        const StepReport& report = result_->report;
        add_work(total, report);
        if (report.status == Status::interrupted) return false;
        if (!ok) {
            if (!failed) {
                cause = fmt::format("{}{}{}", to_string(report.status), report.cause.empty() ? "" : ": ", report.cause);
                total.status = report.status;
                total.cause = report.cause;
            }
            failed = true;
            ++halvings;
            continue;
        }
        if (report.status != Status::converged && worst == Status::converged) {
            worst = report.status;
            worst_cause = report.cause;
        }
        take_outcome(total, report);
        position += size;
        from = result_->state;
        energy = report.kinetic + report.elastic;
        from.step = state_.step;
        from.t = state_.t + options_.h * static_cast<double>(position) / static_cast<double>(pieces);
    }
    total.status = failed ? Status::substepped : worst;
    total.cause = failed ? cause : worst_cause;
    return true;
}

/// Leaves the outcome of the next scene step in result_, whose report covers all attempts.
bool Simulator::make(Watch& watch) {
    const auto pieces = [&] {
        const double sagitta = method_->arc_sagitta(world_, length_near_turns(world_, state_, options_.h));
        return turn_in_step(world_, state_, options_.h, sagitta).pieces;
    };
    const long planned = turns_ ? pieces() : 1L;
    StepReport total;
    if (planned == 1) {
        const bool done = attempt(state_, energy_, options_.h, watch);
        if (done || options_.max_halvings == 0 || result_->report.status == Status::interrupted) return done;
        total = result_->report;
    }
    const bool ok = substep(planned, total, watch);
    if (result_->report.status == Status::interrupted) {
        total.status = Status::interrupted;
    } else if (!ok && options_.max_halvings > 0) {
        const double smallest = options_.h / static_cast<double>(planned << options_.max_halvings);
        total.cause = fmt::format("{}; the last sub-step tried, {:.6g} s: {}{}{}", total.cause, smallest,
                                  to_string(result_->report.status), result_->report.cause.empty() ? "" : ": ",
                                  result_->report.cause);
    }
    result_->report = std::move(total);
    return ok;
}

/// The next scene step was not made: result_->report says why.
void Simulator::refuse() {
    interrupted_ = result_->report.status == Status::interrupted;
    if (interrupted_) {
        for (Observer* observer : observers_) observer->step_dropped(world_, state_, result_->report);
        return;
    }
    failure_ = result_->report;
    has_failure_ = true;
    for (Observer* observer : observers_) observer->step_failed(world_, state_, failure_);
}

/// What the verdict on the run asks of the step from state_ to that of result_.
void Simulator::judge() {
    StepReport& report = result_->report;
    report.quality = worst_element(world_, result_->state.x);
    if (state_.step > 0 || method_->has_joints()) return;
    StepInput input = schedule(world_, state_, options_.h);
    follow_program(world_, *result_, input);
    const bool is_static = method_->integrator() == Integrator::quasi_static || options_.h > Stage::longest_dynamic;
    report.first_move = first_move(world_, state_, input, result_->state, is_static);
}

bool Simulator::advance(const std::atomic<bool>* interrupt) {
    const Index next = state_.step + 1;
    if (result_.use_count() > 1) result_ = std::make_shared<StepResult>();  // somebody holds the one before the last
    interrupted_ = false;
    Watch watch(*this, interrupt);
    const bool ok = make(watch);
    result_->report.h = options_.h;
    if (!ok) {
        refuse();
        return false;
    }
    result_->state.step = next;
    result_->state.t = static_cast<double>(next) * options_.h;
    // Over-pressures depend on the time, which is rounded otherwise than that at the end of the attempt.
    energy_ =
        world_.fillings.empty() ? result_->report.kinetic + result_->report.elastic : energy_of(world_, result_->state);
    carry_energy(energy_, result_->state);
    judge();
    state_ = result_->state;
    std::swap(accepted_, result_);
    has_result_ = true;
    program_.forget_commands();
    for (Observer* observer : observers_) observer->step_done(world_, state_, *accepted_);
    return true;
}

bool Simulator::all_go_on() const {
    return std::all_of(observers_.begin(), observers_.end(), [](Observer* observer) { return observer->goes_on(); });
}

RunEnd Simulator::run(Index last_step, const std::atomic<bool>* interrupt) {
    for (Observer* observer : observers_) observer->started(world_, state_);
    RunEnd end = RunEnd::done;
    while (state_.step < last_step) {
        if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) {
            end = RunEnd::interrupted;
            break;
        }
        if (!advance(interrupt)) {
            end = interrupted_ ? RunEnd::interrupted : RunEnd::stopped;
            break;
        }
        if (state_.step < last_step && !all_go_on()) {
            end = RunEnd::interrupted;
            break;
        }
    }
    for (Observer* observer : observers_) observer->finished(world_, state_, last_result(), end);
    return end;
}

}  // namespace stiction
