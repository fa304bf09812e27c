#include "stiction/methods/local_global/step_candidates.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/world/contact_offset.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction::local_global {
namespace {

/// Of each body: whether every edge of its triangles belongs to two triangles of the same orientation and the enclosed
/// volume is positive.
std::vector<char> closed_bodies(const World& world) {
    std::vector<std::map<Edge, int>> sides(world.bodies.size());
    std::vector<double> volume(world.bodies.size(), 0.0);
    for (const Triangle& triangle : world.surface.triangles) {
        const auto body = static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(triangle[0])]);
        const auto at = [&](int k) -> Vec3 {
            return world.initial_positions.segment<3>(3 * triangle[static_cast<std::size_t>(k)]);
        };
        volume[body] += at(0).dot(at(1).cross(at(2))) / 6.0;
        for (std::size_t k = 0; k < 3; ++k) ++sides[body][{triangle[k], triangle[(k + 1) % 3]}];
    }
    std::vector<char> closed(world.bodies.size(), 0);
    for (std::size_t b = 0; b < closed.size(); ++b) {
        const auto matched = [&](const auto& side) {
            return side.second == 1 && sides[b].contains({side.first[1], side.first[0]});
        };
        closed[b] = !sides[b].empty() && volume[b] > 0.0 && std::all_of(sides[b].begin(), sides[b].end(), matched);
    }
    return closed;
}

/// The part of the world's table between bodies, or within them.
BodyPairTable part_of(const BodyPairTable& all, bool of_one_body) {
    BodyPairTable part = all;
    for (Index a = 0; a < all.size(); ++a) {
        for (Index b = a; b < all.size(); ++b) {
            if ((a == b) != of_one_body) part.set(a, b, false);
        }
    }
    return part;
}

}  // namespace

StepCandidates::Search::Search(const World& world, double reach_in_thicknesses, double thickness, bool of_one_body)
    : pairs(part_of(world.contact_pairs, of_one_body)),
      reach(reach_in_thicknesses * thickness),
      detection(world, reach, pairs) {}

StepCandidates::StepCandidates(const World& world, double thickness)
    : world_(world),
      thickness_(thickness),
      largest_offset_(largest_contact_offset(world)),
      closed_(closed_bodies(world)),
      between_(world, deep_reach, thickness, false),
      within_(world, own_reach, thickness, true) {}

const Candidates& StepCandidates::find(const VecX& x, const VecX& prediction) {
    begun_ = x;
    end_ = prediction;
    remove_common_motion(world_, begun_, end_);
    for (Search* search : {&between_, &within_}) {
        search->from = begun_;
        search->to = end_;
        search->detection.update_swept(begun_, end_);
    }
    select(x, prediction);
    return selected_;
}

const Candidates& StepCandidates::find_near(const VecX& x) {
    end_ = x;
    remove_common_motion(world_, begun_, end_);
    for (Search* search : {&between_, &within_}) cover(*search, x);
    select(x, x);
    return selected_;
}

/// Updates the candidates at x, unless every vertex is so close to its covered motion that they are still complete.
void StepCandidates::cover(Search& search, const VecX& x) {
    const double allowed = 0.5 * (search.reach - near_reach * thickness_);
    if (((end_ - search.from.cwiseMin(search.to)).array() >= -allowed).all() &&
        ((end_ - search.from.cwiseMax(search.to)).array() <= allowed).all())
        return;
    search.detection.update(x);
    search.from = search.to = end_;
}

/// Keeps the candidates that may touch. Most sweep through space together, and classifying them all would take longer
/// than the step.
void StepCandidates::select(const VecX& x, const VecX& prediction) {
    const auto choose = [&](PairKind kind, std::vector<std::array<Index, 2>>& to) {
        to.clear();
        for (const Search* search : {&between_, &within_}) {
            const auto& from = search->detection.candidates().pairs(kind);
            kept_.resize(from.size());
            parallel_for(
                from.size(),
                [&](std::size_t k) {
                    kept_[k] = may_touch(stencil_vertices(world_.surface, kind, from[k]), kind, x, prediction);
                },
                1024);
            for (std::size_t k = 0; k < from.size(); ++k) {
                if (kept_[k]) to.push_back(from[k]);
            }
        }
    };
    choose(PairKind::point_triangle, selected_.point_triangle);
    choose(PairKind::edge_edge, selected_.edge_edge);
    choose(PairKind::point_edge, selected_.point_edge);
    choose(PairKind::point_point, selected_.point_point);
}

/// Whether the boxes of both primitives may come within two thicknesses by their relative motion, or, where one may be
/// inside the other's body, within deep_reach.
bool StepCandidates::may_touch(const std::array<Index, 4>& vertices, PairKind kind, const VecX& x,
                               const VecX& prediction) const {
    const auto first = static_cast<std::size_t>(first_count(kind)),
               count = static_cast<std::size_t>(vertex_count(kind));
    Eigen::AlignedBox3d boxes[2];
    Vec3 moves[4];
    for (std::size_t k = 0; k < count; ++k) {
        boxes[k < first ? 0 : 1].extend(Vec3(x.segment<3>(3 * vertices[k])));
        moves[k] = (prediction - x).segment<3>(3 * vertices[k]);
    }
    double nearing = 0.0;
    for (std::size_t a = 0; a < first; ++a) {
        for (std::size_t b = first; b < count; ++b) nearing = std::max(nearing, (moves[a] - moves[b]).squaredNorm());
    }
    const bool one_body = world_.body_of_vertex[static_cast<std::size_t>(vertices[0])] ==
                          world_.body_of_vertex[static_cast<std::size_t>(vertices[first])];
    const bool inside = !one_body && (oriented(vertices[0]) || oriented(vertices[first]));
    const double near =
        largest_offset_ + std::max(2.0 * thickness_ + std::sqrt(nearing), inside ? deep_reach * thickness_ : 0.0);
    return boxes[0].squaredExteriorDistance(boxes[1]) <= near * near;
}

}  // namespace stiction::local_global
