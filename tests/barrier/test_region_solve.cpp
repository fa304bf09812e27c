// A region of a solve: it moves its vertices alone, downhill, and leaves report and contacts of the whole.
#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("region solve: moves what a direction moves, and everything else stands still") {
    SolveParts given;
    given.options.region = {.fewest_nodes = 0, .largest_part = 0.5};
    StartedParts parts(given);
    RegionSolve regions(parts.model, parts.workspace, parts.potential, parts.stopping, parts.direction,
                        parts.line_search, parts.log);
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    // A direction of the small box alone, whose region is that box.
    const Body& small = given.world.bodies[1];
    VecX alone = VecX::Zero(p.size());
    alone.segment(3 * small.first_vertex, 3 * small.vertex_count()).setConstant(-1e-3);
    const VecX before = parts.iterate.x;
    const double energy = parts.energy();
    parts.report.status = Status::substepped;
    parts.report.cause = "of the whole";
    regions.solve(parts.iterate, parts.whole, alone, 1.0);
    const VecX moved = parts.iterate.x - before;
    CHECK(moved.head(3 * small.first_vertex).isZero(0.0));
    for (Index v = small.first_vertex; v < small.first_vertex + small.vertex_count(); ++v)
        CHECK(moved[3 * v + 1] == relative(-9.81e-4, 1e-9));
    CHECK(parts.energy() < energy);
    // Contacts are those of the whole again, and the report is as it was.
    CHECK(parts.iterate.contacts.contacts.size() == parts.whole.contacts(parts.iterate.x).contacts.size());
    CHECK_FALSE(parts.iterate.contacts.contacts.empty());
    CHECK(parts.report.status == Status::substepped);
    CHECK(parts.report.cause == "of the whole");
}

TEST_CASE("region solve: a part that is too large stays with the whole") {
    SolveParts given;
    given.options.region = {.fewest_nodes = 0, .largest_part = 0.5};
    StartedParts parts(given);
    RegionSolve regions(parts.model, parts.workspace, parts.potential, parts.stopping, parts.direction,
                        parts.line_search, parts.log);
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    const VecX before = parts.iterate.x;
    regions.solve(parts.iterate, parts.whole, VecX::Constant(p.size(), -1e-3), 1.0);
    CHECK(parts.iterate.x == before);
    CHECK_FALSE(regions.balance(parts.iterate, parts.whole).has_value());
}
