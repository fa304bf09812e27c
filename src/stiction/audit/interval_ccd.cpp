#include "stiction/audit/interval_ccd.hpp"

#include "stiction/audit/box_tree.hpp"
#include "stiction/audit/collect.hpp"
#include "stiction/audit/quadratic_tet.hpp"
#include "stiction/base/error.hpp"

#include <algorithm>
#include <tuple>

namespace stiction::audit {
namespace {

/// Results of one query against everything: how many pairs, and those that stay unproved.
struct Tally {
    long pairs = 0;
    std::vector<UnprovedPair> unproved;
};

class MoveSearch {
public:
    MoveSearch(const World& world, const VecX& x0, const VecX& x1, int work_limit)
        : world_(world), surface_(world.surface), x0_(x0), x1_(x1), work_limit_(work_limit) {}

    MoveCertificate run() {
        MoveCertificate result;
        result.moves = 1;
        surface_pairs();
        bare_pairs();
        half_spaces();
        result.pairs = pairs_;
        result.unproved = static_cast<long>(unproved_.size());
        result.proved = pairs_ - result.unproved;
        // Which pairs a query meets first depends on the tree.
        const auto key = [](const UnprovedPair& pair) { return std::tuple(pair.kind, pair.first, pair.second); };
        std::sort(unproved_.begin(), unproved_.end(),
                  [&](const UnprovedPair& a, const UnprovedPair& b) { return key(a) < key(b); });
        tets(result);
        unproved_.resize(std::min(unproved_.size(), most_unproved_listed));
        result.first_unproved = std::move(unproved_);
        return result;
    }

private:
    const Triangle& triangle(Index t) const { return surface_.triangles[static_cast<std::size_t>(t)]; }
    const Edge& edge(Index e) const { return surface_.edges[static_cast<std::size_t>(e)]; }
    Index body(Index v) const { return world_.body_of_vertex[static_cast<std::size_t>(v)]; }

    void certify(MovePairKind kind, PairKind geometry, Index first, Index second, std::array<Index, 4> vertices,
                 Tally& tally) const {
        PairMove move{geometry, {}, {}};
        for (std::size_t k = 0; k < pair_size(geometry); ++k) {
            move.x0[k] = x0_.segment<3>(3 * vertices[k]);
            move.x1[k] = x1_.segment<3>(3 * vertices[k]);
        }
        ++tally.pairs;
        const MoveVerdict verdict = certify_pair(move, work_limit_);
        if (verdict != MoveVerdict::separate) tally.unproved.push_back({kind, first, second, vertices, verdict});
    }

    /// query(i, tally) for all i, in parallel; adds up in the order of i.
    template <class Query>
    void add(std::size_t n, const Query& query) {
        for (const Tally& tally : collect<Tally>(n, [&](std::size_t i, std::vector<Tally>&out) {
                 Tally one;
                 query(static_cast<Index>(i), one);
                 if (out.empty()) out.emplace_back();
                 out.back().pairs += one.pairs;
                 out.back().unproved.insert(out.back().unproved.end(), one.unproved.begin(), one.unproved.end());
             })) {
            pairs_ += tally.pairs;
            unproved_.insert(unproved_.end(), tally.unproved.begin(), tally.unproved.end());
        }
    }

    void surface_pairs() {
        const BoxTree triangles = make_tree(surface_.triangles, surface_, world_.contact_pairs, x0_, x1_);
        add(surface_.vertices.size(), [&](Index i, Tally& tally) {
            const Index v = surface_.vertices[static_cast<std::size_t>(i)];
            triangles.query(moving_box(std::array{v}, x0_, x1_), body(v), [&](Index t) {
                const Triangle& c = triangle(t);
                if (std::find(c.begin(), c.end(), v) != c.end()) return;
                certify(MovePairKind::point_triangle, PairKind::point_triangle, v, t, {v, c[0], c[1], c[2]}, tally);
            });
        });
        const BoxTree edges = make_tree(surface_.edges, surface_, world_.contact_pairs, x0_, x1_);
        add(surface_.edges.size(), [&](Index e, Tally& tally) {
            const Edge& a = edge(e);
            edges.query(edges.box(e), body(a[0]), [&](Index f) {
                const Edge& b = edge(f);
                if (f <= e || a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) return;
                certify(MovePairKind::edge_edge, PairKind::edge_edge, e, f, {a[0], a[1], b[0], b[1]}, tally);
            });
        });
    }

    void bare_pairs() {
        const auto& points = surface_.bare_points;
        std::vector<Edge> bare_edges;
        std::vector<Index> loose = points;
        for (const Index e : surface_.bare_edges) {
            bare_edges.push_back(edge(e));
            for (const Index v : edge(e)) loose.push_back(v);
        }
        std::sort(loose.begin(), loose.end());
        loose.erase(std::unique(loose.begin(), loose.end()), loose.end());
        std::vector<std::array<Index, 1>> bare_points;
        for (const Index v : points) bare_points.push_back({v});
        const BoxTree edge_tree = make_tree(bare_edges, surface_, world_.contact_pairs, x0_, x1_);
        const BoxTree point_tree = make_tree(bare_points, surface_, world_.contact_pairs, x0_, x1_);
        add(loose.size(), [&](Index i, Tally& tally) {
            const Index v = loose[static_cast<std::size_t>(i)];
            edge_tree.query(moving_box(std::array{v}, x0_, x1_), body(v), [&](Index k) {
                const Edge& b = bare_edges[static_cast<std::size_t>(k)];
                if (b[0] == v || b[1] == v) return;
                certify(MovePairKind::point_edge, PairKind::point_edge, v,
                        surface_.bare_edges[static_cast<std::size_t>(k)], {v, b[0], b[1], -1}, tally);
            });
        });
        add(points.size(), [&](Index i, Tally& tally) {
            const Index v = points[static_cast<std::size_t>(i)];
            point_tree.query(moving_box(std::array{v}, x0_, x1_), body(v), [&](Index k) {
                const Index other = points[static_cast<std::size_t>(k)];
                if (v < other)
                    certify(MovePairKind::point_point, PairKind::point_point, v, other, {v, other, -1, -1}, tally);
            });
        });
    }

    void half_spaces() {
        for (std::size_t k = 0; k < world_.half_spaces.size(); ++k) {
            const HalfSpace& plane = world_.half_spaces[k];
            const Index o = plane.origin_vertex;
            for (const Index v : surface_.vertices) {
                if (!world_.contact_pairs.allowed(body(v), plane.body)) continue;
                ++pairs_;
                const MoveVerdict verdict =
                    certify_half_space(plane.normal, x0_.segment<3>(3 * o), x1_.segment<3>(3 * o),
                                       x0_.segment<3>(3 * v), x1_.segment<3>(3 * v));
                if (verdict != MoveVerdict::separate) {
                    unproved_.push_back(
                        {MovePairKind::point_half_space, v, static_cast<Index>(k), {v, o, -1, -1}, verdict});
                }
            }
        }
    }

    void tets(MoveCertificate& result) {
        for (std::size_t g = 0; g < world_.elastic.size(); ++g) {
            const TetElements& elements = world_.elastic[g].elements;
            if (!world_.elastic[g].keeps_orientation()) continue;
            const auto found =
                collect<UnprovedPair>(elements.size(), [&](std::size_t e, std::vector<UnprovedPair>& out) {
                    std::array<Vec3, 4> from, to;
                    for (std::size_t k = 0; k < 4; ++k) {
                        from[k] = x0_.segment<3>(3 * elements.vertices[e][k]);
                        to[k] = x1_.segment<3>(3 * elements.vertices[e][k]);
                    }
                    const MoveVerdict verdict = certify_tet(from, to);
                    if (verdict != MoveVerdict::separate) {
                        out.push_back({MovePairKind::tet, static_cast<Index>(g), static_cast<Index>(e),
                                       elements.vertices[e], verdict});
                    }
                });
            add_tets(elements.size(), found, result);
        }
        for (std::size_t g = 0; g < world_.quadratic.size(); ++g) {
            const Tet10Elements& elements = world_.quadratic[g].elements;
            if (!world_.quadratic[g].keeps_orientation()) continue;
            const auto number = static_cast<Index>(world_.elastic.size() + g);
            const auto found =
                collect<UnprovedPair>(elements.size(), [&](std::size_t e, std::vector<UnprovedPair>& out) {
                    const Tet10& nodes = elements.vertices[e];
                    const MoveVerdict verdict = certify_tet10(positions(nodes, x0_), positions(nodes, x1_));
                    if (verdict == MoveVerdict::separate) return;
                    out.push_back({MovePairKind::tet,
                                   number,
                                   static_cast<Index>(e),
                                   {nodes[0], nodes[1], nodes[2], nodes[3]},
                                   verdict});
                });
            add_tets(elements.size(), found, result);
        }
    }

    void add_tets(std::size_t count, const std::vector<UnprovedPair>& found, MoveCertificate& result) {
        result.tets += static_cast<long>(count);
        result.tets_unproved += static_cast<long>(found.size());
        unproved_.insert(unproved_.end(), found.begin(), found.end());
    }

    const World& world_;
    const CollisionSurface& surface_;
    const VecX &x0_, &x1_;
    int work_limit_;
    long pairs_ = 0;
    std::vector<UnprovedPair> unproved_;
};

}  // namespace

MoveCertificate& MoveCertificate::operator+=(const MoveCertificate& other) {
    moves += other.moves;
    pairs += other.pairs;
    proved += other.proved;
    unproved += other.unproved;
    tets += other.tets;
    tets_unproved += other.tets_unproved;
    const std::size_t room = most_unproved_listed - std::min(most_unproved_listed, first_unproved.size());
    const auto count = static_cast<std::ptrdiff_t>(std::min(room, other.first_unproved.size()));
    first_unproved.insert(first_unproved.end(), other.first_unproved.begin(), other.first_unproved.begin() + count);
    return *this;
}

MoveCertificate MoveCertifier::certify_move(const VecX& x0, const VecX& x1) const {
    const auto size = 3 * static_cast<Eigen::Index>(world_->vertex_count());
    STICTION_CHECK(x0.size() == size && x1.size() == size, "positions of all vertices");
    for (Index v = 0; v < world_->vertex_count(); ++v) {
        if (x0.segment<3>(3 * v).allFinite() && x1.segment<3>(3 * v).allFinite()) continue;
        MoveCertificate nothing;
        nothing.moves = nothing.pairs = nothing.unproved = 1;
        nothing.first_unproved = {{MovePairKind::not_finite, v, -1, {v, -1, -1, -1}, MoveVerdict::not_excluded}};
        return nothing;
    }
    return MoveSearch(*world_, x0, x1, work_limit_).run();
}

}  // namespace stiction::audit
