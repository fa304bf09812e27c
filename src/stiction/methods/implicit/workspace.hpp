// Scratch of the method `implicit` that is kept from step to step.
#pragma once

#include "stiction/methods/implicit/barrier_stage.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/implicit/penalty/stage.hpp"

#include <memory>

namespace stiction::implicit {

/// Contact detection and matrices of one world: only what the kind of contact needs. Nothing in it decides a result.
struct Implicit::Workspace {
    Workspace(const World& world, const Options& options);
    /// What solves the stages of one step. Everything is kept by reference.
    std::unique_ptr<StageSolver> stage_solver(const World& world, const State& state, const StepInput& input,
                                              const Options& options, StepResult& result);

    std::shared_ptr<const char> identity;  ///< of the world
    std::unique_ptr<BarrierWorkspace> barrier;
    std::unique_ptr<PenaltyWorkspace> penalty;
    JacobianSolver jacobian;
};

}  // namespace stiction::implicit
