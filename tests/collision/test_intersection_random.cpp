#include "stiction/collision/intersection.hpp"

#include "collision/intersection_reference.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>

using namespace stiction;
using namespace stiction::testing;

namespace {

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
Vec3 random_point(Random& random) {
    return {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
}
int random_int(Random& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

/// Of two layers, so that much is coplanar.
Vec3 grid_point(Random& random) {
    return {static_cast<double>(random_int(random, 0, 3)), static_cast<double>(random_int(random, 0, 1)),
            static_cast<double>(random_int(random, 0, 3))};
}

/// All in one slanted plane.
Vec3 flat_point(Random& random) {
    const double u = random_int(random, 0, 6), w = random_int(random, 0, 6);
    return {u, u + 2.0 * w, w};
}

Soup random_soup(Random& random, int vertices, int triangles, int edges, int points, Vec3 (*point)(Random&)) {
    Soup soup;
    for (int i = 0; i < vertices; ++i) soup.add(point(random), 2 * i < vertices ? 0 : 1);
    const auto pick = [&](Index* out, int count) {  // different vertices of one body
        const int body = random_int(random, 0, 1), half = vertices / 2;
        for (int i = 0; i < count; ++i) {
            do {
                out[i] = body * half + random_int(random, 0, half - 1);
            } while (std::find(out, out + i, out[i]) != out + i);
        }
    };
    for (int i = 0; i < triangles; ++i) {
        Triangle t;
        pick(t.data(), 3);
        soup.triangles.push_back(t);
    }
    for (int i = 0; i < edges; ++i) {
        Edge e;
        pick(e.data(), 2);
        soup.edges.push_back(e);
    }
    for (int i = 0; i < points; ++i) soup.bare.push_back(random_int(random, 0, vertices - 1));
    return soup;
}

void check_against_reference(const Soup& soup, const BodyPairTable& table, std::array<std::size_t, 5>& counts) {
    const CollisionSurface surface = soup.surface();
    const VecX x = soup.x();
    const auto found = find_intersections(surface, table, x);
    REQUIRE(found == slow_intersections(surface, table, x));
    for (const Intersection& i : found) ++counts[static_cast<std::size_t>(i.kind)];
}

}  // namespace

TEST_CASE("random soups against the definition in rational arithmetic") {
    const std::uint64_t seed = 31337;
    Random random(seed);
    INFO("seed " << seed);
    std::array<std::size_t, 5> counts{};
    for (int trial = 0; trial < 45; ++trial) {
        CAPTURE(trial);
        Vec3 (*const kinds_of_points[])(Random&) = {grid_point, flat_point, random_point};
        Soup soup = random_soup(random, 16, 7, 3, 3, kinds_of_points[trial % 3]);
        if (trial % 4 == 1) soup = soup.mapped([](const Vec3& p) { return Vec3(0.1 * p + Vec3(1e6, 0.3, -1e6)); });
        if (trial % 4 == 2) {
            const Mat3 R =
                Eigen::AngleAxisd(uniform(random, 0, 6), random_point(random).normalized()).toRotationMatrix();
            soup = soup.mapped([&](const Vec3& p) { return Vec3(R * p); });
        }
        if (trial % 16 == 3)
            soup = soup.mapped([&](const Vec3& p) { return Vec3((trial % 32 == 3 ? 1e-150 : 1e150) * p); });
        BodyPairTable table = soup.table();
        if (trial % 5 == 4) table.set(0, 0, false);
        if (trial % 5 == 3) table.set(0, 1, false);
        check_against_reference(soup, table, counts);
    }
    for (const std::size_t count : counts) CHECK(count > 20);
    MESSAGE("point-point " << counts[0] << ", point-edge " << counts[1] << ", point-triangle " << counts[2]
                           << ", edge-edge " << counts[3] << ", edge-triangle " << counts[4]);
}

TEST_CASE(
    "every pair of closed primitives with a point too many in common is covered by an entry, and no other pair is") {
    const std::uint64_t seed = 99;
    Random random(seed);
    INFO("seed " << seed);
    std::size_t improper = 0, proper = 0;
    for (int trial = 0; trial < 30; ++trial) {
        CAPTURE(trial);
        Soup soup = random_soup(random, 8, 4, 2, 2, trial % 5 == 0 ? random_point : grid_point);
        const CollisionSurface surface = soup.surface();
        const VecX x = soup.x();
        const auto found = find_intersections(surface, soup.table(), x);
        std::vector<Ids> primitives;
        for (const Triangle& t : surface.triangles) primitives.push_back(ids(t));
        for (const Edge& e : surface.edges) primitives.push_back(ids(e));
        for (const Index p : surface.bare_points) primitives.push_back({p});
        const auto within = [](std::span<const Index> part, const Ids& whole) {
            return std::all_of(part.begin(), part.end(),
                               [&](Index v) { return std::find(whole.begin(), whole.end(), v) != whole.end(); });
        };
        const auto extended = [&](const Ids& A) {  // a reduced primitive is an intersection of its own
            for (const Ids& F : faces_of(A)) {
                if (F.size() > 1 && !unique_combination(x, F, {F[0]})) return false;
            }
            return true;
        };
        for (std::size_t i = 0; i < primitives.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const Ids &A = primitives[i], &B = primitives[j];
                const bool covered = std::any_of(found.begin(), found.end(), [&](const Intersection& entry) {
                    const std::size_t first = entry.kind < Kind::edge_edge ? 1 : 2;
                    const std::size_t all = static_cast<std::size_t>(
                        std::find(entry.vertices.begin(), entry.vertices.end(), -1) - entry.vertices.begin());
                    const std::span<const Index> f(entry.vertices.data(), first),
                        s(entry.vertices.data() + first, all - first);
                    return (within(f, A) && within(s, B)) || (within(f, B) && within(s, A));
                });
                const bool expected = slow_improper(x, A, B);
                if (expected) REQUIRE(covered);
                if (extended(A) && extended(B)) REQUIRE(covered == expected);
                ++(expected ? improper : proper);
            }
        }
    }
    CHECK(improper > 200);
    CHECK(proper > 500);
    MESSAGE(improper << " improper pairs, " << proper << " proper ones");
}
