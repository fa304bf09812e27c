#include "stiction/methods/local_global/step_candidates.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/contact/surface_neighbours.hpp"
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/world/contact_offset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::local_global {
namespace {

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

std::vector<double> half_thickness_of_bodies(const World& world) {
    std::vector<double> half;
    for (const Body& body : world.bodies) half.push_back(0.5 * body.contact_thickness);
    return half;
}

/// Whether a plane at right angles to the line between both centres keeps the primitives farther apart than `distance`
/// (m).
bool far_along_centres(const Vec3* points, std::size_t first, std::size_t count, double distance) {
    Vec3 axis = Vec3::Zero();
    for (std::size_t k = 0; k < first; ++k) axis += points[k] / static_cast<double>(first);
    for (std::size_t k = first; k < count; ++k) axis -= points[k] / static_cast<double>(count - first);
    double lowest = axis.dot(points[0]), highest = axis.dot(points[first]);
    for (std::size_t k = 1; k < first; ++k) lowest = std::min(lowest, axis.dot(points[k]));
    for (std::size_t k = first + 1; k < count; ++k) highest = std::max(highest, axis.dot(points[k]));
    const double apart = lowest - highest;
    return apart > 0.0 && apart * apart > distance * distance * axis.squaredNorm();
}

/// The closest features of a pair of primitives at these points.
ClosePair close_pair(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* points) {
    const ClosestFeature feature = classify(kind, points);
    ClosePair pair;
    Vec3 reduced[4];
    pair.key.kind = feature.kind;
    for (std::size_t k = 0; k < 4 && feature.local[k] >= 0; ++k) {
        reduced[k] = points[feature.local[k]];
        pair.key.vertices[k] = vertices[static_cast<std::size_t>(feature.local[k])];
    }
    pair.squared_distance = squared_distance(feature.kind, reduced);
    sort_features(pair.key);
    return pair;
}

/// Square of the gap (m^2), 0 where it is negative.
double squared_gap(const ClosePair& pair) {
    const double gap = std::sqrt(pair.squared_distance) - pair.offset;
    return pair.offset == 0.0 ? pair.squared_distance : (gap > 0.0 ? gap * gap : 0.0);
}

constexpr std::array pair_kinds{PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge,
                                PairKind::point_point};

/// Least distance along the normal of a contact over the distance of its features: a normal may be straightened
/// (SurfaceNeighbours::straighten).
constexpr double least_along_normal = 0.8 * (1.0 - 1e-9);

}  // namespace

StepCandidates::StepCandidates(const World& world, double thickness)
    : world_(world),
      thickness_(thickness),
      largest_offset_(largest_contact_offset(world)),
      closed_(closed_bodies(world.surface, world.bodies.size(), world.initial_positions)),
      half_thickness_(half_thickness_of_bodies(world)),
      between_(world, deep_reach * thickness + largest_offset_, part_of(world.contact_pairs, false)),
      within_(world, own_reach * thickness + largest_offset_, part_of(world.contact_pairs, true)),
      extents_(world.surface) {
    scene_ = {&world.surface, &world.contact_pairs, world.half_spaces, {}, half_thickness_, nullptr};
}

const std::vector<ClosePair>& StepCandidates::find(const VecX& x, const VecX& prediction) {
    begun_ = x;
    end_ = prediction;
    remove_common_motion(world_, begun_, end_);
    extents_.measure(x, prediction);
    for (KeptCandidates* kept : {&between_, &within_}) kept->cover(begun_, end_);
    double farthest = 0.0;
    for (Index v = 0; v < world_.vertex_count(); ++v)
        farthest = std::max(farthest, (prediction - x).segment<3>(3 * v).norm());
    farthest_ = std::max(deep_reach * thickness_, 2.0 * (thickness_ + farthest));
    look_at_all([&](const KeptCandidates& kept, PairKind kind, const std::array<Index, 2>& pair, Found& found) {
        look(kept, kind, pair, x, prediction, found);
    });
    pairs_.clear();
    for (std::size_t b = 0; b < used_; ++b)
        pairs_.insert(pairs_.end(), blocks_[b].pairs.begin(), blocks_[b].pairs.end());
    std::sort(pairs_.begin(), pairs_.end(), [](const ClosePair& a, const ClosePair& b) { return a.key < b.key; });
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end(),
                             [](const ClosePair& a, const ClosePair& b) { return a.key == b.key; }),
                 pairs_.end());
    return pairs_;
}

double StepCandidates::smallest_gap(const VecX& x) {
    extents_.measure(x, x);
    look_at_all([&](const KeptCandidates& kept, PairKind kind, const std::array<Index, 2>& pair, Found& found) {
        measure_gap(kept, kind, pair, x, found);
    });
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < used_; ++b) smallest = std::min(smallest, blocks_[b].squared_gap);
    return std::sqrt(smallest);
}

/// Calls look(kept, kind, pair, found) for every candidate, in blocks of fixed size.
template <class Look>
void StepCandidates::look_at_all(const Look& look) {
    constexpr std::size_t block_size = 512;
    used_ = 0;
    for (const KeptCandidates* kept : {&between_, &within_}) {
        for (const PairKind kind : pair_kinds) {
            const auto& pairs = kept->candidates().pairs(kind);
            const std::size_t count = (pairs.size() + block_size - 1) / block_size, first = used_;
            used_ += count;
            if (blocks_.size() < used_) blocks_.resize(used_);
            parallel_for(
                count,
                [&](std::size_t b) {
                    Found& found = blocks_[first + b];
                    found.pairs.clear();
                    found.squared_gap = std::numeric_limits<double>::infinity();
                    const std::size_t end = std::min(pairs.size(), (b + 1) * block_size);
                    for (std::size_t i = b * block_size; i < end; ++i) look(*kept, kind, pairs[i], found);
                },
                1);
        }
    }
}

/// A contact is within two thicknesses along its normal at x or at the prediction, or inside a body.
StepCandidates::Reach StepCandidates::reach_of(const std::array<Index, 4>& vertices, PairKind kind, const VecX& x,
                                               const VecX& prediction) const {
    const auto first = static_cast<std::size_t>(first_count(kind)),
               count = static_cast<std::size_t>(vertex_count(kind));
    Vec3 moves[4];
    for (std::size_t k = 0; k < count; ++k) moves[k] = (prediction - x).segment<3>(3 * vertices[k]);
    double nearing = 0.0;
    for (std::size_t a = 0; a < first; ++a) {
        for (std::size_t b = first; b < count; ++b) nearing = std::max(nearing, (moves[a] - moves[b]).squaredNorm());
    }
    nearing = std::sqrt(nearing);
    const bool one_body = world_.body_of_vertex[static_cast<std::size_t>(vertices[0])] ==
                          world_.body_of_vertex[static_cast<std::size_t>(vertices[first])];
    const bool inside = !one_body && (oriented(vertices[0]) || oriented(vertices[first]));
    const double near = 2.0 * thickness_ + nearing;
    return {largest_offset_ + std::max(near, inside ? deep_reach * thickness_ : 0.0),
            inside ? largest_offset_ + farthest_ : (largest_offset_ + near) / least_along_normal};
}

void StepCandidates::look(const KeptCandidates& kept, PairKind kind, const std::array<Index, 2>& pair, const VecX& x,
                          const VecX& prediction, Found& found) const {
    // Most candidates end here, for they sweep through space together: the rest would take longer than the step.
    const Extent &a = extents_.first(kind, pair), &b = extents_.second(kind, pair);
    const double boxes = squared_box_distance(a, b);
    const double bound = (1.0 + 1e-9) * (largest_offset_ + std::max(2.0 * thickness_ + relative_move(a, b),
                                                                    &kept == &within_ ? 0.0 : deep_reach * thickness_));
    if (boxes > bound * bound) return;
    const auto vertices = stencil_vertices(world_.surface, kind, pair);
    const Reach reach = reach_of(vertices, kind, x, prediction);
    if (boxes > reach.boxes * reach.boxes) return;
    Vec3 points[4];
    gather_stencil(vertices, x, points);
    if (far_along_centres(points, static_cast<std::size_t>(first_count(kind)),
                          static_cast<std::size_t>(vertex_count(kind)), (1.0 + 1e-9) * reach.features))
        return;
    ClosePair close = close_pair(kind, vertices, points);
    close.offset = scene_.offset(vertices);
    if (close.squared_distance > reach.features * reach.features || squared_gap(close) >= farthest_ * farthest_) return;
    if (kept.is_fresh(vertices, kind)) found.pairs.push_back(close);
}

void StepCandidates::measure_gap(const KeptCandidates& kept, PairKind kind, const std::array<Index, 2>& pair,
                                 const VecX& x, Found& found) const {
    const double near = largest_offset_ + near_reach * thickness_;
    if (squared_box_distance(extents_.first(kind, pair), extents_.second(kind, pair)) > near * near) return;
    // Only a gap below near_reach has a meaning.
    const auto vertices = stencil_vertices(world_.surface, kind, pair);
    Vec3 points[4];
    gather_stencil(vertices, x, points);
    const double offset = scene_.offset(vertices);
    if (far_along_centres(points, static_cast<std::size_t>(first_count(kind)),
                          static_cast<std::size_t>(vertex_count(kind)),
                          (1.0 + 1e-9) * (std::min(std::sqrt(found.squared_gap), near_reach * thickness_) + offset)))
        return;
    if (!kept.is_fresh(vertices, kind)) return;
    ClosePair close = close_pair(kind, vertices, points);
    close.offset = offset;
    found.squared_gap = std::min(found.squared_gap, squared_gap(close));
}

}  // namespace stiction::local_global
