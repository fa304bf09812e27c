// The stiffness of a stage: what it begins with, what is kept of the last step, and when it grows.
#include "stiction/base/bytes.hpp"
#include "stiction/contact/barrier.hpp"

#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

/// Bytes of State::warm_start for a physical stiffness (J/m^4).
std::string bytes_of(double physical) {
    std::string bytes;
    append_bytes(bytes, physical);
    return bytes;
}

}  // namespace

TEST_CASE("adaptive stiffness: the last step's is kept within a factor of four of what is wanted") {
    SolveParts given;
    double wanted = 0.0;
    {
        StartedParts parts(given);
        wanted = parts.potential.stiffness();
        CHECK(parts.stiffness.last() == 0.0);
        CHECK(parts.stiffness.warm_start() == bytes_of(wanted / 1e-4));  // s = 10 ms
    }
    for (const auto& [last, expected] : {std::pair(3.9, 3.9), {0.26, 0.26}, {4.1, 1.0}, {0.24, 1.0}}) {
        given.state.warm_start[AdaptiveStiffness::warm_start_key] = bytes_of(last * wanted / 1e-4);
        StartedParts parts(given);
        CHECK(parts.stiffness.last() == relative(last * wanted, 1e-12));
        CHECK(parts.potential.stiffness() == relative(expected * wanted, 1e-12));
    }
}

TEST_CASE("adaptive stiffness: a stiffness with weights is not taken for one without") {
    SolveParts given;
    given.state.warm_start[AdaptiveStiffness::warm_start_key] = bytes_of(1.0) + AdaptiveStiffness::weighted_mark;
    CHECK(StartedParts(given).stiffness.last() == 0.0);
    given.options.barrier_weights = BarrierWeights::area;
    CHECK(StartedParts(given).stiffness.last() == relative(1e-4, 1e-12));
}

TEST_CASE("adaptive stiffness: meets the loads that were measured, so that the most loaded contact sits at dhat / 10") {
    SolveParts given;
    StartedParts parts(given);
    const double kappa = parts.potential.stiffness(), dhat = parts.model.limits.dhat, s = dhat * dhat;
    REQUIRE_FALSE(parts.iterate.contacts.contacts.empty());
    // The gap of every contact is 1 mm; the force there is to be that of a tenth of dhat.
    const double gap = parts.iterate.contacts.min_gap;
    REQUIRE(gap > 0.1 * dhat);
    parts.stiffness.measure_loads(parts.iterate.contacts, 50.0 * kappa);
    parts.stiffness.meet_loads();
    const double expected = 50.0 * kappa * barrier_force(gap * gap, s) / barrier_force(0.01 * s, s);
    CHECK(parts.potential.stiffness() == relative(std::max(expected, kappa), 1e-9));
}

TEST_CASE("adaptive stiffness: doubles while a tiny gap shrinks, and a given one stays") {
    for (const bool is_given : {false, true}) {
        SolveParts given;
        if (is_given) given.options.barrier_stiffness = 1e6;
        StartedParts parts(given);
        const double before = parts.potential.stiffness();
        // Gaps are guarded below a hundredth of dhat.
        const auto lower = [&](double gap) {
            VecX x = given.state.x;
            for (Index v = 0; v < given.world.vertex_count(); ++v) {
                if (!given.world.is_obstacle(v)) x[3 * v + 1] += gap - 1e-3;
            }
            parts.iterate.move(x);
            parts.find_contacts();
            return parts.stiffness.grow(parts.iterate);
        };
        const double dhat = parts.model.limits.dhat;
        CHECK_FALSE(lower(0.02 * dhat));
        CHECK_FALSE(lower(0.005 * dhat));
        CHECK(lower(0.004 * dhat) == !is_given);
        CHECK_FALSE(lower(0.0041 * dhat));
        CHECK(parts.potential.stiffness() == (is_given ? 1.0 : 2.0) * before);
    }
}
