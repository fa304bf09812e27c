// What solves the local-global iterations of a step, on the CPU or on a device.
#pragma once

#include "stiction/methods/local_global/constraints.hpp"
#include "stiction/methods/local_global/global_system.hpp"

namespace stiction::local_global {

/// Minimises an Objective from a first guess. An iteration is a global step, corrected by the contact solver, and a
/// line search whose evaluations are local steps. Keeps its memory from step to step.
class StepSolver {
public:
    virtual ~StepSolver() = default;

    /// Starts a step at x, with a local step.
    /// @param system  kept by pointer for the step
    /// @param x       stacked, all vertices; driven ones at their targets (m)
    /// @return false if the energy at x is not finite
    virtual bool start(const GlobalSystem& system, const VecX& x) = 0;
    /// After start(): the end of the first global step without constraints (stacked, all vertices).
    virtual void predict(VecX& x) = 0;
    /// Global steps from the next on are corrected by these constraints, if there are any. Kept by pointer for the
    /// step.
    virtual void constrain_with(Constraints& constraints) = 0;
    /// One iteration. False if the line search found no decrease: then x stays.
    virtual bool iterate() = 0;
    /// The constraints forgot their forces (Constraints::drop_forces()).
    virtual void forces_dropped() = 0;
    /// After the last iteration: hands over what the constraints report.
    virtual void finish() = 0;

    /// Positions now (m), stacked, all vertices.
    virtual const VecX& x() = 0;
    /// Energy of elements and hinges there (J), without quadratic bending.
    virtual double elastic() = 0;
    /// Largest change of a vertex in the last full global step (m), before the line search.
    virtual double change() const = 0;
    /// Fraction of the last global step that was taken.
    virtual double step_length() const = 0;
    /// Change of the objective since the start (kg m^2).
    virtual double decrease() const = 0;
    /// Number of local steps and of global steps since the start.
    virtual int evaluations() const = 0;
    virtual int global_steps() const = 0;
};

}  // namespace stiction::local_global
