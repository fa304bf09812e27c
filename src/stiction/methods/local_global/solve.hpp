// Local-global iterations within a time step.
#pragma once

#include "stiction/methods/local_global/lbfgs.hpp"
#include "stiction/methods/local_global/rigid_motions.hpp"
#include "stiction/methods/local_global/step_solver.hpp"

namespace stiction::local_global {

/// The iterations on the CPU.
class Solve final : public StepSolver {
public:
    /// @param rigid  moves of its bodies are kept rigid; kept by reference as the others
    Solve(Objective& objective, const RigidMotions& rigid, const Options& options)
        : objective_(objective), rigid_(rigid), options_(options), lbfgs_(options.history) {}

    bool start(const GlobalSystem& system, const VecX& x) override;
    void predict(VecX& x) override;
    void constrain_with(Constraints& constraints) override;
    bool iterate() override;
    void forces_dropped() override {}
    void finish() override {}
    const VecX& x() override { return here_.x; }
    double elastic() override { return objective_.elastic(here_) / h_squared_; }
    double change() const override { return change_; }
    double step_length() const override { return step_length_; }
    double decrease() const override { return decrease_; }
    int evaluations() const override { return evaluations_; }
    int global_steps() const override { return global_steps_; }

private:
    void global_step();
    void first_half_step();
    void linearise_modes();
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
    double work_off_direction(double fraction) const;

    Objective& objective_;
    const RigidMotions& rigid_;
    InverseModes modes_;
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
