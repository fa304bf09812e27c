#include "progress.hpp"

#include "stiction/base/timer.hpp"
#include "stiction/output/verdict.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace stiction::cli {
namespace {

std::size_t terminal_width(std::FILE* out) {
    winsize size{};
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string gap_text(double gap) {
    return std::isfinite(gap) ? fmt::format("{:.2e}", gap) : "-";
}

/// Of the line about a step under way: often enough to see that it moves.
constexpr double seconds_between_redraws = 0.25;

std::string filled_bar(double fraction, int width) {
    const int full = static_cast<int>(std::floor(fraction * width));
    return "[" + std::string(static_cast<std::size_t>(full), '#') +
           std::string(static_cast<std::size_t>(width - full), '.') + "]";
}

std::string phase_shares(const RunStatistics& statistics) {
    std::vector<std::pair<double, std::string>> phases;
    for (const auto& [name, ms] : statistics.phases_ms) phases.emplace_back(ms, name);
    std::sort(phases.rbegin(), phases.rend());
    std::string text;
    for (const auto& [ms, name] : phases) {
        const double percent = statistics.step_ms > 0.0 ? 100.0 * ms / statistics.step_ms : 0.0;
        if (percent >= 1.0) text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, percent);
    }
    return text.empty() ? "-" : text;
}

}  // namespace

std::string duration(double seconds) {
    if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long>(std::lround(seconds));
    if (whole < 3600) return fmt::format("{}:{:02d}", whole / 60, whole % 60);
    return fmt::format("{}:{:02d}:{:02d}", whole / 3600, whole / 60 % 60, whole % 60);
}

Progress::Progress(Index last_step, std::FILE* out)
    : last_step_(last_step), out_(out), terminal_(isatty(fileno(out)) != 0) {}

void Progress::started(const World&, const State& state) {
    first_step_ = state.step;
    start_ = step_start_ = drawn_at_ = now_seconds();
}

double Progress::seconds_left(const State& state) const {
    const auto done = static_cast<double>(state.step - first_step_);
    return done > 0.0 ? (now_seconds() - start_) / done * static_cast<double>(last_step_ - state.step) : 0.0;
}

void Progress::step_done(const World&, const State& state, const StepResult& result) {
    const StepReport& r = result.report;
    const std::string left = duration(seconds_left(state));
    const std::string pieces = r.status == Status::converged ? "" : fmt::format("  {}", to_string(r.status));
    if (!terminal_) {
        fmt::print(out_, "step {}/{}  t {:.6g} s  iterations {}  contacts {}  min gap {} m  {:.1f} ms  left {}{}\n",
                   state.step, last_step_, state.t, r.iterations, r.contacts, gap_text(r.min_gap), r.milliseconds, left,
                   pieces);
    } else {
        draw(fmt::format("{}  t {:.4g} s  it {}  contacts {}  gap {} m  {:.0f} ms  left {}{}", bar(state), state.t,
                         r.iterations, r.contacts, gap_text(r.min_gap), r.milliseconds, left, pieces));
    }
    std::fflush(out_);
    step_start_ = now_seconds();
}

void Progress::iterated(const World&, const State& state, int iterations, double residual) {
    if (!terminal_) return;
    const double now = now_seconds();
    if (now - drawn_at_ < seconds_between_redraws) return;
    draw(fmt::format("{}  step {}: iteration {}, residual {:.1e}, {}", bar(state), state.step + 1, iterations, residual,
                     duration(now - step_start_)));
    std::fflush(out_);
}

std::string Progress::bar(const State& state) const {
    const double fraction = last_step_ > 0 ? static_cast<double>(state.step) / static_cast<double>(last_step_) : 1.0;
    return fmt::format("{} {}/{}", filled_bar(fraction, 20), state.step, last_step_);
}

void Progress::draw(std::string line) {
    line.resize(std::min(line.size(), terminal_width(out_) - 1));
    fmt::print(out_, "\r{}\x1b[K", line);
    drawn_ = true;
    drawn_at_ = now_seconds();
}

void Progress::finished(const World&, const State&, const StepResult*, RunEnd) {
    end_line();
}

void Progress::end_line() {
    if (drawn_) fmt::print(out_, "\n");
    drawn_ = false;
    std::fflush(out_);
}

std::string summary(const RunReport& report, Index last_step, const std::string& directory) {
    const RunStatistics& s = report.statistics;
    const double steps = std::max<double>(1.0, static_cast<double>(s.steps));
    std::string text = "\n";
    const auto row = [&text](const char* name, const std::string& value) {
        text += fmt::format("  {:<14}{}\n", name, value);
    };
    row("result", report.cause.empty() ? report.status : fmt::format("{} ({})", report.status, report.cause));
    row("steps",
        fmt::format("{} of {}{}", report.steps, last_step,
                    s.substepped.count > 0 ? fmt::format(", {} of them in sub-steps", s.substepped.count) : ""));
    row("simulated", fmt::format("{:.6g} s", report.simulated_s));
    row("wall time", fmt::format("{}, {:.1f} ms a step", duration(report.wall_s), s.step_ms / steps));
    row("iterations", fmt::format("{} total, {:.1f} mean, {} max", s.iterations_total,
                                  static_cast<double>(s.iterations_total) / steps, s.iterations_max));
    row("contacts", fmt::format("{:.1f} mean, {} max", static_cast<double>(s.contacts_total) / steps, s.contacts_max));
    row("min gap", std::isfinite(s.min_gap) ? fmt::format("{:.3e} m", s.min_gap) : "nothing came near");
    if (const auto penetration = largest_penetration(report)) {
        const bool without_depth = report.audit && report.audit->overlapping_states > 0 && *penetration == 0.0;
        row("penetration",
            fmt::format("{:.3e} m at most{}{}", *penetration,
                        report.audit ? fmt::format("; {} of {} audited states overlap",
                                                   report.audit->overlapping_states, report.audit->states)
                                     : "",
                        without_depth ? ": edges through triangles, where nothing has a depth" : ""));
    }
    row("energy", fmt::format("{:.6g} J at the start, {:.6g} J at the end", report.energy_start, report.energy_end));
    if (s.energy.steps_above() > 0)
        row("energy gained",
            fmt::format("{:.3g} J that nobody put in, {:.3g} % of the run's energy and work", s.energy.gross_gain(),
                        100.0 * s.energy.gross_gain() / s.energy.gross_scale()));
    if (s.damped_steps > 0)
        row("damped steps",
            fmt::format("{}, made again with SDIRK2: the scene's integrator would have gained energy", s.damped_steps));
    for (const FillingSummary& filling : report.volumes) {
        row("volume", fmt::format("{}: {:.6g} m^3, {:.6g} m^3 at rest, gauge pressure {:.6g} Pa", filling.body,
                                  filling.volume, filling.rest_volume, filling.pressure));
    }
    row("peak memory", fmt::format("{:.0f} MiB", report.peak_mb));
    row("phases", phase_shares(s));
    for (const auto& [note, count] : s.all_notes()) row("note", fmt::format("{} x {}", count, note));
    row("verdict", in_words(verdict(report)));
    row("output", directory);
    return text;
}

}  // namespace stiction::cli
