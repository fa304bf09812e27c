// Collision meshes under the methods that have them: audited, certified, with the energy of driven tets accounted for.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/output/frame_data.hpp"
#include "stiction/sim/auditing.hpp"
#include "stiction/sim/certification.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

/// A ball in a coarse box that falls on a half-space and a second such body.
std::pair<World, State> two_caged_balls() {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::neo_hookean, 5e4, 0.3, 1000};
    for (const Vec3& at : {Vec3(0, 0.102, 0), Vec3(0.03, 0.305, 0.02)}) {
        const Index body = builder.add_deformable(at.x() == 0.0 ? "lower" : "upper",
                                                  translated(generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), at), soft);
        builder.set_collision_mesh(body, translated(generate_icosphere(0.1, 2), at));
    }
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    return builder.build();
}

}  // namespace

TEST_CASE("collision mesh: two balls in cages: no fault in any state, step or move, and the boxes overlap") {
    for (const bool implicit : {false, true}) {
        CAPTURE(implicit);
        ipc::Options options;
        options.dhat = 2e-3;
        options.balance_tolerance = 2e-4;
        implicit::Options more;
        more.take(options);
        std::unique_ptr<Method> method;
        if (implicit)
            method = std::make_unique<implicit::Implicit>(more, Integrator::backward_euler);
        else
            method = std::make_unique<ipc::Ipc>(options);
        auto [world, state] = two_caged_balls();
        const double distance = method->contact_distance(world);
        Simulator simulator(std::move(world), std::move(state), std::move(method), {.h = 0.01, .max_halvings = 4});
        Auditor auditor(AuditRate::step, 1, distance, Integrator::backward_euler);
        Certifier certifier(simulator.world());
        simulator.add_observer(auditor);
        simulator.add_observer(certifier);
        simulator.set_move_sink(&certifier);
        simulator.run(30);
        if (simulator.failure() != nullptr) FAIL_CHECK(simulator.failure()->cause);
        CHECK(simulator.state().step == 30);
        CHECK(auditor.audit().ok());
        CHECK(auditor.audit().imbalance < 1e-3);
        CHECK(auditor.audit().forces_without_contact == 0);
        CHECK(auditor.audit().pulling == 0);
        CHECK(certifier.certificate().ok());
        CHECK(certifier.certificate().moves.moves > 0);
        CHECK(simulator.last_result()->report.contacts > 0);
        // The boxes around the balls go through the ground: they do not collide.
        double lowest = 1.0;
        for (Index v = 0; v < simulator.world().bodies[0].first_carried; ++v)
            lowest = std::min(lowest, simulator.state().x[3 * v + 1]);
        CHECK(lowest < 0.0);
        const FrameData frame = frame_data(simulator.world(), simulator.state(), nullptr, {});
        CHECK(frame.mesh.tets.size() == 2 * 48);
        CHECK(frame.mesh.triangles.size() == 2 * 320 + 2);
        CHECK(frame.stress.size() == 2 * 48 + 2 * 320 + 2);
        CHECK(frame.von_mises[50] > 0.0);
        CHECK(frame.von_mises[2 * 48] == 0.0);
        CHECK(deformable_surface(simulator.world(), simulator.state()).triangles.size() == 2 * 320);
    }
}
