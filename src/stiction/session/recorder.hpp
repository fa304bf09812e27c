// Writes everything that belongs into the output directory of a run.
#pragma once

#include "stiction/output/complementarity_table.hpp"
#include "stiction/output/frame_writer.hpp"
#include "stiction/output/run_report.hpp"
#include "stiction/output/step_table.hpp"
#include "stiction/output/zone_table.hpp"
#include "stiction/scene/spec.hpp"
#include "stiction/session/run_log.hpp"
#include "stiction/sim/auditing.hpp"
#include "stiction/sim/certification.hpp"

#include <functional>
#include <optional>
#include <string>

namespace stiction {

/// Frames, steps.csv, zones.csv, complementarity.csv, checkpoint and report.json of one run, new or resumed. Within a
/// step the checkpoint is written last, so that all other files are at least as far as it is.
class Recorder final : public Observer {
public:
    /// @param resumed  keep what is in the directory up to the step of the state the run starts from
    /// @param report   scene, method, version, threads, resolved scene and energy at t = 0; the rest is filled in
    Recorder(const World& world, const RunDirectory& directory, const OutputSpec& output, double h, bool resumed,
             RunReport report, RunLog& log);

    /// Whose findings go into report.json; either may be null. Both have to be told of a step before the recorder is.
    void report_on(const Auditor* auditor, const Certifier* certifier);
    /// Whom to tell, beside the log, that the run becomes doubtful: once, in the step where it does.
    void tell_doubts(std::function<void(const std::string&)> tell) { tell_doubt_ = std::move(tell); }
    /// From now on a run ends in the step where its energy explodes (EnergyLedger::exploded).
    void end_explosions() { ends_explosions_ = true; }
    bool goes_on() override { return !ends_explosions_ || !report_.statistics.energy.exploded(); }

    void started(const World& world, const State& state) override;
    void step_done(const World& world, const State& state, const StepResult& result) override;
    void step_dropped(const World& world, const State& state, const StepReport& attempt) override;
    void step_failed(const World& world, const State& state, const StepReport& attempt) override;
    void finished(const World& world, const State& state, const StepResult* last, RunEnd end) override;
    /// Writes checkpoint and report when an exception ended the run at `state`. Does not throw.
    void abandoned(const State& state, const std::string& reason) noexcept;

    const RunReport& report() const { return report_; }

private:
    void append_complementarity(const State& state, const StepReport& report);
    bool is_checkpoint_due(Index step) const;
    void save(const State& state, const std::string& status);

    const World& world_;
    RunDirectory directory_;
    OutputSpec output_;
    double h_;
    bool resumed_;
    RunReport report_;
    RunLog& log_;
    FrameWriter frames_;
    const Auditor* auditor_ = nullptr;
    std::function<void(const std::string&)> tell_doubt_;
    bool ends_explosions_ = false;
    const Certifier* certifier_ = nullptr;
    std::optional<StepTable> steps_;
    std::optional<ZoneTable> zones_;                       ///< of worlds with filled regions
    std::optional<ComplementarityTable> complementarity_;  ///< begun when a step reports what goes into it
    std::string linear_solver_;                            ///< as last said in the log
    double start_ = 0.0;
    double saved_ = 0.0;  ///< when the last checkpoint was written (s)
    double earlier_wall_s_ = 0.0;
};

}  // namespace stiction
