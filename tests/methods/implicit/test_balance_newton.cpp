// Newton's iteration of `implicit` on a balance whose driven vertices and obstacles carry reactions.
#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/newton.hpp"
#include "stiction/world/world_builder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace stiction;

namespace {

/// A weightless bar, one end of it clamped and the other driven sideways; an obstacle beside it, which a load pushes.
struct DrivenBar {
    DrivenBar() {
        WorldBuilder builder;
        const Mesh mesh = generate_box({0.4, 0.1, 0.1}, {8, 2, 2});
        const Index bar = builder.add_deformable("bar", mesh, {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
        builder.add_obstacle("block", generate_box({0.1, 0.1, 0.1}, {1, 1, 1}));
        std::tie(world, state) = builder.build();
        const Body& body = world.bodies[static_cast<std::size_t>(bar)];
        input = schedule(world, state, 0.05);
        for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
            const double along = state.x[3 * v];
            if (std::abs(along) < 0.19) continue;
            input.driven_axes[static_cast<std::size_t>(v)] = 7;
            if (along > 0.0) input.target[3 * v + 1] += 0.03;
        }
        start = state.x;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (input.is_driven(v)) {
                start.segment<3>(3 * v) = input.target.segment<3>(3 * v);
                input.external_force.segment<3>(3 * v) = Vec3(0, 500, 0);
            }
        }
    }

    World world;
    State state;
    StepInput input;
    VecX start;
};

/// Inertia and elasticity alone, and a preconditioner, the mass, that is too poor for BiCGSTAB to do more than it is
/// asked for.
class ElasticBalance final : public implicit::BalanceNewton {
public:
    ElasticBalance(const DrivenBar& bar, const Stage& stage, HessianAssembly& assembly,
                   implicit::JacobianSolver& jacobian, StepReport& report, double tolerance = 1e-9)
        : implicit::BalanceNewton(assembly, jacobian, {tolerance, 60, stage.scale()}, report, bar.start),
          input_(bar.input),
          potential_(bar.world, stage, bar.input.external_force, bar.state.x) {}

    /// Over the free vertices, at the start and after every step.
    std::vector<double> residuals;
    /// Over all vertices, at the end.
    double whole_residual = 0.0;
    /// Moves after so many are cut to a half.
    int whole_moves = 100;

private:
    VecX first_residual() override {
        take(potential_.gradient(x_));
        return trial_;
    }
    VecX trial_residual(const VecX& trial) override { return trial_ = potential_.gradient(trial); }
    void take_trial() override { take(trial_); }
    double step_bound(const VecX&) override { return whole_moves-- > 0 ? 1.0 : 0.5; }
    void assemble(bool stand_in) override {
        if (!stand_in) return potential_.assemble(x_, false, assembly_);
        assembly_.set_zero();
        assembly_.add_mass();
        assembly_.finish();
    }
    void add_rest(implicit::JacobianSolver&) override {}
    void describe(IterationTrace&) const override {}

    void take(VecX r) {
        trial_ = r;
        whole_residual = r.norm();
        for (std::size_t v = 0; v < input_.driven_axes.size(); ++v) {
            if (input_.driven_axes[v] == 7) r.segment<3>(3 * static_cast<Eigen::Index>(v)).setZero();
        }
        residuals.push_back(r.norm());
    }

    const StepInput& input_;
    const IncrementalPotential potential_;
    VecX trial_;
};

}  // namespace

TEST_CASE("balance Newton: BiCGSTAB converges superlinearly beside the reactions of driven vertices and obstacles") {
    const DrivenBar bar;
    const Stage stage{1.0, bar.input.h, bar.state.x, bar.state.v};
    HessianAssembly assembly(bar.world);
    assembly.begin(DofMap(bar.input.driven_axes, bar.world.embedded));
    implicit::JacobianSolver jacobian;
    jacobian.begin(implicit::LinearSolver::iterative);
    StepReport report;
    ElasticBalance balance(bar, stage, assembly, jacobian, report);
    REQUIRE_MESSAGE(balance.run(), balance.stall());
    REQUIRE(jacobian.rescues() == 0);
    const std::vector<double>& r = balance.residuals;
    MESSAGE("residuals: ", r.size(), ", from ", r.front(), " to ", r.back());
    // What the driven vertices carry hides the rest.
    CHECK(balance.whole_residual > 10.0 * r[0]);
    // Once Newton is near the root, each residual falls to the share that the ratio of the last two allows. The move
    // after the last iteration is by an older Jacobian.
    const auto iterations = static_cast<std::size_t>(report.iterations);
    int held = 0;
    for (std::size_t k = 2; k < std::min(r.size(), iterations + 1) && r[k] > 1e-12 * r[0]; ++k) {
        const double sigma = std::pow(r[k - 1] / r[k - 2], 0.5 * (1.0 + std::sqrt(5.0)));
        CAPTURE(k);
        if (sigma > 0.1) continue;
        CHECK(r[k] / r[k - 1] < 2.0 * sigma);
        ++held;
    }
    CHECK(held >= 2);
}

TEST_CASE("balance Newton: after the last iteration its Jacobian gives one more move, which lessens the residual") {
    const DrivenBar bar;
    const Stage stage{1.0, bar.input.h, bar.state.x, bar.state.v};
    for (const auto solver : {implicit::LinearSolver::direct, implicit::LinearSolver::iterative}) {
        CAPTURE(solver == implicit::LinearSolver::direct);
        HessianAssembly assembly(bar.world);
        assembly.begin(DofMap(bar.input.driven_axes, bar.world.embedded));
        implicit::JacobianSolver jacobian;
        jacobian.begin(solver);
        StepReport report;
        ElasticBalance balance(bar, stage, assembly, jacobian, report, 0.01);
        REQUIRE_MESSAGE(balance.run(), balance.stall());
        const std::vector<double>& r = balance.residuals;
        const auto iterations = static_cast<std::size_t>(report.iterations);
        REQUIRE(r.size() == iterations + 2);
        CHECK(report.linear_solves == report.iterations);
        // No solve factored again either.
        CHECK(jacobian.rescues() == 0);
        CHECK(jacobian.double_factors() == 0);
        MESSAGE(iterations, " iterations, residuals ", r[iterations - 1], ", ", r[iterations], ", then ", r.back());
        CHECK(r.back() < 0.1 * r[iterations]);
        CHECK(report.trace.size() == iterations);
        CHECK(report.residual == report.trace.back().residual);

        // A move that is cut is not made.
        StepReport cut_report;
        ElasticBalance cut(bar, stage, assembly, jacobian, cut_report, 0.01);
        cut.whole_moves = report.iterations;
        REQUIRE_MESSAGE(cut.run(), cut.stall());
        CHECK(cut.residuals == std::vector<double>(r.begin(), r.end() - 1));
    }
}

TEST_CASE("balance Newton: the norm of the forcing term counts free coordinates alone") {
    const DrivenBar bar;
    HessianAssembly assembly(bar.world);
    std::vector<std::uint8_t> axes = bar.input.driven_axes;
    const auto free = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), 0) - axes.begin());
    axes[free] = 2;  // y is prescribed, x and z are not
    assembly.begin(DofMap(axes, bar.world.embedded));
    implicit::JacobianSolver jacobian;
    VecX r = VecX::Constant(bar.state.x.size(), 1e6);
    for (std::size_t v = 0; v < axes.size(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(axes[v] >> axis & 1)) r[3 * static_cast<Eigen::Index>(v) + axis] = 0.0;
        }
    }
    CHECK(jacobian.residual_norm(assembly, r) == 0.0);
    r[3 * static_cast<Eigen::Index>(free)] = 3.0;
    r[3 * static_cast<Eigen::Index>(free) + 2] = 4.0;
    CHECK(jacobian.residual_norm(assembly, r) == 5.0);
}
