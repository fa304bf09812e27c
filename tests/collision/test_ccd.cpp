#include "stiction/collision/ccd.hpp"

#include "collision/ccd_generator.hpp"
#include "collision/exact_oracle.hpp"
#include "collision/reference.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

double step_bound(const GeneratedQuery& q, double slack, CcdQueryStats* stats = nullptr) {
    CcdOptions options;
    options.slack = slack;
    return ccd_step_bound(q.kind, q.x0.data(), q.x1.data(), options, stats);
}

double extent(const GeneratedQuery& q) {
    double size = 0.0;
    for (int k = 1; k < vertex_count(q.kind); ++k) {
        const auto i = static_cast<std::size_t>(k);
        size = std::max({size, (q.x0[i] - q.x0[0]).norm(), (q.x1[i] - q.x1[0]).norm()});
    }
    return size;
}

// Smallest distance over times in [0, t], by a dense sweep with the last times sampled hardest.
Real sampled_distance(const GeneratedQuery& q, double t, int samples) {
    Real least = std::numeric_limits<Real>::infinity();
    for (int i = 0; i <= samples; ++i) {
        const Real s = Real(i) / samples;
        least = std::min(least, reference_distance(q.kind, positions_at(q.x0, q.x1, s * t)));
        least = std::min(least, reference_distance(q.kind, positions_at(q.x0, q.x1, (1 - s * s * s * s) * Real(t))));
    }
    return least;
}

}  // namespace

TEST_CASE("planted contacts and gaps are what the generator says") {
    const std::uint64_t seed = 21;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const GeneratedQuery q = generate_query(seed, i);
        INFO("seed ", seed, " query ", i, " ", family_name(q.family));
        if (q.collides) {
            const Real d = reference_distance(q.kind, positions_at(q.x0, q.x1, q.contact_time));
            CHECK(double(d) <= 1e-17 * extent(q));
        } else {
            CHECK(double(sampled_distance(q, 1.0, 8)) >= 0.999 * q.gap);
        }
    }
}

TEST_CASE("boolean query: no false negative and few false positives on planted queries") {
    const std::uint64_t seed = 22;
    constexpr std::uint64_t total = 1000000;
    long false_negatives = 0, false_positives = 0, undecided = 0, hits = 0;
    for (std::uint64_t i = 0; i < total; ++i) {
        const GeneratedQuery q = generate_query(seed, i);
        CcdQueryStats stats;
        const bool collides = may_collide(q.kind, q.x0.data(), q.x1.data(), &stats);
        hits += q.collides;
        false_negatives += q.collides && !collides;
        false_positives += !q.collides && collides;
        undecided += stats.undecided;
    }
    MESSAGE("seed ", seed, ": ", total, " queries, ", hits, " planted contacts, ", false_positives,
            " false positives, ", undecided, " undecided");
    CHECK(false_negatives == 0);
    CHECK(false_positives == 0);
    CHECK(undecided < static_cast<long>(total / 1000));
}

TEST_CASE("boolean query agrees with exact subdivision on random integer queries") {
    const std::uint64_t seed = 23;
    Random random(seed);
    std::array<int, 3> answers{};
    int false_negatives = 0, false_positives = 0;
    constexpr std::array<PairKind, 4> kinds = {PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge,
                                               PairKind::point_point};
    for (int i = 0; i < 20000; ++i) {
        const PairKind kind = kinds[static_cast<std::size_t>(i % 8 < 6 ? i % 2 : i % 4)];
        const int size =
            i % 3 == 0 ? 3 : (i % 3 == 1 ? 40 : 2000);  // small grids are full of touching and degenerate cases
        std::array<Vec3, 4> x0, x1;
        for (std::size_t k = 0; k < 4; ++k) {
            x0[k] = random.grid(size);
            x1[k] = random.grid(size);
        }
        const ExactAnswer truth = exact_query(kind, x0, x1);
        ++answers[static_cast<std::size_t>(truth)];
        const bool collides = may_collide(kind, x0.data(), x1.data());
        false_negatives += truth == ExactAnswer::hit && !collides;
        false_positives += truth == ExactAnswer::miss && collides;
    }
    MESSAGE("seed ", seed, ": ", answers[0], " misses, ", answers[1], " hits, ", answers[2], " unknown to the oracle");
    CHECK(false_negatives == 0);
    CHECK(false_positives == 0);
    CHECK(answers[0] > 1000);
    CHECK(answers[1] > 1000);
    CHECK(answers[2] < 200);
}

TEST_CASE("step bound keeps the slack, is never zero from a feasible start, and stops short of planted contacts") {
    const std::uint64_t seed = 24;
    long feasible = 0, full = 0;
    for (std::uint64_t i = 0; i < 200000; ++i) {
        const GeneratedQuery q = generate_query(seed, i);
        const double slack = i % 2 == 0 ? 0.1 : 0.8;
        INFO("seed ", seed, " query ", i, " ", family_name(q.family), " slack ", slack);
        CcdQueryStats stats;
        const double t = step_bound(q, slack, &stats);
        const Real start = reference_distance(q.kind, widen(q.x0));
        CHECK(t >= 0.0);
        CHECK(t <= 1.0);
        CHECK(stats.undecided == (t == 0.0));
        const double level = 5e-15 / (1.0 - slack) * extent(q);
        if (double(start) > level) {
            ++feasible;
            REQUIRE(t > 0.0);
        }
        if (q.collides) REQUIRE(t < std::max(q.contact_time, 1e-300));
        if (t > 0.0) {
            const Real least = sampled_distance(q, t, i % 10 == 0 ? 60 : 4);
            // Long double evaluation of the distance is good to about 1e-18 of the coordinates.
            REQUIRE(double(least - slack * start) >= -4e-18 * (extent(q) + q.x0[0].norm() + q.x1[0].norm()));
        }
        full += t == 1.0;
    }
    MESSAGE("seed ", seed, ": ", feasible, " feasible starts, ", full, " full steps");
}

TEST_CASE(
    "step bound with an offset keeps the slack of the gap that the offset leaves, and no more than that of a step") {
    const std::uint64_t seed = 27;
    long cut = 0, tight = 0;
    for (std::uint64_t i = 0; i < 50000; ++i) {
        const GeneratedQuery q = generate_query(seed, i);
        const double slack = i % 2 == 0 ? 0.1 : 0.8;
        const Real start = reference_distance(q.kind, widen(q.x0));
        const double offset = (i % 3 == 0 ? 0.999 : i % 3 == 1 ? 0.5 : 0.01) * double(start);
        if (!(double(start) - offset > 1e-11 / (1.0 - slack) * extent(q))) continue;
        INFO("seed ", seed, " query ", i, " ", family_name(q.family), " slack ", slack, " offset ", offset, " of ",
             double(start));
        const double t = ccd_step_bound(q.kind, q.x0.data(), q.x1.data(), {.slack = slack, .offset = offset});
        REQUIRE(t > 0.0);
        const Real target = offset + slack * (start - offset);
        REQUIRE(double(sampled_distance(q, t, i % 10 == 0 ? 60 : 4) - target) >=
                -1e-15 * (extent(q) + q.x0[0].norm() + q.x1[0].norm()));
        if (t == 1.0) continue;
        ++cut;
        // Where the step ends the gap has come down to about what must remain.
        tight +=
            double(reference_distance(q.kind, positions_at(q.x0, q.x1, t)) - target) < 0.05 * (double(start) - offset);
    }
    MESSAGE("seed ", seed, ": ", cut, " cut, of these ", tight, " at the slack");
    CHECK(cut > 1000);
    CHECK(static_cast<double>(tight) > 0.9 * static_cast<double>(cut));
    const std::array<Vec3, 4> x = {Vec3(0.25, 0.25, 0.1), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    CcdQueryStats stats;
    CHECK(ccd_step_bound(PairKind::point_triangle, x.data(), x.data(), {.offset = 0.11}, &stats) == 0.0);
    CHECK(stats.undecided);
    CHECK(ccd_half_space_step_bound({0, 1, 0}, {0, -1, 0}, {0, 2, 0}, Vec3::Zero(), Vec3::Zero(), {.offset = 0.5}) ==
          relative(0.225, 1e-13));
    CHECK(ccd_half_space_step_bound({0, 0.4, 0}, {0, 1, 0}, {0, 2, 0}, Vec3::Zero(), Vec3::Zero(), {.offset = 0.5}) ==
          0.0);
}

TEST_CASE("steps along which the distance stays above the slack are not cut") {
    // Slides at constant gap and turns that shrink it to a quarter at most: where the features start near the gap, the
    // bound must be 1.
    const std::uint64_t seed = 25;
    int slides = 0;
    for (std::uint64_t i = 0; i < 300000; ++i) {
        const GeneratedQuery q = generate_query(seed, i);
        if (q.family != Family::miss_slide && q.family != Family::miss_turn) continue;
        INFO("seed ", seed, " query ", i, " ", family_name(q.family));
        const Real start = reference_distance(q.kind, widen(q.x0));
        if (0.1L * start > 1.9L * q.gap) continue;  // the distance never falls below 2 gap
        ++slides;
        CHECK(step_bound(q, 0.1) == 1.0);
    }
    CHECK(slides > 5000);
}

TEST_CASE("sliding and turning at a gap of 1e-9 take few evaluations") {
    const std::array<Vec3, 4> x0 = {Vec3(0.3, 0.3, 1e-9), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    std::array<Vec3, 4> x1 = x0;
    x1[0] = Vec3(0.9, -3.0, 1e-9);
    CcdQueryStats stats;
    CHECK(ccd_step_bound(PairKind::point_triangle, x0.data(), x1.data(), {}, &stats) == 1.0);
    CHECK(stats.evaluations <= 2);
    const Mat3 turn = Eigen::AngleAxisd(1.5, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    for (std::size_t k = 0; k < 4; ++k) x1[k] = turn * x0[k] + Vec3(10, 20, 30);
    CHECK(ccd_step_bound(PairKind::point_triangle, x0.data(), x1.data(), {}, &stats) == 1.0);
    CHECK(stats.evaluations <= 4);
    CHECK_FALSE(may_collide(PairKind::point_triangle, x0.data(), x1.data()));
}

TEST_CASE("a pair whose closest point is an end of an edge, to within rounding, is proven apart") {
    // A corner of a masonry arch: the point lies 1.4e-6 m from the first vertex of a triangle, and 9e-12 m beside the
    // plane at right angles to an edge of 2.8 m there.
    const std::array<Vec3, 4> corner = {Vec3(-7.818137922109812, 1.5400229683795426, -0.9999999986027831),
                                        Vec3(-7.818138899669632, 1.540023007758291, -1.0000009698195056),
                                        Vec3(-9.79220307144093, 1.8611336157320384, -1.0000039885596863),
                                        Vec3(-9.792206196632804, 1.8611318465222928, 1.0000056499629753)};
    CHECK(ccd_step_bound(PairKind::point_triangle, corner.data(), corner.data()) == 1.0);
    Random random(11);
    int stuck = 0;
    for (int k = 0; k < 20000; ++k) {
        const double gap = std::pow(10.0, random.real(-9, -5));
        const double beside = gap * std::pow(10.0, random.real(-9, -1)) * (k % 2 == 0 ? 1 : -1);
        const Vec3 end = random.vector(10), along = random.vector(2), side = random.vector(2);
        const Vec3 direction = along.normalized();
        Vec3 away = random.vector(1);
        away = (away - direction * away.dot(direction)).normalized();
        if (away.dot(side) > 0.0) away = -away;  // the other sides of the triangle lead away from the point
        const Vec3 point = end + gap * away + beside * direction;
        const std::array<Vec3, 4> triangle = {point, end, end + along, end + side};
        const Vec3 rest = away.dot(side) < 0.0 ? Vec3(-side) : side;
        const std::array<Vec3, 4> edges = {end + along, end, point + rest, point};
        stuck += ccd_step_bound(PairKind::point_triangle, triangle.data(), triangle.data()) != 1.0;
        stuck += ccd_step_bound(PairKind::edge_edge, edges.data(), edges.data()) != 1.0;
    }
    CHECK(stuck == 0);
}

TEST_CASE("head-on approach stops exactly at the slack") {
    const std::array<Vec3, 4> x0 = {Vec3(0.2, 0.2, 1.0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    std::array<Vec3, 4> x1 = x0;
    x1[0][2] = -1.0;
    CHECK(ccd_step_bound(PairKind::point_triangle, x0.data(), x1.data()) == relative(0.45, 1e-9));
    CHECK(may_collide(PairKind::point_triangle, x0.data(), x1.data()));
    CcdOptions options;
    options.t_max = 0.25;
    CHECK(ccd_step_bound(PairKind::point_triangle, x0.data(), x1.data(), options) == 0.25);
    options = {};
    options.slack = 0.0;
    const double t = ccd_step_bound(PairKind::point_triangle, x0.data(), x1.data(), options);
    CHECK(t < 0.5);
    CHECK(t > 0.5 - 1e-12);
}

TEST_CASE("features that an axis keeps apart are proven so without looking for their closest points") {
    const std::array<Vec3, 4> x0 = {Vec3(0.2, 0.2, 1.0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    std::array<Vec3, 4> x1 = x0;
    CcdQueryStats stats;
    for (const double t_max : {1.0, 0.25}) {
        CcdOptions options;
        options.t_max = t_max;
        // The gap that has to stay is a tenth of at most |(0.2, 0.2, 1)| = 1.04.
        x1[0][2] = 0.11;
        CHECK(ccd_step_bound(PairKind::point_triangle, x0.data(), x1.data(), options, &stats) == t_max);
        CHECK(stats.evaluations == 0);
        CHECK(stats.proven_t == t_max);
        CHECK_FALSE(stats.undecided);
        x1[0][2] = 0.101;  // free all the same, by the closest points
        CHECK(ccd_step_bound(PairKind::point_triangle, x0.data(), x1.data(), options, &stats) == t_max);
        CHECK(stats.evaluations > 0);
    }
    // Squares of such differences are zero: nothing is proven of them.
    const std::array<Vec3, 2> small = {Vec3::Zero(), Vec3(1e-165, 0, 0)}, smaller = {Vec3::Zero(), Vec3(1e-200, 0, 0)};
    CHECK(ccd_step_bound(PairKind::point_point, small.data(), smaller.data(), {}, &stats) == 0.0);
    CHECK(stats.undecided);
}

TEST_CASE("touching starts are collisions and give no step") {
    const std::array<Vec3, 4> x = {Vec3(0.25, 0.25, 0.0), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    std::array<Vec3, 4> away = x;
    away[0][2] = 1.0;
    CHECK(may_collide(PairKind::point_triangle, x.data(), x.data()));
    CHECK(may_collide(PairKind::point_triangle, x.data(), away.data()));
    CcdQueryStats stats;
    CHECK(ccd_step_bound(PairKind::point_triangle, x.data(), away.data(), {}, &stats) == 0.0);
    CHECK(stats.undecided);
    // Numbers that are none prove nothing.
    std::array<Vec3, 4> broken = away;
    broken[0][0] = std::nan("");
    CHECK(may_collide(PairKind::point_triangle, away.data(), broken.data()));
    CHECK(ccd_step_bound(PairKind::point_triangle, away.data(), broken.data(), {}, &stats) == 0.0);
}

TEST_CASE("half-space") {
    const std::uint64_t seed = 26;
    Random random(seed);
    for (int i = 0; i < 100000; ++i) {
        INFO("seed ", seed, " query ", i);
        // Integers: signed distances at both ends are exact in 64 bits.
        const int size = i % 2 == 0 ? 4 : 1 << 20;
        const Vec3 n = random.grid(size), o0 = random.grid(size), o1 = random.grid(size);
        const Vec3 x0 = random.grid(size), x1 = random.grid(size);
        const auto signed_distance = [&](const Vec3& x, const Vec3& o) {
            Real sum = 0;
            for (int k = 0; k < 3; ++k) sum += Real(n[k]) * (Real(x[k]) - Real(o[k]));
            return sum;
        };
        const Real g0 = signed_distance(x0, o0);
        const Real g1 = signed_distance(x1, o1);
        CcdQueryStats stats;
        const double t = ccd_half_space_step_bound(x0, x1, n, o0, o1, {}, &stats);
        if (g0 <= 0) {
            CHECK(t == 0.0);
            CHECK(stats.undecided);
            continue;
        }
        REQUIRE(t > 0.0);
        CHECK((1 - Real(t)) * g0 + Real(t) * g1 >= 0.1L * g0);
        const Real exact = g1 >= 0.1L * g0 ? 1 : 0.9L * g0 / (g0 - g1);
        // Signed distances are bounded from below to a few 2^-53 of the coordinates, and a time is a quotient of them.
        Real largest = 0;
        for (const Vec3& p : {x0, x1, o0, o1}) largest = std::max<Real>(largest, p.cwiseAbs().maxCoeff());
        const Real rounding = std::ldexp(n.cwiseAbs().sum() * largest, -48) / std::abs(g0 - g1);
        CHECK(t == within(double(exact), 1e-15 + double(rounding)));
    }
    // Sliding along the plane at a tiny gap is free.
    CHECK(ccd_half_space_step_bound(Vec3(0, 1e-9, 0), Vec3(1000, 1e-9, 3), Vec3(0, 2, 0), Vec3(0, 0, 0),
                                    Vec3(5, 0, 7)) == 1.0);
}
