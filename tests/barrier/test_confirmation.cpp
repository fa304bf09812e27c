// Confirmed ends: the better of two iterates stands, and moves are told when it is known which do.
#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

struct ToldMoves final : MoveSink {
    std::vector<VecX> ends;
    void accepted_move(const VecX&, const VecX& x1) override { ends.push_back(x1); }
};

/// A confirmation that has begun after some iterations, whose imbalance is taken for small.
struct BegunConfirmation {
    explicit BegunConfirmation(int iterations) {
        given.options.confirmed_part = 1e9;
        given.options.refine_after = 0;
        given.input.moves = &told;
        parts.emplace(given);
        parts->iterate_for(iterations);
        told.ends.clear();
        VecX p;
        REQUIRE(parts->direction.find(parts->iterate, parts->whole, iterations, true, p));
        REQUIRE(parts->confirmation.wants_more(parts->iterate, parts->direction, 1.0));
        start = parts->iterate.x;
    }

    SolveParts given;
    ToldMoves told;
    std::optional<StartedParts> parts;
    VecX start;
};

}  // namespace

TEST_CASE("confirmation: goes back to where it began if the balance was better there, with contacts and stiffness") {
    BegunConfirmation begun(5);
    StartedParts& parts = *begun.parts;
    const double stiffness = parts.potential.stiffness(), before = parts.stopping.imbalance(parts.iterate);
    const double gap = parts.iterate.contacts.min_gap;
    // Back to the start of the stage: far worse.
    const VecX worse = begun.given.state.x;
    parts.confirmation.report_move(parts.iterate.x, worse);
    parts.iterate.move(worse);
    parts.find_contacts();
    parts.potential.set_stiffness(1e3 * stiffness);
    REQUIRE(parts.stopping.imbalance(parts.iterate) > before);
    CHECK(parts.confirmation.end(parts.iterate));
    CHECK(parts.iterate.x == begun.start);
    CHECK(parts.iterate.contacts.min_gap == gap);
    CHECK(parts.potential.stiffness() == stiffness);
    CHECK(parts.report.residual == 1.0);
    CHECK(begun.told.ends.empty());
    CHECK_FALSE(parts.confirmation.runs());
}

TEST_CASE("confirmation: an end that is better stands, and its moves are told then") {
    BegunConfirmation begun(1);
    StartedParts& parts = *begun.parts;
    IterationTrace trace;
    VecX p;
    REQUIRE(parts.direction.find(parts.iterate, parts.whole, 1, true, p));
    const double before = parts.stopping.imbalance(parts.iterate);
    while (!(parts.stopping.imbalance(parts.iterate) < before)) {
        REQUIRE(parts.line_search.move(parts.iterate, parts.whole, p, trace));
        REQUIRE(parts.direction.find(parts.iterate, parts.whole, 1, true, p));
    }
    CHECK(begun.told.ends.empty());
    const VecX end = parts.iterate.x;
    CHECK_FALSE(parts.confirmation.end(parts.iterate));
    CHECK(parts.iterate.x == end);
    REQUIRE_FALSE(begun.told.ends.empty());
    CHECK(begun.told.ends.back() == end);
}

TEST_CASE("confirmation: has twenty iterations, and none begins where a direction is a twentieth of the tolerance") {
    BegunConfirmation begun(1);
    for (int k = 0; k < 20; ++k) CHECK_FALSE(begun.parts->confirmation.runs_out());
    CHECK(begun.parts->confirmation.runs_out());
    begun.parts->confirmation.forget();
    CHECK_FALSE(begun.parts->confirmation.runs_out());
    const double tolerance = begun.parts->stopping.tolerance(begun.parts->iterate.contacts);
    CHECK_FALSE(begun.parts->confirmation.wants_more(begun.parts->iterate, begun.parts->direction, 0.04 * tolerance));
}
