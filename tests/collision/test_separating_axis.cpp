// Proofs along an axis that two features stay apart, against their distances.
#include "stiction/collision/separating_axis.hpp"

#include "collision/reference.hpp"
#include "collision/stencils.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

using Stencil = std::array<Vec3, 4>;

Stencil between(const Stencil& x0, const Stencil& x1, double t) {
    Stencil x;
    for (std::size_t k = 0; k < 4; ++k) x[k] = x0[k] + t * (x1[k] - x0[k]);
    return x;
}

bool separated_at_rest(PairKind kind, const Stencil& x, double distance) {
    return separated(kind, x.data(), x.data(), distance);
}

}  // namespace

TEST_CASE("what an axis separates stays apart all through the move") {
    const std::uint64_t seed = 23;
    INFO("seed ", seed);
    Random random(seed);
    std::array<int, 4> shown{}, true_ones{};
    for (int trial = 0; trial < 8000; ++trial) {
        const std::size_t number = static_cast<std::size_t>(trial % 4);
        const PairKind kind = all_kinds[number];
        Stencil x0 = random_stencil(random), x1 = random_stencil(random);
        // A common motion takes nothing away from a distance.
        const Vec3 common = random.vector(5.0);
        for (std::size_t k = 0; k < 4; ++k) x1[k] = x0[k] + 0.05 * x1[k] + common;
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i <= 40; ++i)
            least = std::min(least, std::sqrt(closest_squared_distance(kind, between(x0, x1, i / 40.0).data())));
        CHECK(!separated(kind, x0.data(), x1.data(), least * (1.0 + 1e-14)));
        const double at_rest = std::sqrt(closest_squared_distance(kind, x0.data()));
        const double bound = separation_bound(kind, x0.data(), at_rest);
        CHECK(bound <= at_rest * (1.0 + 1e-15));
        CHECK(separated_at_rest(kind, x0, bound * (1.0 - 1e-14)) == (bound > 0.0));
        if (least <= 0.2) continue;
        ++true_ones[number];
        if (separated(kind, x0.data(), x1.data(), 0.8 * least - 0.1)) ++shown[number];
    }
    // Nine in ten of those that are clearly apart are shown.
    for (std::size_t number = 0; number < 4; ++number) {
        CAPTURE(number);
        CHECK(true_ones[number] > 800);
        CHECK(10 * shown[number] > 9 * true_ones[number]);
    }
}

TEST_CASE("two diagonals of a sheet are apart across them, and a point above a triangle along its normal") {
    // Their projections onto the line between their centres overlap.
    const Stencil diagonals{Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(2, 0, 0), Vec3(1, 0, 1)};
    const double apart = std::sqrt(0.5);
    CHECK(separated_at_rest(PairKind::edge_edge, diagonals, apart * (1.0 - 1e-14)));
    CHECK(!separated_at_rest(PairKind::edge_edge, diagonals, apart * (1.0 + 1e-14)));
    CHECK(separation_bound(PairKind::edge_edge, diagonals.data(), 1.0) == relative(apart, 1e-14));
    // A short edge beside the end of a long one, and the other way round: only the long one shows it.
    const Stencil aslant{Vec3(4.9, 0.1, 0), Vec3(5.5, 0.3, 0), Vec3(-5, 0, 0), Vec3(5, 0, 0)};
    const Stencil turned{aslant[2], aslant[3], aslant[0], aslant[1]};
    for (const Stencil& x : {aslant, turned}) {
        CHECK(separated_at_rest(PairKind::edge_edge, x, 0.1 * (1.0 - 1e-14)));
        CHECK(!separated_at_rest(PairKind::edge_edge, x, 0.2));
    }
    const Stencil above{Vec3(0.9, 0.1, 0.05), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1)};
    CHECK(separated_at_rest(PairKind::point_triangle, above, 0.1 * (1.0 - 1e-14)));
    CHECK(!separated_at_rest(PairKind::point_triangle, above, 0.1 * (1.0 + 1e-14)));
    const Stencil crossed{Vec3(-1, 0.1, 0), Vec3(1, 0.1, 0.1), Vec3(0.3, 0, -1), Vec3(0, 0, 1)};
    const double gap = std::sqrt(closest_squared_distance(PairKind::edge_edge, crossed.data()));
    CHECK(separated_at_rest(PairKind::edge_edge, crossed, gap * (1.0 - 1e-14)));
    CHECK(!separated_at_rest(PairKind::edge_edge, crossed, gap * (1.0 + 1e-14)));
}

TEST_CASE("an axis shows no more than the exact distance, far from the origin and at any size") {
    const std::uint64_t seed = 29;
    INFO("seed ", seed);
    Random random(seed);
    for (int trial = 0; trial < 4000; ++trial) {
        const double size = std::ldexp(1.0, random.integer(-1000, 400));
        Stencil x{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        x[0] = random.vector(1.0) * size;
        x[1] = x[0] + random.vector(1e-3 * size);
        const Real distance = reference_distance(PairKind::point_point, widen(x));
        auto claim = static_cast<double>(distance);
        // The smallest number that is too much.
        while (Real(claim) <= distance) claim = std::nextafter(claim, std::numeric_limits<double>::infinity());
        CAPTURE(size);
        CHECK(!separated_at_rest(PairKind::point_point, x, claim));
        CHECK(Real(separation_bound(PairKind::point_point, x.data(), claim)) <= distance);
        if (size > 1e-100 && size < 1e100) CHECK(separated_at_rest(PairKind::point_point, x, 0.999 * claim));
    }
}

TEST_CASE("an axis shows nothing of features without extent in one place, and of coordinates that are not finite") {
    const Stencil one_place{Vec3(1, 2, 3), Vec3(1, 2, 3), Vec3(1, 2, 3), Vec3(1, 2, 3)};
    Stencil good{Vec3(0, 0, 0), Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(6, 1, 0)};
    for (const PairKind kind : all_kinds) {
        CHECK(!separated_at_rest(kind, one_place, 1e-300));
        CHECK(separation_bound(kind, one_place.data(), 1.0) == 0.0);
        CHECK(separated_at_rest(kind, good, 0.1));
        for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()}) {
            for (std::size_t k = 0; k < static_cast<std::size_t>(vertex_count(kind)); ++k) {
                for (Eigen::Index axis = 0; axis < 3; ++axis) {
                    CAPTURE(k);
                    CAPTURE(bad);
                    Stencil end = good;
                    end[k][axis] = bad;
                    CHECK(!separated(kind, good.data(), end.data(), 0.1));
                    CHECK(!separated(kind, end.data(), good.data(), 0.1));
                    CHECK(separation_bound(kind, end.data(), 1.0) == 0.0);
                }
            }
        }
    }
}
