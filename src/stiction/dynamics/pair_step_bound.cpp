#include "stiction/dynamics/pair_step_bound.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/collision/ccd.hpp"
#include "stiction/mesh/marked_vertices.hpp"

#include <algorithm>
#include <iterator>

namespace stiction {
namespace {

constexpr std::array kinds{PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge, PairKind::point_point};

using Pairs = std::vector<std::array<Index, 2>>;

/// Pairs of `all` that `done` lacks; both sorted.
Pairs without(const Pairs& all, const Pairs& done) {
    Pairs rest;
    std::set_difference(all.begin(), all.end(), done.begin(), done.end(), std::back_inserter(rest));
    return rest;
}

}  // namespace

void bound_pairs(const ContactScene& scene, const Candidates& candidates, const Candidates& done, const VecX& x0,
                 const VecX& x1, double slack, StepBound& bound) {
    std::vector<double> fractions;
    for (const PairKind kind : kinds) {
        const Pairs pairs = without(candidates.pairs(kind), done.pairs(kind));
        fractions.assign(pairs.size(), 1.0);
        parallel_for(pairs.size(), [&](std::size_t i) {
            const auto stencil = stencil_vertices(*scene.surface, kind, pairs[i]);
            Vec3 start[4], end[4];
            gather_stencil(stencil, x0, start);
            gather_stencil(stencil, x1, end);
            fractions[i] = ccd_step_bound(kind, start, end, {.slack = slack, .offset = scene.offset(stencil)});
        });
        bound.ccd_queries += static_cast<long>(pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (fractions[i] >= bound.fraction) continue;
            bound.fraction = fractions[i];
            bound.stencil = stencil_vertices(*scene.surface, kind, pairs[i]);
        }
    }
}

void bound_half_spaces(const ContactScene& scene, const VecX& x0, const VecX& x1, double slack, StepBound& bound,
                       const std::vector<char>& marked) {
    for (const HalfSpace& plane : scene.half_spaces) {
        const Vec3 o0 = x0.segment<3>(3 * plane.origin_vertex), o1 = x1.segment<3>(3 * plane.origin_vertex);
        for (const Index vertex : scene.surface->vertices) {
            if (!any_marked(std::array{vertex, plane.origin_vertex}, marked)) continue;
            const Index body = scene.surface->body_of_vertex[static_cast<std::size_t>(vertex)];
            if (!scene.pairs->allowed(body, plane.body)) continue;
            const CcdOptions options{.slack = slack, .offset = scene.offset(body, plane.body)};
            const double fraction = ccd_half_space_step_bound(x0.segment<3>(3 * vertex), x1.segment<3>(3 * vertex),
                                                              plane.normal, o0, o1, options);
            if (fraction >= bound.fraction) continue;
            bound.fraction = fraction;
            bound.stencil = {vertex, plane.origin_vertex, -1, -1};
        }
    }
}

void shorten(const StepBound& part, StepBound& total) {
    total.ccd_queries += part.ccd_queries;
    if (part.fraction >= 1.0) return;
    total.fraction *= part.fraction;
    total.stencil = part.stencil;
}

}  // namespace stiction
