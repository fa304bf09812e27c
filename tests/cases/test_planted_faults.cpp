// Faults planted in a sound method: the verdict on the run names each of them.
#include "stiction/methods/ipc/method.hpp"
#include "stiction/output/verdict.hpp"
#include "stiction/sim/auditing.hpp"
#include "stiction/sim/energy_balance.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <functional>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double slide_step = 0.005, slide_distance = 1e-3;
constexpr int slide_steps = 20, planted_in = 8;

using Fault = std::function<void(const World&, const StepInput&, StepResult&)>;

/// Sound steps, and a fault in each from one on.
class Faulty final : public Method {
public:
    Faulty(Fault fault, int from) : fault_(std::move(fault)), from_(from) {
        ipc::Options options;
        options.dhat = slide_distance;
        sound_ = std::make_unique<ipc::Ipc>(options);
    }
    std::string_view name() const override { return "faulty"; }
    double contact_distance(const World& world) const override { return sound_->contact_distance(world); }
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override {
        sound_->step(world, state, input, result);
        if (!fault_ || state.step + 1 < from_) return;
        fault_(world, input, result);
        if (is_accepted(result.report.status)) measure(world, result.state, result.report);
    }

private:
    Fault fault_;
    int from_;
    std::unique_ptr<Method> sound_;
};

class Statistics final : public Observer {
public:
    explicit Statistics(RunReport& report) : report_(report) {}
    void step_done(const World&, const State&, const StepResult& result) override {
        report_.statistics.add(result.report);
    }

private:
    RunReport& report_;
};

/// A block that slides down a slope with half of the friction that would hold it.
SlopedBlock sliding_block() {
    return {.tangent = 0.4,
            .mu = 0.2,
            .material = {MaterialLaw::neo_hookean, 1e6, 0.3},
            .gap = 0.5 * slide_distance,
            .velocity = Vec3(0.5, 0, 0)};
}

/// What is doubtful about a run with a block in it.
std::vector<Doubt> doubts_about(Fault fault, const SlopedBlock& block = sliding_block(), int from = planted_in) {
    Scene scene = stiction::test::block_on_slope(block);
    Simulator simulator(std::move(scene.world), std::move(scene.state),
                        std::make_unique<Faulty>(std::move(fault), from), {.h = slide_step, .max_halvings = 3});
    RunReport report;
    for (const Body& body : simulator.world().bodies) report.bodies.push_back(body.name);
    report.statistics.energy = energy_ledger(simulator.world());
    Auditor auditor(AuditRate::step, 1, slide_distance, Integrator::backward_euler, {});
    Statistics statistics(report);
    simulator.add_observer(auditor);
    simulator.add_observer(statistics);
    simulator.run(slide_steps);  // some faults stop it
    report.audit = auditor.audit();
    return verdict(report);
}

void shift(const World& world, const Vec3& by, VecX& stacked) {
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v)) stacked.segment<3>(3 * v) += by;
    }
}

/// Turns the first tet of the block inside out: its first vertex goes as far beyond the opposite side.
void turn_inside_out(const World& world, VecX& x) {
    const Tet& tet = world.elastic.front().elements.vertices.front();
    const Vec3 origin = x.segment<3>(3 * tet[1]);
    const Vec3 normal = (x.segment<3>(3 * tet[2]) - origin).cross(x.segment<3>(3 * tet[3]) - origin).normalized();
    x.segment<3>(3 * tet[0]) -= 2.0 * normal.dot(x.segment<3>(3 * tet[0]) - origin) * normal;
}

void spin(const World& world, State& state) {
    const Vec3 centre = state.x.segment<3>(0);
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v))
            state.v.segment<3>(3 * v) += Vec3(0, 3, 0).cross(Vec3(state.x.segment<3>(3 * v) - centre));
    }
}

struct Planted {
    const char* check;
    Fault fault;
};

const std::vector<Planted> planted{
    {"momentum", [](const World&, const StepInput&, StepResult& r) { r.state.v *= 0.9; }},
    {"angular_momentum", [](const World& world, const StepInput&, StepResult& r) { spin(world, r.state); }},
    {"energy", [](const World&, const StepInput&, StepResult& r) { r.state.v *= 1.1; }},
    {"audit",
     [](const World& world, const StepInput&, StepResult& r) {
         shift(world, {0, -0.01, 0}, r.state.x);
     }},
    {"elements", [](const World& world, const StepInput&, StepResult& r) { turn_inside_out(world, r.state.x); }},
    {"contact_load", [](const World&, const StepInput&, StepResult& r) { r.contact_force *= 1e4; }},
    {"imbalance", [](const World&, const StepInput&, StepResult& r) { r.contact_force *= 0.5; }},
    {"friction_cone", [](const World&, const StepInput&, StepResult& r) { r.friction_force *= 3.0; }},
    {"overlaps",
     [](const World&, const StepInput&, StepResult& r) {
         r.report.contact.overlaps = 1;
         r.report.contact.deepest = 1e-3;
         r.report.contact.bodies = {0, 1};
     }},
    {"tolerance", [](const World&, const StepInput&, StepResult& r) { r.report.status = Status::not_converged; }},
    {"friction",
     [](const World&, const StepInput&, StepResult& r) { r.report.status = Status::friction_not_converged; }},
    {"steps_cut",
     [](const World&, const StepInput& input, StepResult& r) {
         if (input.h > 0.7 * slide_step) r.report.status = Status::iteration_limit;
     }},
};

}  // namespace

TEST_CASE("verdict: a sound run is ok, and every fault that is planted in its steps is named") {
    CHECK(in_words(doubts_about({})) == "ok");
    for (const Planted& one : planted) {
        CAPTURE(std::string(one.check));
        const std::vector<Doubt> doubts = doubts_about(one.fault);
        CAPTURE(in_words(doubts));
        const auto found =
            std::find_if(doubts.begin(), doubts.end(), [&](const Doubt& doubt) { return doubt.check == one.check; });
        REQUIRE(found != doubts.end());
        CHECK((found->worst < found->limit) == (found->check == "elements"));
        CHECK((found->first_step == 0 || found->first_step >= planted_in));
    }
}

TEST_CASE("verdict: a first step that shifts a block at rest is named, with the move and what explains it") {
    SlopedBlock resting = sliding_block();
    resting.velocity.setZero();
    resting.mu = 1.0;
    const Fault none = [](const World&, const StepInput&, StepResult&) {};
    CHECK(in_words(doubts_about(none, resting, 1)) == "ok");
    const Fault aside = [](const World& world, const StepInput&, StepResult& r) {
        if (r.state.step == 0) shift(world, {0, 0, 5e-3}, r.state.x);
    };
    // Of 5 mm, where weight explains g h^2 = 0.245 mm.
    const std::vector<Doubt> doubts = doubts_about(aside, resting, 1);
    const auto found =
        std::find_if(doubts.begin(), doubts.end(), [](const Doubt& doubt) { return doubt.check == "first_move"; });
    REQUIRE(found != doubts.end());
    CHECK(found->worst == relative(5e-3 / (9.81 * slide_step * slide_step), 0.1));
    CHECK(found->text.find("moves 'block', which is at rest, by 0.005") != std::string::npos);
}
