// One stage of the method `implicit` with the barrier as contact.
#pragma once

#include "stiction/dynamics/barrier/solve.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/methods/implicit/jacobian_solver.hpp"
#include "stiction/methods/implicit/options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace stiction {

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

/// How a stage ended.
struct StageEnd {
    VecX x;
    std::string warm_start;
    bool solved = false;  ///< or friction is lagged
};

/// One stage: lagged solve, then Newton on the whole balance; where that stalls, again from friction lagged once more.
class StageSolve {
public:
    /// @param stages  at the stage to solve
    /// @param result  gets forces, states of contacts and the report
    StageSolve(const World& world, const StageSequence& stages, const ImplicitOptions& options,
               BarrierWorkspace& workspace, JacobianSolver& jacobian, StepResult& result);

    /// @return what is meaningful when the report's status is accepted
    StageEnd run();

private:
    StepInput held(const StepInput& input);
    StageEnd newton();
    /// Friction lagged once more; what cannot be solved with it changes nothing.
    bool refresh();
    void keep_lagged();
    void take_lagged(const std::string& stall);

    struct Lagged {
        VecX x, contact_force, friction_force;
        std::vector<ContactState> contact_state;
        std::string warm_start;
        double residual = 0.0, min_gap = 0.0;
        int contacts = 0;
    };

    const World& world_;
    const ImplicitOptions& options_;
    BarrierWorkspace& workspace_;
    JacobianSolver& jacobian_;
    StepResult& result_;
    HeldMoves moves_;
    const StepInput input_;
    const Status status_before_;
    const std::string cause_before_;
    BarrierSolve lagged_;
    Lagged kept_;  ///< the last lagged solution
};

}  // namespace stiction
