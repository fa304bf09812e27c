// One step of the method `mlcp`: velocities, contacts that switch, contacts that are added and linearised anew.
#pragma once

#include "stiction/methods/mlcp/contact_list.hpp"
#include "stiction/methods/mlcp/options.hpp"
#include "stiction/methods/mlcp/rivals/contact_solver.hpp"

namespace stiction {

/// Scratch of a world: trees and matrices. Nothing that a result depends on.
struct MlcpWorkspace {
    MlcpWorkspace(const World& world, const MlcpOptions& options);
    std::shared_ptr<const char> identity;  ///< of the world
    MlcpLimits limits;
    ContactDetection detection;
    HessianAssembly assembly;
};

/// Algorithm 1 of Verschoor and Jalba (2019), lines 4 to 32.
class MlcpStep {
public:
    MlcpStep(const World& world, const State& state, const StepInput& input, const MlcpOptions& options,
             MlcpWorkspace& workspace, StepResult& result);

    /// Of State::warm_start.
    static constexpr const char* warm_start_key = "mlcp_contacts";

    /// Makes the step; result.report says how it went, result.state is the state after it if it was accepted.
    void run();

private:
    bool linearise(const VecX& x);
    void anticipate();
    /// What the way of the present solution showed.
    enum class Look { free, changed, stopped };
    bool resolve();
    Look look(int round);
    bool solve_contacts();
    CrOptions cr_options() const;
    bool exhausted();
    ContactSolverReport solve_with_preconditioner(const ConstraintMatrix& constraints, MlcpPreconditioner kind,
                                                  const CrOptions& options);
    bool ends_well(const ContactSolverReport& cr);
    bool newton();
    bool descend(const VecX& v_before, bool& settled);
    LineSearchResult search(const VecX& v_before, double& residual);
    void finish();
    void count(const ContactSolverReport& solved, const ContactErrors& errors);
    void stop(Status status, std::string cause);
    double floor() const { return limits_.distance / 8.0; }

    const World& world_;
    const State& state_;
    const StepInput& input_;
    const MlcpOptions& options_;
    MlcpWorkspace& workspace_;
    StepResult& result_;
    StepReport& report_;
    PhaseTimers timers_;
    MlcpLimits limits_;
    VelocityProblem velocities_;
    VecX speeds_;  ///< of all vertices as the step begins
    ContactList contacts_;
    CollisionCheck collisions_;
    ContactProblem problem_;
    ContactSolution solution_;
    int spent_ = 0;  ///< iterations of all solves, of max_step_iterations
    VecX x_;         ///< where the present velocities lead
};

}  // namespace stiction
