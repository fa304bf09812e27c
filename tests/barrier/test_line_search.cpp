// The line search alone: certified, downhill, and a cause where there is no move.
#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

/// Keeps the moves that it is told.
struct KeptMoves final : MoveSink {
    std::vector<std::pair<VecX, VecX>> moves;
    void accepted_move(const VecX& x0, const VecX& x1) override { moves.emplace_back(x0, x1); }
};

/// Everything straight down by a length (m).
VecX downwards(const StartedParts& parts, double length) {
    VecX p = VecX::Zero(parts.iterate.x.size());
    for (Index v = 0; v < parts.model.world.vertex_count(); ++v) {
        if (!parts.model.world.is_obstacle(v)) p[3 * v + 1] = -length;
    }
    return p;
}

}  // namespace

TEST_CASE("line search: a move through the ground is cut above it, and the potential falls") {
    SolveParts given;
    KeptMoves kept;
    given.input.moves = &kept;
    StartedParts parts(given);
    const VecX p = downwards(parts, 0.01), before = parts.iterate.x;
    VecX unused;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, unused));
    const double start = parts.energy();
    IterationTrace trace;
    REQUIRE(parts.line_search.move(parts.iterate, parts.whole, p, trace));
    // The ground is 1 mm below: a tenth of the move, less the slack.
    CHECK(trace.step_bound <= 0.1);
    CHECK(trace.step_bound > 0.08);
    CHECK(trace.step_length <= trace.step_bound);
    CHECK(parts.energy() < start);
    CHECK(trace.objective == relative(parts.energy() - start, 1e-6));
    CHECK(parts.iterate.knows_contacts);
    CHECK(parts.iterate.contacts.min_gap < 1e-3);
    REQUIRE(kept.moves.size() == 1);
    CHECK(kept.moves[0].first == before);
    CHECK(kept.moves[0].second == parts.iterate.x);
}

TEST_CASE("line search: uphill there is no move, and the cause says so") {
    SolveParts given;
    StartedParts parts(given);
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 0, false, p));
    const VecX before = parts.iterate.x;
    IterationTrace trace;
    CHECK_FALSE(parts.line_search.move(parts.iterate, parts.whole, -p, trace));
    CHECK(parts.iterate.x == before);
    CHECK(parts.report.status == Status::line_search_stalled);
    CHECK(parts.report.cause.starts_with("no decrease in 40 trials"));
}
