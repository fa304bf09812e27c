#include "stiction/dynamics/predicted_start.hpp"

#include "stiction/dynamics/blocked_pairs.hpp"
#include "stiction/dynamics/common_motion.hpp"
#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/dynamics/nearest_move.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace stiction {
namespace {

/// Part of min(gap, dhat), with the pair's share of dhat, that every pair keeps on the way, and that a pair which does
/// not is to have at the end.
constexpr double kept_gap = 0.3, wanted_gap = 0.5;
/// Part of its volume below which a tet is bounded, and what it is to have then.
constexpr double kept_volume = 0.3, wanted_volume = 0.4;
/// Blocked pairs among the known near ones, candidates on the way, and bounds, over colliding vertices: with more it
/// does not pay. Nor where elements allow less than this part of the prediction.
constexpr double most_known = 1.0, most_candidates = 300.0, most_bounds = 3.0, least_allowed = 0.5;
/// With fewer near pairs than these, looking at them first costs more than it saves.
constexpr std::size_t few_near = 2000;
/// Corrections may be this many times the largest move of any vertex, or dhat. More is asked of vertices that are
/// nearly held; broad phase and memory are to be spared such moves.
constexpr double longest_correction = 4.0;
constexpr int most_passes = 6, most_sweeps = 30;
/// Corrections below this part of the bodies' dhat end the sweeps.
constexpr double small_correction = 0.01;

/// Vertices that collide and are no obstacle's.
double colliding_vertices(const World& world) {
    const auto& vertices = world.surface.vertices;
    return static_cast<double>(std::ranges::count_if(vertices, [&](Index v) { return !world.is_obstacle(v); }));
}

/// @return whether every pair can give way
bool bound_gaps(const BlockedPairs& blocked, const VecX& x, NearestMove& nearest) {
    for (const BlockedPair& pair : blocked.pairs) {
        double least = pair.offset + wanted_gap * std::min(pair.gap, pair.enough);
        for (std::size_t k = 0; k < 4 && pair.vertices[k] >= 0; ++k)
            least -= pair.gradients[k].dot(x.segment<3>(3 * pair.vertices[k]));
        if (!nearest.add_bound(pair.vertices, pair.gradients, least, small_correction * pair.enough)) return false;
    }
    return true;
}

/// Bounds on six times the volumes of tets, linear about the end of a move. Tets that cannot give way are left out.
void bound_volumes(const World& world, const VecX& x, const VecX& move, const ContactScene& scene, double dhat,
                   NearestMove& nearest) {
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
            const Index body = world.body_of_vertex[at(tet[0])];
            nearest.add_bound(tet, gradients, least, small_correction * scene.share(body, body) * dhat);
        }
    }
}

/// Makes candidates valid on a move. @return whether they are few enough
/// @param changed  of every vertex: whether its move is not the one that they were valid on; empty: all
bool follow_way(const World& world, ContactDetection& detection, const VecX& x, const VecX& move,
                const std::vector<char>& changed, double vertices) {
    VecX way = x + move;
    remove_common_motion(world, x, way);
    detection.update_swept(x, way, changed);
    return static_cast<double>(detection.candidates().size()) <= most_candidates * vertices;
}

/// Marks of the vertices whose moves differ, and of those of pairs that were blocked: all other pairs stay proven.
std::vector<char> changed_vertices(const VecX& before, const VecX& after, const BlockedPairs& blocked) {
    std::vector<char> changed(static_cast<std::size_t>(after.size() / 3), 0);
    for (std::size_t v = 0; v < changed.size(); ++v) {
        const auto first = static_cast<Eigen::Index>(3 * v);
        changed[v] = before.segment<3>(first) != after.segment<3>(first);
    }
    for (const BlockedPair& pair : blocked.pairs) {
        for (const Index vertex : pair.vertices) {
            if (vertex >= 0) changed[at(vertex)] = 1;
        }
    }
    return changed;
}

}  // namespace

PredictedStart predicted_start(const World& world, ContactDetection& detection, const DofMap& map, const VecX& x,
                               const VecX& prediction, double dhat) {
    PredictedStart start;
    const double vertices = colliding_vertices(world);
    std::vector<char> changed;  // since the last pass; empty: all
    const auto blocked_on = [&](const VecX& move) {
        const BlockedPairs blocked =
            find_blocked_pairs(detection.scene(), detection.candidates(), x, x + move, kept_gap, dhat, changed);
        start.ccd_queries += blocked.ccd_queries;
        return blocked;
    };
    double allowed = element_step_bound(world, x, prediction);
    if (allowed < least_allowed) return start;
    // Near pairs first: most of what is in the way of bodies that lie on each other is known.
    if (detection.candidates().size() > few_near &&
        static_cast<double>(blocked_on(prediction).pairs.size()) > most_known * vertices)
        return start;
    NearestMove nearest(world, map, prediction);
    VecX move = prediction;
    const double longest = longest_correction * std::max(infinity_norm(prediction), dhat);
    for (int pass = 0;; ++pass) {
        if (pass > 0) allowed = element_step_bound(world, x, move);
        if (!follow_way(world, detection, x, move, changed, vertices)) {
            detection.update(x);
            return start;
        }
        const BlockedPairs blocked = blocked_on(move);
        const double fraction = std::min(blocked.fraction, allowed);
        if (pass == 0) start.free_fraction = fraction;
        if (fraction == 1.0) {
            start.cleared = std::move(move);
            return start;
        }
        const std::size_t before = nearest.bounds();
        if (!bound_gaps(blocked, x, nearest)) return start;
        bound_volumes(world, x, move, detection.scene(), dhat, nearest);
        const bool pays = static_cast<double>(nearest.bounds()) <= most_bounds * vertices;
        if (pass == most_passes || nearest.bounds() == before || !pays) return start;
        nearest.sweep(most_sweeps);
        const VecX last = std::exchange(move, nearest.move());
        if (!(infinity_norm(move - prediction) <= longest)) return start;
        changed = changed_vertices(last, move, blocked);
    }
}

}  // namespace stiction
