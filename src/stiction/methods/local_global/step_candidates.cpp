#include "stiction/methods/local_global/step_candidates.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/collision/separating_axis.hpp"
#include "stiction/contact/surface_neighbours.hpp"
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/world/contact_offset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::local_global {
namespace {

std::vector<double> half_thickness_of_bodies(const World& world) {
    std::vector<double> half;
    for (const Body& body : world.bodies) half.push_back(0.5 * body.contact_thickness);
    return half;
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

/// In thicknesses: by so much the boxes of a pair of one body may be farther apart than its contact. Without it,
/// smallest_gap() would look again wherever a step does not end exactly where it was predicted to.
constexpr double own_slack = 0.2;

/// Least distance along the normal of a contact over the distance of its features: a normal may be straightened
/// (SurfaceNeighbours::straighten).
constexpr double least_along_normal = 0.8 * (1.0 - 1e-9);

}  // namespace

StepCandidates::StepCandidates(const World& world, const ContactLengths& lengths, std::size_t most)
    : world_(world),
      lengths_(lengths),
      thickness_(lengths.thickness()),
      largest_offset_(largest_contact_offset(world)),
      closed_(closed_bodies(world.surface, world.bodies.size(), world.initial_positions)),
      half_thickness_(half_thickness_of_bodies(world)),
      extents_(world.surface),
      kept_(world, extents_, lengths,
            {own_reach * thickness_, deep_reach * thickness_, near_reach * thickness_, largest_offset_}),
      most_(most) {
    scene_.surface = &world.surface;
    scene_.pairs = &world.contact_pairs;
    scene_.half_spaces = world.half_spaces;
    scene_.half_thickness = half_thickness_;
}

const std::vector<ClosePair>& StepCandidates::find(const VecX& x, const VecX& prediction) {
    begun_ = x;
    end_ = prediction;
    remove_common_motion(world_, begun_, end_);
    extents_.measure(x, prediction);
    kept_.begin(begun_, end_);
    move_.assign(world_.bodies.size(), 0.0);
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        double& move = move_[at(world_.body_of_vertex[at(v)])];
        move = std::max(move, (prediction - x).segment<3>(3 * v).norm());
    }
    clear_blocks();
    found_ = 0;
    try {
        kept_.look_at_start(
            [&](const Bodies& bodies, double nearing) { return needed(bodies, nearing); },
            [&](std::size_t block, const Bodies& bodies, PairKind kind, const std::array<Index, 2>& pair) {
                return look(bodies, kind, pair, x, prediction, blocks_[block]);
            });
    } catch (const TooManyPairs&) {
        kept_.forget();
        std::vector<Found>().swap(blocks_);
        throw;
    }
    pairs_.clear();
    for (std::size_t b = 0; b < kept_.blocks(); ++b)
        pairs_.insert(pairs_.end(), blocks_[b].pairs.begin(), blocks_[b].pairs.end());
    std::sort(pairs_.begin(), pairs_.end(), [](const ClosePair& a, const ClosePair& b) { return a.key < b.key; });
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end(),
                             [](const ClosePair& a, const ClosePair& b) { return a.key == b.key; }),
                 pairs_.end());
    return pairs_;
}

/// look() leaves out only pairs whose gap at the start is more than two thicknesses, and own_slack within a body,
/// beyond what they may come nearer on the motion. At its end they keep that much, and at x less by no more than x is
/// off that end. Where this is more than the smallest gap of the pairs that were found, or more than near_reach, lists
/// are not looked at.
double StepCandidates::smallest_gap(const VecX& x) {
    gaps_of_found(x);
    const double smallest = smallest_of_blocks();
    const auto settled = [&](const Bodies& bodies, double off) {
        const double thickness = bodies.share * thickness_, largest = std::min(smallest, near_reach * thickness);
        return (1.0 - 1e-9) * (bodies.same ? 2.0 + own_slack : 2.0) * thickness - off >= largest;
    };
    if (kept_.settle(x, settled)) {
        extents_.measure(x, x);
        const auto look = [&](std::size_t block, const Bodies& bodies, PairKind kind,
                              const std::array<Index, 2>& pair) {
            return measure_gap(bodies, kind, pair, x, blocks_[block]);
        };
        kept_.look_at_end(x, look);
    }
    return smallest_of_blocks();
}

/// Smallest gap of each block at x, of the pairs that find() found.
void StepCandidates::gaps_of_found(const VecX& x) {
    parallel_for(
        kept_.blocks(),
        [&](std::size_t b) {
            Found& found = blocks_[b];
            found.squared_gap = std::numeric_limits<double>::infinity();
            for (const auto& [kind, pair] : found.primitives) {
                const auto vertices = stencil_vertices(world_.surface, kind, pair);
                Vec3 points[4];
                gather_stencil(vertices, x, points);
                const double largest = largest_gap(kind, vertices),
                             far = std::min(std::sqrt(found.squared_gap), largest) + scene_.offset(vertices);
                if (separation_bound(kind, points, far) <= far) take_gap(kind, vertices, points, largest, found);
            }
        },
        1);
}

double StepCandidates::smallest_of_blocks() const {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < kept_.blocks(); ++b) smallest = std::min(smallest, blocks_[b].squared_gap);
    return std::sqrt(smallest);
}

void StepCandidates::clear_blocks() {
    if (blocks_.size() < kept_.blocks()) blocks_.resize(kept_.blocks());
    for (Found& found : blocks_) {
        found.pairs.clear();
        found.primitives.clear();
        found.squared_gap = std::numeric_limits<double>::infinity();
    }
}

/// What look() asks of a pair at least, whatever its vertices do: within a body of the distance of its features,
/// between bodies of that of its boxes.
double StepCandidates::needed(const Bodies& bodies, double nearing) const {
    const double thickness = bodies.share * thickness_, near = 2.0 * thickness + nearing;
    return (1.0 + 1e-9) * (bodies.same ? (largest_offset_ + near) / least_along_normal
                                       : largest_offset_ + std::max(near, deep_reach * thickness));
}

/// A contact is within two thicknesses along its normal at x or at the prediction, or inside a body.
StepCandidates::Reach StepCandidates::reach_of(const Bodies& bodies, const std::array<Index, 4>& vertices,
                                               PairKind kind, const VecX& x, const VecX& prediction) const {
    const auto first = static_cast<std::size_t>(first_count(kind)),
               count = static_cast<std::size_t>(vertex_count(kind));
    Vec3 moves[4];
    for (std::size_t k = 0; k < count; ++k) moves[k] = (prediction - x).segment<3>(3 * vertices[k]);
    double nearing = 0.0;
    for (std::size_t a = 0; a < first; ++a) {
        for (std::size_t b = first; b < count; ++b) nearing = std::max(nearing, (moves[a] - moves[b]).squaredNorm());
    }
    nearing = std::sqrt(nearing);
    const bool inside = !bodies.same && (oriented(vertices[0]) || oriented(vertices[first]));
    const double thickness = bodies.share * thickness_, near = 2.0 * thickness + nearing;
    const double farthest = std::max(move_[at(world_.body_of_vertex[at(vertices[0])])],
                                     move_[at(world_.body_of_vertex[at(vertices[first])])]);
    const double gap = std::max(deep_reach * thickness, 2.0 * (thickness + farthest) + own_slack * thickness);
    return {largest_offset_ +
                (bodies.same ? near + own_slack * thickness : std::max(near, inside ? deep_reach * thickness : 0.0)),
            inside ? largest_offset_ + gap : (largest_offset_ + near) / least_along_normal, gap, inside};
}

/// Returns a lower bound of the distance that needed() is about (m), or 0.
double StepCandidates::look(const Bodies& bodies, PairKind kind, const std::array<Index, 2>& pair, const VecX& x,
                            const VecX& prediction, Found& found) const {
    // Most candidates end here, for they sweep through space together: the rest would take longer than the step.
    const Extent &a = extents_.first(kind, pair), &b = extents_.second(kind, pair);
    const double boxes = squared_box_distance(a, b);
    const double thickness = bodies.share * thickness_, near = 2.0 * thickness + relative_move(a, b);
    const double bound = (1.0 + 1e-9) * (largest_offset_ + (bodies.same ? near + own_slack * thickness
                                                                        : std::max(near, deep_reach * thickness)));
    if (boxes > bound * bound) return 0.0;
    const auto vertices = stencil_vertices(world_.surface, kind, pair);
    const Reach reach = reach_of(bodies, vertices, kind, x, prediction);
    if (boxes > reach.boxes * reach.boxes) return 0.0;
    Vec3 points[4];
    gather_stencil(vertices, x, points);
    // Few pairs with boxes within a deep reach are beyond it.
    const double apart = reach.deep ? 0.0 : separation_bound(kind, points, reach.features);
    if (apart > reach.features) return bodies.same ? apart : 0.0;
    ClosePair close = close_pair(kind, vertices, points);
    close.offset = scene_.offset(vertices);
    if (close.squared_distance > reach.features * reach.features || squared_gap(close) >= reach.gap * reach.gap)
        return bodies.same ? apart : 0.0;
    if (!kept_.is_fresh(vertices, kind, bodies)) return 0.0;
    if (++found_ > most_) throw TooManyPairs{};
    found.pairs.push_back(close);
    found.primitives.push_back({kind, pair});
    return 0.0;
}

/// Returns a lower bound of the pair's distance (m), or 0.
double StepCandidates::measure_gap(const Bodies& bodies, PairKind kind, const std::array<Index, 2>& pair, const VecX& x,
                                   Found& found) const {
    const double largest = near_reach * (bodies.share * thickness_), near = largest_offset_ + largest;
    const double boxes = squared_box_distance(extents_.first(kind, pair), extents_.second(kind, pair));
    if (boxes > near * near) return 0.0;
    const auto vertices = stencil_vertices(world_.surface, kind, pair);
    Vec3 points[4];
    gather_stencil(vertices, x, points);
    // Up to this distance the pair may have the smallest gap.
    const double far = std::min(std::sqrt(found.squared_gap), largest) + scene_.offset(vertices),
                 apart = separation_bound(kind, points, far);
    if (apart <= far) {
        if (!kept_.is_fresh(vertices, kind, bodies)) return 0.0;
        take_gap(kind, vertices, points, largest, found);
    }
    return bodies.same ? apart : 0.0;
}

/// The largest gap (m) of a pair that has a meaning: near_reach.
double StepCandidates::largest_gap(PairKind kind, const std::array<Index, 4>& vertices) const {
    const auto body = [&](std::size_t k) { return world_.body_of_vertex[at(vertices[k])]; };
    return near_reach * (lengths_.share(body(0), body(static_cast<std::size_t>(first_count(kind)))) * thickness_);
}

void StepCandidates::take_gap(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* points, double largest,
                              Found& found) const {
    ClosePair close = close_pair(kind, vertices, points);
    close.offset = scene_.offset(vertices);
    const double gap = squared_gap(close);
    if (gap <= largest * largest) found.squared_gap = std::min(found.squared_gap, gap);
}

}  // namespace stiction::local_global
