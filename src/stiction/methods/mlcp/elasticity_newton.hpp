// Newton's method on the elasticity of a step, with a line search: elastic forces balance at the end of the step.
#pragma once

#include "stiction/methods/mlcp/step_solver.hpp"

#include <functional>

namespace stiction::mlcp {

/// An iteration solves the contact problem of the present linearisation, takes as much of the change of velocities as
/// the energy of the step allows, checks for collisions, and linearises elasticity at the end positions. The method
/// ends at a full change that is small and free of collisions, so that the accepted velocities were solved for and
/// checked.
class ElasticityNewton {
public:
    ElasticityNewton(const Options& options, const Limits& limits, VelocityProblem& velocities, StepSolver& solver)
        : options_(options), limits_(limits), velocities_(velocities), solver_(solver) {}

    /// Checks a solution for collisions, updates the constraints, and updates the end positions of the solver; `round`
    /// counts the calls that changed constraints.
    using UpdateConstraints = std::function<ConstraintUpdate(int round)>;

    /// False: the step has failed.
    bool run(const UpdateConstraints& update);

private:
    bool damp(const VecX& v_before, bool& settled);
    LineSearchResult search(const VecX& v_before, double& residual);
    VecX contact_impulse() const;

    const Options& options_;
    const Limits& limits_;
    VelocityProblem& velocities_;
    StepSolver& solver_;
};

}  // namespace stiction::mlcp
