#include "stiction/methods/local_global/kept_candidates.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Largest margin, as a share of the mean length of an edge. More would add more pairs than it saves searches.
constexpr double margin_by_edge = 0.25;
/// Moves that a margin should serve.
constexpr double moves_of_margin = 4.0;

/// Vertices of a patch. Smaller ones move more as one; all pairs of patches are looked at in every step.
constexpr std::size_t patch_vertices = 64;

double mean_edge_length(const World& world) {
    double sum = 0.0;
    std::size_t count = 0;
    for (const Edge& edge : world.surface.edges) {
        if (world.is_obstacle(edge[0])) continue;
        const VecX& x = world.initial_positions;
        sum += (x.segment<3>(3 * edge[1]) - x.segment<3>(3 * edge[0])).norm();
        ++count;
    }
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

bool any_allowed(const BodyPairTable& pairs, const std::vector<SurfacePatch>& patches) {
    for (const SurfacePatch& a : patches) {
        for (const SurfacePatch& b : patches) {
            if (pairs.allowed(a.body, b.body)) return true;
        }
    }
    return false;
}

}  // namespace

KeptCandidates::KeptCandidates(const World& world, double reach, BodyPairTable pairs)
    : world_(world),
      reach_(reach),
      pairs_(std::move(pairs)),
      patches_(surface_patches(world, patch_vertices)),
      any_(any_allowed(pairs_, patches_)),
      largest_margin_(margin_by_edge * mean_edge_length(world)),
      motions_(patches_.size()),
      most_(patches_.size()) {
    if (any_) broad_phase_.build(world.surface, pairs_, world.initial_positions);
}

/// The margin is wide enough for some moves like those since the last search, unless it would be too wide.
void KeptCandidates::cover(const VecX& x0, const VecX& x1) {
    if (!any_) return;
    from_ = &x0;
    to_ = &x1;
    // As in BroadPhase::find_swept().
    const double largest = x0.size() > 0 ? std::max(x0.cwiseAbs().maxCoeff(), x1.cwiseAbs().maxCoeff()) : 0.0;
    inflation_ = 0.5 * (reach_ + 1e-15 * (largest + reach_));
    ++moves_;
    const double left = searches_ == 0 ? 0.0 : 0.5 * relative_motion(x0, x1);
    // Rounding must not count as room.
    if (searches_ > 0 && left <= margin_ - 1e-12 * (inflation_ + margin_)) return;
    const double drift = left / moves_;
    margin_ = drift > 0.5 * largest_margin_
                  ? 0.0
                  : std::clamp(moves_of_margin * drift, 0.25 * largest_margin_, largest_margin_);
    moves_ = 0;
    lower_ = x0.cwiseMin(x1);
    upper_ = x0.cwiseMax(x1);
    broad_phase_.find_swept(x0, x1, reach_ + 2.0 * margin_);
    ++searches_;
}

KeptCandidates::Motion KeptCandidates::motion_of(const SurfacePatch& patch, const VecX& x0, const VecX& x1) const {
    Motion motion;
    Box moved;
    for (const Index v : patch.vertices) moved.add(Vec3(0.5 * (x0 - lower_ + x1 - upper_).segment<3>(3 * v)));
    motion.shift = 0.5 * (moved.lower + moved.upper);
    for (const Index v : patch.vertices) {
        const Vec3 start = x0.segment<3>(3 * v) - motion.shift, end = x1.segment<3>(3 * v) - motion.shift;
        motion.excess = std::max({motion.excess, (lower_.segment<3>(3 * v) - start.cwiseMin(end)).maxCoeff(),
                                  (start.cwiseMax(end) - upper_.segment<3>(3 * v)).maxCoeff()});
    }
    for (const Index v : patch.with_ring) {
        motion.box.add(Vec3(x0.segment<3>(3 * v)));
        motion.box.add(Vec3(x1.segment<3>(3 * v)));
    }
    motion.box.inflate((1.0 + 1e-9) * inflation_);
    return motion;
}

/// The most that boxes of two primitives have come nearer to each other along an axis since the last search (m), of
/// those that may be within reach. Boxes that were searched for and not found were apart by more than reach and twice
/// the margin along some axis.
double KeptCandidates::relative_motion(const VecX& x0, const VecX& x1) {
    parallel_for(
        patches_.size(), [&](std::size_t p) { motions_[p] = motion_of(patches_[p], x0, x1); }, 4);
    parallel_for(
        patches_.size(),
        [&](std::size_t p) {
            const Motion& a = motions_[p];
            most_[p] = 0.0;
            for (std::size_t q = 0; q <= p; ++q) {
                const Motion& b = motions_[q];
                if (!a.box.overlaps(b.box) || !pairs_.allowed(patches_[p].body, patches_[q].body)) continue;
                const double apart = (a.shift - b.shift).lpNorm<Eigen::Infinity>();
                most_[p] = std::max(most_[p], a.excess + b.excess + apart);
            }
        },
        4);
    return most_.empty() ? 0.0 : *std::max_element(most_.begin(), most_.end());
}

bool KeptCandidates::is_fresh(const std::array<Index, 4>& vertices, PairKind kind) const {
    const auto first = static_cast<std::size_t>(first_count(kind)),
               count = static_cast<std::size_t>(vertex_count(kind));
    Box boxes[2];
    for (std::size_t k = 0; k < count; ++k) {
        boxes[k < first ? 0 : 1].add(Vec3(from_->segment<3>(3 * vertices[k])));
        boxes[k < first ? 0 : 1].add(Vec3(to_->segment<3>(3 * vertices[k])));
    }
    for (Box& box : boxes) box.inflate(inflation_);
    return boxes[0].overlaps(boxes[1]);
}

}  // namespace stiction::local_global
