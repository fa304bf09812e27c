#include "stiction/collision/candidates.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/marked_vertices.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stiction {

namespace {

using Pair = std::array<Index, 2>;

// A tree is rebuilt when its cost has grown by this factor since it was built.
constexpr double rebuild_growth = 1.5;

Vec3 position(const VecX& x, Index v) {
    return x.segment<3>(3 * v);
}

template <std::size_t N>
Box swept_box(const std::array<Index, N>& vertices, const VecX& x0, const VecX& x1, double inflation) {
    Box box;
    for (const Index v : vertices) {
        box.add(position(x0, v));
        box.add(position(x1, v));
    }
    box.inflate(inflation);
    return box;
}

template <std::size_t N>
bool contains(const std::array<Index, N>& vertices, Index v) {
    return std::find(vertices.begin(), vertices.end(), v) != vertices.end();
}

// Expected cost of a query relative to the size of the items; the root term keeps it finite for items without extent.
double relative_cost(const Bvh& tree, const std::vector<Box>& boxes) {
    if (boxes.size() < 2) return 0.0;
    double leaves = 0.0;
    for (const Box& box : boxes) leaves += box.half_area();
    const double scale = leaves + 1e-3 * tree.nodes().front().box.half_area();
    return scale > 0.0 ? tree.inner_area() / scale : 0.0;
}

}  // namespace

void Candidates::clear() {
    point_triangle.clear();
    edge_edge.clear();
    point_edge.clear();
    point_point.clear();
}

Candidates Candidates::select(const CollisionSurface& surface, const std::vector<char>& marked,
                              bool with_marked) const {
    const auto select_pairs = [&](PairKind kind, std::vector<Pair>& selected) {
        std::ranges::copy_if(pairs(kind), std::back_inserter(selected), [&](const Pair& pair) {
            return any_marked(stencil_vertices(surface, kind, pair), marked) == with_marked;
        });
    };
    Candidates result;
    select_pairs(PairKind::point_triangle, result.point_triangle);
    select_pairs(PairKind::edge_edge, result.edge_edge);
    select_pairs(PairKind::point_edge, result.point_edge);
    select_pairs(PairKind::point_point, result.point_point);
    return result;
}

void Candidates::merge(const Candidates& others) {
    const auto merge_pairs = [](std::vector<Pair>& pairs, const std::vector<Pair>& more) {
        const auto middle = static_cast<std::ptrdiff_t>(pairs.size());
        pairs.insert(pairs.end(), more.begin(), more.end());
        std::inplace_merge(pairs.begin(), pairs.begin() + middle, pairs.end());
    };
    merge_pairs(point_triangle, others.point_triangle);
    merge_pairs(edge_edge, others.edge_edge);
    merge_pairs(point_edge, others.point_edge);
    merge_pairs(point_point, others.point_point);
}

const std::vector<std::array<Index, 2>>& Candidates::pairs(PairKind kind) const {
    switch (kind) {
        case PairKind::point_point: return point_point;
        case PairKind::point_edge: return point_edge;
        case PairKind::point_triangle: return point_triangle;
        case PairKind::edge_edge: break;
    }
    return edge_edge;
}

std::array<Index, 4> stencil_vertices(const CollisionSurface& surface, PairKind kind,
                                      const std::array<Index, 2>& pair) {
    switch (kind) {
        case PairKind::point_point: return {pair[0], pair[1], -1, -1};
        case PairKind::point_edge: {
            const Edge& e = surface.edges[at(pair[1])];
            return {pair[0], e[0], e[1], -1};
        }
        case PairKind::point_triangle: {
            const Triangle& t = surface.triangles[at(pair[1])];
            return {pair[0], t[0], t[1], t[2]};
        }
        case PairKind::edge_edge: break;
    }
    const Edge& a = surface.edges[at(pair[0])];
    const Edge& b = surface.edges[at(pair[1])];
    return {a[0], a[1], b[0], b[1]};
}

void BroadPhase::build(const CollisionSurface& surface, const BodyPairTable& table, const VecX& x) {
    STICTION_CHECK(x.size() == 3 * static_cast<Eigen::Index>(surface.body_of_vertex.size()),
                   "positions of all vertices");
    for (const Index v : surface.vertices) {
        const Index body = surface.body_of_vertex[at(v)];
        STICTION_CHECK(body >= 0 && body < table.size(), "the table of body pairs covers every body");
    }
    surface_ = &surface;
    table_ = &table;
    candidates_.clear();
    rebuilds_ = refits_ = 0;

    const auto body = [&](Index v) { return surface.body_of_vertex[at(v)]; };
    const auto fill = [](std::vector<Index>& groups, std::size_t n, const auto& body_of_item) {
        groups.resize(n);
        for (std::size_t i = 0; i < n; ++i) groups[i] = body_of_item(i);
    };
    fill(vertices_.groups, surface.vertices.size(), [&](std::size_t i) { return body(surface.vertices[i]); });
    fill(triangles_.groups, surface.triangles.size(), [&](std::size_t i) { return body(surface.triangles[i][0]); });
    fill(edges_.groups, surface.edges.size(), [&](std::size_t i) { return body(surface.edges[i][0]); });
    fill(bare_edges_.groups, surface.bare_edges.size(),
         [&](std::size_t i) { return body(surface.edges[at(surface.bare_edges[i])][0]); });
    fill(bare_points_.groups, surface.bare_points.size(), [&](std::size_t i) { return body(surface.bare_points[i]); });
    fill(loose_points_.groups, surface.loose_points.size(),
         [&](std::size_t i) { return body(surface.loose_points[i]); });

    reaches_ = {};
    set_boxes(x, x, 0.0, 0.0);
    for (Layer* layer : {&triangles_, &edges_, &bare_edges_, &bare_points_}) {
        layer->tree.build(layer->boxes, layer->groups);
        layer->built_cost = relative_cost(layer->tree, layer->boxes);
    }
}

void BroadPhase::scale(BodyReaches reaches) {
    for (const auto* values : {&reaches.share, &reaches.offset})
        STICTION_CHECK(values->empty() || static_cast<Index>(values->size()) == table_->size(), "one entry a body");
    reaches_ = std::move(reaches);
}

const Candidates& BroadPhase::find(const VecX& x, double radius) {
    return find_swept(x, x, radius);
}

const Candidates& BroadPhase::find_swept(const VecX& x0, const VecX& x1, double radius) {
    return find_swept(x0, x1, radius, {});
}

const Candidates& BroadPhase::find_swept(const VecX& x0, const VecX& x1, double radius,
                                         const std::vector<char>& moving) {
    STICTION_CHECK(surface_ != nullptr, "build() comes first");
    STICTION_CHECK(radius >= 0.0 && std::isfinite(radius), "radius is a distance");
    STICTION_CHECK(
        x0.size() == 3 * static_cast<Eigen::Index>(surface_->body_of_vertex.size()) && x1.size() == x0.size(),
        "positions of all vertices");
    // Rounding errors of the box bounds are a few units in the last place of the coordinates: grow the boxes by more.
    const double largest =
        std::max(x0.size() > 0 ? x0.cwiseAbs().maxCoeff() : 0.0, x1.size() > 0 ? x1.cwiseAbs().maxCoeff() : 0.0);
    STICTION_CHECK(std::isfinite(largest), "positions are finite");
    STICTION_CHECK(moving.empty() || moving.size() == surface_->body_of_vertex.size(), "a mark for every vertex");
    radius_ = radius;
    set_boxes(x0, x1, radius, 0.5e-15 * (largest + radius));
    const std::array<Layer*, 4> layers{&triangles_, &edges_, &bare_edges_, &bare_points_};
    std::array<bool, layers.size()> rebuilt{};
    parallel_tasks(layers.size(), [&](std::size_t i) { rebuilt[i] = refresh(*layers[i]); });
    refits_ += layers.size();
    rebuilds_ += static_cast<std::size_t>(std::ranges::count(rebuilt, true));
    mark_layers(moving);
    if (moving.empty()) {
        collect();
        return candidates_;
    }
    const Candidates kept = candidates_.select(*surface_, moving, false);
    collect();
    candidates_.merge(kept);
    return candidates_;
}

template <class VerticesOf>
void BroadPhase::mark(Layer& layer, const std::vector<char>& moving, const VerticesOf& vertices_of) {
    layer.moving.clear();
    layer.moving_below.clear();
    if (moving.empty()) return;
    layer.moving.resize(layer.boxes.size());
    parallel_for(
        layer.boxes.size(), [&](std::size_t i) { layer.moving[i] = any_marked(vertices_of(i), moving); }, 1024);
    if (layer.tree.size() == layer.boxes.size()) layer.tree.find_wanted(layer.moving, layer.moving_below);
}

void BroadPhase::mark_layers(const std::vector<char>& moving) {
    const CollisionSurface& s = *surface_;
    mark(vertices_, moving, [&](std::size_t i) { return std::array<Index, 1>{s.vertices[i]}; });
    mark(triangles_, moving, [&](std::size_t i) { return s.triangles[i]; });
    mark(edges_, moving, [&](std::size_t i) { return s.edges[i]; });
    mark(bare_edges_, moving, [&](std::size_t i) { return s.edges[at(s.bare_edges[i])]; });
    mark(bare_points_, moving, [&](std::size_t i) { return std::array<Index, 1>{s.bare_points[i]}; });
    mark(loose_points_, moving, [&](std::size_t i) { return std::array<Index, 1>{s.loose_points[i]}; });
}

void BroadPhase::set_boxes(const VecX& x0, const VecX& x1, double radius, double rounding) {
    const CollisionSurface& s = *surface_;
    std::vector<double> inflation(at(table_->size()), 0.5 * radius + rounding);
    for (std::size_t b = 0; b < inflation.size(); ++b) {
        inflation[b] = 0.5 * radius * share_of(static_cast<Index>(b)) + rounding;
        if (!reaches_.offset.empty()) inflation[b] += reaches_.offset[b] * (1.0 + 1e-15);
    }
    const auto fill = [&](Layer& layer, const auto& vertices_of) {
        layer.boxes.resize(layer.groups.size());
        parallel_for(
            layer.boxes.size(),
            [&](std::size_t i) { layer.boxes[i] = swept_box(vertices_of(i), x0, x1, inflation[at(layer.groups[i])]); },
            512);
    };
    using Point = std::array<Index, 1>;
    fill(vertices_, [&](std::size_t i) { return Point{s.vertices[i]}; });
    fill(triangles_, [&](std::size_t i) { return s.triangles[i]; });
    fill(edges_, [&](std::size_t i) { return s.edges[i]; });
    fill(bare_edges_, [&](std::size_t i) { return s.edges[at(s.bare_edges[i])]; });
    fill(bare_points_, [&](std::size_t i) { return Point{s.bare_points[i]}; });
    fill(loose_points_, [&](std::size_t i) { return Point{s.loose_points[i]}; });
}

double BroadPhase::share_of(Index body) const {
    return reaches_.share.empty() ? 1.0 : std::min(reaches_.share[at(body)], 1.0);
}

/// Half of either share is in the boxes; the pair has the smaller one twice.
bool BroadPhase::is_near(const Box& a, const Box& b, Index body_a, Index body_b) const {
    const double share_a = share_of(body_a), share_b = share_of(body_b);
    if (share_a == share_b) return true;
    Box inner = a;
    inner.inflate(-0.5 * (1.0 - 1e-12) * radius_ * std::abs(share_a - share_b));
    return inner.overlaps(b);
}

bool BroadPhase::refresh(Layer& layer) {
    layer.tree.refit(layer.boxes);
    if (relative_cost(layer.tree, layer.boxes) <= rebuild_growth * layer.built_cost) return false;
    layer.tree.build(layer.boxes, layer.groups);
    layer.built_cost = relative_cost(layer.tree, layer.boxes);
    return true;
}

/// Pairs found by emit(k, out) for k in [0, n), in the order of k; blocks of fixed size make it the same for any number
/// of threads.
template <class Emit>
void BroadPhase::gather_pairs(std::size_t n, Pairs& pairs, const Emit& emit) {
    constexpr std::size_t block_size = 128;
    const std::size_t blocks = (n + block_size - 1) / block_size;
    if (found_.size() < blocks) found_.resize(blocks);
    parallel_for(
        blocks,
        [&](std::size_t b) {
            found_[b].clear();
            const std::size_t end = std::min(n, (b + 1) * block_size);
            for (std::size_t k = b * block_size; k < end; ++k) emit(k, found_[b]);
        },
        1);
    start_.assign(blocks + 1, 0);
    for (std::size_t b = 0; b < blocks; ++b) start_[b + 1] = start_[b] + found_[b].size();
    pairs.resize(start_[blocks]);
    parallel_for(
        blocks,
        [&](std::size_t b) {
            std::copy(found_[b].begin(), found_[b].end(), pairs.begin() + static_cast<std::ptrdiff_t>(start_[b]));
        },
        16);
}

/// Lexicographic order; first entries lie in [0, n_first). Counting sort by the first entry, then the few of each
/// bucket.
void BroadPhase::sort_pairs(Pairs& pairs, std::size_t n_first) {
    start_.assign(n_first + 1, 0);
    for (const Pair& p : pairs) ++start_[at(p[0]) + 1];
    for (std::size_t i = 0; i < n_first; ++i) start_[i + 1] += start_[i];
    sorted_.resize(pairs.size());
    next_.assign(start_.begin(), start_.end() - 1);
    for (const Pair& p : pairs) sorted_[next_[at(p[0])]++] = p;
    parallel_for(
        n_first,
        [&](std::size_t i) {
            std::sort(sorted_.begin() + static_cast<std::ptrdiff_t>(start_[i]),
                      sorted_.begin() + static_cast<std::ptrdiff_t>(start_[i + 1]));
        },
        256);
    pairs.swap(sorted_);
}

void BroadPhase::collect() {
    const CollisionSurface& s = *surface_;
    const auto forbids = [this](Index body) {
        return [this, body](Index other) { return !table_->allowed(body, other); };
    };
    // A moving item meets all others, one that stands still the moving ones.
    const auto partners = [](const Layer& own, std::size_t item, const Layer& others) -> std::span<const char> {
        if (own.moving.empty() || own.moving[item]) return {};
        return others.moving_below;
    };

    const auto near = [this](const Layer& own, std::size_t item, const Layer& others, Index other) {
        return is_near(own.boxes[item], others.boxes[at(other)], own.groups[item], others.groups[at(other)]);
    };

    gather_pairs(s.vertices.size(), candidates_.point_triangle, [&](std::size_t k, Pairs& out) {
        const std::size_t before = out.size();
        const Index v = s.vertices[k];
        triangles_.tree.query(
            vertices_.boxes[k], 0, forbids(vertices_.groups[k]),
            [&](Index t) {
                if (!contains(s.triangles[at(t)], v) && near(vertices_, k, triangles_, t)) out.push_back({v, t});
            },
            partners(vertices_, k, triangles_));
        std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    });

    const std::vector<std::int32_t>& leaves = edges_.tree.leaves();
    gather_pairs(leaves.size(), candidates_.edge_edge, [&](std::size_t k, Pairs& out) {
        const Index i = edges_.tree.nodes()[at(leaves[k])].item;
        const Edge& e = s.edges[at(i)];
        edges_.tree.query(
            edges_.boxes[at(i)], leaves[k] + 1, forbids(edges_.groups[at(i)]),
            [&](Index j) {
                const Edge& f = s.edges[at(j)];
                if (!contains(f, e[0]) && !contains(f, e[1]) && near(edges_, at(i), edges_, j))
                    out.push_back({std::min(i, j), std::max(i, j)});
            },
            partners(edges_, at(i), edges_));
    });
    sort_pairs(candidates_.edge_edge, s.edges.size());

    gather_pairs(s.loose_points.size(), candidates_.point_edge, [&](std::size_t k, Pairs& out) {
        const std::size_t before = out.size();
        const Index v = s.loose_points[k];
        bare_edges_.tree.query(
            loose_points_.boxes[k], 0, forbids(loose_points_.groups[k]),
            [&](Index e) {
                if (!contains(s.edges[at(s.bare_edges[at(e)])], v) && near(loose_points_, k, bare_edges_, e))
                    out.push_back({v, s.bare_edges[at(e)]});
            },
            partners(loose_points_, k, bare_edges_));
        std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    });

    gather_pairs(s.bare_points.size(), candidates_.point_point, [&](std::size_t k, Pairs& out) {
        const std::size_t before = out.size();
        const Index v = s.bare_points[k];
        bare_points_.tree.query(
            bare_points_.boxes[k], 0, forbids(bare_points_.groups[k]),
            [&](Index other) {
                if (s.bare_points[at(other)] > v && near(bare_points_, k, bare_points_, other))
                    out.push_back({v, s.bare_points[at(other)]});
            },
            partners(bare_points_, k, bare_points_));
        std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    });
}

}  // namespace stiction
