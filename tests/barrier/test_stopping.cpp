// When a solve may end: tolerance, speed and balance of an iterate, each by what it is defined as.
#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("stopping: where bodies with friction touch, the tolerance is a tenth of the friction velocity") {
    SolveParts given;
    StartedParts parts(given);
    const double l = std::sqrt(3.0);  // the diagonal of the larger box
    CHECK(parts.stopping.tolerance(ContactSet{}) == relative(1e-2 * l, 1e-12));
    REQUIRE_FALSE(parts.iterate.contacts.contacts.empty());
    CHECK(parts.stopping.tolerance(parts.iterate.contacts) == relative(1e-4 * l, 1e-12));
    given.options.friction_tolerance_factor = 0.0;
    CHECK(parts.stopping.tolerance(parts.iterate.contacts) == relative(1e-2 * l, 1e-12));
}

TEST_CASE("stopping: the speed of a small body counts as many times more as its tolerance is smaller") {
    SolveParts given;
    StartedParts parts(given);
    VecX p = VecX::Zero(parts.iterate.x.size());
    p[0] = 1e-3;
    CHECK(parts.stopping.speed(p, {}) == relative(0.1, 1e-12));  // 1 mm in 10 ms
    p.setZero();
    p[3 * given.world.bodies[1].first_vertex] = 1e-3;
    CHECK(parts.stopping.speed(p, {}) == relative(1.0, 1e-12));  // a tenth of the size
    given.options.velocity_tolerance = 1e-2;                     // given for all
    CHECK(parts.stopping.speed(p, {}) == relative(0.1, 1e-12));
}

TEST_CASE("stopping: a body in free fall lacks all of its balance at the start, and nothing where it falls to") {
    SolveParts given;
    StartedParts parts(given);
    const Vec3 fall(0.0, -9.81e-4, 0.0);
    for (Index v = 0; v < given.world.vertex_count(); ++v)
        parts.iterate.x.segment<3>(3 * v) = given.state.x.segment<3>(3 * v) + 0.01 * given.state.v.segment<3>(3 * v);
    parts.iterate.contacts = {};
    CHECK(parts.stopping.imbalance(parts.iterate) == relative(1.0, 1e-9));
    for (Index v = 0; v < given.world.vertex_count(); ++v) {
        if (!given.world.is_obstacle(v)) parts.iterate.x.segment<3>(3 * v) += fall;
    }
    CHECK(parts.stopping.imbalance(parts.iterate) < 1e-9);
}

TEST_CASE("stopping: only a stage without inertia says that its iterate has left the scene, and names the body") {
    SolveParts still({}, 0.0);
    StartedParts parts(still);
    VecX x = still.state.x;
    CHECK_FALSE(parts.stopping.flight(x));
    const Body& small = still.world.bodies[1];
    x[3 * small.first_vertex] += 1e5;
    REQUIRE(parts.stopping.flight(x));
    CHECK(parts.stopping.flight(x)->find("body 'small' moved 1e+05 m") != std::string::npos);
    SolveParts moving;
    CHECK_FALSE(StartedParts(moving).stopping.flight(x));
}

TEST_CASE("stopping: a loose solve ends in contact alone") {
    SolveParts given;
    StartedParts parts(given);
    CHECK_FALSE(parts.stopping.is_close_enough(parts.iterate, 0.05, 1.0));
    parts.stopping.set_looseness(0.1);
    CHECK(parts.stopping.is_close_enough(parts.iterate, 0.05, 1.0));
    CHECK_FALSE(parts.stopping.is_close_enough(parts.iterate, 0.2, 1.0));
    parts.iterate.contacts = {};
    CHECK_FALSE(parts.stopping.is_close_enough(parts.iterate, 0.05, 1.0));
}
