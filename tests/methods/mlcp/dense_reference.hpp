// Contact problems as dense matrices: a judge of solutions, and solvers that share nothing with the library's.
#pragma once

#include "stiction/methods/mlcp/problem/contact_problem.hpp"

#include <Eigen/Dense>

#include <numbers>

namespace stiction::test {

using namespace stiction::mlcp;

/// A v = b + L^T f, u = L v - c; three rows a contact; f = (lambda, -gamma).
struct DenseProblem {
    Eigen::MatrixXd A, L;
    Eigen::VectorXd b, c, friction;
    Eigen::VectorXd compliance;  ///< diagonal of L diag(A)^-1 L^T (m/N)
    Eigen::Index contacts() const { return friction.size(); }
};

DenseProblem make_dense(const ContactProblem& problem, const Eigen::MatrixXd& A);

/// How far velocities and forces are from solving a problem: Coulomb's law in forces and motion, without regard to any
/// mode. Distances in metres.
struct Faults {
    double momentum = 0.0;         ///< |b + L^T f - A v| / |b|
    double penetration = 0.0;      ///< largest -u_n
    double pull = 0.0;             ///< largest -S lambda
    double complementarity = 0.0;  ///< largest min(u_n, S lambda)
    double cone = 0.0;             ///< largest S (|gamma| - mu lambda)
    double dissipation = 0.0;  ///< of contacts that slip more than `slip_tolerance`: largest S (mu lambda - |gamma|)
    double turn = 0.0;  ///< of the same, with friction of more than that distance: largest angle between gamma and slip
                        ///< (rad), less what errors of `slip_tolerance` in the slip and in S gamma explain
    bool within(double relative, double distance, double angle) const;
};

/// @param f  three entries a contact
Faults find_faults(const DenseProblem& problem, const Eigen::VectorXd& v, const Eigen::VectorXd& f,
                   double slip_tolerance);

/// f of a solution of the library.
Eigen::VectorXd forces_of(const ContactSolution& solution);

struct FrictionlessReference {
    bool feasible = false;
    Eigen::VectorXd v;
    Eigen::VectorXd multipliers;  ///< lambda of every contact
};
/// min v.Av/2 - b.v with L_n v >= c_n by the dual active-set method of Goldfarb and Idnani (1983): pivots on one row at
/// a time, finds the one solution or that there is none.
FrictionlessReference solve_frictionless(const DenseProblem& problem);

struct FrictionalReference {
    bool solved = false;
    int sweeps = 0;
    Eigen::VectorXd v, f;
};
/// Gauss-Seidel over contacts on L A^-1 L^T, Coulomb's law of one contact solved by bisection.
/// @param tolerance  m
FrictionalReference solve_frictional(const DenseProblem& problem, double tolerance, int max_sweeps);

}  // namespace stiction::test
