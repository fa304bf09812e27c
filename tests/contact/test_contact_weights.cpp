// Weights by area: areas, what triangles share, sums over flat faces, and a slow search.
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <random>
#include <set>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Bodies of triangles and bare points with everything that a search for contacts needs.
struct WeightedSoup {
    VecX x;
    std::vector<Triangle> triangles;
    std::vector<Index> points, body;
    CollisionSurface surface;
    BodyPairTable pairs;
    std::vector<double> lengths;
    BroadPhase broad_phase;

    void add(const Mesh& mesh, const Vec3& offset) {
        const auto first = static_cast<Index>(body.size());
        append(mesh.vertices, offset);
        for (const Triangle& t : mesh.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    void add_points(const std::vector<Vec3>& positions) {
        for (std::size_t i = 0; i < positions.size(); ++i) points.push_back(static_cast<Index>(body.size() + i));
        append(positions, Vec3::Zero());
    }
    /// @param itself  whether body 0 may touch itself
    void build(bool itself = true) {
        pairs = BodyPairTable(bodies_);
        pairs.set(0, 0, itself);
        surface = make_collision_surface(triangles, {}, points, body);
        lengths = edge_lengths_squared(surface, x);
        broad_phase.build(surface, pairs, x);
    }
    ContactSet contacts(double dhat, const ContactWeights* weights) {
        return find_contacts({&surface, &pairs, {}, lengths, {}, weights}, broad_phase.find(x, dhat), x, dhat);
    }

private:
    void append(const std::vector<Vec3>& positions, const Vec3& offset) {
        for (const Vec3& position : positions) {
            x.conservativeResize(x.size() + 3);
            x.tail<3>() = position + offset;
            body.push_back(bodies_);
        }
        ++bodies_;
    }
    Index bodies_ = 0;
};

double barrier_sum(const ContactSet& set, const VecX& x, double dhat) {
    double sum = 0.0;
    for (const Contact& contact : set.contacts) sum += barrier_value(contact, x, dhat * dhat);
    return sum;
}

double value_at(PairKind kind, const std::array<Index, 4>& stencil, const VecX& x, double dhat) {
    Vec3 points[4];
    gather_stencil(stencil, x, points);
    return barrier(closest_squared_distance(kind, points), dhat * dhat).value;
}

/// What a vertex has of all triangles without it: each triangle, edge and corner once, times the count for which the
/// counts of what holds it, itself included, add up to 1.
double point_sum(const WeightedSoup& soup, Index point, double dhat) {
    std::set<Edge> edges;
    std::set<Index> corners;
    std::vector<Triangle> counted;
    for (const Triangle& t : soup.triangles) {
        if (std::find(t.begin(), t.end(), point) != t.end()) continue;
        counted.push_back(t);
        for (std::size_t k = 0; k < 3; ++k) {
            edges.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
            corners.insert(t[k]);
        }
    }
    const auto holds = [](const auto& feature, Index v) {
        return std::find(feature.begin(), feature.end(), v) != feature.end();
    };
    double sum = 0.0;
    for (const Triangle& t : counted)
        sum += value_at(PairKind::point_triangle, {point, t[0], t[1], t[2]}, soup.x, dhat);
    const auto count_of = [&](const Edge& e) {
        return 1 - std::count_if(counted.begin(), counted.end(),
                                 [&](const Triangle& t) { return holds(t, e[0]) && holds(t, e[1]); });
    };
    for (const Edge& e : edges)
        sum += static_cast<double>(count_of(e)) * value_at(PairKind::point_edge, {point, e[0], e[1], -1}, soup.x, dhat);
    for (const Index corner : corners) {
        auto count =
            1 - std::count_if(counted.begin(), counted.end(), [&](const Triangle& t) { return holds(t, corner); });
        for (const Edge& e : edges) {
            if (holds(e, corner)) count -= count_of(e);
        }
        sum += static_cast<double>(count) * value_at(PairKind::point_point, {point, corner, -1, -1}, soup.x, dhat);
    }
    return sum;
}

/// The weighted barrier of a surface of triangles by a search over all pairs of primitives.
double slow_sum(const WeightedSoup& soup, const ContactWeights& weights, double dhat) {
    double sum = 0.0;
    for (const Index point : soup.surface.vertices) sum += weights.point_triangle(point) * point_sum(soup, point, dhat);
    const auto& edges = soup.surface.edges;
    for (Index i = 0; i < static_cast<Index>(edges.size()); ++i) {
        for (Index j = i + 1; j < static_cast<Index>(edges.size()); ++j) {
            const Edge &a = edges[static_cast<std::size_t>(i)], &b = edges[static_cast<std::size_t>(j)];
            if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
            const std::array<Index, 4> stencil{a[0], a[1], b[0], b[1]};
            Vec3 points[4];
            gather_stencil(stencil, soup.x, points);
            const double threshold = edge_edge_mollifier_threshold(soup.lengths[static_cast<std::size_t>(i)],
                                                                   soup.lengths[static_cast<std::size_t>(j)]);
            sum += weights.edge_edge(i, j) * edge_edge_mollifier(edge_cross_squared(points), threshold).value *
                   value_at(PairKind::edge_edge, stencil, soup.x, dhat);
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("weights by area: those of points and those of strips add up to the area of the surface") {
    WeightedSoup soup;
    soup.add(generate_ball(0.3, 4, Fill::surface), Vec3::Zero());
    soup.build();
    const double dhat = 0.01;
    double area = 0.0;
    for (const Triangle& t : soup.triangles) {
        const Vec3 a = soup.x.segment<3>(3 * t[0]), b = soup.x.segment<3>(3 * t[1]), c = soup.x.segment<3>(3 * t[2]);
        area += 0.5 * Vec3(b - a).cross(Vec3(c - a)).norm();
    }
    const ContactWeights weights(soup.surface, soup.x, dhat);
    double points = 0.0, strips = 0.0;
    for (const Index v : soup.surface.vertices) {
        points += weights.half_space(v);
        CHECK(weights.point_triangle(v) ==
              relative(0.5 * (1.0 - ContactWeights::edge_share) * weights.half_space(v), 1e-11));  // 40 bits
    }
    for (Index e = 0; e < static_cast<Index>(soup.surface.edges.size()); ++e) {
        const double width = std::sqrt(weights.edge_edge(e, e) / (ContactWeights::edge_share * 0.5 * std::numbers::pi));
        strips += width * std::sqrt(soup.lengths[static_cast<std::size_t>(e)]);
    }
    CHECK(points * dhat * dhat * dhat == relative(area, 1e-11));
    CHECK(strips * std::sqrt(dhat * dhat * dhat) == relative(area, 1e-11));
}

TEST_CASE("weights by area: bare points and edges are as wide as dhat, and a wide strip is cut") {
    const double dhat = 0.02;
    VecX x(21);
    x << 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0.5, 1, 0, 0, 2, 0, 0, 3, 0;
    const std::vector<Triangle> triangles{{0, 2, 1}};
    const std::vector<Edge> edges{{3, 4}};
    const std::vector<Index> points{5, 6};
    const CollisionSurface surface = make_collision_surface(triangles, edges, points, std::vector<Index>(7, 0));
    const ContactWeights weights(surface, x, dhat);
    const double cube = dhat * dhat * dhat;
    CHECK(weights.half_space(0) == relative(0.5 / 3.0 / cube, 1e-11));
    CHECK(weights.half_space(3) == relative(0.25 * dhat / cube, 1e-11));
    CHECK(weights.half_space(5) == relative(dhat * dhat / cube, 1e-11));
    CHECK(weights.pair(PairKind::point_point, {5, 6}) == relative(dhat * dhat / cube, 1e-11));
    REQUIRE(surface.bare_edges.size() == 1);
    const Index bare = surface.bare_edges[0];
    const double crossing = ContactWeights::edge_share * 0.5 * std::numbers::pi;
    CHECK(weights.edge_edge(bare, bare) == relative(crossing * dhat * dhat / cube, 1e-11));
    // The strips of the triangle's edges are 0.12 m wide or more.
    CHECK(weights.edge_edge(0, bare) == relative(ContactWeights::widest_ratio * crossing * dhat * dhat / cube, 1e-11));
    CHECK(weights.edge_edge(0, bare) == weights.edge_edge(bare, 0));
}

TEST_CASE("weights by area: an end over a straight chain of bare edges counts once for the chain, wherever it is") {
    const double dhat = 0.05, height = 0.02;
    for (const double place : {0.0, 0.01, 0.013, 0.02, 0.0299}) {
        // A chain along x, and an upright edge over it whose upper end is out of reach.
        std::vector<Vec3> at;
        std::vector<Edge> edges;
        for (int k = 0; k < 12; ++k) {
            at.push_back(Vec3(0.01 * (k - 5), 0, 0));
            if (k > 0) edges.push_back({k - 1, k});
        }
        at.push_back(Vec3(place, height, 0));
        at.push_back(Vec3(place, height + 1.0, 0));
        edges.push_back({12, 13});
        std::vector<Index> body(14, 0);
        body[12] = body[13] = 1;
        VecX x(42);
        for (std::size_t v = 0; v < 14; ++v) x.segment<3>(3 * static_cast<Eigen::Index>(v)) = at[v];
        const CollisionSurface surface = make_collision_surface({}, edges, {}, body);
        const ContactWeights weights(surface, x, dhat);
        Candidates points_of_upright;
        for (const Index e : surface.bare_edges) {
            if (surface.edges[static_cast<std::size_t>(e)][0] != 12) points_of_upright.point_edge.push_back({12, e});
        }
        REQUIRE(points_of_upright.size() == 11);
        const BodyPairTable table(2);
        const std::vector<double> lengths = edge_lengths_squared(surface, x);
        const ContactScene scene{&surface, &table, {}, lengths, {}, &weights};
        const ContactSet set = find_contacts(scene, points_of_upright, x, dhat);
        const double once = weights.point_triangle(12) * barrier(height * height, dhat * dhat).value;
        CHECK(barrier_sum(set, x, dhat) == relative(once, 1e-9));
    }
}

TEST_CASE("weights by area: a point over a flat mesh finer than dhat counts once, wherever it is") {
    const double dhat = 0.05, height = 0.02;
    const unsigned seed = 5;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> inside(-0.1, 0.1);
    for (int trial = 0; trial < 40; ++trial) {
        WeightedSoup soup;
        soup.add(generate_cloth(0.2, 0.2, 20, 20), Vec3::Zero());
        // Over a vertex, an edge, the rim and anywhere.
        const Vec3 at = trial == 0   ? Vec3(0, height, 0)
                        : trial == 1 ? Vec3(0.005, height, 0)
                        : trial == 2 ? Vec3(0.1, height, 0.003)
                                     : Vec3(inside(random), height, inside(random));
        soup.add_points({at});
        soup.build(false);
        const ContactWeights weights(soup.surface, soup.x, dhat);
        const double once = weights.point_triangle(soup.points[0]) * barrier(height * height, dhat * dhat).value;
        const ContactSet set = soup.contacts(dhat, &weights);
        CHECK(barrier_sum(set, soup.x, dhat) == relative(once, 1e-9));  // hundreds of terms cancel
        CHECK(set.min_gap == relative(height, 1e-12));
        const ContactSet counted = soup.contacts(dhat, nullptr);
        CHECK(barrier_sum(counted, soup.x, dhat) > 10.0 * barrier(height * height, dhat * dhat).value);
        // What cancels leaves no contact behind.
        CHECK(set.contacts.size() < counted.contacts.size());
    }
}

TEST_CASE("weights by area: a point in a valley counts its two sides, and takes away their common edge") {
    const double dhat = 0.1;
    WeightedSoup soup;
    Mesh valley;
    valley.vertices = {{0, 0, -1}, {0, 0, 1}, {1, 1, 0}, {-1, 1, 0}};
    valley.triangles = {{0, 1, 2}, {1, 0, 3}};
    soup.add(valley, Vec3::Zero());
    soup.add_points({{0.002, 0.05, 0.1}});
    soup.build();
    const ContactWeights weights(soup.surface, soup.x, dhat);
    const ContactSet set = soup.contacts(dhat, &weights);
    REQUIRE(set.contacts.size() == 3);
    const double whole = weights.point_triangle(soup.points[0]);
    double sum = 0.0;
    for (const Contact& contact : set.contacts) {
        CHECK(contact.multiplicity == (contact.pair == PairKind::point_triangle ? whole : -whole));
        sum += contact.multiplicity;
    }
    CHECK(sum == whole);
}

TEST_CASE("weights by area: the sum over contacts is that of a slow search, self-contact and shared corners included") {
    const unsigned seed = 23;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> jitter(-0.02, 0.02);
    int negative = 0;
    for (int trial = 0; trial < 12; ++trial) {
        WeightedSoup soup;
        soup.add(trial % 2 == 0 ? generate_cloth(0.2, 0.2, 4, 4) : generate_ball(0.08, 2, Fill::surface), Vec3::Zero());
        soup.add(generate_cloth(0.15, 0.2, 3, 5), {0.01, trial % 2 == 0 ? 0.03 : 0.1, 0.02});
        if (trial >= 6) {  // three triangles at an edge, and two surfaces that share a corner
            soup.triangles.push_back({0, 1, static_cast<Index>(soup.body.size()) - 1});
            soup.triangles.push_back(
                {2, static_cast<Index>(soup.body.size()) - 2, static_cast<Index>(soup.body.size()) - 9});
            std::fill(soup.body.begin(), soup.body.end(), 0);
        }
        for (double& value : soup.x) value += jitter(random);
        soup.build();
        const double dhat = 0.06;
        const ContactWeights weights(soup.surface, soup.x, dhat);
        const ContactSet set = soup.contacts(dhat, &weights);
        CHECK(barrier_sum(set, soup.x, dhat) == relative(slow_sum(soup, weights, dhat), 1e-9));
        for (const Contact& contact : set.contacts) {
            CHECK(contact.multiplicity != 0.0);
            negative += contact.multiplicity < 0.0;
        }
    }
    CHECK(negative > 100);
}

TEST_CASE("weights by area: half-spaces have the whole area of a vertex") {
    WeightedSoup soup;
    soup.add(generate_cloth(0.3, 0.3, 3, 3), {0, 0.004, 0});
    soup.body.push_back(1);
    soup.x.conservativeResize(soup.x.size() + 3);
    soup.x.tail<3>().setZero();
    soup.build();
    soup.pairs = BodyPairTable(2);
    const HalfSpace planes[] = {{1, static_cast<Index>(soup.body.size()) - 1, {0, 1, 0}}};
    const double dhat = 0.01;
    const ContactWeights weights(soup.surface, soup.x, dhat);
    const ContactSet set =
        find_contacts({&soup.surface, &soup.pairs, planes, soup.lengths, {}, &weights}, {}, soup.x, dhat);
    REQUIRE(set.contacts.size() == 16);
    CHECK(barrier_sum(set, soup.x, dhat) ==
          relative(0.09 / (dhat * dhat * dhat) * barrier(0.004 * 0.004, dhat * dhat).value, 1e-10));
}

TEST_CASE("weights by area: the energy of two flat faces converges under refinement, that of counted pairs grows") {
    // dhat is far below the length of edges, so that crossings are all that edge-edge pairs have.
    const double dhat = 1e-5, gap = 4e-6, angle = 20.0 * std::numbers::pi / 180.0;
    const double b = barrier(gap * gap, dhat * dhat).value, density = b / (dhat * dhat * dhat);
    std::vector<double> weighted, counted;
    for (const int cells : {8, 16, 32, 64}) {
        WeightedSoup soup;
        Mesh upper = generate_cloth(0.2, 0.2, cells, cells);
        for (Vec3& v : upper.vertices)
            v = {std::cos(angle) * v.x() - std::sin(angle) * v.z(), gap,
                 std::sin(angle) * v.x() + std::cos(angle) * v.z()};
        soup.add(generate_cloth(0.4, 0.4, 2 * cells, 2 * cells), {0.0013, 0, 0.0007});
        soup.add(upper, Vec3::Zero());
        soup.build();
        const ContactWeights weights(soup.surface, soup.x, dhat);
        weighted.push_back(barrier_sum(soup.contacts(dhat, &weights), soup.x, dhat) / (0.04 * density));
        counted.push_back(barrier_sum(soup.contacts(dhat, nullptr), soup.x, dhat) / b);
    }
    MESSAGE("energy over that of the area: ", weighted[0], " ", weighted[1], " ", weighted[2], " ", weighted[3]);
    MESSAGE("energy over that of one pair: ", counted[0], " ", counted[1], " ", counted[2], " ", counted[3]);
    // pi/2 |sin| on average over the directions of two edges: a third along each axis, a sixth along each diagonal.
    const double quarter_turn = std::numbers::pi / 4.0;
    const std::array<std::pair<double, double>, 4> directions{{{0.0, 1.0 / 3.0},
                                                               {quarter_turn, 1.0 / 6.0},
                                                               {2.0 * quarter_turn, 1.0 / 3.0},
                                                               {3.0 * quarter_turn, 1.0 / 6.0}}};
    double crossings = 0.0;
    for (const auto& [a, part_a] : directions) {
        for (const auto& [c, part_c] : directions)
            crossings += 0.5 * std::numbers::pi * part_a * part_c * std::abs(std::sin(a - c + angle));
    }
    CHECK(weighted[3] == relative(1.0 + ContactWeights::edge_share * (crossings - 1.0), 5e-3));
    CHECK(weighted[3] == relative(1.0, 0.02));
    for (std::size_t k = 1; k < 4; ++k) CHECK(counted[k] > 3.0 * counted[k - 1]);
}
