// report.json: a whole run in one file.
#pragma once

#include "stiction/audit/run_summary.hpp"
#include "stiction/report/energy_ledger.hpp"
#include "stiction/report/step_report.hpp"
#include "stiction/report/verdict_limits.hpp"
#include "stiction/world/step.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace stiction {

/// How often something happened in the steps of a run, and when first.
struct Occurrences {
    long count = 0;
    long first = 0;  ///< step, from 1; 0: never
    void add(long step) {
        if (count++ == 0) first = step;
    }
};

/// The worst of a number over the steps of a run, with the step and the body that it is from.
struct Worst {
    double value = 0.0;
    long step = 0;  ///< from 1; 0: never
    int body = -1;
    void add(double other, long at, int of) {
        if (other > value) *this = {other, at, of};
    }
};

/// Sums and extremes over the accepted steps of a run.
class RunStatistics {
public:
    /// Counts one accepted step; its number is one more than that of the last.
    void add(const StepReport& report) { add(report, steps + 1); }
    void add(const StepReport& report, long number);
    /// Counts a note that was taken before, e.g. by the run that is being resumed.
    void add_note(const std::string& note, long times = 1);

    long steps = 0;
    Occurrences substepped;
    Occurrences not_converged, friction_not_converged;  ///< of these statuses
    Occurrences overlapping;                            ///< with ContactOutcome::overlaps
    Occurrences gaining;                                ///< steps that EnergyLedger::steps_above() counts
    long damped_steps = 0;                              ///< with StepReport::damped
    ContactOutcome worst_contact;                ///< the worst of each number; bodies are those of the deepest overlap
    Worst momentum_loss, angular_momentum_loss;  ///< of MomentumLoss
    ElementQuality worst_quality;
    long worst_quality_step = 0;  ///< from 1; 0: no element was worse than at rest
    Worst contact_load;           ///< of ContactLoad::share
    FirstMove first_move;
    long iterations_total = 0;
    int iterations_max = 0;
    long contacts_total = 0;
    int contacts_max = 0;
    double min_gap = std::numeric_limits<double>::infinity();  ///< m
    double step_ms = 0.0;                                      ///< time of all steps
    double energy_end = 0.0;                                   ///< kinetic + elastic + gravity after the last step (J)
    EnergyLedger energy;
    std::map<std::string, double> phases_ms;
    std::set<std::string> linear_solvers;  ///< that steps report
    /// Fallbacks taken and how often. Digits in a note are replaced by '#', so that notes about different pairs count
    /// as one.
    std::map<std::string, long> notes;
    /// The notes, and one where energy came into being.
    std::map<std::string, long> all_notes() const;
};

/// Smallest and largest of the numbers that it was told; infinity and minus infinity before the first.
struct Extremes {
    double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
    void include(double value) {
        min = std::min(min, value);
        max = std::max(max, value);
    }
    void include(const Extremes& other) {
        min = std::min(min, other.min);
        max = std::max(max, other.max);
    }
};

/// Of a filled region, over all states of a run.
struct FillingExtremes {
    Extremes volume;    ///< m^3
    Extremes pressure;  ///< Pa
    void include(const FillingExtremes& other) {
        volume.include(other.volume);
        pressure.include(other.pressure);
    }
};

/// A filled region at the end of what a report is about.
struct FillingSummary {
    std::string body;
    double rest_volume = 0.0, volume = 0.0;  ///< m^3
    double pressure = 0.0;                   ///< gauge pressure, positive outwards (Pa)
    FillingExtremes extremes;
};

/// The fillings of a world at a state, which their extremes are of, too.
std::vector<FillingSummary> filling_summaries(const World& world, const State& state);

/// Everything report.json holds.
struct RunReport {
    std::string scene;  ///< path as the user gave it
    std::string method;
    std::string version;
    int threads = 1;
    std::string status;  ///< "running", "done", "interrupted", "failed", or the Status that stopped the run
    std::string cause;
    int steps = 0;  ///< steps completed since t = 0, earlier parts of a resumed run included
    double simulated_s = 0.0;
    double wall_s = 0.0;
    double peak_mb = 0.0;  ///< largest resident memory of this process (MiB)
    double energy_start = 0.0;
    double energy_end = 0.0;
    RunStatistics statistics;
    VerdictLimits limits{};
    std::vector<FillingSummary> volumes;
    std::vector<std::string> bodies;                   ///< names, by number
    bool separation_promised = true;                   ///< Method::promises_separation
    std::optional<audit::RunAudit> audit;              ///< absent: nothing was audited
    std::optional<audit::RunCertificate> certificate;  ///< absent: moves were not certified
    std::string resolved_scene =
        "{}";  ///< text of the resolved scene; the method's options are under the key of its name
};

/// How deep bodies were inside each other in the states that the audit looked at (m). Nothing where the method promises
/// that they never are, and without an audit.
std::optional<double> largest_penetration(const RunReport& report);

/// Name of a body; empty for a number that is no body's.
std::string name_of(const RunReport& report, int body);

/// Writes report.json atomically. Infinite numbers become null; intersections and inversions are null when nothing
/// audited them. Throws InputError when the file cannot be written, InternalError when resolved_scene is not a JSON
/// object.
void write_run_report(const std::filesystem::path& path, const RunReport& report);

/// The notes of an earlier report.json if it was written after exactly `steps` steps; empty otherwise (also for a
/// missing or unreadable file: notes are only a service).
std::map<std::string, long> read_notes(const std::filesystem::path& path, int steps);

/// The linear solvers that an earlier report.json names; none for a missing or unreadable file.
std::set<std::string> read_linear_solvers(const std::filesystem::path& path);

/// How far a run got, from its report.json.
struct RunOutline {
    int steps;
    std::string status;
};

/// Empty when there is no such file. Throws InputError for a file that is no report.
std::optional<RunOutline> read_outline(const std::filesystem::path& path);

/// What an earlier report.json says about audit and certificate, if it was written after at least `steps` steps (a
/// killed run's report may be ahead of its checkpoint); empty otherwise. Throws InputError when they are damaged.
std::optional<audit::RunAudit> read_audit(const std::filesystem::path& path, int steps);
std::optional<audit::RunCertificate> read_certificate(const std::filesystem::path& path, int steps);

}  // namespace stiction
