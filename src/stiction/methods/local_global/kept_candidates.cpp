#include "stiction/methods/local_global/kept_candidates.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Largest margin, as a share of the mean length of an edge. More would add more pairs than it saves searches.
constexpr double margin_by_edge = 0.25;
/// Moves that a margin should serve.
constexpr double moves_of_margin = 4.0;

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

}  // namespace

KeptCandidates::KeptCandidates(const World& world, double reach, BodyPairTable pairs, bool of_one_body)
    : world_(world),
      reach_(reach),
      pairs_(std::move(pairs)),
      of_one_body_(of_one_body),
      largest_margin_(margin_by_edge * mean_edge_length(world)),
      shift_(of_one_body ? world.bodies.size() : 1, Vec3::Zero()),
      moved_(shift_.size()) {
    broad_phase_.build(world.surface, pairs_, world.initial_positions);
}

/// The margin is wide enough for some moves like those since the last search, unless it would be too wide.
void KeptCandidates::cover(const VecX& x0, const VecX& x1) {
    from_ = &x0;
    to_ = &x1;
    // As in BroadPhase::find_swept().
    const double largest = x0.size() > 0 ? std::max(x0.cwiseAbs().maxCoeff(), x1.cwiseAbs().maxCoeff()) : 0.0;
    inflation_ = 0.5 * (reach_ + 1e-15 * (largest + reach_));
    ++moves_;
    const double left = searches_ == 0 ? 0.0 : excess(x0, x1);
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

/// shift_ = middle of moved(v) along each axis: of the vertices of each body, or of all for pairs between bodies.
template <class Moved>
void KeptCandidates::set_shift(const Moved& moved) {
    std::fill(moved_.begin(), moved_.end(), Box{});
    for (const Index v : world_.surface.vertices) moved_[group_of(v)].add(moved(v));
    for (std::size_t g = 0; g < moved_.size(); ++g) shift_[g] = 0.5 * (moved_[g].lower + moved_[g].upper);
}

/// How far a vertex leaves its box along an axis (m), apart from what its group moves in common.
double KeptCandidates::excess(const VecX& x0, const VecX& x1) {
    set_shift([&](Index v) -> Vec3 { return 0.5 * (x0 - lower_ + x1 - upper_).segment<3>(3 * v); });
    double most = 0.0;
    for (const Index v : world_.surface.vertices) {
        const Vec3 start = x0.segment<3>(3 * v) - shift_[group_of(v)], end = x1.segment<3>(3 * v) - shift_[group_of(v)];
        most = std::max({most, (lower_.segment<3>(3 * v) - start.cwiseMin(end)).maxCoeff(),
                         (start.cwiseMax(end) - upper_.segment<3>(3 * v)).maxCoeff()});
    }
    return most;
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
