#include "stiction/dynamics/blocked_pairs.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/collision/ccd.hpp"
#include "stiction/mesh/marked_vertices.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

/// Normal and weights of one pair of primitives at time t of its move.
BlockedPair blocked_at(PairKind kind, const std::array<Index, 4>& stencil, const Vec3* start, const Vec3* end,
                       double t) {
    Vec3 there[4], reduced[4];
    for (int k = 0; k < vertex_count(kind); ++k) there[k] = start[k] + t * (end[k] - start[k]);
    const ClosestFeature feature = classify(kind, there);
    const int count = vertex_count(feature.kind);
    for (int k = 0; k < count; ++k) reduced[k] = there[feature.local[static_cast<std::size_t>(k)]];
    const Vec3 r = separation(feature.kind, reduced);
    const double distance = r.norm();
    const Vec4 weights = closest_weights(feature.kind, reduced);
    BlockedPair pair;
    for (int k = 0; k < count; ++k) {
        const auto place = static_cast<std::size_t>(k);
        pair.vertices[place] = stencil[static_cast<std::size_t>(feature.local[place])];
        pair.gradients[place] = distance > 0.0 ? Vec3(weights[k] / distance * r) : Vec3::Zero();
    }
    return pair;
}

void find_pairs(const ContactScene& scene, const Candidates& candidates, PairKind kind, const VecX& x0, const VecX& x1,
                double part, double enough, const std::vector<char>& marked, BlockedPairs& found) {
    const auto& pairs = candidates.pairs(kind);
    std::vector<double> times(pairs.size(), 1.0), gaps(pairs.size(), 0.0);
    parallel_for(pairs.size(), [&](std::size_t i) {
        const auto stencil = stencil_vertices(*scene.surface, kind, pairs[i]);
        if (!any_marked(stencil, marked)) return;
        Vec3 start[4], end[4];
        gather_stencil(stencil, x0, start);
        gather_stencil(stencil, x1, end);
        const double offset = scene.offset(stencil), own = scene.share(stencil) * enough;
        if (axis_distance(kind, start, end) > offset + part * own) return;
        gaps[i] = std::sqrt(closest_squared_distance(kind, start)) - offset;
        const double slack = gaps[i] > own ? part * (own / gaps[i]) : part;
        times[i] = ccd_step_bound(kind, start, end, {.slack = slack, .offset = offset});
    });
    found.ccd_queries += static_cast<long>(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (times[i] >= 1.0) continue;
        found.fraction = std::min(found.fraction, times[i]);
        const auto stencil = stencil_vertices(*scene.surface, kind, pairs[i]);
        Vec3 start[4], end[4];
        gather_stencil(stencil, x0, start);
        gather_stencil(stencil, x1, end);
        BlockedPair pair = blocked_at(kind, stencil, start, end, times[i]);
        pair.offset = scene.offset(stencil);
        pair.gap = gaps[i];
        pair.enough = scene.share(stencil) * enough;
        found.pairs.push_back(pair);
    }
}

void find_at_half_space(const ContactScene& scene, const HalfSpace& plane, const VecX& x0, const VecX& x1, double part,
                        double enough, BlockedPairs& found) {
    const Vec3 o0 = x0.segment<3>(3 * plane.origin_vertex), o1 = x1.segment<3>(3 * plane.origin_vertex);
    for (const Index vertex : scene.surface->vertices) {
        const Index body = scene.surface->body_of_vertex[static_cast<std::size_t>(vertex)];
        if (!scene.pairs->allowed(body, plane.body)) continue;
        const double offset = scene.offset(body, plane.body);
        const double gap = plane.normal.dot(x0.segment<3>(3 * vertex) - o0) - offset;
        const double own = scene.share(body, plane.body) * enough;
        const CcdOptions options{.slack = gap > own ? part * (own / gap) : part, .offset = offset};
        const double t = ccd_half_space_step_bound(x0.segment<3>(3 * vertex), x1.segment<3>(3 * vertex), plane.normal,
                                                   o0, o1, options);
        if (t >= 1.0) continue;
        found.fraction = std::min(found.fraction, t);
        BlockedPair pair;
        pair.vertices = {vertex, plane.origin_vertex, -1, -1};
        pair.gradients[0] = plane.normal;
        pair.gradients[1] = -plane.normal;
        pair.offset = offset;
        pair.gap = gap;
        pair.enough = own;
        found.pairs.push_back(pair);
    }
}

}  // namespace

BlockedPairs find_blocked_pairs(const ContactScene& scene, const Candidates& candidates, const VecX& x0, const VecX& x1,
                                double part, double enough, const std::vector<char>& marked) {
    BlockedPairs found;
    for (const PairKind kind :
         {PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge, PairKind::point_point})
        find_pairs(scene, candidates, kind, x0, x1, part, enough, marked, found);
    for (const HalfSpace& plane : scene.half_spaces) find_at_half_space(scene, plane, x0, x1, part, enough, found);
    return found;
}

}  // namespace stiction
