// Contact problems as files of the Friction Contact Library (FCLIB): M v = H r + f, u = H^T v + w, Coulomb's law
// between u and r, three rows a contact, normal first. Ours with M = A, H = L^T, f = b, w = -c, r = (lambda, -gamma).
#pragma once

#include "methods/mlcp/dense_reference.hpp"
#include "methods/mlcp/random_problem.hpp"

#include <memory>
#include <string>

namespace stiction::test {

using namespace stiction::mlcp;

/// Writes a global problem to a new file. Throws std::runtime_error when the library refuses.
void write_fclib(const DenseProblem& problem, const std::string& path);
/// Writes v, u and r beside the problem that the file has.
void write_fclib_solution(const DenseProblem& problem, const Eigen::VectorXd& v, const Eigen::VectorXd& f,
                          const std::string& path);

/// Throws std::runtime_error when the file has no global problem in three dimensions without equality constraints.
DenseProblem read_fclib(const std::string& path);

struct FclibSolution {
    Eigen::VectorXd v, f;
};
/// The solution of a file that has one; the library ends the process where there is none.
FclibSolution read_fclib_solution(const DenseProblem& problem, const std::string& path);

/// The unknown velocities taken out: u = W f + q with the Delassus operator W = L A^-1 L^T.
struct LocalProblem {
    Eigen::MatrixXd W;
    Eigen::VectorXd q, friction;
};
LocalProblem local_form(const DenseProblem& problem);

/// The library's own measure of a solution, MERIT_1: the norm of the natural map f - P(f - u - mu |u_t| n) of Coulomb's
/// cone, over 1 + sqrt(|q|). It adds forces to motions, so it depends on their units.
double fclib_error(const LocalProblem& problem, const Eigen::VectorXd& f);
double fclib_error(const DenseProblem& problem, const Eigen::VectorXd& f);

/// The problem of a step of h seconds with relative velocities (m/s) and impulses (N s) in place of displacements and
/// forces, which the library's collection has.
DenseProblem in_velocities(DenseProblem problem, double h);

/// The same problem for the library's solvers: nodes of three unknowns, all of them elastic.
std::unique_ptr<RandomProblem> to_contact_problem(const DenseProblem& dense);

}  // namespace stiction::test
