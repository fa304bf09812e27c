// The linear solvers of Newton's method, one against the other.
#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

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

TEST_CASE("ipc: multigrid and the direct solver end at the same state") {
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
                CHECK(result.report.linear_solver == (solver == SystemSolver::multigrid ? "multigrid" : ""));
                contacts = std::max(contacts, result.report.contacts);
            });
        CHECK(contacts > 50);
        return state.x;
    };
    const VecX direct = end(SystemSolver::direct), multigrid = end(SystemSolver::multigrid);
    CHECK((direct - boxes.state.x).lpNorm<Eigen::Infinity>() > 1e-2);
    // A step is off by h times the tolerance; lagged friction hands errors on.
    CHECK((multigrid - direct).lpNorm<Eigen::Infinity>() == within(0.0, 10.0 * steps * h * tolerance));
}

TEST_CASE("ipc: small systems are solved directly unless multigrid is asked for") {
    const Boxes boxes;
    ipc::Ipc ipc({});
    run_steps(ipc, boxes.world, boxes.state, 0.01, 1,
              [&](const State&, const StepResult& result) { CHECK(result.report.linear_solver.empty()); });
}

TEST_CASE("hessian assembly: the direct solver takes over from multigrid at the iteration limit") {
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
        CHECK(assembly.gave_up_multigrid() == gives_up);
        CHECK(assembly.solver() == (gives_up ? SystemSolver::direct : solver));
        return step;
    };
    const VecX direct = solved(SystemSolver::direct, 1, false);
    CHECK(direct.norm() > 0.0);
    CHECK(solved(SystemSolver::multigrid, 1, true) == direct);
    // What conjugate gradients may leave, see HessianAssembly::solve().
    CHECK((solved(SystemSolver::multigrid, 500, false) - direct).norm() == within(0.0, 1e-3 * direct.norm()));
}

TEST_CASE("hessian assembly: a refined step is no worse than the solved one that it begins with, under multigrid too") {
    const Boxes boxes;
    const StepInput input = schedule(boxes.world, boxes.state, 0.01);
    const Stage stage{1.0, 0.01, boxes.state.x, boxes.state.v};
    const IncrementalPotential potential(boxes.world, stage, input.external_force, boxes.state.x);
    const VecX gradient = potential.gradient(boxes.state.x);
    for (const SystemSolver solver : {SystemSolver::direct, SystemSolver::multigrid}) {
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
        CHECK((refined - solved).norm() == within(0.0, 1e-12 * solved.norm()));
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
                           Row{{4, 4, 200}, 0.4, SystemSolver::direct, false}}) {
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
            CHECK(assembly.solver() == (solver == SystemSolver::automatic ? row.taken : solver));
            REQUIRE(assembly.solve(gradient, step));
            CHECK(assembly.gave_up_multigrid() == (solver == SystemSolver::automatic && row.gives_up));
            return assembly.cg_iterations();
        };
        VecX automatic, other;
        const long iterations = solve(SystemSolver::automatic, automatic);
        if (row.taken == SystemSolver::direct || row.gives_up) {
            solve(SystemSolver::direct, other);
            CHECK((automatic - other).norm() == 0.0);
        }
        if (row.gives_up) CHECK(iterations < solve(SystemSolver::multigrid, other));
    }
}
