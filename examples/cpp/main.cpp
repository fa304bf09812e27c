// A first simulation: a soft ball falls on a plane.
#include <stiction/mesh/generate.hpp>
#include <stiction/methods/ipc/method.hpp>
#include <stiction/sim/simulator.hpp>
#include <stiction/world/world_builder.hpp>

#include <cstdio>

using namespace stiction;

int main() {
    Mesh ball = generate_ball(/*radius*/ 0.1, /*shells*/ 4);
    for (Vec3& vertex : ball.vertices) vertex.y() += 0.15;  // metres; y is up
    BodyMaterial rubber;
    rubber.youngs_modulus = 5e4;  // Pa

    WorldBuilder builder;
    builder.add_deformable("ball", ball, rubber);
    builder.add_half_space("ground", Vec3::Zero(), Vec3::UnitY());
    builder.set_gravity({0.0, -9.81, 0.0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();

    SimulatorOptions options;
    options.h = 0.01;  // s
    Simulator simulator(std::move(world), std::move(state), std::make_unique<ipc::Ipc>(ipc::Options{}), options);
    while (simulator.state().step < 25 && simulator.advance()) {
        const StepReport& report = simulator.last_result()->report;
        std::printf("t = %.2f s: %2d iterations, %3d contacts, smallest gap %.2e m, kinetic energy %.3f J\n",
                    simulator.state().t, report.iterations, report.contacts, report.min_gap, report.kinetic);
    }
    if (simulator.failure()) std::printf("stopped: %s\n", simulator.failure()->cause.c_str());
    return simulator.failure() ? 2 : 0;
}
