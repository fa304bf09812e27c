#include "stiction/session/recorder.hpp"

#include "stiction/base/counted_lines.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/peak_memory.hpp"
#include "stiction/sim/energy_balance.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>

namespace stiction {
Recorder::Recorder(const World& world, const RunDirectory& directory, const OutputSpec& output, double h, bool resumed,
                   RunReport report, RunLog& log)
    : world_(world),
      directory_(directory),
      output_(output),
      h_(h),
      resumed_(resumed),
      report_(std::move(report)),
      log_(log),
      frames_(world, directory, FrameOptions{frame_fields(output.fields), output.obj, output.ply}, h),
      start_(now_seconds()) {
    report_.statistics.energy = energy_ledger(world);
    for (const Body& body : world.bodies) report_.bodies.push_back(body.name);
}

void Recorder::report_on(const Auditor* auditor, const Certifier* certifier) {
    auditor_ = auditor;
    certifier_ = certifier;
}

void Recorder::started(const World&, const State& state) {
    if (resumed_) {
        frames_.discard_after(state.step);
        steps_ = StepTable::resume(directory_.steps(), state.step);
        for (const StepRow& row : steps_->kept_rows()) report_.statistics.add(row.report);
        earlier_wall_s_ = report_.statistics.step_ms / 1e3;
        for (const auto& [note, count] : read_notes(directory_.report(), state.step))
            report_.statistics.add_note(note, count);
        report_.statistics.linear_solvers = read_linear_solvers(directory_.report());
        if (!world_.fillings.empty()) {
            if (!std::filesystem::exists(directory_.zones()))
                log_.warn(fmt::format("{} is missing: begun anew, without the steps up to {}",
                                      directory_.zones().string(), state.step));
            zones_ = ZoneTable::resume(directory_.zones(), state.step);
        }
        if (std::filesystem::exists(directory_.complementarity()))
            complementarity_ = ComplementarityTable::resume(directory_.complementarity(), state.step);
    } else {
        steps_ = StepTable::create(directory_.steps());
        if (!world_.fillings.empty()) {
            zones_ = ZoneTable::create(directory_.zones());
            zones_->append(state.step, state.t, filling_summaries(world_, state));
        }
        frames_.write(state, nullptr);
    }
    save(state, "running");
}

void Recorder::step_done(const World&, const State& state, const StepResult& result) {
    const StepReport& report = result.report;
    const bool gained_before = report_.statistics.energy.steps_above() > 0;
    report_.statistics.add(report);
    const EnergyLedger& energy = report_.statistics.energy;
    if (!gained_before && energy.steps_above() > 0) {
        const std::string doubt = fmt::format(
            "step {}: energy gained that nobody put in: {:.3g} J since the start; energy and work of the run: {:.3g} J",
            state.step, energy.gross_gain(), energy.gross_scale());
        log_.warn(doubt);
        if (tell_doubt_) tell_doubt_(doubt);
    }
    steps_->append(state.step, state.t, report);
    if (zones_) zones_->append(state.step, state.t, filling_summaries(world_, state));
    append_complementarity(state, report);
    if (report.status != Status::converged)
        log_.warn(fmt::format("step {}: {} ({}), {} pieces", state.step, to_string(report.status), report.cause,
                              report.substeps));
    if (!report.linear_solver.empty() && report.linear_solver != linear_solver_) {
        linear_solver_ = report.linear_solver;
        log_.info(fmt::format("step {}: linear solver: {}", state.step, linear_solver_));
    }
    for (const std::string& note : counted_lines(report.notes)) log_.info(fmt::format("step {}: {}", state.step, note));
    if (state.step % output_.every == 0) frames_.write(state, &result);
    if (is_checkpoint_due(state.step)) save(state, "running");
}

bool Recorder::is_checkpoint_due(Index step) const {
    if (output_.checkpoint_every > 0 && step % output_.checkpoint_every == 0) return true;
    return output_.checkpoint_seconds > 0.0 && now_seconds() - saved_ >= output_.checkpoint_seconds;
}

void Recorder::append_complementarity(const State& state, const StepReport& report) {
    if (!report.complementarity) return;
    if (!complementarity_) {
        if (state.step > 1)
            log_.warn(fmt::format("{} is missing: begun anew, without the steps before {}",
                                  directory_.complementarity().string(), state.step));
        complementarity_ = ComplementarityTable::create(directory_.complementarity());
    }
    complementarity_->append(state.step, state.t, report);
}

void Recorder::step_dropped(const World&, const State& state, const StepReport& attempt) {
    log_.info(fmt::format("step {} dropped: interrupted after {} iterations, {:.3g} s", state.step + 1,
                          attempt.iterations, 1e-3 * attempt.milliseconds));
}

void Recorder::step_failed(const World&, const State& state, const StepReport& attempt) {
    steps_->append(state.step + 1, static_cast<double>(state.step + 1) * h_, attempt);
    report_.status = to_string(attempt.status);
    report_.cause = attempt.cause;
    log_.error(fmt::format("step {} could not be completed: {}: {}", state.step + 1, report_.status, report_.cause));
}

void Recorder::finished(const World&, const State& state, const StepResult* last, RunEnd end) {
    if (last != nullptr && frames_.last_step() < state.step) frames_.write(state, last);
    if (end == RunEnd::done) report_.status = "done";
    if (end == RunEnd::interrupted) report_.status = "interrupted";
    save(state, report_.status);
    log_.info(fmt::format("{} at step {}, t = {} s", report_.status, state.step, state.t));
}

void Recorder::abandoned(const State& state, const std::string& reason) noexcept {
    try {
        log_.error(fmt::format("failed after step {}: {}", state.step, reason));
        report_.cause = reason;
        save(state, "failed");
    } catch (const std::exception& error) {
        try {
            log_.error(fmt::format("and the report could not be written: {}", error.what()));
        } catch (...) {  // the log itself is gone: the exception under way is what the user gets to see
        }
    }
}

void Recorder::save(const State& state, const std::string& status) {
    report_.status = status;
    report_.steps = state.step;
    report_.simulated_s = state.t;
    report_.wall_s = earlier_wall_s_ + now_seconds() - start_;
    report_.peak_mb = peak_memory_mib();
    report_.energy_end = report_.statistics.steps > 0 ? report_.statistics.energy_end : report_.energy_start;
    if (auditor_ != nullptr && auditor_->audit().every != "off") report_.audit = auditor_->audit();
    if (certifier_ != nullptr) report_.certificate = certifier_->certificate();
    report_.volumes = filling_summaries(world_, state);
    if (zones_) zones_->widen(report_.volumes);
    write_run_report(directory_.report(), report_);
    write_checkpoint(directory_.checkpoint(), state);
    saved_ = now_seconds();
}

}  // namespace stiction
