#include "stiction/methods/mlcp/solvers/augmented_lagrangian.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/mlcp/solvers/friction_cone.hpp"
#include "stiction/methods/mlcp/solvers/penalised_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::mlcp {
namespace {

/// Penalty of a contact over the inverse of its compliance, at first. Contacts of rigid bodies are stiff together and
/// few: a large penalty costs no iterations there.
constexpr double soft_penalty = 100.0, rigid_penalty = 1e4;
/// Of the tolerance: errors of contacts between rigid bodies. What is left of an overlap is pushed out in the next
/// step, with a speed. A tall stack would sway with it for ever.
constexpr double rigid_accuracy = 1e-4;
/// A problem that takes more has contradictory rows, as a rule.
constexpr int most_iterations = 300;

class AugmentedLagrangian {
public:
    AugmentedLagrangian(const SolverTask& task, ContactSolution& solution);
    SolverReport run();

private:
    double cone_coefficient(std::size_t k) const;
    double dilation(std::size_t k) const;
    bool is_rigid(std::size_t k) const;
    void evaluate(double t);
    void evaluate_here();
    bool starts_solved();
    double line_search(double slope);
    bool newton_step();
    bool minimise();
    bool give_up();
    double distance_error() const;
    void update_multipliers();
    bool is_converged(double error);
    void stiffen();

    const SolverTask& task_;
    const ContactProblem& problem_;
    ContactSolution& solution_;
    const std::size_t count_;
    PenalisedSystem system_;
    SolverReport report_;
    std::vector<double> penalty_;        ///< rho of every contact (N/m); 0 where both sides are driven
    std::vector<Vec3> multipliers_;      ///< f of the last outer iteration (N)
    std::vector<double> dilation_;       ///< mu |u_t| of the last outer iteration (m)
    std::vector<ConeProjection> force_;  ///< P_K at the last evaluate()
    std::vector<Mat3> stiffness_;
    VecX v_, Av_, step_, Astep_, gradient_;
};

AugmentedLagrangian::AugmentedLagrangian(const SolverTask& task, ContactSolution& solution)
    : task_(task),
      problem_(task.problem),
      solution_(solution),
      count_(task.problem.contacts.size()),
      system_(task.problem),
      penalty_(count_),
      multipliers_(count_),
      dilation_(count_),
      force_(count_),
      stiffness_(count_),
      v_(solution.v) {
    const VecX start = cone_forces(problem_, solution);
    for (std::size_t k = 0; k < count_; ++k) {
        const double compliance = task.preconditioner.compliance()[k][0];
        if (problem_.contacts[k].node_count > 0 && compliance > 0.0)
            penalty_[k] = (is_rigid(k) ? rigid_penalty : soft_penalty) / compliance;
        // A contact that moves nothing has no force.
        multipliers_[k] = penalty_[k] > 0.0 ? Vec3(start.segment<3>(3 * static_cast<Eigen::Index>(k))) : Vec3::Zero();
        dilation_[k] = dilation(k);
    }
    step_ = Astep_ = VecX::Zero(v_.size());
}

double AugmentedLagrangian::cone_coefficient(std::size_t k) const {
    return problem_.contacts[k].kinetic_ratio * problem_.contacts[k].friction;
}

/// mu |u_t| at v.
double AugmentedLagrangian::dilation(std::size_t k) const {
    return cone_coefficient(k) * relative_motion(problem_.contacts[k], v_).tail<2>().norm();
}

bool AugmentedLagrangian::is_rigid(std::size_t k) const {
    const ContactConstraint& contact = problem_.contacts[k];
    const auto end = contact.nodes.begin() + contact.node_count;
    return std::all_of(contact.nodes.begin(), end,
                       [&](Index node) { return node >= problem_.matrix->elastic_nodes(); });
}

/// Forces at v + t step, and the gradient of the augmented Lagrangian there.
void AugmentedLagrangian::evaluate(double t) {
    const VecX v = v_ + t * step_;
    VecX forces(3 * static_cast<Eigen::Index>(count_));
    parallel_for(count_, [&](std::size_t k) {
        Vec3 motion = relative_motion(problem_.contacts[k], v);
        motion[0] += dilation_[k];
        force_[k] = project_onto_cone(multipliers_[k] - penalty_[k] * motion, cone_coefficient(k));
        forces.segment<3>(3 * static_cast<Eigen::Index>(k)) = -force_[k].value;
    });
    gradient_ = Av_ + t * Astep_ - problem_.rhs;
    task_.constraints.add_transposed(forces, gradient_);
}

/// Step length. The function is convex, so its slope grows along the step. The step is halved until the slope at its
/// end is at most half as steep upwards as it was downwards at the start.
double AugmentedLagrangian::line_search(double slope) {
    constexpr double most = 0.5;
    constexpr int halvings = 40;
    double t = 1.0;
    evaluate(t);
    for (int i = 0; i < halvings && dot(gradient_, step_) > most * std::abs(slope); ++i) {
        t *= 0.5;
        evaluate(t);
    }
    return t;
}

/// False: the matrix could not be factored.
bool AugmentedLagrangian::newton_step() {
    parallel_for(count_, [&](std::size_t k) { stiffness_[k] = penalty_[k] * force_[k].derivative; });
    if (!system_.factorise(stiffness_)) return false;
    const VecX right = -gradient_;
    system_.solve(right, step_);
    problem_.matrix->multiply(step_, Astep_);
    const double t = line_search(dot(gradient_, step_));
    v_ += t * step_;
    Av_ += t * Astep_;
    ++report_.iterations;
    return true;
}

bool AugmentedLagrangian::give_up() {
    if (task_.options.interrupted(report_.iterations, report_.residual)) report_.end = SolverEnd::interrupted;
    if (!v_.allFinite()) report_.end = SolverEnd::breakdown;
    return report_.end != SolverEnd::iteration_limit ||
           report_.iterations >= std::min(most_iterations, task_.options.max_iterations);
}

void AugmentedLagrangian::evaluate_here() {
    problem_.matrix->multiply(v_, Av_);  // without the rounding of the updates
    step_.setZero();
    Astep_.setZero();
    evaluate(0.0);
}

/// A start within the tolerances stays as it is, so that solves around which elasticity is linearised come to an end.
bool AugmentedLagrangian::starts_solved() {
    evaluate_here();
    return is_solution(task_, solution_, report_) && distance_error() <= 1.0;
}

/// Newton's method for the present multipliers. False: the solver gives up.
bool AugmentedLagrangian::minimise() {
    constexpr double part = 0.1;  // of eps_1
    problem_.matrix->multiply(v_, Av_);
    step_.setZero();
    Astep_.setZero();
    evaluate(0.0);
    while (problem_.momentum_error(gradient_) > part * task_.options.tolerance) {
        if (give_up()) return false;
        if (!newton_step()) {
            report_.end = SolverEnd::breakdown;
            return false;
        }
    }
    return true;
}

/// Largest error of a contact over what it may be: by how far its law is missed, and its dilation was.
double AugmentedLagrangian::distance_error() const {
    double error = 0.0;
    for (std::size_t k = 0; k < count_; ++k) {
        if (penalty_[k] == 0.0) continue;
        const double law = (force_[k].value - multipliers_[k]).norm() / penalty_[k],
                     slip = std::abs(dilation(k) - dilation_[k]);
        error = std::max(error, std::max(law, slip) / (is_rigid(k) ? rigid_accuracy : 1.0));
    }
    return error / task_.options.distance_tolerance;
}

void AugmentedLagrangian::update_multipliers() {
    for (std::size_t k = 0; k < count_; ++k) {
        multipliers_[k] = force_[k].value;
        dilation_[k] = dilation(k);
    }
}

/// Writes v and the forces to the solution.
bool AugmentedLagrangian::is_converged(double error) {
    VecX forces(3 * static_cast<Eigen::Index>(count_));
    for (std::size_t k = 0; k < count_; ++k) forces.segment<3>(3 * static_cast<Eigen::Index>(k)) = force_[k].value;
    solution_.v = v_;
    take_forces(problem_, forces, solution_);
    return is_solution(task_, solution_, report_) && error <= 1.0;
}

void AugmentedLagrangian::stiffen() {
    constexpr double factor = 4.0;
    for (double& rho : penalty_) rho *= factor;
}

SolverReport AugmentedLagrangian::run() {
    constexpr double slow = 0.5;
    constexpr int few = 4, patience = 25;
    double last_error = std::numeric_limits<double>::infinity(), best_error = last_error;
    int since_best = 0;
    if (starts_solved()) {
        report_.end = SolverEnd::converged;
        return report_;
    }
    while (true) {
        const int before = report_.iterations;
        if (!minimise()) break;
        ++report_.evaluations;
        const double error = distance_error();
        if (is_converged(error)) {
            report_.end = SolverEnd::converged;
            break;
        }
        // The larger the penalty, the faster do multipliers converge, and the slower Newton's method.
        if (error > slow * last_error && report_.iterations - before <= few) stiffen();
        last_error = error;
        since_best = error < 0.5 * best_error ? 0 : since_best + 1;
        best_error = since_best == 0 ? error : best_error;
        if (since_best > patience) {
            report_.end = SolverEnd::stagnation;
            break;
        }
        update_multipliers();
        if (give_up()) break;
    }
    if (report_.end != SolverEnd::converged) is_converged(0.0);
    return report_;
}

}  // namespace

SolverReport solve_with_augmented_lagrangian(const SolverTask& task, ContactSolution& solution) {
    return AugmentedLagrangian(task, solution).run();
}

}  // namespace stiction::mlcp
