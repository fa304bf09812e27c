#include "stiction/dynamics/feasible_step.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/collision/ccd.hpp"
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/fem/inversion.hpp"

#include <fmt/format.h>

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

/// @param done  pairs that need no look: already certified for this move
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

void bound_half_spaces(const ContactScene& scene, const VecX& x0, const VecX& x1, double slack, StepBound& bound) {
    for (const HalfSpace& plane : scene.half_spaces) {
        const Vec3 o0 = x0.segment<3>(3 * plane.origin_vertex), o1 = x1.segment<3>(3 * plane.origin_vertex);
        for (const Index vertex : scene.surface->vertices) {
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

/// Takes a bound on the already shortened step into the bound on the whole.
void shorten(const StepBound& part, StepBound& total) {
    total.ccd_queries += part.ccd_queries;
    if (part.fraction >= 1.0) return;
    total.fraction *= part.fraction;
    total.stencil = part.stencil;
}

}  // namespace

double element_step_bound(const World& world, const VecX& x, const VecX& p) {
    double fraction = 1.0;
    for (const ElasticGroup& group : world.elastic) {
        if (group.keeps_orientation()) fraction = std::min(fraction, inversion_step_bound(group.elements, x, p));
    }
    for (const SheetGroup& group : world.sheets)
        fraction = std::min(fraction, strain_limit_step_bound(group.elements, x, p));
    return fraction;
}

StepBound feasible_step_bound(const World& world, ContactDetection& detection, const VecX& x, const VecX& p,
                              double slack) {
    StepBound bound;
    bound.fraction = element_step_bound(world, x, p);
    // Known near pairs first: they usually limit the step, and a shorter sweep meets fewer pairs.
    const ContactScene& scene = detection.scene();
    const Candidates known = detection.candidates();
    StepBound part;
    VecX end = x + bound.fraction * p;
    bound_pairs(scene, known, {}, x, end, slack, part);
    bound_half_spaces(scene, x, end, slack, part);
    shorten(part, bound);
    end = x + bound.fraction * p;
    VecX way = end;
    remove_common_motion(world, x, way);
    detection.update_swept(x, way);
    part = {};
    bound_pairs(scene, detection.candidates(), known, x, end, slack, part);
    shorten(part, bound);
    return bound;
}

std::string describe_stencil(const World& world, const std::array<Index, 4>& stencil) {
    std::string text;
    for (const Index vertex : stencil) {
        if (vertex < 0) continue;
        const Body& body =
            world.bodies[static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(vertex)])];
        text += fmt::format("{}{} vertex {}", text.empty() ? "" : ", ", body.name, vertex - body.first_vertex);
    }
    return text;
}

}  // namespace stiction
