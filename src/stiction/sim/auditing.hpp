// The observer that recomputes states and forces of a run while it runs.
#pragma once

#include "stiction/audit/run_summary.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/report/audit_rate.hpp"
#include "stiction/sim/observer.hpp"

namespace stiction {

/// Audits states (intersections, half-spaces, inversions: exact) and the forces of the steps that led to them. Changes
/// nothing.
class Auditor final : public Observer {
public:
    /// @param frame_every       steps between frames: what AuditRate::frame looks at, beside the first and the last
    /// state
    /// @param contact_distance  Method::contact_distance (m)
    /// @param integrator        what the balance of a step is held against
    /// @param earlier           what the run that is resumed has found before; steps that it covers are not counted
    /// again
    /// @param separation_promised  Method::promises_separation: if not, overlaps are measured and no fault
    /// @param exactly_rigid     Method::exactly_rigid
    Auditor(AuditRate rate, int frame_every, double contact_distance, Integrator integrator,
            audit::RunAudit earlier = {}, bool separation_promised = true, bool exactly_rigid = false,
            bool balance_promised = true);

    void started(const World& world, const State& state) override;
    void step_done(const World& world, const State& state, const StepResult& result) override;
    void finished(const World& world, const State& state, const StepResult* last, RunEnd end) override;

    const audit::RunAudit& audit() const { return audit_; }

private:
    void look_at_state(const World& world, const State& state);
    void look_at_step(const World& world, const StepResult& result);

    AuditRate rate_;
    int frame_every_;
    double contact_distance_;
    Integrator integrator_;
    bool separation_promised_;
    bool exactly_rigid_;
    bool balance_promised_;
    audit::RunAudit audit_;
    State before_;               ///< at the start of the step under way; empty at AuditRate::off
    Index last_looked_at_ = -1;  ///< step of the last state that was looked at
};

}  // namespace stiction
