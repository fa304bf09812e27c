// Runs a solver over many random contact problems and counts what came of it.
#pragma once

#include "stiction/methods/mlcp/solvers/cr_solver.hpp"

#include "methods/mlcp/dense_reference.hpp"
#include "methods/mlcp/random_problem.hpp"

#include <functional>
#include <numbers>
#include <string>

namespace stiction::test {

using namespace stiction::mlcp;

/// One kind of random problem.
struct ProblemClass {
    Degeneracy degeneracy = Degeneracy::none;
    Targets targets = Targets::at_rest;
    bool frictionless = false;
    bool wrong_start = false;  ///< else from rest, all contacts open
    std::string name() const;
};

/// The tolerances of all surveys.
constexpr double survey_tolerance = 1e-7, survey_distance = 1e-8;
/// A solution's rows hold one by one, its slips are two of them; friction may lag behind the slip by the switching's
/// angle.
constexpr double judged_distance = 1.01 * survey_distance, judged_slip = 1.5 * survey_distance,
                 judged_turn = 1.2 * std::numbers::pi / 180.0 + 1e-6;

using Solver = std::function<SolverReport(RandomProblem& made, const ConstraintMatrix& constraints,
                                          const SolverOptions& options, ContactSolution& solution)>;
/// The library's conjugate residuals with a preconditioner.
Solver conjugate_residuals(PreconditionerKind kind);

/// How a reference says whether a problem has a solution.
enum class Existence {
    unknown,
    by_class,      ///< by how it was made; unknown for Targets::feasible with friction
    by_reference,  ///< solve_frictionless decides; solve_frictional finds most solutions
};

struct Survey {
    int problems = 0;
    int solvable = 0;  ///< have a solution for certain, as far as was asked for
    int converged = 0;
    int solved_solvable = 0;  ///< of the solvable ones
    int false_converged = 0;  ///< reported as converged, but not a solution by find_faults
    int impossible = 0;       ///< reported as converged, though there is no solution
    int different = 0;        ///< frictionless: velocities further from the reference's than the residuals explain
    long iterations = 0;
    double seconds = 0.0;       ///< of the solver
    std::array<int, 7> ends{};  ///< by SolverEnd
    Faults worst;               ///< of those reported as converged
    std::string first_fault;    ///< seed and numbers of the first that is false, impossible or different
    double fraction() const { return solvable == 0 ? 1.0 : static_cast<double>(solved_solvable) / solvable; }
};

/// Problems `first` to `first + count - 1` of a class.
Survey survey(const ProblemClass& problems, int first, int count, int max_iterations, Existence existence,
              const Solver& solve);

}  // namespace stiction::test
