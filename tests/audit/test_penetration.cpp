#include "stiction/audit/penetration.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

namespace {

double depth(const Vec3& offset, double plane = -10.0) {
    WorldBuilder builder;
    Mesh small = generate_box({0.4, 0.4, 0.4}, {2, 2, 2});
    for (Vec3& vertex : small.vertices) vertex += offset;
    builder.add_deformable("large", generate_box({1, 1, 1}, {4, 4, 4}), {});
    builder.add_deformable("small", small, {});
    builder.add_half_space("plane", {0, plane, 0}, {0, 1, 0});
    const auto [world, state] = builder.build();
    return audit::penetration_depth(world, audit::audit_state(world, state.x), state.x);
}

}  // namespace

TEST_CASE(
    "penetration depth: that of the deepest vertex inside another body or behind a plane; none where bodies are "
    "apart") {
    CHECK(depth({0.0, 0.71, 0.0}) == 0.0);
    CHECK(depth({0.03, 0.69, 0.02}) == relative(0.01, 1e-9));
    CHECK(depth({0.03, 0.65, 0.02}) == relative(0.05, 1e-9));
    // A corner of the large one in the small one counts as well: no vertex of the small one is as deep in the large
    // one.
    CHECK(depth({0.65, 0.65, 0.65}) == relative(0.05, 1e-9));
    CHECK(depth({0.0, 0.71, 0.0}, -0.48) == relative(0.02, 1e-9));
}

TEST_CASE("penetration depth: where only edges cross it is 0, although the audit finds the crossing") {
    WorldBuilder builder;
    Mesh wedge;
    wedge.vertices = {{0, -0.05, -1}, {0, -0.05, 1}, {-1, -1, 0}, {1, -1, 0}};
    wedge.tets = {{0, 1, 2, 3}};
    orient_tets(wedge);
    Mesh other;
    other.vertices = {{-1, -0.06, 0}, {1, -0.06, 0}, {0, 1, -1}, {0, 1, 1}};
    other.tets = {{0, 1, 2, 3}};
    orient_tets(other);
    builder.add_deformable("wedge", wedge, {});
    builder.add_deformable("other", other, {});
    const auto [world, state] = builder.build();
    const audit::AuditReport report = audit::audit_state(world, state.x);
    CHECK(report.intersections.size() > 0);
    CHECK(audit::penetration_depth(world, report, state.x) == 0.0);
    CHECK_FALSE(report.ok());
    CHECK(audit::without_overlaps(report).ok());
}
