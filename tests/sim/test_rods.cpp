// Rods under every method that has them: the same sag, and contact that audit and certificate find nothing against.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/sim/auditing.hpp"
#include "stiction/sim/certification.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

RodMaterial soft_wire(double damping) {
    RodMaterial material;
    material.youngs_modulus = 2e7;
    material.radius = 2e-3;
    material.linear_density = 1000.0 * cross_section(material);
    material.mass_damping = damping;
    return material;
}

std::vector<std::unique_ptr<Method>> methods_with_rods() {
    std::vector<std::unique_ptr<Method>> methods;
    ipc::Options options;
    options.dhat = 1e-3;
    options.velocity_tolerance = 1e-7;
    implicit::Options implicit;
    implicit.take(options);
    methods.push_back(std::make_unique<ipc::Ipc>(options));
    methods.push_back(std::make_unique<implicit::Implicit>(implicit, Integrator::backward_euler));
    methods.push_back(std::make_unique<mlcp::Mlcp>(mlcp::Options{}));
    return methods;
}

/// A rod that falls across a wire and onto a soft box beside it.
std::pair<World, State> rod_over_wire_and_box() {
    WorldBuilder builder;
    const Mesh mesh = generate_polyline({Vec3(-0.15, 0.01, 0.004), Vec3(0.17, 0.01, 0)}, false, 0.02);
    const Index rod = builder.add_rod("rod", mesh, soft_wire(0.0));
    builder.set_contact_thickness(rod, 4e-3);
    Mesh wire;
    wire.vertices = {Vec3(0, 0, -0.3), Vec3(0, 0, 0.3)};
    wire.edges = {{0, 1}};
    builder.add_obstacle("wire", wire);
    builder.add_deformable("box", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0.12, -0.06, 0.013}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.add_half_space("ground", {0, -0.115, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    return builder.build();
}

/// Of the rod's axis where it crosses the wire (m).
double height_at_wire(const VecX& x) {
    Index v = 0;
    while (x[3 * (v + 1)] < 0.0) ++v;
    const double fraction = -x[3 * v] / (x[3 * (v + 1)] - x[3 * v]);
    return x[3 * v + 1] + fraction * (x[3 * (v + 1) + 1] - x[3 * v + 1]);
}

}  // namespace

TEST_CASE("rods: a damped cantilever comes to the same rest under every method that has rods") {
    RodMaterial material = soft_wire(20.0);
    material.youngs_modulus = 2e8;  // sags by less than a hundredth of its length
    const int n = 10;
    const double length = 0.1;
    // The chain of tests/methods/ipc/test_rods.cpp, for small deflections.
    const double sag = material.linear_density * 9.81 * std::pow(length, 4) / (8 * bending_stiffness(material)) *
                       std::pow(1.0 + 1.0 / n, 2);
    for (const auto& method : methods_with_rods()) {
        CAPTURE(std::string(method->name()));
        WorldBuilder builder;
        builder.add_rod("rod", generate_polyline({Vec3(-length / n, 0, 0), Vec3(length, 0, 0)}, false, length / n),
                        material);
        Motion hold;
        hold.vertices = {0, 1};
        hold.trajectory = std::make_shared<HoldTrajectory>();
        builder.add_motion(hold);
        builder.set_gravity({0, -9.81, 0});
        auto [world, state] = builder.build();
        method->check(world);
        state = run_steps(*method, world, state, 0.02, 100);
        CHECK(-state.x[3 * (world.vertex_count() - 1) + 1] == relative(sag, 2e-3));
    }
}

TEST_CASE("rods: a rod on a wire and a soft box: no fault in any state, step or move, under every method") {
    for (auto& method : methods_with_rods()) {
        const std::string name(method->name());
        CAPTURE(name);
        auto [world, state] = rod_over_wire_and_box();
        const double distance = method->contact_distance(world);

        Simulator simulator(std::move(world), std::move(state), std::move(method), {.h = 0.005, .max_halvings = 6});
        Auditor auditor(AuditRate::step, 1, distance, Integrator::backward_euler);
        Certifier certifier(simulator.world());
        simulator.add_observer(auditor);
        simulator.add_observer(certifier);
        simulator.set_move_sink(&certifier);
        simulator.run(40);
        if (simulator.failure() != nullptr) FAIL_CHECK(simulator.failure()->cause);
        CHECK(simulator.state().step == 40);
        CHECK(auditor.audit().ok());
        CHECK(certifier.certificate().ok());
        CHECK(simulator.last_result()->report.contacts > 0);
        CHECK(height_at_wire(simulator.state().x) > 2e-3);  // half its thickness
    }
}

TEST_CASE("rods: penalty contact and local_global refuse them by name") {
    const World world = rod_over_wire_and_box().first;
    const auto complaint = [&](Method& method) -> std::string {
        try {
            method.check(world);
        } catch (const InputError& error) {
            return error.what();
        }
        return {};
    };
    local_global::LocalGlobal local_global({});
    CHECK(complaint(local_global) ==
          "body 'rod': a rod: expected solids, sheets, rigid bodies and obstacles with method local_global");
    implicit::Options options;
    options.contact = implicit::ContactModel::penalty;
    implicit::Implicit penalty(options, Integrator::backward_euler);
    CHECK(complaint(penalty).find("'rod'") != std::string::npos);
}
