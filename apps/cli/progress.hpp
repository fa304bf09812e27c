// The progress line of a run on the terminal.
#pragma once

#include "stiction/output/run_report.hpp"
#include "stiction/sim/observer.hpp"

#include <cstdio>
#include <string>

namespace stiction::cli {

/// Shows every step: one line that is redrawn when `out` is a terminal, else one line a step. On a terminal the line
/// tells of the iterations within a step that takes long.
class Progress final : public Observer {
public:
    /// @param last_step  step at which the run ends
    /// @param out        where to write; must outlive this
    Progress(Index last_step, std::FILE* out);

    void started(const World& world, const State& state) override;
    void iterated(const World& world, const State& state, int iterations, double residual) override;
    void step_done(const World& world, const State& state, const StepResult& result) override;
    void finished(const World& world, const State& state, const StepResult* last, RunEnd end) override;
    /// Leaves the line that is redrawn, so that what is printed next stands below it.
    void end_line();

private:
    double seconds_left(const State& state) const;
    std::string bar(const State& state) const;
    void draw(std::string line);
    Index last_step_;
    std::FILE* out_;
    bool terminal_;
    bool drawn_ = false;
    Index first_step_ = 0;
    double start_ = 0.0;
    double step_start_ = 0.0;  ///< of the step under way (s)
    double drawn_at_ = 0.0;    ///< s
};

/// "1:02:03", "2:03" or "3.1 s".
std::string duration(double seconds);

/// The table at the end of a run, several lines.
std::string summary(const RunReport& report, Index last_step, const std::string& directory);

}  // namespace stiction::cli
