// Directions: what they solve, where bodies keep still, and how a move is remembered.
#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("direction: the first one falls freely where nothing touches, exactly") {
    SolveParts given;
    StartedParts parts(given);
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    // The small box is at rest in the air: M p = s^2 f, so it falls by g h^2, and no element is strained.
    const Body& small = given.world.bodies[1];
    for (Index v = small.first_vertex; v < small.first_vertex + small.vertex_count(); ++v) {
        const Vec3 fall(0.0, -9.81e-4, 0.0);
        CHECK((p.segment<3>(3 * v) - fall).norm() <= 1e-12 * fall.norm());
    }
    CHECK(parts.iterate.gradient.dot(p) < 0.0);
}

TEST_CASE("direction: a body that has nothing to do keeps still, and its part of the gradient is left out") {
    SolveParts given;
    StartedParts parts(given);
    const Body& small = given.world.bodies[1];
    // The small box is where it falls to, but for rounding.
    for (Index v = small.first_vertex; v < small.first_vertex + small.vertex_count(); ++v)
        parts.iterate.x[3 * v + 1] += -9.81e-4 + 1e-14;
    parts.find_contacts();
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    CHECK(p.segment(3 * small.first_vertex, 3 * small.vertex_count()).isZero(0.0));
    CHECK(parts.iterate.gradient.segment(3 * small.first_vertex, 3 * small.vertex_count()).isZero(0.0));
    CHECK_FALSE(p.isZero(0.0));
    const VecX ones = parts.direction.without_still(VecX::Ones(p.size()));
    CHECK(ones.segment(3 * small.first_vertex, 3 * small.vertex_count()).isZero(0.0));
    CHECK(ones.head<3>() == Vec3::Ones());
}

TEST_CASE("direction: softening is what the slope left of the last move says") {
    SolveParts given;
    StartedParts parts(given);
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    CHECK(parts.direction.softening(parts.iterate.gradient) == 0.0);  // no move yet
    LineSearchResult found;
    found.alpha = 0.5;
    found.difference = -1.0;
    parts.direction.moved(parts.iterate, parts.whole, p, found);
    // Half of the way leaves half of the slope, by the matrix: then the softening is 0. All of it left: 1.
    CHECK(parts.direction.softening(0.5 * parts.iterate.gradient) == within(0.0, 1e-12));
    CHECK(parts.direction.softening(parts.iterate.gradient) == relative(1.0, 1e-12));
    // The longest step follows it, but in regions.
    CHECK(parts.direction.longest_step(parts.iterate, parts.whole, p) == 4.0);
    const std::vector<char> all(at(given.world.vertex_count()), 1);
    RegionDetection detection(parts.workspace.detection, all, parts.model.limits.dhat);
    const SearchDomain region(parts.whole, parts.workspace.region_assembly, detection);
    CHECK(parts.direction.longest_step(parts.iterate, region, p) == 1.0);
    parts.direction.forget_move();
    CHECK(parts.direction.softening(parts.iterate.gradient) == 0.0);
    CHECK(parts.direction.longest_step(parts.iterate, parts.whole, p) == 1.0);
}

TEST_CASE("direction: a region has a refinement of its own, and gives back the one outside") {
    SolveParts given;
    given.options.refine_after = 0;  // refined in any case
    StartedParts parts(given);
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    CHECK(parts.direction.is_refined());
    LineSearchResult found;
    found.alpha = 1.0;
    found.difference = 0.0;  // less than the projected direction promised: a pause begins
    parts.direction.moved(parts.iterate, parts.whole, p, found);
    const RefinementRule outside = parts.direction.enter_region();
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    CHECK(parts.direction.is_refined());  // knows nothing of the pause
    parts.direction.leave_region(outside);
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 1, false, p));
    CHECK_FALSE(parts.direction.is_refined());
}
