#include "methods/mlcp/fclib/fclib_format.hpp"
#include "methods/mlcp/random_survey.hpp"
#include <doctest/doctest.h>

#include <filesystem>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

struct TemporaryFile {
    std::string path;
    explicit TemporaryFile(const std::string& name) : path((std::filesystem::temp_directory_path() / name).string()) {
        std::filesystem::remove(path);
    }
    ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE(
    "a problem survives a file of the friction contact library, is solved from there, and the library agrees that it "
    "is solved") {
    int solved = 0;
    for (int seed = 0; seed < 20; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, Degeneracy::none, Targets::at_rest);
        const DenseProblem dense = make_dense(made->problem, made->dense);
        const TemporaryFile file("stiction_problem_" + std::to_string(seed) + ".hdf5");
        write_fclib(dense, file.path);
        const DenseProblem read = read_fclib(file.path);
        CHECK(read.A == dense.A);
        CHECK(read.L == dense.L);
        CHECK(read.b == dense.b);
        CHECK(read.c == dense.c);
        CHECK(read.friction == dense.friction);

        const auto problem = to_contact_problem(read);
        const ConstraintMatrix constraints(problem->matrix.nodes(), problem->problem.contacts);
        SolverOptions options;
        // The library measures newtons.
        options.tolerance = 1e-11;
        options.distance_tolerance = 1e-12;
        ContactSolution solution = cold_start(problem->problem);
        if (conjugate_residuals(PreconditionerKind::full)(*problem, constraints, options, solution).end !=
            SolverEnd::converged)
            continue;
        ++solved;
        const VecX f = forces_of(solution);
        CHECK(find_faults(dense, solution.v, f, 1.5e-12).within(1.01e-11, 1.01e-12, 1e-6));
        write_fclib_solution(dense, solution.v, f, file.path);
        const FclibSolution again = read_fclib_solution(dense, file.path);
        CHECK(again.v == solution.v);
        CHECK(again.f == f);
        CHECK(fclib_error(dense, f) < 1e-7);
        if (f.norm() > 0.0) CHECK(fclib_error(dense, 1.1 * f) > 1e-5);
    }
    CHECK(solved >= 19);
}
