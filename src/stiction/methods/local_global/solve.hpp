// Iterations of local and global step within a time step.
#pragma once

#include "stiction/methods/local_global/global_system.hpp"
#include "stiction/methods/local_global/lbfgs.hpp"

namespace stiction {

/// Minimises an Objective from a first guess, one local and one global step at a time. Keeps its memory from step to step.
class LocalGlobalSolve {
public:
    LocalGlobalSolve(Objective& objective, const LocalGlobalOptions& options) : objective_(objective), options_(options), lbfgs_(options.history) {}

    /// Starts at x (stacked, all vertices; driven ones where they go). False if the energy there is not finite. `system` has to outlive the step.
    bool start(const GlobalSystem& system, const VecX& x);
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
    bool search();
    void chebyshev_step();
    void move(double fraction);
    void accept();
    double slope();

    Objective& objective_;
    const LocalGlobalOptions& options_;
    const GlobalSystem* system_ = nullptr;
    Evaluation here_, trial_;
    Lbfgs lbfgs_;
    VecX direction_, gradient_change_, last_x_;
    BlockSum sum_;
    double omega_ = 1.0;  ///< Chebyshev's weight
    double change_ = 0.0, step_length_ = 0.0, decrease_ = 0.0;
    int iteration_ = 0, evaluations_ = 0, global_steps_ = 0;
};

}  // namespace stiction
