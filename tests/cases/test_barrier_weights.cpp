// Gaps between flat bodies under refinement: weights by area against the closed form, counted pairs against drift.
#include "stiction/methods/implicit/method.hpp"

#include "support/compare.hpp"
#include "support/pressed.hpp"
#include "support/run.hpp"

#include <cmath>
#include <functional>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double weighted_stiffness = 200.0;  // Pa: the pressure is borne at about half of dhat

struct Settled {
    double gap = 0.0;  ///< in the middle (m)
    State state;
};

/// Lets the bodies come to rest by long steps of backward Euler.
Settled settle(const Pressed& scene, BarrierWeights weights, double stiffness) {
    ipc::Ipc method(pressed_options(weights, stiffness));
    Settled result;
    result.state = run_steps(method, scene.world, scene.state, 0.5, 6);
    result.gap = central_gap(scene, result.state.x);
    return result;
}

double closed_form() {
    return gap_at_pressure(weighted_stiffness, Pressed::pressure, Pressed::dhat);
}

/// The stiffness at which a vertex of the coarsest mesh, of 4 by 4 cells, is as stiff without weights as with them.
double counted_stiffness() {
    const double cell = Pressed::side / 4.0, dhat = Pressed::dhat;
    return weighted_stiffness * cell * cell / (dhat * dhat * dhat);
}

}  // namespace

TEST_CASE("the gap of a uniform pressure solves kappa/dhat^3 |d b(d^2)/dd| = p") {
    const double gap = closed_form(), dhat = Pressed::dhat, ratio = gap / dhat;
    // -2 d b'(d^2) with b' = (S - s)(2 ln(s/S) - S/s + 1), in units of dhat.
    const double force = -2.0 * ratio * (1.0 - ratio * ratio) * (4.0 * std::log(ratio) - 1.0 / (ratio * ratio) + 1.0);
    CHECK(weighted_stiffness * force == relative(Pressed::pressure, 1e-9));
    CHECK(ratio > 0.4);
    CHECK(ratio < 0.6);
}

TEST_CASE("a sheet at rest on a plane: with weights by area every vertex has the gap of its pressure, on any mesh") {
    for (const int cells : {3, 8}) {
        CAPTURE(cells);
        const Pressed scene = sheet_on_plane(cells, closed_form());
        const Settled end = settle(scene, BarrierWeights::area, weighted_stiffness);
        for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v)
            CHECK(end.state.x[3 * v + 1] == relative(closed_form(), 1e-6));
    }
    // Without, the corners of the mesh, which have a sixth or a third of a whole vertex to bear, are higher up.
    const Pressed scene = sheet_on_plane(8, closed_form());
    const Settled counted = settle(scene, BarrierWeights::none, counted_stiffness());
    double lowest = Pressed::dhat, highest = 0.0;
    for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v) {
        lowest = std::min(lowest, counted.state.x[3 * v + 1]);
        highest = std::max(highest, counted.state.x[3 * v + 1]);
    }
    CHECK(highest > 1.1 * lowest);
}

TEST_CASE("a sheet at rest on a plane that rubs: friction of ipc and implicit has the weighted normal forces") {
    Pressed scene = sheet_on_plane(4, closed_form());
    scene.world.friction = FrictionTable(2, 0.5);
    const double sideways = 0.3;  // m/s^2, below what friction holds
    scene.world.gravity.x() = sideways;
    ipc::Options options;
    options.dhat = Pressed::dhat;
    options.barrier_weights = BarrierWeights::area;
    options.barrier_stiffness = weighted_stiffness;
    options.velocity_tolerance = 1e-9;
    options.friction_velocity = 1e-4;
    implicit::Options implicit_options;
    implicit_options.take(options);
    ipc::Ipc lagged(options);
    implicit::Implicit solved(implicit_options);
    for (Method* method : {static_cast<Method*>(&lagged), static_cast<Method*>(&solved)}) {
        StepResult last;
        const State end =
            run_steps(*method, scene.world, scene.state, 0.5, 6, [&](const State&, const StepResult& r) { last = r; });
        for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v) {
            CHECK(end.x[3 * v + 1] == relative(closed_form(), 1e-6));
            const Vec3 normal = last.contact_force.segment<3>(3 * v), friction = last.friction_force.segment<3>(3 * v);
            CHECK(normal.y() == relative(scene.world.mass[v] * Pressed::gravity, 1e-5));
            // Each vertex creeps along with the others: friction is the same part of its own normal force.
            CHECK(friction.x() == relative(-sideways / Pressed::gravity * normal.y(), 1e-3));
        }
    }
}

TEST_CASE("a block at rest on a plane: with weights by area the gap converges to that of its pressure") {
    double last = 1.0;
    for (const int cells : {4, 8, 16}) {
        CAPTURE(cells);
        const double gap = settle(block_on_plane(cells, closed_form()), BarrierWeights::area, weighted_stiffness).gap;
        const double error = std::abs(gap / closed_form() - 1.0);
        MESSAGE(cells, " cells: off by ", error);
        CHECK(error < 0.5 * last);
        last = error;
    }
    CHECK(last < 5e-3);
}

TEST_CASE("a block at rest on a plane: without weights the gap drifts to dhat under refinement") {
    const auto gap = [](int cells) {
        return settle(block_on_plane(cells, closed_form()), BarrierWeights::none, counted_stiffness()).gap;
    };
    const double coarse = gap(4), middle = gap(8), fine = gap(16);
    CHECK(coarse == relative(closed_form(), 0.06));
    CHECK(middle > 1.5 * coarse);
    CHECK(fine > 1.75 * coarse);
    CHECK(fine < Pressed::dhat);
}

TEST_CASE("a block on another block: with weights by area the gap stays as meshes are refined, without it drifts") {
    const auto gap = [](int cells, int cells_below, BarrierWeights weights) {
        const double stiffness = weights == BarrierWeights::area ? weighted_stiffness : counted_stiffness();
        return settle(block_on_block(cells, cells_below, closed_form()), weights, stiffness).gap;
    };
    const double coarse = gap(8, 6, BarrierWeights::area), fine = gap(16, 12, BarrierWeights::area);
    MESSAGE("off by ", coarse / closed_form() - 1.0, " and ", fine / closed_form() - 1.0);
    CHECK(coarse == relative(closed_form(), 0.04));
    CHECK(fine == relative(closed_form(), 0.03));
    // Where all vertices lie on each other, edges count more than their quarter; by how much does not depend on the
    // mesh.
    const double matching = gap(4, 4, BarrierWeights::area);
    CHECK(gap(8, 8, BarrierWeights::area) == relative(matching, 0.01));
    CHECK(matching == relative(closed_form(), 0.1));
    CHECK(gap(8, 6, BarrierWeights::none) > 1.1 * gap(4, 3, BarrierWeights::none));
}
