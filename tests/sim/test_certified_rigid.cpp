// Certified steps of `local_global` with rigid bodies, which cannot end within a straight move: they are repeated in
// halves.
#include "stiction/collision/intersection.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/rigid.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("local_global: certified steps with a tumbling rigid body and a soft one never intersect") {
    WorldBuilder builder;
    builder.add_rigid("tumbler", translated(lopsided(), {0.1, 0.6, 0}), 900.0, {0.5, -3, 0}, {4, 2, 6});
    builder.add_deformable("pad", translated(generate_box({1.5, 0.2, 1.5}, {4, 1, 4}), {0, -0.101, 0}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 800});
    builder.add_half_space("ground", {0, -0.202, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    local_global::Options options;
    options.certify = true;
    Simulator simulator(std::move(world), std::move(state), std::make_unique<local_global::LocalGlobal>(options),
                        {.h = 0.01, .max_halvings = 6});
    int contacts = 0, halved = 0;
    for (int k = 0; k < 60; ++k) {
        REQUIRE(simulator.advance());
        contacts += simulator.last_result()->report.contacts;
        halved += simulator.last_result()->report.status == Status::substepped;
        const World& now = simulator.world();
        CHECK(find_intersections(now.surface, now.contact_pairs, simulator.state().x).empty());
        CHECK(simulator.last_result()->report.min_gap > 0.0);
        CHECK(distortion(now, now.rigid_bodies[0], simulator.state().x) < 1e-12);
    }
    CHECK(contacts > 0);
    CHECK(halved > 0);
}
