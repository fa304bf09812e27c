// The barrier with weights by area in the solve: derivatives, definiteness, same bits, balance by the audit.
#include "stiction/audit/residuals.hpp"
#include "stiction/barrier/potential.hpp"
#include "stiction/barrier/workspace.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double weighted_dhat = 0.05;

/// A tetrahedron with its tip in a valley, beside a block on a block whose meshes do not match, over a half-space;
/// everything rubs.
/// @param needle  adds a folded sheet with a bare point in its fold, whose edge then has a negative weight
std::pair<World, State> weighted_scene(bool needle = false) {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::neo_hookean, 2e4, 0.3, 900, 0.2, 0.01};
    Mesh wedge;
    wedge.vertices = {{0.003, 0.03, 0.02}, {0.06, 0.23, -0.04}, {-0.05, 0.23, -0.06}, {0.0, 0.24, 0.08}};
    wedge.tets = {{0, 1, 2, 3}};
    builder.add_deformable("wedge", wedge, soft);
    builder.add_deformable("lower", translated(generate_box({0.6, 0.3, 0.6}, {2, 1, 2}), {3, 0.18, 0}), soft);
    builder.add_deformable("upper", translated(generate_box({0.5, 0.3, 0.5}, {3, 1, 3}), {3.02, 0.51, 0.01}), soft);
    Mesh valley;
    valley.vertices = {{0, 0, -1}, {0, 0, 1}, {1, 1, 0}, {-1, 1, 0}};
    valley.triangles = {{0, 1, 2}, {1, 0, 3}};
    builder.add_obstacle("valley", valley);
    if (needle) {
        builder.add_shell("fold", translated(valley, {-3, 0.5, 0}), {});
        Mesh point;
        point.vertices = {{-2.997, 0.53, 0.1}};
        point.points = {0};
        builder.add_obstacle("needle", point);
    }
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.4);
    return builder.build();
}

ipc::Options weighted_options() {
    ipc::Options options;
    options.dhat = weighted_dhat;
    options.barrier_weights = BarrierWeights::area;
    return options;
}

}  // namespace

TEST_CASE("weights by area: gradient and Hessian of the whole potential pass the derivative checker") {
    auto [world, state] = weighted_scene(true);
    for (Eigen::Index i = 0; i < state.x.size(); ++i) {
        if (!world.is_obstacle(static_cast<Index>(i / 3))) state.x[i] += 2e-3 * std::sin(5.0 * static_cast<double>(i));
    }
    BarrierWorkspace workspace(world, weighted_options());
    CHECK(workspace.mean_weight > 0.0);
    const Stage stage{1.0, 0.02, state.x, state.v};
    BarrierPotential potential(world, stage, schedule(world, state, 0.02).external_force, state.x, weighted_dhat,
                               {FrictionProfile::quadratic, 0.01, 0.0});
    potential.set_stiffness(0.05);
    workspace.detection.update(state.x);
    const auto contacts = [&](const VecX& y) { return workspace.detection.contacts(y, weighted_dhat); };
    const ContactSet start = contacts(state.x);
    const auto is_negative = [](const Contact& contact) { return contact.multiplicity < 0.0; };
    REQUIRE(std::ranges::any_of(start.contacts, is_negative));
    potential.set_friction(potential.lag_friction(state.x, start, 0.05));
    REQUIRE(std::ranges::any_of(potential.friction(), [](const LaggedFriction& c) { return c.force_limit < 0.0; }));
    VecX x = state.x;
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 1e-3 * std::sin(7.0 * static_cast<double>(i));
    const BarrierPotentialValues at_x = potential.values(x, contacts(x));
    const auto value = [&](const VecX& y) {
        return potential.difference(x, at_x, y, potential.values(y, contacts(y)), 0.0).value;
    };
    const auto gradient = [&](const VecX& y) { return potential.gradient(y, contacts(y)); };
    const auto no_hessian = [](const VecX& y) { return Eigen::MatrixXd(Eigen::MatrixXd::Zero(y.size(), y.size())); };
    CHECK(check_derivatives(value, gradient, no_hessian, x, 1e-2).gradient_error < 1e-5);

    // Barrier alone, without projection; with it the sum has no negative eigenvalue.
    workspace.assembly.begin(DofMap(std::vector<std::uint8_t>(world.body_of_vertex.size(), 0)));
    workspace.assembly.extend(workspace.detection.near(x, workspace.detection.reach()));
    const auto matrix = [&](bool project) {
        workspace.assembly.set_zero();
        potential.barrier().add_hessian(x, contacts(x), project, workspace.assembly);
        workspace.assembly.finish();
        Eigen::MatrixXd dense(x.size(), x.size());
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            VecX column;
            workspace.assembly.system().multiply(VecX::Unit(x.size(), i), column);
            dense.col(i) = column;
        }
        return dense;
    };
    const Eigen::MatrixXd hessian = matrix(false), projected = matrix(true);
    const double step = 1e-7;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        const VecX plus = x + step * VecX::Unit(x.size(), i), minus = x - step * VecX::Unit(x.size(), i);
        const VecX quotient = (potential.barrier_gradient_sum(plus, contacts(plus)) -
                               potential.barrier_gradient_sum(minus, contacts(minus))) *
                              (potential.stiffness() / (2 * step));
        CHECK((quotient - hessian.col(i)).norm() < 1e-5 * hessian.norm());
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(projected);
    CHECK(solver.eigenvalues()[0] > -1e-12 * solver.eigenvalues()[x.size() - 1]);
}

TEST_CASE("weights by area: same bits for 1 and 2 threads, and from a state that went through bytes") {
    const auto run = [](int threads, bool through_bytes) {
        set_thread_count(threads);
        auto [world, state] = weighted_scene();
        ipc::Ipc ipc(weighted_options());
        state = run_steps(ipc, world, state, 0.02, 6);
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        ipc::Ipc fresh(weighted_options());
        return to_bytes(run_steps(through_bytes ? fresh : ipc, world, state, 0.02, 6));
    };
    const std::string reference = run(1, false);
    CHECK(run(2, false) == reference);
    CHECK(run(2, true) == reference);
    set_thread_count(0);
}

TEST_CASE("weights by area: the audit finds steps in balance, and nothing that pulls") {
    auto [world, state] = weighted_scene();
    ipc::Options options = weighted_options();
    options.velocity_tolerance = 1e-7;
    ipc::Ipc ipc(options);
    audit::StepAuditOptions audit_options;
    audit_options.dhat = weighted_dhat;
    StepResult result;
    int in_contact = 0;
    double lowest = weighted_dhat, highest = 0.0;
    for (int step = 0; step < 30; ++step) {
        const StepInput input = schedule(world, state, 0.02);
        ipc.step(world, state, input, result);
        REQUIRE(is_accepted(result.report.status));
        const audit::StepAudit audit = audit::audit_step(world, state, input, result, audit_options);
        CHECK(audit.worst_imbalance < 1e-3 * audit.force_scale);
        CHECK(audit.contact_sum.norm() < 1e-9 * std::max(1.0, audit.contact_scale));
        CAPTURE(step);
        CAPTURE(audit.largest_pulling / audit.contact_scale);
        CHECK(audit.pulling == 0);
        CHECK(audit.forces_without_contact == 0);
        in_contact += audit.contact_vertices > 0;
        if (step >= 20) {
            lowest = std::min(lowest, audit.min_gap);
            highest = std::max(highest, audit.min_gap);
        }
        state = result.state;
    }
    CHECK(in_contact > 20);
    // The adaptive stiffness keeps gaps within its aims: neither at zero nor at dhat.
    MESSAGE("smallest gaps at rest: ", lowest, " to ", highest, " m");
    CHECK(lowest > 0.02 * weighted_dhat);
    CHECK(highest < 0.95 * weighted_dhat);
}

TEST_CASE("weights by area: a block that falls on a bed of bare points takes at most three times the iterations") {
    const auto iterations = [](BarrierWeights weights) {
        WorldBuilder builder;
        const Mat3 turn = Eigen::AngleAxisd(0.35, Vec3(1, 0, 1).normalized()).toRotationMatrix();
        builder.add_deformable("block",
                               translated(rotated(generate_box({0.4, 0.2, 0.4}, {6, 3, 6}), turn), {0, 0.2, 0}),
                               {MaterialLaw::stable_neo_hookean, 5e4, 0.45, 1000});
        Mesh bed;
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                bed.points.push_back(static_cast<Index>(bed.vertices.size()));
                bed.vertices.push_back({0.1 * i - 0.25, 0.0, 0.1 * j - 0.25});
            }
        }
        builder.add_obstacle("bed", bed);
        builder.set_gravity({0, -9.81, 0});
        auto [world, state] = builder.build();
        ipc::Options options;
        options.barrier_weights = weights;
        ipc::Ipc method(options);
        int sum = 0;
        run_steps(method, world, state, 0.01, 20, [&](const State&, const StepResult& result) {
            sum += result.report.iterations;
            CHECK(result.report.status == Status::converged);
        });
        return sum;
    };
    // A bare point weighs a thousandth of a mean vertex. With bounds of the stiffness by the mean alone a step fails.
    const int with = iterations(BarrierWeights::area), without = iterations(BarrierWeights::none);
    MESSAGE(with, " iterations with weights, ", without, " without");
    CHECK(with <= 3 * without);
}
