// The contact problem of a step of a scene, as plain data that other solvers can be given.
#pragma once

#include "stiction/methods/mlcp/step.hpp"

#include <Eigen/Dense>

namespace stiction::test {

using namespace stiction::mlcp;

/// Poses the contact problem of the step from a state, by the collision handling of the method (Verschoor and Jalba
/// 2019, Algorithm 1): the last problem of the step, whose solution is free of collisions.
class StepProblem {
public:
    /// @param workspace  of the world and the options; all but `options` are kept by reference
    StepProblem(const World& world, const State& state, const StepInput& input, const Options& options,
                Workspace& workspace);

    /// False: the step fails, and report() says why.
    bool pose();
    const StepReport& report() const { return report_; }

    /// Valid while this object lives, as what it points to.
    const ContactProblem& problem() const { return solver_.problem(); }
    /// With what the step accepted as its solution.
    const ContactSolution& solution() const { return solver_.solution(); }
    /// Of the solution, see contact_errors().
    const std::vector<Vec3>& compliance() const { return solver_.compliance(); }
    /// eps_2 of the step (m).
    double distance_tolerance() const { return limits_.distance; }
    double h() const { return velocities_.h(); }
    /// Contacts of the solution that are not open.
    int closed() const { return contacts_.closed(); }
    /// x = A^-1 r with a Cholesky factor.
    Preconditioner::Solve solve_velocities();

private:
    Options options_;
    Limits limits_;
    VelocityProblem velocities_;
    StepContacts contacts_;
    StepReport report_;
    StepSolver solver_;
    CollisionCheck collisions_;
};

/// A as a dense matrix, column by column from products.
Eigen::MatrixXd dense_matrix(const VelocityMatrix& matrix);

}  // namespace stiction::test
