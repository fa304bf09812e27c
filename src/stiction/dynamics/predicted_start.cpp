#include "stiction/dynamics/predicted_start.hpp"

#include "stiction/dynamics/blocked_pairs.hpp"
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/dynamics/nearest_move.hpp"

#include <algorithm>
#include <array>

namespace stiction {
namespace {

/// Part of min(gap, dhat) that every pair keeps on the way, and that a pair which does not is to have at the end.
constexpr double kept_gap = 0.3, wanted_gap = 0.5;
/// Part of its volume below which a tet is bounded, and what it is to have then.
constexpr double kept_volume = 0.3, wanted_volume = 0.4;
/// Blocked pairs among the known near ones, and all bounds, over colliding vertices: with more it does not pay.
constexpr double most_known = 0.3, most_bounds = 3.0;
constexpr int most_passes = 6, most_sweeps = 30;
/// Corrections below this part of dhat end the sweeps.
constexpr double small_correction = 0.01;

void bound_gaps(const BlockedPairs& blocked, const VecX& x, double dhat, NearestMove& nearest) {
    for (const BlockedPair& pair : blocked.pairs) {
        double least = pair.offset + wanted_gap * std::min(pair.gap, dhat);
        for (std::size_t k = 0; k < 4 && pair.vertices[k] >= 0; ++k)
            least -= pair.gradients[k].dot(x.segment<3>(3 * pair.vertices[k]));
        nearest.add_bound(pair.vertices, pair.gradients, least);
    }
}

/// Bounds on six times the volumes of tets, linear about the end of a move.
void bound_volumes(const World& world, const VecX& x, const VecX& move, NearestMove& nearest) {
    for (const ElasticGroup& group : world.elastic) {
        if (!group.keeps_orientation()) continue;
        for (const Tet& tet : group.elements.vertices) {
            const Mat3 before = edge_matrix(tet, x), after = before + edge_matrix(tet, move);
            const double volume = before.determinant(), end = after.determinant();
            if (end > kept_volume * volume) continue;
            std::array<Vec3, 4> gradients;
            gradients[1] = after.col(1).cross(after.col(2));
            gradients[2] = after.col(2).cross(after.col(0));
            gradients[3] = after.col(0).cross(after.col(1));
            gradients[0] = -(gradients[1] + gradients[2] + gradients[3]);
            double least = wanted_volume * volume - end;
            for (std::size_t k = 0; k < 4; ++k) least += gradients[k].dot(move.segment<3>(3 * tet[k]));
            nearest.add_bound(tet, gradients, least);
        }
    }
}

BlockedPairs find_on_way(const World& world, ContactDetection& detection, const VecX& x, const VecX& move,
                         double dhat) {
    const VecX end = x + move;
    VecX way = end;
    remove_common_motion(world, x, way);
    detection.update_swept(x, way);
    return find_blocked_pairs(detection.scene(), detection.candidates(), x, end, kept_gap, dhat);
}

}  // namespace

PredictedStart predicted_start(const World& world, ContactDetection& detection, const DofMap& map, const VecX& x,
                               const VecX& prediction, double dhat) {
    PredictedStart start;
    const auto vertices = static_cast<double>(world.surface.vertices.size());
    // Cheap, and most of what is in the way of bodies that lie on each other.
    const BlockedPairs known =
        find_blocked_pairs(detection.scene(), detection.candidates(), x, x + prediction, kept_gap, dhat);
    start.ccd_queries += known.ccd_queries;
    if (static_cast<double>(known.pairs.size()) > most_known * vertices) return start;
    NearestMove nearest(world, map, prediction);
    VecX move = prediction;
    for (int pass = 0;; ++pass) {
        const BlockedPairs blocked = find_on_way(world, detection, x, move, dhat);
        start.ccd_queries += blocked.ccd_queries;
        const double fraction = std::min(blocked.fraction, element_step_bound(world, x, move));
        if (pass == 0) start.free_fraction = fraction;
        if (fraction == 1.0) {
            start.cleared = std::move(move);
            return start;
        }
        const std::size_t before = nearest.bounds();
        bound_gaps(blocked, x, dhat, nearest);
        bound_volumes(world, x, move, nearest);
        const bool pays = static_cast<double>(nearest.bounds()) <= most_bounds * vertices;
        if (pass == most_passes || nearest.bounds() == before || !pays) return start;
        nearest.sweep(small_correction * dhat, most_sweeps);
        move = nearest.move();
    }
}

}  // namespace stiction
