// Local-global iterations within a time step.
#pragma once

#include "stiction/methods/local_global/constraints.hpp"
#include "stiction/methods/local_global/global_system.hpp"
#include "stiction/methods/local_global/lbfgs.hpp"

namespace stiction::local_global {

/// Minimises an Objective from a first guess. An iteration is a global step, corrected by the contact solver, and a
/// line search whose evaluations are local steps. Keeps its memory from step to step.
class Solve {
public:
    Solve(Objective& objective, const Options& options)
        : objective_(objective), options_(options), lbfgs_(options.history) {}

    /// Starts a step at x, with a local step.
    /// @param system  kept by pointer for the step
    /// @param x       stacked, all vertices; driven ones at their targets (m)
    /// @return false if the energy at x is not finite
    bool start(const GlobalSystem& system, const VecX& x);
    /// After start(): the end of the first global step without constraints (stacked, all vertices).
    void predict(VecX& x);
    /// Global steps from the next on are corrected by these constraints, which are prepared. Kept by pointer for the
    /// step, if there are any.
    void constrain_with(Constraints& constraints) { constraints_ = constraints.any() ? &constraints : nullptr; }
    /// One iteration. False if the line search found no decrease: then x stays.
    bool iterate();

    const VecX& x() const { return here_.x; }
    /// Largest change of a vertex in the last full global step (m), before the line search.
    double change() const { return change_; }
    /// Fraction of the last global step that was taken.
    double step_length() const { return step_length_; }
    /// Change of the objective since the start (kg m^2).
    double decrease() const { return decrease_; }
    /// Number of local steps and of global steps since the start.
    int evaluations() const { return evaluations_; }
    int global_steps() const { return global_steps_; }

private:
    void global_step();
    void first_half_step();
    void free_global_step();
    void constrained_global_step();
    void corrected_free_step(bool accelerated);
    void measure_change();
    bool line_search();
    void chebyshev_step();
    void move(double fraction);
    void accept();
    double slope();
    double constraint_work(double fraction);

    Objective& objective_;
    const Options& options_;
    const GlobalSystem* system_ = nullptr;
    Evaluation here_, trial_;
    Lbfgs lbfgs_;
    Constraints* constraints_ = nullptr;  ///< null where there are none
    VecX direction_, gradient_change_, last_x_;
    VecX force_;           ///< h^2 H^T lambda of the last global step
    VecX first_;           ///< step from the first guess without constraints, by predict()
    VecX half_;            ///< S P b for the last right-hand side b = -gradient
    VecX residual_;        ///< what the next global step solves for: gradient, less force_ with L-BFGS
    VecX present_, free_;  ///< unknowns now, and after a global step without forces
    double h_squared_ = 0.0;
    BlockSum sum_;
    double omega_ = 1.0;  ///< weight of the Chebyshev acceleration
    double change_ = 0.0, step_length_ = 0.0, decrease_ = 0.0;
    bool predicted_ = false;  ///< first_ and half_ are those of here_
    int iteration_ = 0, evaluations_ = 0, global_steps_ = 0;
};

}  // namespace stiction::local_global
