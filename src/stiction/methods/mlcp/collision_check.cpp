#include "stiction/methods/mlcp/collision_check.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/collision/ccd.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace stiction::mlcp {
namespace {

constexpr double box_extension = 3.0;
/// Part of the clearance that a pair has to keep which no force can keep apart: it may rest as near as it likes.
constexpr double prescribed_share = 1e-3;
constexpr std::array kinds{PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge, PairKind::point_point};

/// The part of a gap that has to be left.
double slack_of(double gap, double clearance) {
    return std::min(0.5, clearance / gap);
}

/// Where a pair is at the start and at the end of the step.
struct PairMove {
    std::array<Index, 4> stencil;
    double offset = 0.0, share = 1.0;
    Vec3 start[4], end[4];

    PairMove(const ContactScene& scene, PairKind kind, const std::array<Index, 2>& pair, const VecX& x0, const VecX& x1)
        : stencil(stencil_vertices(*scene.surface, kind, pair)),
          offset(scene.offset(stencil)),
          share(scene.share(stencil)) {
        gather_stencil(stencil, x0, start);
        gather_stencil(stencil, x1, end);
    }
    double free_time(PairKind kind, double clearance) const {
        const double gap = std::sqrt(closest_squared_distance(kind, start)) - offset;
        return ccd_step_bound(kind, start, end, {.slack = slack_of(gap, share * clearance), .offset = offset});
    }
    ContactPair pair(PairKind kind, double time) const {
        Vec3 at[4];
        for (int k = 0; k < vertex_count(kind); ++k) at[k] = start[k] + time * (end[k] - start[k]);
        return closest_pair(kind, stencil, at, offset);
    }
};

/// Keeps collisions that are, to within a small time, the first of every vertex that carries them. A vertex that is
/// stopped by its first collision may not have the later ones: it could meet a surface from behind, after it has passed
/// another one.
void keep_first(std::vector<Collision>& collisions) {
    constexpr double carrying_weight = 0.25, same_time = 0.02;
    std::map<Index, double> first;
    const auto for_each_carrier = [](const Collision& collision, const auto& act) {
        for (int i = 0; i < collision.pair.vertex_count(); ++i) {
            // The origin of a half-space carries all its collisions.
            if (collision.pair.key.half_space && i == 1) continue;
            if (std::abs(collision.pair.weights[i]) >= carrying_weight)
                act(collision.pair.key.vertices[static_cast<std::size_t>(i)]);
        }
    };
    for (const Collision& collision : collisions) {
        for_each_carrier(collision, [&](Index vertex) {
            double& time = first.emplace(vertex, collision.time).first->second;
            time = std::min(time, collision.time);
        });
    }
    std::erase_if(collisions, [&](const Collision& collision) {
        bool later = false;
        for_each_carrier(collision,
                         [&](Index vertex) { later = later || collision.time > first.at(vertex) + same_time; });
        return later;
    });
}

}  // namespace

CollisionCheck::CollisionCheck(ContactDetection& detection, const SurfaceNeighbours& neighbours,
                               const std::vector<char>& closed, const VelocityProblem& velocities, const VecX& x,
                               const VecX& move)
    : detection_(detection),
      neighbours_(neighbours),
      closed_(closed),
      velocities_(velocities),
      start_(x),
      reach_(box_extension * move) {
    search();
}

double CollisionCheck::margin(Eigen::Index coordinate) const {
    const Index body = detection_.scene().surface->body_of_vertex[static_cast<std::size_t>(coordinate / 3)];
    return 0.25 * detection_.reach(body);
}

void CollisionCheck::search() {
    // Boxes around a straight way from corner to corner: pairs keep the whole of their reach beyond the margins.
    VecX low = start_ + reach_.cwiseMin(0.0), high = start_ + reach_.cwiseMax(0.0);
    for (Eigen::Index i = 0; i < low.size(); ++i) {
        low[i] -= margin(i);
        high[i] += margin(i);
    }
    detection_.update_swept(low, high);
}

/// Searches for candidates again if a vertex leaves its box.
void CollisionCheck::cover(const VecX& move) {
    bool outside = false;
    for (Eigen::Index i = 0; i < move.size(); ++i) {
        // The box reaches from 0 to reach_, with a margin on either side.
        if (move[i] >= std::min(0.0, reach_[i]) - margin(i) && move[i] <= std::max(0.0, reach_[i]) + margin(i))
            continue;
        reach_[i] = box_extension * move[i];
        outside = true;
    }
    if (outside) search();
}

void CollisionCheck::find_pairs(PairKind kind, const VecX& end, double clearance, std::vector<Collision>& found) {
    const ContactScene& scene = detection_.scene();
    const auto& pairs = detection_.candidates().pairs(kind);
    std::vector<double> times(pairs.size(), 1.0);
    parallel_for(pairs.size(), [&](std::size_t i) {
        times[i] = PairMove(scene, kind, pairs[i], start_, end).free_time(kind, clearance);
    });
    queries_ += static_cast<long>(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!(times[i] < 1.0)) continue;
        const PairMove move(scene, kind, pairs[i], start_, end);
        Collision collision{move.pair(kind, times[i]), times[i]};
        if (!velocities_.can_separate(collision.pair)) {
            collision.time = move.free_time(kind, prescribed_share * clearance);
            if (!(collision.time < 1.0)) continue;
            collision.pair = move.pair(kind, collision.time);
            collision.prescribed = !velocities_.can_separate(collision.pair);
        }
        found.push_back(collision);
    }
}

void CollisionCheck::find_half_spaces(const VecX& end, double clearance, std::vector<Collision>& found) const {
    const ContactScene& scene = detection_.scene();
    for (const HalfSpace& plane : scene.half_spaces) {
        for (const Index vertex : scene.surface->vertices) {
            const Index body = scene.surface->body_of_vertex[static_cast<std::size_t>(vertex)];
            if (!scene.pairs->allowed(body, plane.body)) continue;
            const ContactPair pair = half_space_pair(vertex, plane, scene.offset(body, plane.body));
            const bool prescribed = !velocities_.can_separate(pair);
            const double before = pair.gap(start_), after = pair.gap(end),
                         kept = scene.share(body, plane.body) * clearance,
                         least = slack_of(before, (prescribed ? prescribed_share : 1.0) * kept) * before;
            if (after < least) found.push_back({pair, std::max(0.0, (before - least) / (before - after)), prescribed});
        }
    }
}

/// A collision behind a surface, or beside a nearer triangle, mostly goes with the one that is solved first. The path
/// is free of intersections only without any, so that those which are left become contacts after all, upright if
/// possible.
void CollisionCheck::keep_proper(const VecX& end, std::vector<Collision>& found) const {
    const auto positions = [&](double time) {
        return
            [&, time](Index v) -> Vec3 { return start_.segment<3>(3 * v) + time * (end - start_).segment<3>(3 * v); };
    };
    std::vector<char> proper(found.size());
    parallel_for(found.size(), [&](std::size_t i) {
        proper[i] = neighbours_.meets_first(positions(found[i].time), found[i].pair, closed_);
    });
    if (std::find(proper.begin(), proper.end(), 1) == proper.end()) {
        for (Collision& collision : found) neighbours_.turn_upright(positions(collision.time), start_, collision.pair);
        return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (proper[i]) found[kept++] = found[i];
    }
    found.resize(kept);
}

std::vector<Collision> CollisionCheck::find(const VecX& end, double clearance) {
    cover(end - start_);
    std::vector<Collision> found;
    for (const PairKind kind : kinds) find_pairs(kind, end, clearance, found);
    find_half_spaces(end, clearance, found);
    // The earliest collision of every contact.
    std::sort(found.begin(), found.end(), [](const Collision& a, const Collision& b) {
        return std::pair(a.pair.key, a.time) < std::pair(b.pair.key, b.time);
    });
    found.erase(std::unique(found.begin(), found.end(),
                            [](const Collision& a, const Collision& b) { return a.pair.key == b.pair.key; }),
                found.end());
    keep_first(found);
    keep_proper(end, found);
    return found;
}

}  // namespace stiction::mlcp
