#include "stiction/methods/mlcp/solvers/augmented_lagrangian.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/mlcp/solvers/friction_cone.hpp"
#include "stiction/methods/mlcp/solvers/newton_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

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
    double dilation(std::size_t k, const VecX& u) const;
    bool is_rigid(std::size_t k) const;
    void evaluate(double t);
    VecX multipliers() const;
    bool starts_solved();
    double line_search();
    bool newton_step();
    bool minimise();
    bool give_up();
    double distance_error() const;
    void update_multipliers();
    void solve_law(int rounds);
    void take_solution();
    bool is_converged(double error);
    void stiffen();
    bool stagnates(double error);
    SolverEnd iterate();

    const SolverTask& task_;
    const ContactProblem& problem_;
    ContactSolution& solution_;
    const std::size_t count_;
    std::unique_ptr<NewtonSpace> space_;
    SolverReport report_;
    std::vector<double> penalty_;      ///< rho of every contact (N/m); 0 where both sides are driven
    std::vector<Vec3> multipliers_;    ///< f of the last outer iteration (N)
    std::vector<double> dilation_;     ///< mu |u_t| of the last outer iteration (m)
    std::vector<double> stride_;       ///< of every dilation: factor on its changes
    std::vector<double> last_change_;  ///< of every dilation (m)
    double best_error_ = std::numeric_limits<double>::infinity();
    int since_best_ = 0;                 ///< rounds of the outer loop without half of the best error
    bool long_try_ = false;              ///< solve_law() had one
    bool law_left_ = true;               ///< false: the long try has failed
    int law_iterations_ = 0;             ///< of solve_law()
    int law_failures_ = 0;               ///< its tries in a row without a solution
    std::vector<ConeProjection> force_;  ///< P_K at the last evaluate()
    std::vector<Mat3> stiffness_;
    VecX forces_, gradient_;  ///< P_K and w - L^T P_K at the last evaluate()
};

AugmentedLagrangian::AugmentedLagrangian(const SolverTask& task, ContactSolution& solution)
    : task_(task),
      problem_(task.problem),
      solution_(solution),
      count_(task.problem.contacts.size()),
      penalty_(count_),
      multipliers_(count_),
      dilation_(count_),
      stride_(count_, 1.0),
      last_change_(count_, 0.0),
      force_(count_),
      stiffness_(count_),
      forces_(3 * static_cast<Eigen::Index>(count_)) {
    if (task.responses != nullptr)
        space_ = std::make_unique<ForceSpace>(task);
    else
        space_ = std::make_unique<VelocitySpace>(problem_);
    const VecX start = cone_forces(problem_, solution), u = relative_motions(problem_, solution.v);
    for (std::size_t k = 0; k < count_; ++k) {
        const double compliance = task.preconditioner.compliance()[k][0];
        if (problem_.contacts[k].node_count() > 0 && compliance > 0.0)
            penalty_[k] = (is_rigid(k) ? rigid_penalty : soft_penalty) / compliance;
        // A contact that moves nothing has no force.
        multipliers_[k] = penalty_[k] > 0.0 ? Vec3(start.segment<3>(3 * static_cast<Eigen::Index>(k))) : Vec3::Zero();
        dilation_[k] = dilation(k, u);
    }
}

double AugmentedLagrangian::cone_coefficient(std::size_t k) const {
    return problem_.contacts[k].kinetic_ratio * problem_.contacts[k].friction;
}

/// mu |u_t|.
double AugmentedLagrangian::dilation(std::size_t k, const VecX& u) const {
    return cone_coefficient(k) * u.segment<2>(3 * static_cast<Eigen::Index>(k) + 1).norm();
}

bool AugmentedLagrangian::is_rigid(std::size_t k) const {
    const ContactNodes<Index>& nodes = problem_.contacts[k].nodes;
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](Index node) { return node >= problem_.matrix->elastic_nodes(); });
}

/// Forces at a part t of the direction, and the gradient of the augmented Lagrangian there.
void AugmentedLagrangian::evaluate(double t) {
    VecX negative(forces_.size());
    parallel_for(count_, [&](std::size_t k) {
        const auto row = 3 * static_cast<Eigen::Index>(k);
        Vec3 motion = space_->motion().segment<3>(row) + t * space_->motion_step().segment<3>(row);
        motion[0] += dilation_[k];
        force_[k] = project_onto_cone(multipliers_[k] - penalty_[k] * motion, cone_coefficient(k));
        forces_.segment<3>(row) = force_[k].value;
        negative.segment<3>(row) = -force_[k].value;
    });
    gradient_ = space_->imbalance() + t * space_->imbalance_step();
    task_.constraints.add_transposed(negative, gradient_);
}

/// Step length. The function is convex, so its slope grows along the step. The step is halved until the slope at its
/// end is at most half as steep upwards as it was downwards at the start.
double AugmentedLagrangian::line_search() {
    constexpr double most = 0.5;
    constexpr int halvings = 40;
    const double slope = space_->slope(0.0, gradient_, forces_);
    double t = 1.0;
    evaluate(t);
    for (int i = 0; i < halvings && space_->slope(t, gradient_, forces_) > most * std::abs(slope); ++i) {
        t *= 0.5;
        evaluate(t);
    }
    return t;
}

/// False: the matrix could not be factored.
bool AugmentedLagrangian::newton_step() {
    parallel_for(count_, [&](std::size_t k) { stiffness_[k] = penalty_[k] * force_[k].derivative; });
    if (!space_->find_direction(stiffness_, gradient_, forces_)) return false;
    space_->advance(line_search());
    ++report_.iterations;
    return true;
}

bool AugmentedLagrangian::give_up() {
    if (task_.options.interrupted(report_.iterations, report_.residual)) report_.end = SolverEnd::interrupted;
    if (!space_->motion().allFinite()) report_.end = SolverEnd::breakdown;
    return report_.end != SolverEnd::iteration_limit || report_.iterations - law_iterations_ >= most_iterations ||
           report_.iterations >= task_.options.max_iterations;
}

VecX AugmentedLagrangian::multipliers() const {
    VecX forces(3 * static_cast<Eigen::Index>(count_));
    for (std::size_t k = 0; k < count_; ++k) forces.segment<3>(3 * static_cast<Eigen::Index>(k)) = multipliers_[k];
    return forces;
}

/// A start within the tolerances stays as it is, so that solves around which elasticity is linearised come to an end.
bool AugmentedLagrangian::starts_solved() {
    space_->look_at(solution_.v);
    evaluate(0.0);
    return is_solution(task_, solution_, report_) &&
           report_.residual <= task_.options.start_share * task_.options.tolerance && distance_error() <= 1.0;
}

/// Newton's method for the present multipliers. False: the solver gives up.
bool AugmentedLagrangian::minimise() {
    constexpr double part = 0.1;  // of eps_1
    space_->refresh();
    evaluate(0.0);
    while (problem_.momentum_error(gradient_) > part * task_.options.tolerance) {
        if (give_up()) return false;
        if (!newton_step()) {
            report_.end = SolverEnd::breakdown;
            return false;
        }
    }
    report_.residual = problem_.momentum_error(gradient_);
    return true;
}

/// Largest error of a contact over what it may be: by how far its law is missed, and its dilation was.
double AugmentedLagrangian::distance_error() const {
    double error = 0.0;
    for (std::size_t k = 0; k < count_; ++k) {
        if (penalty_[k] == 0.0) continue;
        const double law = (force_[k].value - multipliers_[k]).norm() / penalty_[k],
                     slip = std::abs(dilation(k, space_->motion()) - dilation_[k]);
        error =
            std::max(error, std::max(law, slip) / ((is_rigid(k) ? rigid_accuracy : 1.0) * problem_.contacts[k].share));
    }
    return error / task_.options.distance_tolerance;
}

void AugmentedLagrangian::update_multipliers() {
    constexpr double longest_stride = 64.0;
    for (std::size_t k = 0; k < count_; ++k) {
        multipliers_[k] = force_[k].value;
        const double change = dilation(k, space_->motion()) - dilation_[k], ratio = change / last_change_[k];
        // A dilation that goes on and on in one direction gets there sooner with longer steps.
        const bool drifts = ratio > 0.8 && ratio < 1.25;
        stride_[k] = drifts ? std::min(2.0 * stride_[k], longest_stride) : 1.0;
        dilation_[k] = std::max(0.0, dilation_[k] + stride_[k] * change);
        last_change_[k] = change;
    }
}

/// Where contacts are few, their law is solved at once. The next round of the outer loop verifies it, and goes on where
/// contacts of rigid bodies need more accuracy.
void AugmentedLagrangian::solve_law(int rounds) {
    constexpr double part = 0.3;  // of eps_2
    VecX y = multipliers();
    const VecX before = y;
    const auto may_go_on = [&] {
        if (give_up()) return false;
        ++report_.iterations;
        ++law_iterations_;
        return true;
    };
    space_->solve_law(part * task_.options.distance_tolerance, rounds, may_go_on, y);
    law_failures_ = y == before ? law_failures_ + 1 : 0;
    if (y == before) return;
    space_->begin(solution_.v, y);
    for (std::size_t k = 0; k < count_; ++k) {
        multipliers_[k] = y.segment<3>(3 * static_cast<Eigen::Index>(k));
        dilation_[k] = dilation(k, space_->motion());
    }
}

/// Writes velocities and forces to the solution.
void AugmentedLagrangian::take_solution() {
    solution_.v = space_->velocity();
    take_forces(problem_, forces_, solution_);
}

bool AugmentedLagrangian::is_converged(double error) {
    if (error > 1.0) return false;
    take_solution();
    return is_solution(task_, solution_, report_);
}

void AugmentedLagrangian::stiffen() {
    constexpr double factor = 4.0;
    for (double& rho : penalty_) rho *= factor;
}

/// Whether the errors of contacts have not decreased for long. Where contacts are few, their law gets a long try
/// before.
bool AugmentedLagrangian::stagnates(double error) {
    constexpr int patience = 25, patience_with_law = 5, most_rounds = 50;
    since_best_ = error < 0.5 * best_error_ ? 0 : since_best_ + 1;
    best_error_ = since_best_ == 0 ? error : best_error_;
    const bool long_try_left = task_.responses != nullptr && !long_try_;
    if (since_best_ <= (long_try_left ? patience_with_law : patience)) return false;
    if (!long_try_left) return true;
    long_try_ = true;
    since_best_ = 0;
    solve_law(most_rounds);
    law_left_ = law_failures_ == 0;
    return false;
}

/// The outer loop. Its solution is verified by a round that finds nothing to change.
SolverEnd AugmentedLagrangian::iterate() {
    constexpr double slow = 0.5;
    constexpr int few = 4, first_rounds = 2, most_failures = 3;
    double last_error = std::numeric_limits<double>::infinity();
    space_->begin(solution_.v, multipliers());
    solve_law(first_rounds);
    while (true) {
        const int before = report_.iterations;
        if (!minimise()) return report_.end;
        ++report_.evaluations;
        const double error = distance_error();
        if (is_converged(error)) return SolverEnd::converged;
        // The larger the penalty, the faster do multipliers converge, and the slower Newton's method.
        if (error > slow * last_error && report_.iterations - before <= few) stiffen();
        last_error = error;
        update_multipliers();
        if (stagnates(error)) return SolverEnd::stagnation;
        if (law_left_ && law_failures_ < most_failures) solve_law(0);
        if (give_up()) return report_.end;
    }
}

SolverReport AugmentedLagrangian::run() {
    if (starts_solved()) {
        report_.end = SolverEnd::converged;
        return report_;
    }
    const SolverEnd end = iterate();
    if (end != SolverEnd::converged) is_converged(0.0);  // for the report
    report_.end = end;
    return report_;
}

}  // namespace

SolverReport solve_with_augmented_lagrangian(const SolverTask& task, ContactSolution& solution) {
    return AugmentedLagrangian(task, solution).run();
}

}  // namespace stiction::mlcp
