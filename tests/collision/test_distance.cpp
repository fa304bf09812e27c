#include "collision/reference.hpp"
#include "collision/stencils.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <map>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

// A stencil whose reduced pair is the whole pair, with at least `margin` of barycentric room.
std::array<Vec3, 4> interior_stencil(Random& random, PairKind kind, double margin) {
    while (true) {
        const std::array<Vec3, 4> x = random_stencil(random);
        if (classify(kind, x.data()).kind != kind) continue;
        const Vec4 w = closest_weights(kind, x.data());
        if (kind == PairKind::edge_edge && edge_cross_squared(x.data()) < 0.05) continue;
        if (kind == PairKind::point_triangle && (x[2] - x[1]).cross(x[3] - x[1]).norm() < 0.3) continue;
        bool clear = true;
        for (int k = 0; k < vertex_count(kind); ++k) clear = clear && std::abs(w[k]) > margin;
        if (clear) return x;
    }
}

std::array<Vec3, 4> reduced_stencil(const ClosestFeature& feature, const std::array<Vec3, 4>& x) {
    std::array<Vec3, 4> y{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    for (int k = 0; k < vertex_count(feature.kind); ++k) {
        y[static_cast<std::size_t>(k)] = x[static_cast<std::size_t>(feature.local[static_cast<std::size_t>(k)])];
    }
    return y;
}

}  // namespace

TEST_CASE("closest distance agrees with a blind search") {
    const std::uint64_t seed = 11;
    INFO("seed ", seed);
    Random random(seed);
    std::map<std::pair<int, std::array<int, 4>>, int> cases;
    for (int trial = 0; trial < 2000; ++trial) {
        const PairKind kind = all_kinds[static_cast<std::size_t>(trial % 4)];
        std::array<Vec3, 4> x = random_stencil(random);
        const int shape = random.integer(0, 5);
        if (shape == 0) x[3] = x[2] + (x[1] - x[0]) * random.real(-1, 1);  // parallel edges
        if (shape == 1) x[3] = x[2];                                       // zero length, zero area
        if (shape == 2) x[3] = x[1] + (x[2] - x[1]) * random.real(-2, 2);  // triangle without area
        if (shape == 3)
            for (Vec3& p : x) p[1] = 0.25;  // all in one plane
        const ClosestFeature feature = classify(kind, x.data());
        ++cases[{trial % 4, feature.local}];
        const double found = std::sqrt(closest_squared_distance(kind, x.data()));
        CHECK(found == within(searched_distance(kind, x), 1e-7));  // some touch; the points are in the unit cube
        CHECK(std::abs(found - double(reference_distance(kind, widen(x)))) < 1e-8);
        // The weights are those of points of the features, and their difference is r.
        const std::array<Vec3, 4> y = reduced_stencil(feature, x);
        const Vec4 w = closest_weights(feature.kind, y.data());
        Vec3 r = Vec3::Zero();
        for (int k = 0; k < 4; ++k) r += w[k] * y[static_cast<std::size_t>(k)];
        CHECK((r - separation(feature.kind, y.data())).norm() < 1e-9);
        CHECK(w.head(first_count(feature.kind)).sum() == relative(1.0, 1e-13));
        CHECK(std::abs(w.sum()) < 1e-12);
        for (int k = 0; k < 4; ++k) {
            const double signed_weight = k < first_count(feature.kind) ? w[k] : -w[k];
            CHECK(signed_weight > -1e-9);
            CHECK(signed_weight < 1.0 + 1e-9);
        }
    }
    // 1 + 3 + 7 cases; edge-edge has 9, where the point-edge and point-point ones list either edge's vertex first.
    std::array<int, 4> kinds{};
    for (const auto& entry : cases) ++kinds[static_cast<std::size_t>(entry.first.first)];
    CHECK(kinds[0] == 1);
    CHECK(kinds[1] == 3);
    CHECK(kinds[2] == 7);
    CHECK(kinds[3] >= 9);
}

TEST_CASE("nearly degenerate features give the true distance") {
    Random random(12);
    for (int trial = 0; trial < 3000; ++trial) {
        std::array<Vec3, 4> x = random_stencil(random);
        const double thin = std::pow(10.0, random.real(-17, -3));
        const bool edges = trial % 2 == 0;
        if (edges) {
            x[3] = x[2] + (x[1] - x[0]) + thin * random.vector(1.0);
        } else {
            x[3] = x[1] + random.real(-1.5, 1.5) * (x[2] - x[1]) + thin * random.vector(1.0);
        }
        const PairKind kind = edges ? PairKind::edge_edge : PairKind::point_triangle;
        // Parallel to 1e-8 the boundary stands in: off by at most that much sideways.
        CHECK(std::abs(std::sqrt(closest_squared_distance(kind, x.data())) -
                       double(reference_distance(kind, widen(x)))) < 2e-8);
    }
}

TEST_CASE("gradient and Hessian of the squared distance agree with differences") {
    Random random(13);
    for (const PairKind kind : all_kinds) {
        for (int trial = 0; trial < 100; ++trial) {
            const std::array<Vec3, 4> x = interior_stencil(random, kind, 0.02);
            const auto value = [kind](const Vec3* y) { return squared_distance(kind, y); };
            const auto gradient = [kind](const Vec3* y) { return squared_distance_gradient(kind, y); };
            const Vec12 g = gradient(x.data());
            CHECK((g - difference_gradient(value, x, 1e-5)).norm() < 1e-8 * (1.0 + g.norm()));
            const Mat12 h = squared_distance_hessian(kind, x.data());
            CHECK((h - difference_hessian(gradient, x, 1e-5)).norm() < 1e-7 * (1.0 + h.norm()));
            CHECK((h - h.transpose()).norm() < 1e-13 * h.norm());
            const int used = 3 * vertex_count(kind);
            CHECK(g.tail(12 - used).isZero(0.0));
            CHECK(h.rightCols(12 - used).isZero(0.0));
            CHECK(h.bottomRows(12 - used).isZero(0.0));
        }
    }
}

TEST_CASE("derivatives scale with the size and keep their accuracy at tiny gaps") {
    Random random(14);
    for (const PairKind kind : all_kinds) {
        for (int trial = 0; trial < 50; ++trial) {
            const std::array<Vec3, 4> x = interior_stencil(random, kind, 0.02);
            for (const double scale : {1e-6, 1e6}) {
                std::array<Vec3, 4> y = x;
                for (Vec3& p : y) p *= scale;
                CHECK(classify(kind, y.data()).local == classify(kind, x.data()).local);
                CHECK(squared_distance(kind, y.data()) ==
                      relative(scale * scale * squared_distance(kind, x.data()), 1e-10));
                CHECK((squared_distance_gradient(kind, y.data()) - scale * squared_distance_gradient(kind, x.data()))
                          .norm() < 1e-10 * scale * squared_distance_gradient(kind, x.data()).norm());
                CHECK((squared_distance_hessian(kind, y.data()) - squared_distance_hessian(kind, x.data())).norm() <
                      1e-9);
                CHECK((tangent_frame(kind, y.data()) - tangent_frame(kind, x.data())).norm() < 1e-9);
            }
            if (kind == PairKind::point_point) continue;
            // Move the first feature along r to a gap of 1e-9.
            std::array<Vec3, 4> y = x;
            const Vec3 r = separation(kind, x.data());
            for (int k = 0; k < first_count(kind); ++k) y[static_cast<std::size_t>(k)] -= r * (1.0 - 1e-9 / r.norm());
            const Vec3 small = separation(kind, y.data());
            CHECK(small.norm() == relative(double(reference_distance(kind, widen(y))), 1e-5));
            if (kind == PairKind::point_edge) {
                CHECK(std::abs(small.normalized().dot(y[2] - y[1])) < 1e-14);
            } else {
                CHECK(std::abs(small.normalized().dot(r.normalized())) > 1.0 - 1e-14);
            }
            const auto gradient = [kind](const Vec3* z) { return squared_distance_gradient(kind, z); };
            const Mat12 h = squared_distance_hessian(kind, y.data());
            // Differences see curvature over their own step: stay far below the size, far above the rounding.
            CHECK((h - difference_hessian(gradient, y, 1e-5)).norm() < 1e-4 * h.norm());
        }
    }
}

TEST_CASE("distance is continuous across the boundaries between cases") {
    Random random(15);
    int crossings = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        const PairKind kind = all_kinds[static_cast<std::size_t>(1 + trial % 3)];
        std::array<Vec3, 4> a = random_stencil(random);
        std::array<Vec3, 4> b = random_stencil(random);
        if (classify(kind, a.data()).local == classify(kind, b.data()).local) continue;
        // Bisect to the place where the case changes; both cases must agree there.
        double lo = 0.0, hi = 1.0;
        const auto at = [&](double t) {
            std::array<Vec3, 4> y;
            for (std::size_t k = 0; k < 4; ++k) y[k] = (1.0 - t) * a[k] + t * b[k];
            return y;
        };
        const auto first = classify(kind, a.data()).local;
        for (int i = 0; i < 50; ++i) {
            const double mid = 0.5 * (lo + hi);
            (classify(kind, at(mid).data()).local == first ? lo : hi) = mid;
        }
        const auto below = at(lo);
        const auto above = at(hi);
        const ClosestFeature f = classify(kind, below.data());
        const ClosestFeature g = classify(kind, above.data());
        const double distance_below = squared_distance(f.kind, reduced_stencil(f, below).data());
        const double distance_above = squared_distance(g.kind, reduced_stencil(g, above).data());
        CHECK(std::abs(distance_below - distance_above) < 1e-10);
        ++crossings;
    }
    CHECK(crossings > 1000);
}

TEST_CASE("cross norm of edges and its derivatives") {
    Random random(16);
    for (int trial = 0; trial < 100; ++trial) {
        const std::array<Vec3, 4> x = random_stencil(random);
        const Vec3 u = x[1] - x[0];
        const Vec3 v = x[3] - x[2];
        CHECK(edge_cross_squared(x.data()) == relative(u.squaredNorm() * v.squaredNorm() - u.dot(v) * u.dot(v), 1e-9));
        const Vec12 g = edge_cross_squared_gradient(x.data());
        CHECK((g - difference_gradient(edge_cross_squared, x, 1e-5)).norm() < 1e-8 * (1.0 + g.norm()));
        const Mat12 h = edge_cross_squared_hessian(x.data());
        CHECK((h - difference_hessian(edge_cross_squared_gradient, x, 1e-5)).norm() < 1e-8 * (1.0 + h.norm()));
        CHECK((h - h.transpose()).norm() == 0.0);
    }
}

TEST_CASE("tangent frames are orthonormal, across the separation, and survive degenerate input") {
    Random random(17);
    for (const PairKind kind : all_kinds) {
        for (int trial = 0; trial < 300; ++trial) {
            std::array<Vec3, 4> x = interior_stencil(random, kind, 0.0);
            Mat32 t = tangent_frame(kind, x.data());
            CHECK((t.transpose() * t - Mat2::Identity()).norm() < 1e-13);
            CHECK((t.transpose() * separation(kind, x.data()).normalized()).norm() < 1e-10);
            if (kind == PairKind::point_triangle)
                CHECK(t.col(0).dot((x[2] - x[1]).normalized()) == relative(1.0, 1e-13));
            if (kind == PairKind::point_edge) CHECK(t.col(0).dot((x[2] - x[1]).normalized()) == relative(1.0, 1e-13));
            if (kind == PairKind::edge_edge) CHECK(t.col(0).dot((x[1] - x[0]).normalized()) == relative(1.0, 1e-13));
            const double tiny = std::pow(10.0, random.real(-200, 0));
            for (Vec3& p : x) p *= tiny;
            t = tangent_frame(kind, x.data());
            CHECK((t.transpose() * t - Mat2::Identity()).norm() < 1e-13);
            const int shape = random.integer(0, 3);
            if (shape == 0) x[3] = x[2] = x[1];
            if (shape == 1) x[1] = x[0];
            if (shape == 2) x[3] = x[2] + 2.0 * (x[1] - x[0]);
            if (shape == 3) x[0] = x[1] + 0.5 * (x[2] - x[1]), x[3] = x[2];
            t = tangent_frame(kind, x.data());
            CHECK((t.transpose() * t - Mat2::Identity()).norm() < 1e-13);
        }
    }
}

TEST_CASE("the axis distance is a lower bound of the distance, at rest and on the way") {
    const std::uint64_t seed = 17;
    INFO("seed ", seed);
    Random random(seed);
    int apart = 0, apart_on_the_way = 0, exact = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        const PairKind kind = all_kinds[static_cast<std::size_t>(trial % 4)];
        std::array<Vec3, 4> x = random_stencil(random), end = random_stencil(random);
        // Some lie in planes a given distance apart, where the bound is the distance of points.
        if (trial % 3 == 0 && kind == PairKind::point_point) x[1] = x[0] + Vec3(0.0, 0.25, 0.0);
        for (std::size_t k = 0; k < 4; ++k) end[k] = x[k] + 0.2 * end[k];
        const double bound = axis_distance(kind, x.data()), along = axis_distance(kind, x.data(), end.data());
        const double distance = std::sqrt(closest_squared_distance(kind, x.data()));
        CHECK(bound <= distance);
        CHECK(along <= bound);
        if (bound > 0.0) ++apart;
        if (bound == relative(distance, 1e-12)) ++exact;
        if (!(along > 0.0)) continue;
        ++apart_on_the_way;
        for (int i = 0; i <= 10; ++i) {
            std::array<Vec3, 4> at;
            for (std::size_t k = 0; k < 4; ++k) at[k] = x[k] + 0.1 * i * (end[k] - x[k]);
            CHECK(along <= std::sqrt(closest_squared_distance(kind, at.data())) * (1.0 + 1e-15));
        }
    }
    // Far from the origin the difference of two numbers is rounded: the bound stays below the distance of the positions
    // as they are.
    int rounded_up = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        std::array<Vec3, 4> x{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        x[0][1] = -std::ldexp(random.real(0.5, 1.0), random.integer(-20, 20));
        x[1][1] = std::ldexp(random.real(0.5, 1.0), random.integer(-20, 20));
        const Real distance = reference_distance(PairKind::point_point, widen(x));
        CHECK(Real(axis_distance(PairKind::point_point, x.data())) <= distance);
        if (Real(x[1][1] - x[0][1]) > distance) ++rounded_up;
    }
    CHECK(rounded_up > 100);
    CHECK(apart > 1000);
    CHECK(apart_on_the_way > 500);
    CHECK(exact > 300);
    std::array<Vec3, 4> broken{Vec3(0, 0, 0), Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(6, 1, 0)};
    CHECK(axis_distance(PairKind::point_triangle, broken.data()) > 4.9);
    broken[2][1] = std::numeric_limits<double>::quiet_NaN();
    CHECK(axis_distance(PairKind::point_triangle, broken.data()) < 0.0);
}
