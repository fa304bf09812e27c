#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "methods/mlcp/fclib/fclib_format.hpp"
#include "methods/mlcp/step_problem.hpp"
#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <filesystem>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

const BodyMaterial rubber{MaterialLaw::fixed_corotated, 1e6, 0.3, 1000.0};

Scene two_blocks(bool rigid) {
    WorldBuilder builder;
    for (const double height : {0.05001, 0.15002}) {
        const Mesh mesh = translated(generate_box({0.2, 0.1, 0.2}, {1, 1, 1}), {0.02 * height, height, 0});
        if (rigid) {
            builder.add_rigid("block", mesh, 1000.0);
        } else {
            builder.add_deformable("block", mesh, rubber);
        }
    }
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Through a file and back, solved from rest. Where that converges: the library's error of the forces, and of none.
/// @return whether it converges
bool check_problem(const StepProblem& posed) {
    const std::string path = (std::filesystem::temp_directory_path() / "stiction_step_problem.hdf5").string();
    std::filesystem::remove(path);
    write_fclib(in_velocities(make_dense(posed.problem(), dense_matrix(*posed.problem().matrix)), posed.h()), path);
    const DenseProblem read = read_fclib(path);
    std::filesystem::remove(path);
    const auto made = to_contact_problem(read);
    const ConstraintMatrix constraints(made->matrix.nodes(), made->problem.contacts);
    const Eigen::LLT<Eigen::MatrixXd> factor(made->dense);
    const auto solve = [&](const VecX& r, VecX& x) { x = factor.solve(r); };
    const Preconditioner preconditioner(PreconditionerKind::factorised, made->matrix, constraints, solve);
    SolverOptions options;
    options.tolerance = 1e-8;
    options.distance_tolerance = 1e-7;  // m/s
    ContactSolution solution = cold_start(made->problem);
    const SolverReport report =
        solve_with(SolverKind::cr, {made->problem, constraints, preconditioner, options}, solution);
    if (report.end != SolverEnd::converged) return false;
    const LocalProblem local = local_form(read);
    // Up to 17 contacts, each off by 1e-7 m/s in three rows.
    CHECK(fclib_error(local, forces_of(solution)) == within(0.0, 1e-6));
    CHECK(fclib_error(local, Eigen::VectorXd::Zero(local.q.size())) > 1e-2);
    return true;
}

struct Counts {
    int posed = 0, converged = 0;
};

/// The problems of the first steps that have contacts.
Counts check_steps(const Scene& scene, int steps) {
    constexpr double h = 1e-2;
    Mlcp method{Options{}};
    Workspace workspace(scene.world, Options{});
    State state = scene.state;
    Counts counts;
    for (int step = 0; step < steps; ++step) {
        const StepInput input = schedule(scene.world, state, h);
        StepProblem posed(scene.world, state, input, Options{}, workspace);
        REQUIRE(posed.pose());
        if (posed.closed() > 0) {
            ++counts.posed;
            if (check_problem(posed)) ++counts.converged;
        }
        state = run_steps(method, scene.world, state, h, 1);
    }
    return counts;
}

}  // namespace

TEST_CASE("contact problems of steps are solved from files of the friction contact library, as it finds itself") {
    Counts counts;
    SUBCASE("a block that slides on a slope") {
        counts = check_steps(block_on_slope({.tangent = 0.6, .mu = 0.4, .material = rubber, .gap = 1e-5}), 4);
        CHECK(counts.converged == counts.posed);
    }
    SUBCASE("a block that sticks on a slope") {
        counts = check_steps(block_on_slope({.tangent = 0.3, .mu = 0.4, .material = rubber, .gap = 1e-5}), 4);
        CHECK(counts.converged == counts.posed);
    }
    SUBCASE("deformable blocks, one on the other") {
        counts = check_steps(two_blocks(false), 4);
        CHECK(counts.converged == counts.posed);
    }
    SUBCASE("rigid blocks, one on the other") {
        counts = check_steps(two_blocks(true), 4);
        // From rest, redundant contacts may cycle at tolerances as tight as these.
        CHECK(counts.converged >= 2);
    }
    CHECK(counts.posed >= 3);
}

TEST_CASE("the problem that is posed is the one that the step solves") {
    const Scene scene = block_on_slope({.tangent = 0.6, .mu = 0.4, .material = rubber, .gap = 1e-5});
    Mlcp method{Options{}};
    Workspace workspace(scene.world, Options{});
    const StepInput input = schedule(scene.world, scene.state, 1e-2);
    StepProblem posed(scene.world, scene.state, input, Options{}, workspace);
    REQUIRE(posed.pose());
    StepResult result;
    method.step(scene.world, scene.state, input, result);
    REQUIRE(is_accepted(result.report.status));
    CHECK(posed.closed() == result.report.contacts);
    // What is reported as the momentum error is that of the solution: 2e-6 of a tolerance of 5e-5, to rounding.
    const ContactErrors errors = contact_errors(posed.problem(), posed.solution(), posed.compliance());
    CHECK(posed.report().complementarity->momentum_error == relative(errors.momentum, 1e-6));
    CHECK(posed.report().complementarity->sliding_error == relative(errors.sliding, 1e-9));
    // Both balance momentum to 5e-5; the step solves loosely first.
    const Eigen::Index moving = posed.solution().v.size();
    CHECK((posed.solution().v - result.state.v.head(moving)).norm() == within(0.0, 1e-3 * result.state.v.norm()));
}
