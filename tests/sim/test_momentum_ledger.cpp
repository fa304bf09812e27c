// Momentum that no force accounts for: planted losses in closed form, and none in sound steps.
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double flight_step = 1e-3, kept = 0.9;

std::unique_ptr<Method> tight_ipc(Integrator integrator = Integrator::backward_euler) {
    ipc::Options options;
    options.dhat = 1e-3;
    options.velocity_tolerance = 1e-9;
    return std::make_unique<ipc::Ipc>(options, integrator);
}

/// Takes a tenth of all velocities, relative to one that is given, in every step.
class Leaking final : public Method {
public:
    explicit Leaking(const Vec3& frame) : frame_(frame) {}
    std::string_view name() const override { return "leaking"; }
    double contact_distance(const World& world) const override { return method_->contact_distance(world); }
    void step(const World& world, const State& state, const StepInput& input, StepResult& result) override {
        method_->step(world, state, input, result);
        for (Index v = 0; v < world.vertex_count(); ++v) {
            auto velocity = result.state.v.segment<3>(3 * v);
            velocity = frame_ + kept * (velocity - frame_);
        }
    }

private:
    Vec3 frame_;
    std::unique_ptr<Method> method_ = tight_ipc();
};

/// A ball flies at 2 m/s and turns at 3 rad/s.
Scene turning_ball(const std::function<void(WorldBuilder&)>& add_more = {}) {
    WorldBuilder builder;
    const Vec3 centre(0, 0.102, 0), speed(2, 0, 0), spin(0, 0, 3);
    builder.add_deformable("ball", translated(generate_ball(0.1, 2), centre), {MaterialLaw::neo_hookean, 1e5, 0.3});
    if (add_more) add_more(builder);
    auto [world, state] = builder.build();
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (world.body_of_vertex[static_cast<std::size_t>(v)] == 0)
            state.v.segment<3>(3 * v) = speed + spin.cross(state.x.segment<3>(3 * v) - centre);
    }
    return {std::move(world), std::move(state)};
}

/// It falls on a floor that rubs.
Scene falling_ball() {
    return turning_ball([](WorldBuilder& builder) {
        builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -gravity, 0});
        builder.set_default_friction(0.4);
    });
}

/// @return what the last of `steps` steps reports
MomentumLoss loss_after(int steps, Scene scene, std::unique_ptr<Method> method) {
    Simulator simulator(std::move(scene.world), std::move(scene.state), std::move(method),
                        {.h = flight_step, .max_halvings = 0});
    for (int step = 0; step < steps; ++step) REQUIRE(simulator.advance());
    return simulator.last_result()->report.momentum_loss;
}

}  // namespace

TEST_CASE("momentum ledger: a tenth lost in every step is 1 - 0.9^n after n, of a velocity and of a spin") {
    const double lost = 1.0 - std::pow(kept, 10);
    const MomentumLoss linear = loss_after(10, turning_ball(), std::make_unique<Leaking>(Vec3(0, 0, 0)));
    CHECK(linear.linear == relative(lost, 1e-3));
    CHECK(linear.body == 0);
    // The spin alone. Its scale is 0.9 L after the first step, and R p / 20, with L = 2/5 m R^2 3 rad/s, p = m 2 m/s,
    // R = 0.1 m.
    const MomentumLoss angular = loss_after(10, turning_ball(), std::make_unique<Leaking>(Vec3(2, 0, 0)));
    CHECK(angular.linear == within(0.0, 1e-9));
    CHECK(angular.angular == relative(lost * 0.012 / (kept * 0.012 + 0.010), 0.05));
    CHECK(angular.angular_body == 0);
}

TEST_CASE("momentum ledger: steps that are solved lose nothing, under every method and integrator, also on a floor") {
    const auto sound = [](std::unique_ptr<Method> method, double linear, double angular) {
        const MomentumLoss loss = loss_after(40, falling_ball(), std::move(method));
        CHECK(loss.linear == within(0.0, linear));
        CHECK(loss.angular == within(0.0, angular));
    };
    for (const Integrator rule : {Integrator::backward_euler, Integrator::trapezoidal, Integrator::bdf2,
                                  Integrator::tr_bdf2, Integrator::sdirk2}) {
        CAPTURE(static_cast<int>(rule));
        sound(tight_ipc(rule), 1e-6, 1e-6);
        implicit::Options options;
        options.dhat = 1e-3;
        options.velocity_tolerance = 1e-9;
        sound(std::make_unique<implicit::Implicit>(options, rule), 1e-6, 1e-6);
    }
    sound(std::make_unique<mlcp::Mlcp>(mlcp::Options{}), 1e-3, 1e-2);
    local_global::Options options;
    options.iterations = 100;
    sound(std::make_unique<local_global::LocalGlobal>(options), 1e-3, 1e-2);
}

TEST_CASE("momentum ledger: driven bodies are left out, and the state carries the sums") {
    const auto drive = [](WorldBuilder& builder) {
        Motion held;
        held.vertices = {0};
        held.commanded = true;
        builder.add_motion(std::move(held));
    };
    CHECK(loss_after(10, turning_ball(drive), std::make_unique<Leaking>(Vec3(0, 0, 0))).linear == 0.0);

    Scene scene = turning_ball(), again = turning_ball();
    const SimulatorOptions options{.h = flight_step, .max_halvings = 0};
    Simulator whole(std::move(scene.world), std::move(scene.state), std::make_unique<Leaking>(Vec3(0, 0, 0)), options);
    for (int step = 0; step < 5; ++step) REQUIRE(whole.advance());
    Simulator rest(std::move(again.world), whole.state(), std::make_unique<Leaking>(Vec3(0, 0, 0)), options);
    for (int step = 0; step < 5; ++step) REQUIRE((whole.advance() && rest.advance()));
    const MomentumLoss expected = whole.last_result()->report.momentum_loss;
    CHECK(rest.last_result()->report.momentum_loss.linear == expected.linear);
    CHECK(rest.last_result()->report.momentum_loss.angular == expected.angular);
    CHECK(expected.linear > 0.6);
}
