// Static stages: which bodies are loose, where they begin, and when friction is taken anew.
#include "barrier/solve_parts.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("static stage: a body is loose unless it is driven or touches another") {
    SolveParts given({}, 0.0);
    StartedParts parts(given);
    const StaticStage stage(parts.model, parts.potential, parts.stiffness, parts.log);
    CHECK(stage.is_any_loose(parts.iterate.contacts));  // the small box is in the air
    const Body& small = given.world.bodies[1];
    given.input.driven_axes[at(small.first_vertex)] = 2;
    CHECK_FALSE(stage.is_any_loose(parts.iterate.contacts));
    CHECK(stage.is_any_loose(ContactSet{}));
}

TEST_CASE("static stage: begins with the part of the last step that what is driven goes now") {
    SolveParts given({}, 0.0);
    const Body& small = given.world.bodies[1];
    given.state.previous_h = 0.01;
    const Eigen::Index first = 3 * static_cast<Eigen::Index>(small.first_vertex), size = 3 * small.vertex_count();
    given.state.previous_x = given.state.x;
    given.state.previous_x.segment(first, size).array() -= 2e-3;
    given.input.driven_axes[at(small.first_vertex)] = 1;
    given.input.target = given.state.x;
    const auto carried = [&](double way) {
        given.input.target[3 * small.first_vertex] = given.state.x[3 * small.first_vertex] + way;
        StartedParts parts(given);
        return StaticStage(parts.model, parts.potential, parts.stiffness, parts.log).carried_along();
    };
    const VecX half = carried(1e-3);
    CHECK((half.segment(first, size).array() - 1e-3).abs().maxCoeff() < 1e-12);
    CHECK(half.head(first).isZero(0.0));
    CHECK(carried(-1e-3).isZero(0.0));
}

TEST_CASE("static stage: friction is lagged anew where more than half of it has changed, in static stages alone") {
    for (const double inertia : {0.0, 1.0}) {
        SolveParts given({}, inertia);
        StartedParts parts(given);
        StaticStage stage(parts.model, parts.potential, parts.stiffness, parts.log);
        parts.potential.set_friction(
            parts.potential.lag_friction(parts.iterate.x, parts.iterate.contacts, parts.potential.stiffness()));
        REQUIRE_FALSE(parts.potential.friction().empty());
        stage.begin_newton(false);
        CHECK_FALSE(stage.keep_up_friction(parts.iterate));  // nothing has changed
        parts.potential.set_stiffness(10.0 * parts.potential.stiffness());
        CHECK(stage.keep_up_friction(parts.iterate) == (inertia == 0.0));
        CHECK_FALSE(stage.keep_up_friction(parts.iterate));
        parts.potential.set_stiffness(10.0 * parts.potential.stiffness());
        stage.begin_newton(true);  // a loose solve is followed by another one
        CHECK_FALSE(stage.keep_up_friction(parts.iterate));
    }
}
