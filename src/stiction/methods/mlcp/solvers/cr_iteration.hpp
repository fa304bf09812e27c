// The loop of solve_contact_problem(): the recurrences of conjugate residuals, restarted wherever a contact changes
// (Verschoor and Jalba 2019, Algorithm 1).
#pragma once

#include "stiction/methods/mlcp/solvers/anderson.hpp"
#include "stiction/methods/mlcp/solvers/solver_task.hpp"
#include "stiction/methods/mlcp/solvers/switching.hpp"

#include <limits>

namespace stiction::mlcp {

/// One run of conjugate residuals with switching contacts, its recurrences and what watches over them. Meant to be run
/// once.
class CrIteration {
public:
    CrIteration(const SolverTask& task, ContactSolution& solution);

    /// Iterates until the problem is solved or given up; the last iterate is in the solution that was given.
    SolverReport run();

private:
    void pull();
    void push();
    void restart();
    void multiply(const SaddleVector& x, SaddleVector& elastic_and_rows, VecX& contact) const;
    bool advance();
    bool escape();
    bool descend(const SaddleVector& p);
    bool evaluate(Progress progress);
    void accelerate(const std::vector<ContactUnknowns>& before);
    double largest_ratio() const;
    void precondition(const SaddleVector& r, SaddleVector& z) const;
    bool stagnates();
    void relieve();
    bool rows_disagree();
    void give_way();
    bool is_solved() const;
    bool is_least_squares() const;
    bool may_evaluate() const;
    bool settle(Progress progress);
    void recompute_residual();

    const ContactProblem& problem_;
    const ConstraintMatrix& constraints_;
    const Preconditioner& preconditioner_;
    const SolverOptions& options_;
    ContactSolution& solution_;
    const double momentum_scale_;
    SolverReport report_;
    int evaluations_ = 0, settled_changes_ = 0;
    std::vector<int> flips_;

    SaddleVector y_;  ///< v and the multipliers of the active rows, (-lambda, gamma)
    ActiveSet rows_;
    VecX unconstrained_;  ///< r_u = b - A v: no change of a contact touches it
    SaddleVector r_, z_, p_;
    SaddleVector Bz_, Bp_, PBp_;
    VecX Az_, Ap_;  ///< the parts of Bz_.v and Bp_.v that A makes
    double zBz_ = 0.0;
    int since_evaluation_ = 0;
    double best_ratio_ = 0.0;  ///< least since the recurrences were started; and the iteration it was reached at
    int best_iteration_ = 0;
    double best_row_ratio_ =
        std::numeric_limits<double>::infinity();  ///< the same of the rows, since they last gave way
    int best_row_iteration_ = 0;
    double row_patience_ = 20.0;  ///< iterations without gain after which they give way; longer each time
    bool definite_ = false;       ///< the diagonal preconditioner is used
    int force_updates_ = 0;       ///< evaluations that changed friction alone, halved at each that changed a mode
    AndersonAcceleration acceleration_{10, 0.5};
    std::vector<std::size_t> accelerated_;  ///< contacts that it is about
};

}  // namespace stiction::mlcp
