// Proves, move by move, that nothing passed through anything in a run.
#pragma once

#include "stiction/audit/run_summary.hpp"
#include "stiction/sim/observer.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace stiction {

/// Re-checks every straight move that a method accepted with interval arithmetic (audit/interval_ccd.hpp). A step is
/// proved when its moves join end to end, bit for bit, from the state before it to the state after it, and each of them
/// is proved. Moves of attempts that were given up are not counted. Register it as observer and as move sink of a
/// Simulator.
class Certifier final : public Observer, public MoveSink {
public:
    /// @param world    must outlive the certifier
    /// @param earlier  what has been proved before, by the run that is resumed; goes on; steps that it covers are not
    ///                 counted again, steps between its end and this run's start are counted as uncertified
    explicit Certifier(const World& world, const std::optional<audit::RunCertificate>& earlier = {})
        : certifier_(world), earlier_(earlier.has_value()), certificate_(earlier.value_or(audit::RunCertificate{})) {}

    void started(const World& world, const State& state) override;
    void accepted_move(const VecX& x0, const VecX& x1) override { moves_.emplace_back(x0, x1); }
    void attempt_started() override { attempt_begin_ = moves_.size(); }
    void attempt_failed() override { moves_.resize(attempt_begin_); }
    void step_done(const World& world, const State& state, const StepResult& result) override;
    void step_dropped(const World& world, const State& state, const StepReport& attempt) override;
    void step_failed(const World& world, const State& state, const StepReport& attempt) override;

    const audit::RunCertificate& certificate() const { return certificate_; }

private:
    void certify(const World& world, const State& state);
    /// Whether the moves of the step lead from x_ to `to` without a gap.
    bool joined(const VecX& to) const;

    audit::MoveCertifier certifier_;
    bool earlier_;
    audit::RunCertificate certificate_;
    VecX x_;                                    ///< at the start of the step under way
    std::size_t attempt_begin_ = 0;             ///< first move of the attempt under way
    std::vector<std::pair<VecX, VecX>> moves_;  ///< of the step under way
};

}  // namespace stiction
