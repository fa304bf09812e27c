#include "stiction/base/error.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

using namespace stiction;
using namespace stiction::test;

namespace {

Mesh one_tet() {
    Mesh mesh;
    mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    mesh.tets = {{0, 1, 2, 3}};
    return mesh;
}

std::pair<World, State> falling_tet() {
    WorldBuilder builder;
    builder.add_deformable("tet", one_tet(), BodyMaterial{}, Vec3(1, 2, 0));
    builder.set_gravity(Vec3(0, -9.81, 0));
    return builder.build();
}

/// Symplectic Euler for a body that only falls. Keeps a count in the state, as methods keep their warm start.
void fall(const World& world, const State& state, const StepInput& input, StepResult& result) {
    result.state = state;
    State& next = result.state;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        next.v.segment<3>(3 * v) += input.h / world.mass[v] * input.external_force.segment<3>(3 * v);
    }
    next.x += input.h * next.v;
    next.previous_x = state.x;
    next.previous_h = input.h;
    next.warm_start["fake"] += 'x';
    result.report.status = Status::converged;
    result.report.iterations = 2;
    result.report.linear_solves = 3;
    result.report.milliseconds = 10.0;
    result.report.phases_ms["solve"] = 4.0;
    result.report.min_gap = std::abs(next.x[1]);
    result.report.residual = input.h;
    result.report.contacts = static_cast<int>(next.warm_start["fake"].size());
    ComplementarityReport& contact = result.report.complementarity.emplace();
    contact.solves = 2;
    contact.mode_switches = 5;
    contact.constraints = result.report.contacts;
    contact.normal_error = state.t == 0.02 ? 3.0 : 1.0;
    contact.distance_tolerance = 4.0;
    result.contact_force = VecX::Zero(state.x.size());
    result.friction_force = VecX::Zero(state.x.size());
}

/// Falls, but gives up on steps larger than `limit` seconds that start at or after `trouble` seconds.
class FakeMethod final : public Method {
public:
    explicit FakeMethod(double limit = 1e300, double trouble = 0.0) : limit_(limit), trouble_(trouble) {}
    std::string_view name() const override { return "fake"; }
    double contact_distance(const World&) const override { return 0.0; }
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override {
        calls.push_back({state.t, input.h});
        if (input.h > limit_ && state.t >= trouble_) {
            result.state.x.setConstant(std::nan(""));  // what a failed attempt leaves must never be used
            result.report.status = Status::line_search_stalled;
            result.report.cause = "h = " + std::to_string(input.h);
            result.report.iterations = 7;
            result.report.notes.push_back("gave up");
            result.report.complementarity.emplace();
            result.report.complementarity->solves = 100;
            result.report.complementarity->normal_error = 1e9;
            return;
        }
        fall(world, state, input, result);
    }
    struct Call {
        double t, h;
    };
    std::vector<Call> calls;

private:
    double limit_, trouble_;
};

struct Run {
    explicit Run(double h, double limit = 1e300, double trouble = 0.0, int max_halvings = 6)
        : Run(falling_tet(), h, limit, trouble, max_halvings) {}
    Run(std::pair<World, State> scene, double h, double limit, double trouble, int max_halvings)
        : start(scene.second),
          simulator(std::move(scene.first), std::move(scene.second), make(limit, trouble),
                    SimulatorOptions{h, max_halvings}) {}
    std::unique_ptr<Method> make(double limit, double trouble) {
        auto owned = std::make_unique<FakeMethod>(limit, trouble);
        method = owned.get();
        return owned;
    }
    State start;
    FakeMethod* method = nullptr;
    Simulator simulator;
};

class Recorder final : public Observer {
public:
    void started(const World&, const State& state) override { log += "start" + std::to_string(state.step) + " "; }
    void step_done(const World&, const State& state, const StepResult& result) override {
        CHECK(result.state == state);
        log += std::to_string(state.step) + " ";
        if (state.step == raise_at) flag = true;
    }
    void step_failed(const World&, const State& state, const StepReport& attempt) override {
        log += "failed" + std::to_string(state.step) + ":" + to_string(attempt.status) + " ";
    }
    void finished(const World&, const State& state, const StepResult* last, RunEnd end) override {
        log +=
            "end" + std::to_string(state.step) + (last == nullptr ? "-" : "+") + std::to_string(static_cast<int>(end));
    }
    std::string log;
    Index raise_at = -1;
    std::atomic<bool> flag{false};
};

}  // namespace

TEST_CASE("scene steps end at exactly step * h and fall as symplectic Euler does") {
    Run run(0.1);
    for (int n = 1; n <= 1000; ++n) {
        REQUIRE(run.simulator.advance());
        REQUIRE(run.simulator.state().step == n);
        REQUIRE(run.simulator.state().t == static_cast<double>(n) * 0.1);  // no drift: not a sum of 0.1
        REQUIRE(run.method->calls.back().t == static_cast<double>(n - 1) * 0.1);
    }
    const double n = 1000, h = 0.1;
    const Vec3 moved = run.simulator.state().x.head<3>() - run.start.x.head<3>();
    CHECK(moved.x() == relative(n * h, 1e-13));
    CHECK(moved.y() == relative(n * h * 2.0 - 9.81 * h * h * n * (n + 1) / 2, 1e-13));
    CHECK(moved.z() == 0.0);
    CHECK(run.simulator.failure() == nullptr);
    CHECK(run.simulator.last_result()->report.h == h);
}

TEST_CASE("a failing step is covered by sub-steps of half the size, and half again where that fails") {
    Run run(0.08, 0.021);  // h/4 = 0.02 is the first size that works
    REQUIRE(run.simulator.advance());
    const auto& calls = run.method->calls;
    const double expected_t[] = {0, 0, 0, 0.02, 0.04, 0.06}, expected_h[] = {0.08, 0.04, 0.02, 0.02, 0.02, 0.02};
    REQUIRE(calls.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(calls[i].t == within(expected_t[i], 1e-16));
        CHECK(calls[i].h == relative(expected_h[i], 1e-14));
    }
    const State& state = run.simulator.state();
    CHECK(state.step == 1);
    CHECK(state.t == 0.08);
    CHECK(state.warm_start.at("fake") == "xxxx");
    CHECK(state.previous_h == relative(0.02, 1e-13));
    CHECK((state.x.head<3>() - run.start.x.head<3>()).y() ==
          relative(0.08 * 2.0 - 9.81 * 0.02 * 0.02 * 4 * 5 / 2, 1e-13));

    const StepReport& report = run.simulator.last_result()->report;
    CHECK(report.status == Status::substepped);
    CHECK(report.cause == "line_search_stalled: h = 0.080000");  // of the first failure
    CHECK(report.h == 0.08);
    CHECK(report.substeps == 4);
    CHECK(report.iterations == 2 * 7 + 4 * 2);
    CHECK(report.linear_solves == 4 * 3);
    CHECK(report.milliseconds == relative(40.0, 1e-13));
    CHECK(report.phases_ms.at("solve") == relative(16.0, 1e-13));
    CHECK(report.contacts == 4);  // of the last sub-step
    CHECK(report.notes.size() == 2);
    REQUIRE(report.complementarity.has_value());
    CHECK(report.complementarity->solves == 2 * 100 + 4 * 2);
    CHECK(report.complementarity->mode_switches == 4 * 5);
    CHECK(report.complementarity->constraints == 4);
    CHECK(report.complementarity->normal_error == 3.0);
    CHECK(report.complementarity->distance_tolerance == 4.0);
    CHECK(report.residual == relative(0.02, 1e-13));
    double smallest = 1e300;  // min_gap is the smallest on the way, recomputed here
    for (int k = 1; k <= 4; ++k)
        smallest = std::min(smallest, std::abs(run.start.x[1] + 0.02 * k * 2.0 - 9.81 * 0.02 * 0.02 * k * (k + 1) / 2));
    CHECK(report.min_gap == relative(smallest, 1e-13));
}

TEST_CASE("sub-steps shrink in the middle of a step where the trouble begins") {
    Run run(0.08, 0.011, 0.039);       // the second half needs h/8
    REQUIRE(run.simulator.advance());  // starts at t = 0: no trouble, one step
    CHECK(run.method->calls.size() == 1);
    Run late(0.16, 0.021, 0.079);
    late.method->calls.clear();
    REQUIRE(late.simulator.advance());
    CHECK(late.simulator.last_result()->report.substeps == 1);
    REQUIRE(late.simulator.advance());  // starts at t = 0.16, past the beginning of the trouble
    CHECK(late.simulator.last_result()->report.substeps == 8);
    CHECK(late.simulator.state().t == 2 * 0.16);
}

TEST_CASE("when the smallest sub-step fails, the state stays at the start of the step and the cause is kept") {
    Run run(0.08, 0.0, 0.15, 3);  // trouble from t = 0.15 on
    Recorder recorder;
    run.simulator.add_observer(recorder);
    CHECK(run.simulator.run(10) == RunEnd::stopped);
    const State at_two = run.simulator.state();
    CHECK(at_two.step == 2);
    CHECK(at_two.t == 2 * 0.08);
    CHECK(at_two.warm_start.at("fake") == "xx");
    CHECK(at_two.x.allFinite());
    REQUIRE(run.simulator.failure() != nullptr);
    CHECK(run.simulator.failure()->status == Status::line_search_stalled);
    CHECK(run.simulator.failure()->cause.find("h = 0.080000") == 0);
    CHECK(run.simulator.failure()->cause.find("0.01 s: line_search_stalled") != std::string::npos);
    CHECK(run.simulator.failure()->iterations == 7 * 4);  // 0.08, 0.04, 0.02, 0.01
    CHECK(run.simulator.last_result()->state == at_two);
    CHECK(recorder.log == "start0 1 2 failed2:line_search_stalled end2+1");
}

TEST_CASE("progress inside a step is dropped when the rest of it cannot be done") {
    Run run(0.08, 0.0, 0.05, 2);
    CHECK(run.simulator.advance());  // whole step, starts before the trouble
    CHECK_FALSE(run.simulator.advance());
    CHECK(run.simulator.state().step == 1);

    class Half final : public Method {  // does every piece but the full step and what starts in the second half
    public:
        std::string_view name() const override { return "half"; }
        double contact_distance(const World&) const override { return 0.0; }
        void step(const World& world, const State& state, const StepInput& input, StepResult& result) override {
            if (input.h > 0.05 || state.t > 0.03) {
                result.report.status = Status::iteration_limit;
                return;
            }
            fall(world, state, input, result);
        }
    };
    auto [world, state] = falling_tet();
    const State start = state;
    Simulator simulator(std::move(world), std::move(state), std::make_unique<Half>(), SimulatorOptions{0.08, 4});
    CHECK_FALSE(simulator.advance());
    CHECK(simulator.state() == start);
    CHECK(simulator.last_result() == nullptr);
    CHECK(simulator.failure()->status == Status::iteration_limit);
}

TEST_CASE("max_halvings = 0 never cuts a step") {
    Run run(0.08, 0.05, 0.0, 0);
    CHECK_FALSE(run.simulator.advance());
    CHECK(run.method->calls.size() == 1);
    CHECK(run.simulator.failure()->cause == "h = 0.080000");
}

TEST_CASE("an interrupt flag that is raised between steps ends a run there") {
    Run run(0.01);
    Recorder recorder;
    recorder.raise_at = 3;
    run.simulator.add_observer(recorder);
    CHECK(run.simulator.run(10, &recorder.flag) == RunEnd::interrupted);
    CHECK(recorder.log == "start0 1 2 3 end3+2");
    recorder.log.clear();
    recorder.flag = false;
    recorder.raise_at = 5;  // raised in the last step: the run is done, not interrupted
    CHECK(run.simulator.run(5, &recorder.flag) == RunEnd::done);
    CHECK(recorder.log == "start3 4 5 end5+0");
}

TEST_CASE("a run resumed from the bytes of a state gives the same bits") {
    Run whole(0.03, 0.02, 0.5);  // with sub-steps from t = 0.5 on
    REQUIRE(whole.simulator.run(30) == RunEnd::done);

    Run first(0.03, 0.02, 0.5);
    REQUIRE(first.simulator.run(19) == RunEnd::done);
    const State checkpoint = state_from_bytes(to_bytes(first.simulator.state()), "checkpoint");
    auto [world, unused] = falling_tet();
    Simulator second(std::move(world), checkpoint, std::make_unique<FakeMethod>(0.02, 0.5), SimulatorOptions{0.03, 6});
    REQUIRE(second.run(30) == RunEnd::done);
    CHECK(to_bytes(second.state()) == to_bytes(whole.simulator.state()));
}

TEST_CASE("a simulator refuses a step size that is not positive and finite") {
    for (const double h : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        auto [world, state] = falling_tet();
        CHECK_THROWS_AS(
            Simulator(std::move(world), std::move(state), std::make_unique<FakeMethod>(), SimulatorOptions{h, 6}),
            InputError);
    }
}

TEST_CASE("anchors and active motions of the schedule reach the next state") {
    WorldBuilder builder;
    const Index body = builder.add_deformable("tet", one_tet(), BodyMaterial{});
    Motion motion;
    motion.vertices = {builder.first_vertex(body)};
    motion.begin = 0.2;
    motion.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(motion);
    builder.set_gravity(Vec3(0, -10, 0));
    auto [world, state] = builder.build();
    Simulator simulator(std::move(world), std::move(state), std::make_unique<FakeMethod>(), SimulatorOptions{0.1, 6});
    simulator.run(2);
    CHECK(simulator.state().active_motion[0] == -1);
    const Vec3 where = simulator.state().x.head<3>();
    simulator.run(3);
    CHECK(simulator.state().active_motion[0] == 0);
    CHECK(Vec3(simulator.state().anchor.head<3>()) == where);
    CHECK(simulator.state().anchor_time[0] == simulator.options().h * 2);
}
