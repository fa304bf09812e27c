#include "stiction/base/parallel.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/contact/contact_set.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

using namespace stiction;
using namespace stiction::test;

namespace {

struct Soup {
    VecX x;
    CollisionSurface surface;
    BodyPairTable pairs{2};
    std::vector<double> lengths;
    BroadPhase broad_phase;
    ContactScene scene() const { return {&surface, &pairs, {}, lengths, {}}; }
};

/// Two bodies: a flat square of two triangles, and a small tilted triangle hovering over its diagonal.
Soup two_pieces(double height) {
    Soup soup;
    soup.x.resize(21);
    soup.x << 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0.5, height, 0.5, 0.7, height + 0.5, 0.5, 0.5, height + 0.5, 0.8;
    const std::vector<Triangle> triangles{{0, 2, 1}, {0, 3, 2}, {4, 5, 6}};
    soup.surface = make_collision_surface(triangles, {}, {}, {0, 0, 0, 0, 1, 1, 1});
    soup.lengths = edge_lengths_squared(soup.surface, soup.x);
    return soup;
}

}  // namespace

TEST_CASE("a vertex over an inner edge counts once for every pair that reduces to it") {
    Soup soup = two_pieces(0.01);
    soup.broad_phase.build(soup.surface, soup.pairs, soup.x);
    const ContactSet set = find_contacts(soup.scene(), soup.broad_phase.find(soup.x, 0.02), soup.x, 0.02);
    // The vertex sits over the shared diagonal: two point-triangle pairs and two edge-edge pairs all reduce to the same
    // point-edge pair (or to its triangles when rounding puts it inside).
    double multiplicity = 0.0;
    for (const Contact& contact : set.contacts) {
        CHECK(contact.squared_distance == relative(1e-4, 1e-13));
        multiplicity += contact.multiplicity;
    }
    CHECK(multiplicity == 4.0);
    CHECK(set.contacts.size() < 4);
    CHECK(set.min_gap == relative(0.01, 1e-13));
}

TEST_CASE("the smallest gap is that of all candidates, also where none is in reach and where one is") {
    // A triangle with its tip over two others: far beyond dhat, or near.
    for (const double height : {0.5, 0.3, 0.01}) {
        Soup soup = two_pieces(height);
        soup.broad_phase.build(soup.surface, soup.pairs, soup.x);
        const Candidates& wide = soup.broad_phase.find(soup.x, 2.0);
        double nearest = std::numeric_limits<double>::infinity();
        for (const PairKind kind : {PairKind::point_triangle, PairKind::edge_edge}) {
            for (const auto& pair : wide.pairs(kind)) {
                Vec3 points[4];
                gather_stencil(stencil_vertices(soup.surface, kind, pair), soup.x, points);
                nearest = std::min(nearest, std::sqrt(closest_squared_distance(kind, points)));
            }
        }
        CHECK(nearest == relative(height, 1e-12));
        for (const double dhat : {1e-6, 0.02, 0.4})
            CHECK(find_contacts(soup.scene(), wide, soup.x, dhat).min_gap == relative(nearest, 1e-13));
    }
}

TEST_CASE("pairs that are switched off and half-spaces are honoured") {
    Soup soup = two_pieces(0.01);
    soup.pairs.set(0, 1, false);
    soup.broad_phase.build(soup.surface, soup.pairs, soup.x);
    CHECK(find_contacts(soup.scene(), soup.broad_phase.find(soup.x, 0.02), soup.x, 0.02).contacts.empty());
    BodyPairTable pairs(3);
    soup.surface.body_of_vertex.push_back(2);
    VecX x(24);
    x << soup.x, 0, -0.015, 0;
    const std::vector<HalfSpace> planes{{2, 7, Vec3::UnitY()}};
    ContactScene scene{&soup.surface, &pairs, planes, soup.lengths, {}};
    const ContactSet set = find_contacts(scene, Candidates{}, x, 0.02);
    CHECK(set.contacts.size() == 4);  // the square's corners
    CHECK(set.min_gap == relative(0.015, 1e-13));
    pairs.set(0, 2, false);
    CHECK(find_contacts(scene, Candidates{}, x, 0.02).contacts.empty());
}

TEST_CASE("contact thickness: gaps count from half of both thicknesses, and only what is nearer is found") {
    Soup soup = two_pieces(0.01);
    soup.broad_phase.build(soup.surface, soup.pairs, soup.x);
    const std::vector<double> half{0.002, 0.004};
    ContactScene scene = soup.scene();
    scene.half_thickness = half;
    const auto& candidates = soup.broad_phase.find(soup.x, 0.03);
    const ContactSet set = find_contacts(scene, candidates, soup.x, 0.005);
    CHECK(set.min_gap == relative(0.004, 1e-13));
    REQUIRE_FALSE(set.contacts.empty());
    for (const Contact& contact : set.contacts) {
        CHECK(contact.offset == relative(0.006, 1e-13));
        CHECK(contact.squared_distance == relative(1e-4, 1e-13));
        CHECK(contact.squared_gap() == relative(1.6e-5, 1e-13));
    }
    CHECK(find_contacts(scene, candidates, soup.x, 0.0039).contacts.empty());
    CHECK(near_stencils(scene, candidates, soup.x, 0.0039).empty());
    CHECK_FALSE(near_stencils(scene, candidates, soup.x, 0.0041).empty());
    CHECK(find_contacts(soup.scene(), candidates, soup.x, 0.0099).contacts.empty());
}

TEST_CASE("a pair of bodies has the activation distance of the smaller and the strength of the lighter one") {
    Soup soup = two_pieces(0.01);
    soup.broad_phase.build(soup.surface, soup.pairs, soup.x);
    const auto& candidates = soup.broad_phase.find(soup.x, 0.1);
    ContactScene scene = soup.scene();
    const std::vector<double> shares{1.0, 0.25};
    std::vector<PairStrength> strengths{{3.0, 7.0, 1.0}, {0.5, 1.0, 0.25}};
    scene.length_share = shares;
    const auto found = [&](double dhat) { return find_contacts(scene, candidates, soup.x, dhat).contacts; };
    CHECK(found(0.039).empty());
    REQUIRE_FALSE(found(0.041).empty());
    CHECK(near_stencils(scene, candidates, soup.x, 0.039).empty());
    CHECK_FALSE(near_stencils(scene, candidates, soup.x, 0.041).empty());

    // The barrier is that of an activation distance of a quarter.
    const std::vector<Contact> own = found(0.08),
                               plain = find_contacts(soup.scene(), candidates, soup.x, 0.02).contacts;
    REQUIRE(own.size() == plain.size());
    const auto energy = [&](const std::vector<Contact>& contacts, double dhat) {
        double sum = 0.0;
        for (const Contact& contact : contacts) sum += barrier_value(contact, soup.x, dhat * dhat);
        return sum;
    };
    CHECK(energy(own, 0.08) == relative(energy(plain, 0.02), 1e-13));
    scene.strength = strengths;
    CHECK(energy(found(0.08), 0.08) == relative(0.5 * energy(plain, 0.02), 1e-13));
    strengths[1].by_length = 16.0;
    CHECK(energy(found(0.08), 0.08) == relative(8.0 * energy(plain, 0.02), 1e-13));
    // An obstacle leaves both to the other body.
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> infinite{infinity, 0.25};
    scene.length_share = infinite;
    strengths[0] = {infinity, 1.0, infinity};
    CHECK(energy(found(0.08), 0.08) == relative(8.0 * energy(plain, 0.02), 1e-13));
}

TEST_CASE("thousands of contacts: in the order of their keys, equal pairs once, same bits for any number of threads") {
    // Two square grids face each other, every vertex over one of the other grid: many primitives share each pair.
    constexpr Index n = 30;
    Soup soup;
    soup.x.resize(6 * n * n);
    std::vector<Triangle> triangles;
    for (Index side = 0; side < 2; ++side) {
        const auto number = [&](Index i, Index j) { return side * n * n + n * i + j; };
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) {
                soup.x.segment<3>(3 * number(i, j)) = Vec3(i, 0.01 * side + 1e-4 * std::sin(i + 2 * j + side), j);
                if (i == 0 || j == 0) continue;
                triangles.push_back({number(i - 1, j - 1), number(i, j), number(i, j - 1)});
                triangles.push_back({number(i - 1, j - 1), number(i - 1, j), number(i, j)});
            }
        }
    }
    std::vector<Index> bodies(at(2 * n * n), 0);
    std::fill(bodies.begin() + n * n, bodies.end(), 1);
    soup.surface = make_collision_surface(triangles, {}, {}, bodies);
    soup.lengths = edge_lengths_squared(soup.surface, soup.x);
    soup.broad_phase.build(soup.surface, soup.pairs, soup.x);
    const Candidates& candidates = soup.broad_phase.find(soup.x, 0.02);
    const auto key = [](const Contact& contact) { return std::tie(contact.kind, contact.pair, contact.vertices); };
    ContactSet expected;
    for (const int threads : {1, 2, 3}) {
        CAPTURE(threads);
        set_thread_count(threads);
        const ContactSet set = find_contacts(soup.scene(), candidates, soup.x, 0.02);
        if (threads == 1) expected = set;
        CHECK(set.contacts.size() > 500);  // what is fewer is sorted by one thread
        double multiplicity = 0.0;
        for (std::size_t i = 0; i < set.contacts.size(); ++i) {
            const Contact &contact = set.contacts[i], &same = expected.contacts.at(i);
            REQUIRE(key(contact) == key(same));
            REQUIRE(contact.multiplicity == same.multiplicity);
            REQUIRE(contact.squared_distance == same.squared_distance);
            multiplicity += contact.multiplicity;
            if (i == 0) continue;
            REQUIRE(key(set.contacts[i - 1]) <= key(contact));
            if (contact.kind == ContactKind::pair) REQUIRE(key(set.contacts[i - 1]) != key(contact));
        }
        CHECK(set.contacts.size() == expected.contacts.size());
        CHECK(multiplicity > 1.5 * static_cast<double>(set.contacts.size()));
    }
    set_thread_count(0);
}

TEST_CASE("contact set equals a brute-force search over all pairs") {
    const unsigned seed = 5;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(0.0, 1.0), offset(-0.15, 0.15);
    for (int trial = 0; trial < 20; ++trial) {
        Soup soup;
        const int count = 30;
        soup.x.resize(9 * count);
        std::vector<Triangle> triangles;
        for (int t = 0; t < count; ++t) {
            const Vec3 centre(place(random), place(random), place(random));
            for (int k = 0; k < 3; ++k)
                soup.x.segment<3>(9 * t + 3 * k) = centre + Vec3(offset(random), offset(random), offset(random));
            triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
        }
        soup.pairs = BodyPairTable(1);
        soup.surface = make_collision_surface(triangles, {}, {}, std::vector<Index>(3 * count, 0));
        soup.lengths = edge_lengths_squared(soup.surface, soup.x);
        soup.broad_phase.build(soup.surface, soup.pairs, soup.x);
        const double dhat = 0.05;
        const ContactSet set = find_contacts(soup.scene(), soup.broad_phase.find(soup.x, dhat), soup.x, dhat);
        double found = 0.0, expected = 0.0;
        for (const Contact& contact : set.contacts) found += contact.multiplicity;
        for (Index v = 0; v < 3 * count; ++v) {
            for (const Triangle& t : triangles) {
                if (v == t[0] || v == t[1] || v == t[2]) continue;
                const Vec3 points[4] = {soup.x.segment<3>(3 * v), soup.x.segment<3>(3 * t[0]),
                                        soup.x.segment<3>(3 * t[1]), soup.x.segment<3>(3 * t[2])};
                expected += closest_squared_distance(PairKind::point_triangle, points) < dhat * dhat;
            }
        }
        for (std::size_t i = 0; i < soup.surface.edges.size(); ++i) {
            for (std::size_t j = i + 1; j < soup.surface.edges.size(); ++j) {
                const Edge a = soup.surface.edges[i], b = soup.surface.edges[j];
                if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
                const Vec3 points[4] = {soup.x.segment<3>(3 * a[0]), soup.x.segment<3>(3 * a[1]),
                                        soup.x.segment<3>(3 * b[0]), soup.x.segment<3>(3 * b[1])};
                expected += closest_squared_distance(PairKind::edge_edge, points) < dhat * dhat;
            }
        }
        CHECK(found == expected);
        CHECK(expected > 0.0);
    }
}
