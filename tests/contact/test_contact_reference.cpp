// The contact set, entry by entry, against a search over all pairs of primitives.
#include "stiction/contact/contact_pair.hpp"
#include "stiction/contact/contact_set.hpp"

#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

using namespace stiction;

namespace {

using Key = std::tuple<ContactKind, PairKind, std::array<Index, 4>>;
using Stencil = std::array<Index, 4>;

/// Two bodies of loose triangles, bare edges and bare points, many of them parallel copies, over a half-space.
struct Pile {
    VecX x;
    CollisionSurface surface;
    BodyPairTable pairs{3};
    std::vector<double> lengths, half_thickness;
    std::vector<HalfSpace> planes;

    ContactScene scene() const { return {&surface, &pairs, planes, lengths, half_thickness}; }
};

Pile random_pile(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(0.0, 0.6), side(-0.2, 0.2), near(-0.03, 0.03);
    std::vector<Vec3> points;
    std::vector<Index> bodies;
    const auto add = [&](const Vec3& point, Index body) {
        points.push_back(point);
        bodies.push_back(body);
        return static_cast<Index>(points.size()) - 1;
    };
    const auto vector = [&](auto& distribution) {
        return Vec3(distribution(random), distribution(random), distribution(random));
    };
    std::vector<Triangle> triangles;
    std::vector<Edge> edges;
    std::vector<Index> loose;
    for (int t = 0; t < 12; ++t) {
        const Vec3 a = vector(place), b = a + vector(side), c = a + vector(side), shift = vector(near);
        triangles.push_back({add(a, 0), add(b, 0), add(c, 0)});
        // A parallel copy: vertices over vertices, edges along edges.
        triangles.push_back({add(a + shift, 1), add(b + shift, 1), add(c + shift, 1)});
        edges.push_back({add(b - shift, t % 2), add(a - shift, t % 2)});
        loose.push_back(add(0.5 * (a + b) + vector(near), t % 2));
        // A chain of two bare edges, parallel to the first one and on, and one on its line.
        const Vec3 along = 0.4 * (b - a);
        const Index middle = add(b - shift + 0.5 * vector(near), (t + 1) % 2),
                    end = add(b - shift + along + vector(near), (t + 1) % 2);
        edges.push_back({add(a - shift + 0.5 * vector(near), (t + 1) % 2), middle});
        edges.push_back({middle, end});
        edges.push_back({add(b - shift + 0.05 * along, t % 2), add(b - shift + 1.3 * along, t % 2)});
        loose.push_back(add(a - shift + vector(near), 1));
    }
    // Vertices may have higher ids than those that they meet, and lower ones.
    const Index origin = add(Vec3(0.1, 0.15, 0.0), 2);
    Pile pile;
    pile.x.resize(3 * static_cast<Eigen::Index>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) pile.x.segment<3>(3 * static_cast<Eigen::Index>(i)) = points[i];
    pile.surface = make_collision_surface(triangles, edges, loose, bodies);
    pile.lengths = edge_lengths_squared(pile.surface, pile.x);
    pile.planes = {{2, origin, Vec3(1, 3, -2).normalized()}};
    return pile;
}

bool is_end(Index vertex, const Edge& edge) {
    return edge[0] == vertex || edge[1] == vertex;
}

/// Calls visit(kind, stencil, edges) for every pair of primitives that may touch; of edges their indices, else -1.
template <class Visit>
void for_all_pairs(const Pile& pile, const Visit& visit) {
    const CollisionSurface& surface = pile.surface;
    const auto allowed = [&](Index a, Index b) {
        return pile.pairs.allowed(surface.body_of_vertex[static_cast<std::size_t>(a)],
                                  surface.body_of_vertex[static_cast<std::size_t>(b)]);
    };
    const auto edge = [&](Index e) { return surface.edges[static_cast<std::size_t>(e)]; };
    for (const Index v : surface.vertices) {
        for (const Triangle& t : surface.triangles) {
            if (v != t[0] && v != t[1] && v != t[2] && allowed(v, t[0]))
                visit(PairKind::point_triangle, Stencil{v, t[0], t[1], t[2]}, -1, -1);
        }
    }
    for (Index i = 0; i < static_cast<Index>(surface.edges.size()); ++i) {
        for (Index j = i + 1; j < static_cast<Index>(surface.edges.size()); ++j) {
            const Edge a = edge(i), b = edge(j);
            if (a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1] && allowed(a[0], b[0]))
                visit(PairKind::edge_edge, Stencil{a[0], a[1], b[0], b[1]}, i, j);
        }
    }
    for (const Index p : surface.vertices) {
        const bool loose = std::ranges::count(surface.bare_points, p) > 0 ||
                           std::ranges::any_of(surface.bare_edges, [&](Index e) { return is_end(p, edge(e)); });
        if (!loose) continue;
        for (const Index e : surface.bare_edges) {
            if (!is_end(p, edge(e)) && allowed(p, edge(e)[0]))
                visit(PairKind::point_edge, Stencil{p, edge(e)[0], edge(e)[1], -1}, -1, -1);
        }
    }
    for (const Index p : surface.bare_points) {
        for (const Index q : surface.bare_points) {
            if (p < q && allowed(p, q)) visit(PairKind::point_point, Stencil{p, q, -1, -1}, -1, -1);
        }
    }
}

double offset_of(const Pile& pile, Index a, Index b) {
    if (pile.half_thickness.empty()) return 0.0;
    const auto half = [&](Index v) {
        return pile.half_thickness[static_cast<std::size_t>(pile.surface.body_of_vertex[static_cast<std::size_t>(v)])];
    };
    return half(a) + half(b);
}

Index last_vertex(const Stencil& stencil) {
    return *std::find_if(stencil.rbegin(), stencil.rend(), [](Index v) { return v >= 0; });
}

/// The contacts that there should be, and the smallest gap of all pairs.
std::map<Key, Contact> expected_contacts(const Pile& pile, double dhat, double& min_gap) {
    std::map<Key, Contact> result;
    min_gap = std::numeric_limits<double>::infinity();
    const auto add = [&](const Contact& contact) {
        const auto [at, added] = result.insert({{contact.kind, contact.pair, contact.vertices}, contact});
        if (!added) at->second.multiplicity += 1.0;
    };
    for_all_pairs(pile, [&](PairKind kind, const Stencil& stencil, Index first, Index second) {
        Vec3 points[4];
        gather_stencil(stencil, pile.x, points);
        const ClosestFeature feature = classify(kind, points);
        Contact contact;
        contact.pair = feature.kind;
        contact.squared_distance = closest_squared_distance(kind, points);
        contact.offset = offset_of(pile, stencil[0], last_vertex(stencil));
        const double gap = std::sqrt(contact.squared_distance) - contact.offset;
        min_gap = std::min(min_gap, std::max(gap, 0.0));
        if (gap >= dhat) return;
        if (kind == PairKind::edge_edge) {
            const double threshold =
                1e-3 * pile.lengths[static_cast<std::size_t>(first)] * pile.lengths[static_cast<std::size_t>(second)];
            const double cross = (points[1] - points[0]).cross(points[3] - points[2]).squaredNorm();
            if (cross < threshold) {
                contact.kind = ContactKind::mollified_pair;
                contact.vertices = stencil;
                contact.local = feature.local;
                contact.mollifier_threshold = threshold;
                add(contact);
                return;
            }
        }
        for (std::size_t k = 0; k < 4; ++k)
            contact.vertices[k] = feature.local[k] < 0 ? -1 : stencil[static_cast<std::size_t>(feature.local[k])];
        if (contact.pair == PairKind::point_point) std::sort(contact.vertices.begin(), contact.vertices.begin() + 2);
        if (contact.pair == PairKind::point_edge) std::sort(contact.vertices.begin() + 1, contact.vertices.begin() + 3);
        add(contact);
    });
    for (const HalfSpace& plane : pile.planes) {
        for (const Index v : pile.surface.vertices) {
            if (!pile.pairs.allowed(pile.surface.body_of_vertex[static_cast<std::size_t>(v)], plane.body)) continue;
            Contact contact;
            contact.kind = ContactKind::half_space;
            contact.vertices = {v, plane.origin_vertex, -1, -1};
            contact.offset = offset_of(pile, v, plane.origin_vertex);
            contact.normal = plane.normal;
            const double distance =
                std::max(0.0, plane.normal.dot(pile.x.segment<3>(3 * v) - pile.x.segment<3>(3 * plane.origin_vertex)));
            contact.squared_distance = distance * distance;
            min_gap = std::min(min_gap, std::max(distance - contact.offset, 0.0));
            if (distance - contact.offset < dhat) add(contact);
        }
    }
    return result;
}

bool close(double a, double b) {
    return std::abs(a - b) <= 1e-12 * std::abs(b);
}

/// Every pair that may touch is a candidate, however far: several blocks of them.
const Candidates& all_candidates(const Pile& pile, BroadPhase& broad_phase) {
    broad_phase.build(pile.surface, pile.pairs, pile.x);
    return broad_phase.find(pile.x, 10.0);
}

void compare(const Pile& pile, double dhat, std::map<std::pair<ContactKind, PairKind>, int>& seen) {
    BroadPhase broad_phase;
    const Candidates& candidates = all_candidates(pile, broad_phase);
    const ContactSet set = find_contacts(pile.scene(), candidates, pile.x, dhat);
    double min_gap = 0.0;
    const std::map<Key, Contact> expected = expected_contacts(pile, dhat, min_gap);
    CHECK(std::abs(set.min_gap - min_gap) <= 1e-12 * min_gap);
    REQUIRE(set.contacts.size() == expected.size());
    auto other = expected.begin();  // both are sorted by the key
    for (const Contact& contact : set.contacts) {
        const Contact& wanted = other++->second;
        ++seen[{wanted.kind, wanted.pair}];
        REQUIRE(contact.kind == wanted.kind);
        REQUIRE(contact.pair == wanted.pair);
        REQUIRE(contact.vertices == wanted.vertices);
        CHECK(contact.multiplicity == wanted.multiplicity);
        CHECK(close(contact.squared_distance, wanted.squared_distance));
        CHECK(contact.offset == wanted.offset);
        CHECK(contact.normal == wanted.normal);
        CHECK(contact.mollifier_threshold == wanted.mollifier_threshold);
        CHECK(contact.local == wanted.local);
    }
}

}  // namespace

TEST_CASE(
    "contact set: each contact with its features, multiplicity and distance, in order, as a slow search finds it") {
    std::map<std::pair<ContactKind, PairKind>, int> seen;
    for (unsigned seed = 1; seed <= 6; ++seed) {
        CAPTURE(seed);
        Pile pile = random_pile(seed);
        compare(pile, 0.03, seen);
        pile.half_thickness = {0.004, 0.007, 0.011};
        compare(pile, 0.02, seen);
        pile.pairs.set(0, 1, false);
        pile.pairs.set(1, 2, false);
        compare(pile, 0.04, seen);
    }
    for (const PairKind kind :
         {PairKind::point_point, PairKind::point_edge, PairKind::point_triangle, PairKind::edge_edge})
        CHECK(seen[{ContactKind::pair, kind}] > 10);
    for (const PairKind kind : {PairKind::point_point, PairKind::point_edge})
        CHECK(seen[{ContactKind::mollified_pair, kind}] > 0);
    CHECK(seen[{ContactKind::half_space, PairKind::point_point}] > 10);
}

TEST_CASE("near stencils: the vertices of all pairs with a gap below the distance, as a slow search finds them") {
    for (unsigned seed = 11; seed <= 14; ++seed) {
        CAPTURE(seed);
        for (const std::vector<double>& half : {std::vector<double>{}, std::vector<double>{0.004, 0.007, 0.011}}) {
            Pile pile = random_pile(seed);
            pile.half_thickness = half;
            BroadPhase broad_phase;
            std::vector<Stencil> found = near_stencils(pile.scene(), all_candidates(pile, broad_phase), pile.x, 0.03),
                                 expected;
            for_all_pairs(pile, [&](PairKind kind, const Stencil& stencil, Index, Index) {
                Vec3 points[4];
                gather_stencil(stencil, pile.x, points);
                const double offset = offset_of(pile, stencil[0], last_vertex(stencil));
                if (std::sqrt(closest_squared_distance(kind, points)) - offset < 0.03) expected.push_back(stencil);
            });
            const HalfSpace& plane = pile.planes[0];
            for (const Index v : pile.surface.vertices) {
                const double distance =
                    plane.normal.dot(pile.x.segment<3>(3 * v) - pile.x.segment<3>(3 * plane.origin_vertex));
                if (distance - offset_of(pile, v, plane.origin_vertex) < 0.03)
                    expected.push_back({v, plane.origin_vertex, -1, -1});
            }
            std::sort(found.begin(), found.end());
            std::sort(expected.begin(), expected.end());
            CHECK(found == expected);
            CHECK(expected.size() > 50);
        }
    }
}

TEST_CASE("contact set: nothing to look at is no contact and no gap") {
    Pile pile = random_pile(21);
    pile.planes.clear();
    const ContactSet set = find_contacts(pile.scene(), Candidates{}, pile.x, 0.1);
    CHECK(set.contacts.empty());
    CHECK(set.min_gap == std::numeric_limits<double>::infinity());
}

TEST_CASE("contact set: a search that is used again finds what a new one does") {
    ContactSearch search;
    for (unsigned seed = 31; seed <= 34; ++seed) {
        const Pile pile = random_pile(seed);
        BroadPhase broad_phase;
        const Candidates& candidates = all_candidates(pile, broad_phase);
        // From many blocks to few and back.
        const Candidates none;
        const double dhat = seed % 2 == 0 ? 0.01 : 0.04;
        const ContactSet fresh = find_contacts(pile.scene(), candidates, pile.x, dhat);
        const ContactSet& again = search.find(pile.scene(), candidates, pile.x, dhat);
        REQUIRE(again.contacts.size() == fresh.contacts.size());
        CHECK(again.min_gap == fresh.min_gap);
        const std::size_t planes = find_contacts(pile.scene(), none, pile.x, dhat).contacts.size();
        CHECK(search.find(pile.scene(), none, pile.x, dhat).contacts.size() == planes);
        CHECK(search.take().contacts.size() == planes);
    }
}

TEST_CASE("contact set: lengths of edges are those at rest") {
    const Pile pile = random_pile(41);
    REQUIRE(pile.lengths.size() == pile.surface.edges.size());
    for (std::size_t e = 0; e < pile.lengths.size(); ++e) {
        const auto [a, b] = pile.surface.edges[e];
        double sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) sum += std::pow(pile.x[3 * a + axis] - pile.x[3 * b + axis], 2);
        CHECK(close(pile.lengths[e], sum));
    }
}

TEST_CASE("contact pairs: features, closest points and gap of every contact that is found") {
    int planes = 0, mollified = 0;
    for (unsigned seed = 51; seed <= 54; ++seed) {
        CAPTURE(seed);
        Pile pile = random_pile(seed);
        pile.half_thickness = {0.004, 0.007, 0.011};
        BroadPhase broad_phase;
        const ContactSet set = find_contacts(pile.scene(), all_candidates(pile, broad_phase), pile.x, 0.03);
        for (const Contact& contact : set.contacts) {
            const ContactPair pair = contact_pair(contact, pile.x);
            const bool plane = contact.kind == ContactKind::half_space;
            CHECK(pair.key.half_space == plane);
            CHECK(pair.offset == contact.offset);
            CHECK((pair.frame() * pair.frame().transpose() - Mat3::Identity()).norm() <= 1e-13);
            if (plane) {
                const HalfSpace& wall = pile.planes[0];
                CHECK(pair.key.vertices == contact.vertices);
                CHECK(pair.key.vertices[1] == wall.origin_vertex);
                const Vec3 r = pile.x.segment<3>(3 * contact.vertices[0]) - pile.x.segment<3>(3 * wall.origin_vertex);
                CHECK((pair.relative(pile.x) - r).norm() <= 1e-15);
                CHECK(std::abs(pair.gap(pile.x) - (wall.normal.dot(r) - contact.offset)) <= 1e-15);
                ++planes;
                continue;
            }
            CHECK(pair.key.kind == contact.pair);
            std::vector<Index> wanted, found;
            for (int k = 0; k < vertex_count(contact.pair); ++k) {
                const auto place = static_cast<std::size_t>(k);
                const bool all_four = contact.kind == ContactKind::mollified_pair;
                wanted.push_back(contact.vertices[all_four ? static_cast<std::size_t>(contact.local[place]) : place]);
                found.push_back(pair.key.vertices[place]);
            }
            std::sort(wanted.begin(), wanted.end());
            std::sort(found.begin(), found.end());
            CHECK(found == wanted);
            const double distance = std::sqrt(contact.squared_distance);
            CHECK(std::abs(pair.gap(pile.x) - (distance - contact.offset)) <= 1e-13);
            CHECK((pair.relative(pile.x) - distance * pair.normal).norm() <= 1e-12);
            if (contact.kind == ContactKind::mollified_pair) {
                ++mollified;
                continue;
            }
            const ContactPair stencil = stencil_pair(contact, pile.x);
            CHECK(stencil.key.vertices == contact.vertices);
            CHECK(std::abs(stencil.gap(pile.x) - pair.gap(pile.x)) <= 1e-13);
        }
    }
    CHECK(planes > 10);
    CHECK(mollified > 10);
}
