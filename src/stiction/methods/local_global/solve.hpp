// Iterations of local and global step within a time step.
#pragma once

#include "stiction/methods/local_global/constraints.hpp"
#include "stiction/methods/local_global/global_system.hpp"
#include "stiction/methods/local_global/lbfgs.hpp"

namespace stiction::local_global {

/// Minimises an Objective from a first guess, one local and one global step at a time, subject to constraints that each
/// global step looks at anew. Keeps its memory from step to step.
class Solve {
public:
    Solve(Objective& objective, const Options& options)
        : objective_(objective), options_(options), lbfgs_(options.history) {}

    /// Starts at x (stacked, all vertices; driven ones where they go). False if the energy there is not finite.
    /// `system` has to outlive the step.
    bool start(const GlobalSystem& system, const VecX& x);
    /// After start(): where the first global step would lead without constraints (stacked, all vertices).
    void predict(VecX& x);
    /// Constraints from the next iteration on, their solver prepared; kept by pointer for the step, if they have rows.
    void constrain_with(Constraints& constraints) { constraints_ = constraints.any() ? &constraints : nullptr; }
    /// One iteration. False if no decrease was found: x stays.
    bool iterate();

    const VecX& x() const { return here_.x; }
    /// Largest change of a vertex in the last iteration's full global step (m), taken or not.
    double change() const { return change_; }
    /// Fraction of the last global step that was taken.
    double step_length() const { return step_length_; }
    /// E now, less what it was at the start (kg m^2).
    double decrease() const { return decrease_; }
    /// Evaluations of the local step since the start, and global steps.
    int evaluations() const { return evaluations_; }
    int global_steps() const { return global_steps_; }

private:
    void find_direction();
    void measure_change();
    void find_free_direction();
    void constrain();
    bool search();
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
    VecX force_, residual_, present_,
        free_;  ///< h^2 times constraint forces; gradient less them; unknowns now, and without forces
    double h_squared_ = 0.0;
    BlockSum sum_;
    double omega_ = 1.0;  ///< Chebyshev's weight
    double change_ = 0.0, step_length_ = 0.0, decrease_ = 0.0;
    int iteration_ = 0, evaluations_ = 0, global_steps_ = 0;
};

}  // namespace stiction::local_global
