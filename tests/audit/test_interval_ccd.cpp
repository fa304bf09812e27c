#include "stiction/audit/separation.hpp"
#include "stiction/base/timer.hpp"

#include "audit/random.hpp"
#include "collision/ccd_generator.hpp"
#include "collision/exact_oracle.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::testing;
using audit::MoveVerdict;

namespace {

audit::PairKind audited(PairKind kind) {
    switch (kind) {
        case PairKind::point_point: return audit::PairKind::point_point;
        case PairKind::point_edge: return audit::PairKind::point_edge;
        case PairKind::point_triangle: return audit::PairKind::point_triangle;
        default: return audit::PairKind::edge_edge;
    }
}

MoveVerdict certify(PairKind kind, const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1) {
    return audit::certify_pair({audited(kind), x0, x1});
}

struct Counts {
    int queries = 0, proved = 0, work_limit = 0;
    double seconds = 0.0;
};

}  // namespace

TEST_CASE("planted contacts are never proved separate, misses nearly always") {
    const std::uint64_t seed = 7;
    std::array<Counts, static_cast<std::size_t>(Family::count)> counts;
    for (std::uint64_t i = 0; i < 120000; ++i) {
        const GeneratedQuery query = generate_query(seed, i);
        Counts& count = counts[static_cast<std::size_t>(query.family)];
        const double start = now_seconds();
        const MoveVerdict verdict = certify(query.kind, query.x0, query.x1);
        count.seconds += now_seconds() - start;
        ++count.queries;
        count.proved += verdict == MoveVerdict::separate;
        count.work_limit += verdict == MoveVerdict::work_limit;
    }
    for (std::size_t f = 0; f < counts.size(); ++f) {
        const Counts& count = counts[f];
        MESSAGE("seed ", seed, ", ", std::string(family_name(static_cast<Family>(f))), ": ", count.queries,
                " queries, ", count.proved, " proved, ", count.work_limit, " at the work limit, ",
                1e9 * count.seconds / count.queries, " ns each");
        if (static_cast<Family>(f) <= Family::hit_far) {
            CHECK(count.proved == 0);
        } else {
            // Gaps go down to 1e-9 of the size.
            CHECK(count.queries - count.proved <= count.queries / 1000);
        }
    }
}

TEST_CASE("verdicts on random integer queries agree with exact subdivision") {
    const std::uint64_t seed = 11;
    Dice dice(seed);
    int misses = 0, hits = 0, unknown = 0, wrongly_proved = 0, unproved_misses = 0;
    for (int i = 0; i < 4000; ++i) {
        constexpr PairKind kinds[] = {PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge,
                                      PairKind::point_point};
        const PairKind kind = kinds[i % 4];
        const int size = dice.chance(0.5) ? 3 : 60;
        std::array<Vec3, 4> x0, x1;
        for (std::size_t k = 0; k < 4; ++k) {
            x0[k] = dice.grid(-size, size);
            x1[k] = dice.grid(-size, size);
        }
        const ExactAnswer truth = exact_query(kind, x0, x1);
        const MoveVerdict verdict = certify(kind, x0, x1);
        misses += truth == ExactAnswer::miss;
        hits += truth == ExactAnswer::hit;
        unknown += truth == ExactAnswer::unknown;
        wrongly_proved += truth == ExactAnswer::hit && verdict == MoveVerdict::separate;
        unproved_misses += truth == ExactAnswer::miss && verdict != MoveVerdict::separate;
    }
    MESSAGE("seed ", seed, ": ", misses, " misses, ", hits, " hits, ", unknown, " unknown to the oracle; ",
            unproved_misses, " misses unproved");
    CHECK(misses > 1000);
    CHECK(hits > 200);
    CHECK(wrongly_proved == 0);
    CHECK(unproved_misses <= misses / 1000);
}

TEST_CASE("parallel sliding at gaps down to 1e-12 of the size is proved") {
    const std::uint64_t seed = 13;
    Dice dice(seed);
    INFO("seed ", seed);
    for (const double gap : {1e-3, 1e-9, 1e-12}) {
        for (int i = 0; i < 300; ++i) {
            const Vec3 slide(dice.real(-2, 2), 0.0, dice.real(-2, 2));
            std::array<Vec3, 4> x0, x1;
            for (std::size_t k = 0; k < 4; ++k) x0[k] = {dice.real(-1, 1), 0.0, dice.real(-1, 1)};
            const bool edges = i % 2 == 0;
            if (i % 4 == 0) x0[3] = x0[2] + (x0[1] - x0[0]);  // parallel edges
            for (std::size_t k = 0; k < 4; ++k) {
                const bool first = k < (edges ? 2u : 1u);
                x0[k].y() = first ? gap : 0.0;
                x1[k] = x0[k] + (first ? slide : Vec3(Vec3::Zero()));
            }
            // Or both turn together: x(t) = M(t) x(0) with M never singular keeps the planes apart.
            const Mat3 turn = Eigen::AngleAxisd(dice.real(0.0, 0.3), dice.vector(1.0).normalized()).toRotationMatrix();
            if (i % 3 == 0 && gap > 1e-11) {
                for (std::size_t k = 0; k < 4; ++k) x1[k] = turn * x0[k];
            }
            INFO("gap ", gap, ", query ", i);
            CHECK(certify(edges ? PairKind::edge_edge : PairKind::point_triangle, x0, x1) == MoveVerdict::separate);
        }
    }
}

TEST_CASE("touching without moving is not proved separate") {
    const std::array<Vec3, 4> on{Vec3(0.2, 0.0, 0.2), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1)};
    CHECK(certify(PairKind::point_triangle, on, on) == MoveVerdict::not_excluded);
    std::array<Vec3, 4> above = on;
    above[0].y() = 1e-13;
    CHECK(certify(PairKind::point_triangle, above, above) == MoveVerdict::separate);
    // Through, and exactly onto; past the rim.
    std::array<Vec3, 4> below = on;
    below[0].y() = -1e-13;
    CHECK(certify(PairKind::point_triangle, above, below) == MoveVerdict::not_excluded);
    CHECK(certify(PairKind::point_triangle, above, on) == MoveVerdict::not_excluded);
    for (std::array<Vec3, 4>* x : {&above, &below}) (*x)[0] += Vec3(0, 0, 0.9);
    CHECK(certify(PairKind::point_triangle, above, below) == MoveVerdict::separate);
    // Numbers that products overflow with prove nothing.
    for (Vec3& p : above) p *= 1e200;
    CHECK(certify(PairKind::point_triangle, above, above) == MoveVerdict::not_excluded);
    above[0][0] = std::numeric_limits<double>::quiet_NaN();
    CHECK(certify(PairKind::point_triangle, above, above) == MoveVerdict::not_excluded);
}

TEST_CASE("a tunnelling point is caught at any speed") {
    const std::array<Vec3, 4> triangle{Vec3(0, 0, 0), Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, 0, 1)};
    for (const double speed : {1e-12, 1.0, 1e6}) {
        auto x0 = triangle, x1 = triangle;
        x0[0] = {0.1, speed, 0.1};
        x1[0] = {0.1, -speed, 0.1};
        CHECK(certify(PairKind::point_triangle, x0, x1) == MoveVerdict::not_excluded);
    }
}

TEST_CASE("tets: inversion on the way and flatness are seen, turning and squeezing are proved") {
    const std::array<Vec3, 4> unit{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    const auto moved = [&](const Vec3& apex) {
        auto x = unit;
        x[3] = apex;
        return x;
    };
    CHECK(audit::certify_tet(unit, unit) == MoveVerdict::separate);
    CHECK(audit::certify_tet(unit, moved({0, 0, 1e-12})) == MoveVerdict::separate);
    CHECK(audit::certify_tet(unit, moved({5, 3, 0})) == MoveVerdict::not_excluded);
    CHECK(audit::certify_tet(unit, moved({0, 0, -1e-12})) == MoveVerdict::not_excluded);
    CHECK(audit::certify_tet(moved({0, 0, 0}), moved({0, 0, 0})) == MoveVerdict::not_excluded);
    // Half a turn about z passes through a flat tet, although both ends are as good as new; a quarter does not.
    const auto turned = [&](double angle) {
        auto x = unit;
        for (Vec3& p : x) p = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix() * p;
        return x;
    };
    CHECK(audit::certify_tet(unit, turned(1.5)) == MoveVerdict::separate);
    CHECK(audit::certify_tet(unit, turned(3.0)) == MoveVerdict::separate);
    auto mirrored = unit;
    for (Vec3& p : mirrored) p = Vec3(-p[0], -p[1], p[2]);
    CHECK(audit::certify_tet(unit, mirrored) == MoveVerdict::not_excluded);
}

TEST_CASE("tets against the exact cubic on random integers") {
    const std::uint64_t seed = 17;
    Dice dice(seed);
    int proved = 0, wrong = 0, missed = 0, between = 0;
    for (int i = 0; i < 20000; ++i) {
        std::array<Vec3, 4> x0, x1;
        const int speed = i % 2 == 0 ? 3 : 12;
        for (std::size_t k = 0; k < 4; ++k) {
            x0[k] = dice.grid(-9, 9);
            x1[k] = x0[k] + dice.grid(-speed, speed);
        }
        const auto volume = [&](double t) {  // exact: small integers over 512^3
            Mat3 e;
            for (int k = 0; k < 3; ++k) {
                const auto corner = [&](std::size_t c) -> Vec3 { return (1.0 - t) * x0[c] + t * x1[c]; };
                e.col(k) = corner(static_cast<std::size_t>(k) + 1) - corner(0);
            }
            return e.col(0).cross(e.col(1)).dot(e.col(2));
        };
        double least = 1e300;
        if (volume(0.0) > 0.0 && volume(1.0) > 0.0) {
            for (int s = 0; s <= 512; ++s) least = std::min(least, volume(s / 512.0));
            between += least <= 0.0;
        } else {
            least = 0.0;
        }
        const MoveVerdict verdict = audit::certify_tet(x0, x1);
        proved += verdict == MoveVerdict::separate;
        wrong += verdict == MoveVerdict::separate && least <= 0.0;
        missed += verdict != MoveVerdict::separate && least > 5.0;  // between samples the cubic falls by less
    }
    MESSAGE("seed ", seed, ": ", proved, " of 20000 proved, ", between, " flat only between the ends");
    CHECK(proved > 2000);
    CHECK(between > 50);
    CHECK(wrong == 0);
    CHECK(missed == 0);
}

TEST_CASE("half-spaces: both ends decide, exactly") {
    const Vec3 n(0, 1, 0), o(0, 0, 0), low(0, -1, 0);
    CHECK(audit::certify_half_space(n, o, o, {1, 1e-300, 0}, {5, 1e-12, 3}) == MoveVerdict::separate);
    CHECK(audit::certify_half_space(n, o, o, {1, 1, 0}, {5, 0, 3}) == MoveVerdict::not_excluded);
    CHECK(audit::certify_half_space(n, o, low, {1, 1, 0}, {5, -0.5, 3}) == MoveVerdict::separate);
    CHECK(audit::certify_half_space(n, low, o, {1, -0.5, 0}, {5, -0.5, 3}) == MoveVerdict::not_excluded);
}
