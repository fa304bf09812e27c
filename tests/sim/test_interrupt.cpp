// Steps that are interrupted: every method gives up within an iteration, and makes the step again to the same bits.
#include "stiction/scene/compile.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/sim/certification.hpp"
#include "stiction/sim/simulator.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace stiction;

namespace {

constexpr Index steps = 5;

/// A block that slides down onto a moving plate and a half-space.
/// @param keys  of the scene: method, its options and others, each with a comma after it
CompiledScene sliding_block(const std::string& keys) {
    return compile_scene(parse_scene_text("{" + keys + R"("time": {"step": 0.01, "steps": 5, "integrator": ")" +
                                          (keys.find("tr_bdf2") == std::string::npos ? "backward_euler" : "tr_bdf2") +
                                          R"("},
        "contact": {"friction": 0.3},
        "bodies": [
            {"name": "block", "mesh": {"generate": "box", "size": [0.2, 0.1, 0.2], "cells": [2, 1, 2]},
             "transform": {"rotation": [3, 0, 5], "translation": [0, 0.066, 0]},
             "material": {"law": "neo_hookean", "youngs_modulus": 5e4, "poissons_ratio": 0.35, "density": 800},
             "velocity": [0.3, -0.5, 0]}],
        "obstacles": [
            {"name": "ground", "half_space": {"point": [0, 0, 0]},
             "motion": {"move": {"velocity": [0.05, 0.02, 0]}}}]})"));
}

Simulator simulator_of(const std::string& keys) {
    CompiledScene scene = sliding_block(keys);
    return {std::move(scene.world), std::move(scene.state), std::move(scene.method), SimulatorOptions{0.01, 6}};
}

/// Raises the flag at the call of iterated() that `raise_at` counts down to.
class Interrupter final : public Observer {
public:
    void iterated(const World&, const State& state, int, double) override {
        CHECK(state == *start);
        if (flag) ++calls_after;
        if (raise_at-- == 0) flag = true;
    }
    void step_done(const World&, const State&, const StepResult&) override { ++done; }
    void step_failed(const World&, const State&, const StepReport&) override { FAIL("the step does not fail"); }
    void step_dropped(const World&, const State& state, const StepReport& attempt) override {
        CHECK(state == *start);
        CHECK(attempt.status == Status::interrupted);
        ++dropped;
    }
    const State* start = nullptr;
    int raise_at = 0, calls_after = 0, done = 0, dropped = 0;
    std::atomic<bool> flag{false};
};

/// Makes the next step after giving it up at ever later iterations.
void interrupt_and_step(Simulator& simulator, Interrupter& interrupter) {
    const State before = simulator.state();
    const StepResult* last = simulator.last_result();
    interrupter.start = &before;
    const int dropped_before = interrupter.dropped;
    for (int at = 0;; at += 1 + at / 3) {
        interrupter.raise_at = at;
        interrupter.calls_after = 0;
        interrupter.flag = false;
        if (simulator.advance(&interrupter.flag)) break;
        REQUIRE(simulator.was_interrupted());
        CHECK(interrupter.calls_after <= 1);
        CHECK(simulator.state() == before);
        CHECK(simulator.last_result() == last);
        CHECK(simulator.failure() == nullptr);
    }
    CHECK_FALSE(simulator.was_interrupted());
    CHECK(interrupter.dropped >= dropped_before + 1);  // the first question comes before the first iteration
}

void check_same_bits(const std::string& keys) {
    CAPTURE(keys);
    Simulator whole = simulator_of(keys), interrupted = simulator_of(keys);
    Interrupter interrupter;
    interrupted.add_observer(interrupter);
    for (Index step = 1; step <= steps; ++step) {
        CAPTURE(step);
        REQUIRE(whole.advance());
        interrupt_and_step(interrupted, interrupter);
        REQUIRE(to_bytes(interrupted.state()) == to_bytes(whole.state()));
        CHECK(interrupted.last_result()->contact_force == whole.last_result()->contact_force);
        CHECK(interrupted.last_result()->report.iterations == whole.last_result()->report.iterations);
    }
    CHECK(whole.last_result()->report.contacts > 0);  // or the test would not test much
    CHECK(interrupter.done == steps);
}

}  // namespace

TEST_CASE("ipc: a step that was interrupted anywhere is made again to the same bits") {
    check_same_bits(R"("method": "ipc", )");
    check_same_bits(R"("method": "ipc", "ipc": {"friction_iterations": 0}, )");
    check_same_bits(R"("method": "ipc", "title": "tr_bdf2", )");
}

TEST_CASE("implicit: a step that was interrupted anywhere is made again to the same bits") {
    check_same_bits(R"("method": "implicit", "implicit": {"solver": "direct"}, )");
    check_same_bits(R"("method": "implicit", "implicit": {"solver": "iterative"}, )");
    check_same_bits(R"("method": "implicit", "implicit": {"max_implicit_iterations": 2, "lagged_restarts": 2}, )");
    check_same_bits(
        R"("method": "implicit", "implicit": {"contact": "penalty", "implicit_surface_radius_factor": 1.5}, )");
}

TEST_CASE("mlcp: a step that was interrupted anywhere is made again to the same bits") {
    for (const std::string solver : {"cr", "ica", "sp_active_set", "sp", "pgs", "augmented_lagrangian"})
        check_same_bits(R"("method": "mlcp", "mlcp": {"solver": ")" + solver + R"("}, )");
    check_same_bits(R"("method": "mlcp", "mlcp": {"elasticity": "nonlinear"}, )");
    check_same_bits(R"("method": "mlcp", "mlcp": {"factorise_after": 4}, )");
    check_same_bits(R"("method": "mlcp", "mlcp": {"solver": "cr", "factorise_after": 4}, )");
}

TEST_CASE("local_global: a step that was interrupted anywhere is made again to the same bits") {
    check_same_bits(R"("method": "local_global", )");
    check_same_bits(R"("method": "local_global", "local_global": {"global_step": "lbfgs"}, )");
}

TEST_CASE("what an interrupted step accepted so far is no part of a certificate") {
    for (const std::string method : {"ipc", "implicit"}) {
        CAPTURE(method);
        const std::string keys = R"("method": ")" + method + R"(", )";
        Simulator whole = simulator_of(keys), interrupted = simulator_of(keys);
        Certifier certifiers[] = {Certifier(whole.world(), std::nullopt), Certifier(interrupted.world(), std::nullopt)};
        Simulator* simulators[] = {&whole, &interrupted};
        Interrupter interrupter;
        for (int i = 0; i < 2; ++i) {
            simulators[i]->add_observer(certifiers[i]);
            simulators[i]->set_move_sink(&certifiers[i]);
            certifiers[i].started(simulators[i]->world(), simulators[i]->state());
        }
        interrupted.add_observer(interrupter);
        for (Index step = 1; step <= 3; ++step) {
            REQUIRE(whole.advance());
            interrupt_and_step(interrupted, interrupter);
        }
        CHECK(certifiers[1].certificate().ok());
        CHECK(certifiers[1].certificate().moves.moves == certifiers[0].certificate().moves.moves);
        CHECK(certifiers[1].certificate().broken_chains == 0);
    }
}

namespace {

/// Makes no step larger than `limit` (s), and asks the watch ten times for each that it tries.
class Patient final : public Method {
public:
    explicit Patient(double limit) : limit_(limit) {}
    std::string_view name() const override { return "patient"; }
    double contact_distance(const World&) const override { return 0.0; }
    void step(const World&, const State& state, const StepInput& input, StepResult& result) override {
        ++attempts;
        result.state = state;
        result.report = StepReport{};
        result.state.x.array() += 1.0;
        result.contact_force = result.friction_force = VecX::Zero(state.x.size());
        for (int i = 0; i < 10; ++i) {
            if (!input.go_on(result.report)) {
                result.report.status = Status::interrupted;
                return;
            }
            ++result.report.iterations;
        }
        if (input.h > limit_) result.report.status = Status::iteration_limit;
    }
    int attempts = 0;

private:
    double limit_;
};

struct Watched final : Observer {
    void iterated(const World&, const State&, int iterations, double) override {
        seen.push_back(iterations);
        if (iterations == raise_at) flag = true;
    }
    void step_done(const World&, const State& state, const StepResult&) override {
        log += "done" + std::to_string(state.step) + " ";
    }
    void step_failed(const World&, const State&, const StepReport&) override { log += "failed "; }
    void step_dropped(const World&, const State& state, const StepReport& attempt) override {
        log += "dropped" + std::to_string(state.step) + ":" + std::to_string(attempt.iterations) + " ";
    }
    void finished(const World&, const State& state, const StepResult*, RunEnd end) override {
        log += "end" + std::to_string(state.step) + ":" + std::to_string(static_cast<int>(end));
    }
    std::vector<int> seen;
    int raise_at = std::numeric_limits<int>::max();
    std::string log;
    std::atomic<bool> flag{false};
};

struct PatientRun {
    explicit PatientRun(double limit, int max_halvings) {
        CompiledScene scene = sliding_block("");
        auto owned = std::make_unique<Patient>(limit);
        method = owned.get();
        simulator = std::make_unique<Simulator>(std::move(scene.world), std::move(scene.state), std::move(owned),
                                                SimulatorOptions{0.01, max_halvings});
        simulator->add_observer(watched);
    }
    Patient* method = nullptr;
    Watched watched;
    std::unique_ptr<Simulator> simulator;
};

}  // namespace

TEST_CASE("a run that is interrupted within a step ends at the step before, without a failure") {
    PatientRun run(1.0, 3);
    CHECK(run.simulator->run(2) == RunEnd::done);
    run.watched.raise_at = 4;
    const State before = run.simulator->state();
    CHECK(run.simulator->run(9, &run.watched.flag) == RunEnd::interrupted);
    CHECK(run.watched.log == "done1 done2 end2:0dropped2:4 end2:2");
    CHECK(run.method->attempts == 3);  // no smaller steps are tried
    CHECK(run.simulator->state() == before);
    CHECK(run.simulator->failure() == nullptr);
    CHECK(run.simulator->was_interrupted());
}

TEST_CASE("an interrupt in a sub-step drops the whole step, and iterations count over all attempts") {
    PatientRun run(0.004, 3);  // 0.01 and 0.005 fail
    run.watched.raise_at = 27;
    CHECK(run.simulator->run(1, &run.watched.flag) == RunEnd::interrupted);
    CHECK(run.watched.log == "dropped0:27 end0:2");
    CHECK(run.method->attempts == 3);
    REQUIRE(run.watched.seen.size() == 28);
    for (int i = 0; i < 10; ++i) CHECK(run.watched.seen[static_cast<std::size_t>(10 + i)] == 10 + i);
    CHECK(run.simulator->state().step == 0);
    CHECK(run.simulator->last_result() == nullptr);
    run.watched.flag = false;
    run.watched.raise_at = std::numeric_limits<int>::max();
    CHECK(run.simulator->run(1, &run.watched.flag) == RunEnd::done);
    CHECK(run.simulator->last_result()->report.status == Status::substepped);
}

TEST_CASE("a step that fails before it is interrupted is not tried in smaller ones") {
    PatientRun run(0.004, 3);
    run.watched.raise_at = 10;  // where the first sub-step asks for the first time
    CHECK(run.simulator->run(1, &run.watched.flag) == RunEnd::interrupted);
    CHECK(run.watched.log == "dropped0:10 end0:2");
    CHECK(run.method->attempts == 2);
    CHECK(run.simulator->failure() == nullptr);
}

TEST_CASE("the halvings that keep the pieces of a step within a limit") {
    const std::pair<int, int> expected[] = {{1, 0}, {2, 1}, {3, 1}, {4, 2}, {63, 5}, {64, 6}, {65, 6}, {1 << 30, 30}};
    for (const auto& [pieces, halvings] : expected) CHECK(halvings_within(pieces) == halvings);
}
