// A region of a solve: it moves its vertices alone, downhill, and leaves report and contacts of the whole.
#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

#include <optional>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Regions of at most half of the two boxes, however few nodes there are.
struct RegionParts {
    RegionParts() {
        given.options.region = {.fewest_nodes = 0, .largest_part = 0.5};
        parts.emplace(given);
        regions.emplace(parts->model, parts->workspace, parts->potential, parts->stopping, parts->direction,
                        parts->line_search, parts->log);
        REQUIRE(parts->direction.find(parts->iterate, parts->whole, 0, false, p));
    }

    SolveParts given;
    std::optional<StartedParts> parts;
    std::optional<RegionSolve> regions;
    VecX p;  ///< direction of the whole
};

}  // namespace

TEST_CASE("region solve: moves what a direction moves, and everything else stands still") {
    RegionParts made;
    StartedParts& parts = *made.parts;
    // A direction of the small box alone, whose region is that box.
    const Body& small = made.given.world.bodies[1];
    VecX alone = VecX::Zero(made.p.size());
    alone.segment(3 * small.first_vertex, 3 * small.vertex_count()).setConstant(-1e-3);
    const VecX before = parts.iterate.x;
    const double energy = parts.energy();
    parts.report.status = Status::substepped;
    parts.report.cause = "of the whole";
    made.regions->solve(parts.iterate, parts.whole, alone, 1.0);
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
    RegionParts made;
    StartedParts& parts = *made.parts;
    const VecX before = parts.iterate.x;
    made.regions->solve(parts.iterate, parts.whole, VecX::Constant(made.p.size(), -1e-3), 1.0);
    CHECK(parts.iterate.x == before);
    // All of the scene lacks its balance, too, and by how much may not decide here.
    made.given.options.region.balance_reach = 1e9;
    made.given.options.region.balance_part = 0.0;
    CHECK_FALSE(made.regions->balance(parts.iterate, parts.whole).has_value());
    CHECK(parts.iterate.x == before);
}
