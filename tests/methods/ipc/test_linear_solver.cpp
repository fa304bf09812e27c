// The linear solvers of Newton's method, one against the other.
#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

#include <string>
#include <vector>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A box that strikes the ground and slides, one face of another held on one axis, and a fluid-filled third.
struct Boxes {
    World world;
    State state;

    Boxes() {
        WorldBuilder builder;
        const BodyMaterial rubber{MaterialLaw::neo_hookean, 1e5, 0.4, 1000.0};
        builder.add_deformable("lower", translated(generate_box({1, 1, 1}, {6, 6, 6}), {0, 0.502, 0}), rubber,
                               {0.5, -0.5, 0});
        const Index upper = builder.add_deformable(
            "upper", translated(generate_box({0.8, 0.8, 0.8}, {5, 5, 5}), {0.05, 1.41, 0.03}), rubber, {0, -1, 0.3});
        builder.add_filling(upper, FilledPart::surface, VolumeLaw{});
        Motion motion;  // vertices on the left face of the upper box keep their x
        motion.name = "guide";
        motion.axes = 1;
        for (Index v = 0; v < builder.body(upper).vertex_count(); ++v) {
            if (builder.body(upper).mesh.vertices[at(v)].x() < -0.34)
                motion.vertices.push_back(builder.first_vertex(upper) + v);
        }
        motion.trajectory = std::make_shared<HoldTrajectory>();
        builder.add_motion(std::move(motion));
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.3);
        std::tie(world, state) = builder.build();
    }
};

}  // namespace

TEST_CASE("ipc: multigrid, mixed precision and the direct solver end at the same state") {
    const Boxes boxes;
    const double h = 0.01, tolerance = 1e-6;
    const int steps = 6;
    const auto end = [&](SystemSolver solver) {
        ipc::Options options;
        options.velocity_tolerance = tolerance;
        options.linear_solver = solver;
        ipc::Ipc ipc(options);
        int contacts = 0;
        const State state =
            run_steps(ipc, boxes.world, boxes.state, h, steps, [&](const State&, const StepResult& result) {
                const std::string& name = system_solver_names()[static_cast<std::size_t>(solver)];
                CHECK(result.report.linear_solver == (solver == SystemSolver::direct ? "" : name));
                CHECK(result.report.notes.empty());
                contacts = std::max(contacts, result.report.contacts);
            });
        CHECK(contacts > 50);
        return state.x;
    };
    const VecX direct = end(SystemSolver::direct), multigrid = end(SystemSolver::multigrid),
               mixed = end(SystemSolver::mixed);
    CHECK((direct - boxes.state.x).lpNorm<Eigen::Infinity>() > 1e-2);
    // A step is off by h times the tolerance; lagged friction hands errors on.
    CHECK((multigrid - direct).lpNorm<Eigen::Infinity>() == within(0.0, 10.0 * steps * h * tolerance));
    CHECK((mixed - direct).lpNorm<Eigen::Infinity>() == within(0.0, 10.0 * steps * h * tolerance));
    CHECK(mixed != direct);
}

TEST_CASE("ipc: small systems are solved directly unless multigrid is asked for, larger ones in mixed precision") {
    const Boxes boxes;
    ipc::Ipc ipc({});
    run_steps(ipc, boxes.world, boxes.state, 0.01, 1,
              [&](const State&, const StepResult& result) { CHECK(result.report.linear_solver == "mixed"); });
    WorldBuilder builder;
    builder.add_deformable("box", generate_box({1, 1, 1}, {4, 4, 4}), {MaterialLaw::neo_hookean, 1e5, 0.4, 1000.0}, {});
    builder.set_gravity({0, -9.81, 0});
    const auto [world, state] = builder.build();
    for (const SystemSolver solver : {SystemSolver::automatic, SystemSolver::mixed}) {
        ipc::Options options;
        options.linear_solver = solver;
        ipc::Ipc small(options);
        run_steps(small, world, state, 0.01, 1,
                  [&](const State&, const StepResult& result) { CHECK(result.report.linear_solver.empty()); });
    }
}

TEST_CASE("hessian assembly: a factor takes over from multigrid at the iteration limit") {
    const Boxes boxes;
    const StepInput input = schedule(boxes.world, boxes.state, 0.01);
    const Stage stage{1.0, 0.01, boxes.state.x, boxes.state.v};
    const IncrementalPotential potential(boxes.world, stage, input.external_force, boxes.state.x);
    const VecX gradient = potential.gradient(boxes.state.x);
    const auto solved = [&](SystemSolver solver, int limit, bool gives_up) {
        HessianAssembly assembly(boxes.world);
        assembly.begin(DofMap(input.driven_axes, boxes.world.embedded));
        assembly.choose(solver, limit);
        assembly.set_positions(boxes.state.x);
        potential.assemble(boxes.state.x, true, assembly);
        VecX step;
        REQUIRE(assembly.solve(gradient, step));
        CHECK(assembly.newton().gave_up(solver) == gives_up);
        CHECK(assembly.newton().solver() == (gives_up ? SystemSolver::mixed : solver));
        return step;
    };
    const VecX direct = solved(SystemSolver::direct, 1, false);
    CHECK(direct.norm() > 0.0);
    CHECK(solved(SystemSolver::multigrid, 1, true) == solved(SystemSolver::mixed, 1, false));
    // What conjugate gradients may leave, see HessianAssembly::solve().
    CHECK((solved(SystemSolver::multigrid, 500, false) - direct).norm() == within(0.0, 1e-3 * direct.norm()));
}

TEST_CASE(
    "hessian assembly: double takes over where single precision loses the matrix, to the bits of the direct solver") {
    const Boxes boxes;
    const StepInput input = schedule(boxes.world, boxes.state, 0.01);
    const Stage stage{1.0, 0.01, boxes.state.x, boxes.state.v};
    const IncrementalPotential potential(boxes.world, stage, input.external_force, boxes.state.x);
    const VecX gradient = potential.gradient(boxes.state.x);
    const auto solved = [&](SystemSolver solver, double spring, double shift) {
        HessianAssembly assembly(boxes.world);
        assembly.begin(DofMap(input.driven_axes, boxes.world.embedded));
        assembly.choose(solver);
        potential.assemble(boxes.state.x, true, assembly);
        // A spring between two neighbours, as a contact.
        const HessianAssembly::Stencil pair{boxes.world.elastic[0].elements.vertices[0][0],
                                            boxes.world.elastic[0].elements.vertices[0][1], -1, -1};
        Mat12 hessian = Mat12::Zero();
        hessian.block<3, 3>(0, 0) = hessian.block<3, 3>(3, 3) = spring * Mat3::Identity();
        hessian.block<3, 3>(0, 3) = hessian.block<3, 3>(3, 0) = -spring * Mat3::Identity();
        assembly.add_stencil(pair, 2, hessian);
        assembly.add_shift(shift);
        VecX step;
        const bool works = assembly.solve(gradient, step);
        return std::tuple(works, assembly.newton().gave_up(SystemSolver::mixed), step);
    };
    const auto [works, given_up, direct] = solved(SystemSolver::direct, 1e15, 0.0);
    REQUIRE(works);
    CHECK_FALSE(given_up);
    const auto [mixed_works, mixed_given_up, mixed] = solved(SystemSolver::mixed, 1e15, 0.0);
    CHECK(mixed_works);
    CHECK(mixed_given_up);
    CHECK(mixed == direct);
    CHECK_FALSE(std::get<1>(solved(SystemSolver::mixed, 1.0, 0.0)));
    // Not positive definite: the direct solver says so.
    const auto [indefinite_works, indefinite_given_up, none] = solved(SystemSolver::mixed, 0.0, -1e4);
    CHECK_FALSE(indefinite_works);
    CHECK_FALSE(indefinite_given_up);  // it is the matrix
}

TEST_CASE("hessian assembly: a refined step is no worse than the solved one that it begins with, under multigrid too") {
    const Boxes boxes;
    const StepInput input = schedule(boxes.world, boxes.state, 0.01);
    const Stage stage{1.0, 0.01, boxes.state.x, boxes.state.v};
    const IncrementalPotential potential(boxes.world, stage, input.external_force, boxes.state.x);
    const VecX gradient = potential.gradient(boxes.state.x);
    for (const SystemSolver solver : {SystemSolver::direct, SystemSolver::mixed, SystemSolver::multigrid}) {
        HessianAssembly assembly(boxes.world);
        assembly.begin(DofMap(input.driven_axes, boxes.world.embedded));
        assembly.choose(solver);
        assembly.set_positions(boxes.state.x);
        potential.assemble(boxes.state.x, true, assembly);
        VecX solved, refined;
        REQUIRE(assembly.solve(gradient, solved));
        assembly.refine(gradient, refined);
        CHECK((refined - solved).norm() == within(0.0, 1e-3 * solved.norm()));  // the same matrix
        assembly.add_shift(-100.0);  // curves downwards everywhere, along the solved step too
        assembly.refine(gradient, refined);
        // It begins with the factor's own direction, which single precision leaves a little beside the solved one.
        const double beside = solver == SystemSolver::mixed ? 1e-4 : 1e-12;
        CHECK((refined - solved).norm() == within(0.0, beside * solved.norm()));
    }
}

TEST_CASE("hessian assembly: automatic takes multigrid for large solids, and the factor where that is slow") {
    // Cells along the edges, Poisson's ratio, what is taken, whether the factor takes over.
    struct Row {
        std::array<int, 3> cells;
        double poissons_ratio;
        SystemSolver taken;
        bool gives_up;
    };
    const double h = 0.01;
    for (const Row& row : {Row{{17, 17, 17}, 0.4, SystemSolver::multigrid, false},
                           Row{{8, 8, 165}, 0.4999999, SystemSolver::multigrid, true},
                           Row{{4, 4, 200}, 0.4, SystemSolver::mixed, false}}) {
        CAPTURE(row.cells[2]);
        CAPTURE(row.poissons_ratio);
        WorldBuilder builder;
        builder.add_deformable("box",
                               generate_box({0.1 * row.cells[0], 0.1 * row.cells[1], 0.1 * row.cells[2]}, row.cells),
                               {MaterialLaw::neo_hookean, 1e7, row.poissons_ratio, 1000.0}, {});
        builder.set_gravity({0, -9.81, 0});
        const auto [world, state] = builder.build();
        const StepInput input = schedule(world, state, h);
        // Off the rest shape, so that no element is singular.
        VecX x = state.x;
        for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 1e-4 * std::sin(7.0 * static_cast<double>(i));
        const IncrementalPotential potential(world, Stage{1.0, h, state.x, state.v}, input.external_force, x);
        const VecX gradient = potential.gradient(x);
        const auto solve = [&](SystemSolver solver, VecX& step) {
            HessianAssembly assembly(world);
            assembly.begin(DofMap(input.driven_axes, world.embedded));
            assembly.choose(solver);
            assembly.set_positions(x);
            potential.assemble(x, true, assembly);
            CHECK(assembly.newton().solver() == (solver == SystemSolver::automatic ? row.taken : solver));
            REQUIRE(assembly.solve(gradient, step));
            const bool gives_up = solver == SystemSolver::automatic && row.gives_up;
            CHECK(assembly.newton().gave_up(SystemSolver::multigrid) == gives_up);
            return assembly.newton().cg_iterations();
        };
        VecX automatic, other;
        const long iterations = solve(SystemSolver::automatic, automatic);
        if (row.gives_up) {
            solve(SystemSolver::mixed, other);
            CHECK((automatic - other).norm() == 0.0);
        }
        if (row.taken == SystemSolver::mixed) {
            solve(SystemSolver::direct, other);
            CHECK((automatic - other).norm() == within(0.0, 1e-3 * other.norm()));  // see HessianAssembly::solve()
            CHECK(iterations == 1);
        }
        if (row.gives_up) CHECK(iterations < solve(SystemSolver::multigrid, other));
    }
}

TEST_CASE("ipc: the shift of a matrix that rounding made indefinite is noted once a step") {
    // Inertia is lost in the rounding of a stiffness 1e17 times as large, which has six null modes for each cube.
    WorldBuilder builder;
    for (int i = 0; i < 8; ++i) {
        const Mat3 turn(Eigen::AngleAxisd(0.2 * i + 0.1, Vec3(1, 2, 3).normalized()));
        builder.add_deformable("cube" + std::to_string(i),
                               translated(rotated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), turn), {0.37 * i, 0, 0}),
                               {MaterialLaw::linear, 1e13, 0.3, 1.0});
    }
    builder.set_gravity({0, -9.81, 0});
    const auto [world, state] = builder.build();
    ipc::Ipc ipc(ipc::Options{});
    StepResult result;
    ipc.step(world, state, schedule(world, state, 1.0), result);
    CHECK(is_accepted(result.report.status));
    CHECK(result.report.iterations > 1);
    CHECK(result.report.notes == std::vector<std::string>{"factorisation shifted by inertia"});
}
