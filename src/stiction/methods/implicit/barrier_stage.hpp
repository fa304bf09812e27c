// Stages of the method `implicit` with the barrier as contact.
#pragma once

#include "stiction/barrier/solve.hpp"
#include "stiction/methods/implicit/jacobian_solver.hpp"
#include "stiction/methods/implicit/options.hpp"
#include "stiction/methods/implicit/stage_solver.hpp"

#include <utility>
#include <vector>

namespace stiction::implicit {

/// Holds moves back until it is known whether they lead anywhere.
class HeldMoves final : public MoveSink {
public:
    explicit HeldMoves(MoveSink* sink) : sink_(sink) {}
    void accepted_move(const VecX& x0, const VecX& x1) override {
        if (sink_ != nullptr) moves_.emplace_back(x0, x1);
    }
    void pass_on() {
        for (const auto& [x0, x1] : moves_) sink_->accepted_move(x0, x1);
        moves_.clear();
    }
    void forget() { moves_.clear(); }

private:
    MoveSink* sink_;
    std::vector<std::pair<VecX, VecX>> moves_;
};

/// One stage: solves with lagged friction until it has settled, loose ones where another solve follows, then Newton on
/// the whole balance from there. Where that stalls, friction is lagged once more and Newton starts again; where it
/// always stalls, the last lagged solution stands, which is no loose one.
class BarrierStage {
public:
    /// @param stages  at the stage to solve
    /// @param result  gets forces, states of contacts and the report
    BarrierStage(const World& world, const StageSequence& stages, const Options& options, BarrierWorkspace& workspace,
                 JacobianSolver& jacobian, StepResult& result);

    /// @return nothing when the lagged solve failed, or the stage was interrupted
    std::optional<StageEnd> run();
    /// Whether the lagged solution stands.
    bool is_lagged() const { return lagged_only_; }

private:
    StepInput held(const StepInput& input);
    /// Lags friction anew until Newton's method can be expected to converge, or a few times; false where that fails.
    bool settle_friction();
    std::optional<StageEnd> newton();
    bool interrupted() const { return result_.report.status == Status::interrupted; }
    /// Friction lagged once more. What cannot be solved with it changes nothing, except that a loose solution cannot
    /// stand: the stage has then failed.
    bool refresh(double looseness);
    void keep_lagged();
    void take_lagged(const std::string& stall);

    struct Lagged {
        VecX x, contact_force, friction_force;
        std::vector<ContactState> contact_state;
        std::vector<ContactForce> listed;
        std::string warm_start;
        double residual = 0.0, min_gap = 0.0, contact_energy = 0.0;
        int contacts = 0;
    };

    const World& world_;
    const Options& options_;
    BarrierWorkspace& workspace_;
    JacobianSolver& jacobian_;
    StepResult& result_;
    HeldMoves moves_;
    const StepInput input_;
    const Status status_before_;
    const std::string cause_before_;
    BarrierSolve lagged_;
    Lagged kept_;         ///< the last lagged solution
    bool loose_ = false;  ///< whether it was solved loosely
    bool lagged_only_ = false;
};

/// The stages of one step.
class BarrierStages final : public StageSolver {
public:
    BarrierStages(const World& world, const Options& options, BarrierWorkspace& workspace, JacobianSolver& jacobian,
                  StepResult& result)
        : world_(world), options_(options), workspace_(workspace), jacobian_(jacobian), result_(result) {}

    const char* warm_start_key() const override { return AdaptiveStiffness::warm_start_key; }
    std::optional<StageEnd> solve(const StageSequence& stages) override;
    void finish(State& end) override;

private:
    const World& world_;
    const Options& options_;
    BarrierWorkspace& workspace_;
    JacobianSolver& jacobian_;
    StepResult& result_;
    bool any_lagged_ = false;
};

}  // namespace stiction::implicit
