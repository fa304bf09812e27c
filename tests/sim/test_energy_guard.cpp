// Steps that gain energy are made again by an integrator that damps.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/sim/energy_guard.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <algorithm>

using namespace stiction;
using namespace stiction::test;

namespace {

StepReport report_of(double energy, double gain, double contact_energy) {
    StepReport report;
    report.kinetic = energy;
    report.balance.gain = gain;
    report.contact_energy = contact_energy;
    return report;
}

/// A ball that hits a plate at 67 m/s: the trapezoidal rule without a guard doubles its energy within 30 steps.
Simulator hard_impact(std::unique_ptr<Method> method) {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_ball(0.0214, 4), {0, 0.0216, 0}),
                           {MaterialLaw::neo_hookean, 1e7, 0.45, 1150}, {0, -67, 0});
    builder.add_half_space("plate", {0, 0, 0}, {0, 1, 0});
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state), std::move(method), SimulatorOptions{.h = 2e-5, .max_halvings = 0}};
}

std::vector<std::unique_ptr<Method>> guarded_methods(Integrator integrator) {
    std::vector<std::unique_ptr<Method>> methods;
    methods.push_back(std::make_unique<ipc::Ipc>(ipc::Options{}, integrator));
    methods.push_back(std::make_unique<implicit::Implicit>(implicit::Options{}, integrator));
    implicit::Options penalty;
    penalty.contact = implicit::ContactModel::penalty;
    methods.push_back(std::make_unique<implicit::Implicit>(penalty, integrator));
    return methods;
}

}  // namespace

TEST_CASE("energy guard: what contact stores and gives back is no gain, what comes from nowhere is") {
    State state;
    EnergyGuard guard(state, 0.0);
    CHECK_FALSE(EnergyGuard::watches(state));
    guard.accept(report_of(10.0, 0.0, 0.0), false);
    CHECK_FALSE(guard.refuses(report_of(7.0, -3.0, 3.0)));
    guard.accept(report_of(7.0, -3.0, 3.0), false);
    CHECK_FALSE(guard.refuses(report_of(10.0, 3.0, 0.0)));
    CHECK(guard.refuses(report_of(10.4, 3.4, 0.0)));
    guard.accept(report_of(10.0, 3.0, 0.0), false);
    CHECK(guard.excess() == within(0.0, 1e-12));
    CHECK(guard.scale() == 10.0);
}

TEST_CASE("energy guard: small gains add up, losses lower what they are counted from, and a state carries both") {
    State state;
    EnergyGuard guard(state, 0.0);
    const double part = 0.4 * EnergyGuard::allowed_part * 10.0;
    guard.accept(report_of(10.0, 0.0, 0.0), false);
    for (int step = 1; step <= 2; ++step) {
        CHECK_FALSE(guard.refuses(report_of(10.0, part, 0.0)));
        guard.accept(report_of(10.0, part, 0.0), false);
    }
    CHECK(guard.refuses(report_of(10.0, part, 0.0)));
    CHECK_FALSE(guard.refuses(report_of(10.0, -part, 0.0)));
    guard.carry(state);
    CHECK(EnergyGuard::watches(state));
    EnergyGuard other(state, 0.0);
    CHECK(other.excess() == guard.excess());
    CHECK(other.refuses(report_of(10.0, part, 0.0)));
    other.accept(report_of(9.0, -1.0, 0.0), true);
    CHECK(other.excess() == 0.0);
    other.accept(report_of(9.5, 0.5, 0.0), true);  // a damped step gains nothing by itself
    CHECK(other.excess() == 0.0);
    CHECK_FALSE(EnergyGuard(state, 1.0).refuses(report_of(10.0, part, 0.0)));
}

TEST_CASE("energy guard: a hard impact gains nothing under rules that would, and such steps are counted") {
    for (const Integrator integrator : {Integrator::trapezoidal, Integrator::tr_bdf2, Integrator::bdf2}) {
        for (auto& method : guarded_methods(integrator)) {
            if (integrator != Integrator::trapezoidal && method->name() != "ipc") continue;
            CAPTURE(integrator_names()[static_cast<std::size_t>(integrator)]);
            const std::string name(method->name());
            CAPTURE(name);
            Simulator simulator = hard_impact(std::move(method));
            const double start = kinetic_energy(simulator.world(), simulator.state().v);
            int damped = 0;
            double highest = 0.0;
            for (int step = 0; step < 40; ++step) {
                REQUIRE(simulator.advance());
                const StepReport& report = simulator.last_result()->report;
                damped += report.damped;
                highest = std::max(highest, report.kinetic + report.elastic + report.contact_energy);
            }
            CHECK(highest < (1.0 + EnergyGuard::allowed_part) * start);
            if (integrator == Integrator::trapezoidal) CHECK(damped > 0);
            MESSAGE(integrator_names()[static_cast<std::size_t>(integrator)], " ", simulator.method().name(), ": ",
                    damped, " damped, at most ", highest / start, " of the energy");
        }
    }
}

TEST_CASE("energy guard: a run resumed from the bytes of a state gives the same bits, damped steps included") {
    Simulator whole = hard_impact(std::move(guarded_methods(Integrator::trapezoidal)[0]));
    Simulator resumed = hard_impact(std::move(guarded_methods(Integrator::trapezoidal)[0]));
    int damped = 0;
    for (int step = 0; step < 40; ++step) {
        REQUIRE(whole.advance());
        if (whole.last_result()->report.damped > 0 && ++damped == 2)
            resumed.restore(state_from_bytes(to_bytes(whole.state()), "state"));
        else if (damped >= 2)
            REQUIRE(resumed.advance());
    }
    REQUIRE(damped >= 2);
    CHECK(to_bytes(resumed.state()) == to_bytes(whole.state()));
}
