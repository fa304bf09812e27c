// The iterations of conjugate residuals, restarted whenever the active set changes (Verschoor and Jalba 2019,
// Algorithm 1).
#pragma once

#include "stiction/methods/mlcp/solvers/anderson.hpp"
#include "stiction/methods/mlcp/solvers/anticipated_contacts.hpp"
#include "stiction/methods/mlcp/solvers/minimal_residuals.hpp"
#include "stiction/methods/mlcp/solvers/solver_task.hpp"
#include "stiction/methods/mlcp/solvers/switching.hpp"

#include <limits>
#include <optional>

namespace stiction::mlcp {

/// One run of conjugate residuals on B y = d, where B and d change with the active set. An object makes one run.
class CrIteration {
public:
    /// The task is kept by reference, except its `solve`.
    CrIteration(const SolverTask& task, ContactSolution& solution);

    /// Iterates until the problem is solved or the solver gives up. The last iterate is in `solution`.
    SolverReport run();

private:
    void take_contacts();
    void store_contacts();
    void restart();
    void direct();
    void multiply(const SaddleVector& x, SaddleVector& out);
    void multiply_elastic(const VecX& v, VecX& product, bool exact);
    void move(double alpha);
    void turn(double beta);
    VecX multipliers() const;
    void measure_residual();
    bool advance();
    bool advance_by_minimal_residuals();
    void record(bool restarted);
    bool solves_laws() const;
    bool solve_contacts();
    bool evaluate_while_iterating();
    bool back_off(std::size_t contact, bool settled) const;
    bool restart_by_descent();
    bool descend(const SaddleVector& p);
    bool evaluate(Progress progress);
    bool cut_friction();
    void accelerate(const std::vector<ContactUnknowns>& before);
    double residual_ratio() const;
    void precondition(const SaddleVector& r, SaddleVector& z) const;
    bool stagnates();
    void handle_stagnation();
    bool rows_contradict();
    void release_contradictory_rows();
    double share_now() const;
    bool is_solved() const;
    bool interrupted() const;
    bool is_least_squares();
    bool evaluation_is_due() const;
    bool finish_active_set(Progress progress);
    void begin();
    void recompute_residual(bool exact = true);
    VecX elastic_residual() const;

    const ContactProblem& problem_;
    const ConstraintMatrix& constraints_;
    const Preconditioner& preconditioner_;
    const SolverOptions& options_;
    const VecX* given_residual_;  ///< SolverTask::elastic_residual
    ContactSolution& solution_;
    const double momentum_scale_, row_tolerance_;
    SolverReport report_;
    std::vector<int> switches_;  ///< mode switches of every contact

    SaddleVector y_;  ///< v and the multipliers of the active rows, (-lambda, gamma)
    ActiveSet rows_;
    VecX multipliers_;  ///< those that r has, where contacts are evaluated
    SaddleVector r_, z_, p_;
    SaddleVector Bz_, Bp_, PBp_;
    double zBz_ = 0.0;
    bool exact_ = false;                       ///< products are with A itself, not with its entries in single precision
    int cuts_ = 0;                             ///< times that cut_friction() changed contacts
    int unconfirmed_ = 0;                      ///< times that r was small by its recurrence, and not when computed anew
    bool directed_ = false;                    ///< z, p and their products are those of the present active set
    bool first_ = false;                       ///< the next p is z
    std::optional<MinimalResiduals> minimal_;  ///< Variants::minres: of the present active set
    double momentum_error_ = 0.0, row_error_ = 0.0;   ///< of r; the latter ConstraintMatrix::largest()
    std::optional<AnticipatedContacts> anticipated_;  ///< of solve_contacts()
    VecX anticipated_v_;                              ///< its velocities; only nodes with contacts have values
    double ratio_at_restart_ = 0.0;                   ///< residual_ratio() after the last restart
    int since_evaluation_ = 0;
    double best_ratio_ = 0.0;  ///< smallest residual_ratio() since the last change of the active set
    int best_iteration_ = 0;
    double best_row_ratio_ = std::numeric_limits<double>::infinity();  ///< the same since rows were released last
    int best_row_iteration_ = 0;
    double row_patience_ = 20.0;  ///< iterations without progress before contradictory rows are released; it grows
    bool use_diagonal_ = false;   ///< the positive definite preconditioner is in use
    int force_updates_ = 0;       ///< evaluations that changed friction forces alone; halved when a mode changes
    AndersonAcceleration acceleration_{10, 0.5};
    std::vector<std::size_t> accelerated_;  ///< the sliding contacts of the acceleration
};

}  // namespace stiction::mlcp
