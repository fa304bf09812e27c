#include "stiction/collision/ccd.hpp"

#include "stiction/base/error.hpp"
#include "stiction/collision/ccd_certificate.hpp"
#include "stiction/collision/separating_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {

namespace {

using detail::ClosestState;
using detail::PairMotion;
using detail::rounding_unit;
using detail::TimeInterval;

// Distances below this times the size of the stencil are contact as far as double precision can tell.
constexpr double contact_level = 256.0 * rounding_unit;

enum class Ending {
    free,       // proven on all of [0, goal]
    at_target,  // the distance came down to the target, up to rounding
    lost        // evaluations used up, or no direction proves anything although the distance is above the target
};

struct Proof {
    bool started = false;  // something is proven, if only t = 0
    double t = 0.0;        // proven on [0, t]
    Ending ending = Ending::lost;
    int evaluations = 0;
};

// Chains certificates from t = 0 to `goal`. Each certificate is a proof by itself; the choice of the next one is a
// heuristic.
class Prover {
public:
    Prover(const PairMotion& motion, double target, double offset, double goal, int max_evaluations)
        : motion_(motion),
          target_(target),
          reached_(offset + 1.01 * (target - offset)),
          goal_(goal),
          max_evaluations_(max_evaluations) {}

    Proof run(const ClosestState& start) {
        ClosestState here = start;
        proof_.evaluations = 1;
        bool turning = false;
        while (true) {
            const double reach = constant_reach(here);
            if (!(reach >= here.t)) return ended(here);
            if (advance(reach)) return proof_;
            if (at_target(here) || proof_.evaluations >= max_evaluations_) return ended(here);
            // For approaching features a constant direction converges like Newton's method. For turning or sliding ones
            // it stops far from contact, and a turning direction reaches further.
            ClosestState next;
            const bool leapt = turning && try_leaps(here, reach, next);
            if (!leapt) {
                next = evaluate(reach);
                turning = next.distance - target_ > 0.25 * (here.distance - target_);
            }
            if (proof_.t < next.t && advance(next.t)) return proof_;
            if (next.t <= here.t) return ended(here);
            here = next;
        }
    }

private:
    ClosestState evaluate(double t) {
        ++proof_.evaluations;
        return detail::closest_state(motion_, t);
    }

    bool at_target(const ClosestState& state) const {
        return state.distance <= reached_ + contact_level * motion_.magnitude(state.t);
    }

    // Records that [0, t] is proven free. @return whether the search may stop
    bool advance(double t) {
        proof_.started = true;
        proof_.t = std::max(proof_.t, t);
        if (proof_.t < goal_ && !tail_proven_from(proof_.t)) return false;
        proof_.t = goal_;
        proof_.ending = Ending::free;
        return true;
    }

    Proof ended(const ClosestState& here) {
        // The last time has rounding errors: allow for the motion of the vertices within them.
        const bool down = here.distance <= reached_ + contact_level * motion_.largest_magnitude();
        proof_.ending = down ? Ending::at_target : Ending::lost;
        return proof_;
    }

    // End of the interval from here that the closest direction proves; below here.t if it does not prove here.t.
    double constant_reach(const ClosestState& here) const {
        if (here.distance > 0.0) {
            const TimeInterval proven = motion_.prove_constant(here.r / here.distance, target_);
            if (proven.contains(here.t)) return proven.end;
        }
        // Nearly parallel edges and flat triangles are classified by their boundary. Their common normal may prove
        // more.
        const Vec3 normal = detail::full_normal(motion_.kind(), here);
        if (!normal.isZero(0.0)) {
            const TimeInterval proven = motion_.prove_constant(normal, target_);
            if (proven.contains(here.t)) return proven.end;
        }
        return -1.0;
    }

    // The closest direction at the goal proves a tail of the interval. Computed once.
    bool tail_proven_from(double t) {
        if (tail_ < 0.0) {
            goal_state_ = evaluate(goal_);
            tail_ = 2.0;
            if (goal_state_.distance > 0.0) {
                const TimeInterval proven = motion_.prove_constant(goal_state_.r / goal_state_.distance, target_);
                if (proven.contains(goal_)) tail_ = proven.begin;
            }
        }
        return t >= tail_;
    }

    // Looks for an interval from here that a turning direction proves and that is longer than the one proven already;
    // `there` is its end.
    bool try_leaps(const ClosestState& here, double reach, ClosestState& there) {
        const double end = std::min(goal_, tail_);  // all times from tail_ on are proven
        // Time at which the distance would reach the target at its present rate. Leaps stay short of it; each success
        // brings the next one closer.
        const double closing = detail::closing_speed(motion_, here);
        double length = leap_;
        if (closing > 0.0) length = std::min(length, boldness_ * (here.distance - target_) / closing);
        while (proof_.evaluations < max_evaluations_) {
            const bool whole = length >= end - here.t;
            const double to = whole ? end : here.t + length;
            if (!(to > here.t) || (!whole && to - here.t < 1.5 * (reach - here.t))) return false;
            there = to == goal_ ? goal_state_ : evaluate(to);
            if (detail::prove_turning_any(motion_, here, there, target_)) {
                leap_ = 4.0 * (to - here.t);
                boldness_ = 1.0 - (1.0 - boldness_) * (1.0 - boldness_);
                return true;
            }
            length = 0.25 * (to - here.t);
            leap_ = 4.0 * length;
            boldness_ = 0.5;
        }
        return false;
    }

    const PairMotion& motion_;
    double target_;
    double reached_;  // a distance that counts as the target
    double goal_;
    int max_evaluations_;
    double tail_ = -1.0;     // not yet known
    double leap_ = 1.0;      // length of the turning certificate to try next
    double boldness_ = 0.5;  // fraction of the way to the expected contact to try next
    ClosestState goal_state_{};
    Proof proof_;
};

void report(CcdQueryStats* stats, const Proof& proof, bool undecided) {
    if (!stats) return;
    stats->evaluations = proof.evaluations;
    stats->proven_t = proof.started ? proof.t : 0.0;
    stats->undecided = undecided;
}

void check_options(const CcdOptions& options) {
    STICTION_CHECK(options.slack >= 0.0 && options.slack < 1.0, "slack is a fraction of the distance");
    STICTION_CHECK(options.offset >= 0.0, "an offset is a distance");
    STICTION_CHECK(options.t_max > 0.0 && options.t_max <= 1.0, "t_max lies in (0, 1]");
}

// Smallest distance that counts as apart.
constexpr double least_distance = std::numeric_limits<double>::min();

// Bounds of the signed distances |n| (n . (x - o)) at both ends of a motion.
struct HalfSpaceGap {
    double at0, at1;        // rounded
    double error0, error1;  // bounds of their errors

    HalfSpaceGap(const Vec3& x0, const Vec3& x1, const Vec3& normal, const Vec3& o0, const Vec3& o1) {
        const Vec3 d0 = x0 - o0;
        const Vec3 d1 = x1 - o1;
        at0 = normal.dot(d0);
        at1 = normal.dot(d1);
        const double scale = 8.0 * rounding_unit * normal.norm();
        error0 = scale * d0.norm() + least_distance;
        error1 = scale * d1.norm() + least_distance;
    }
};

// First time at which a linear lower bound, from0 > 0 at t = 0, is no longer >= 0; t_max if that is later.
double crossing(double from0, double from1, double t_max) {
    if (from1 >= 0.0) return t_max;
    return std::min(t_max, from0 / (from0 - from1) * (1.0 - 16.0 * rounding_unit));
}

}  // namespace

double ccd_step_bound(PairKind kind, const Vec3* x0, const Vec3* x1, const CcdOptions& options, CcdQueryStats* stats) {
    check_options(options);
    // Most pairs of a broad phase are far apart. Two vertices are no nearer than their features.
    constexpr double underflow = 1e-150;  // squares of smaller differences
    const double farthest = (x0[0] - x0[first_count(kind)]).norm() * (1.0 + 8.0 * rounding_unit) + underflow;
    const double enough = (options.offset + options.slack * std::max(farthest - options.offset, 0.0) + least_distance) *
                          (1.0 + 8.0 * rounding_unit);
    if (axis_distance(kind, x0, x1) >= enough || separated(kind, x0, x1, enough)) {
        if (stats) *stats = {.evaluations = 0, .undecided = false, .proven_t = options.t_max};
        return options.t_max;
    }
    const PairMotion motion(kind, x0, x1);
    const ClosestState start = detail::closest_state(motion, 0.0);
    const double gap = detail::distance_upper_bound(motion, start) - options.offset;
    const double target = std::max(options.offset + options.slack * std::max(gap, 0.0), least_distance);
    const Proof proof = Prover(motion, target, options.offset, options.t_max, options.max_evaluations).run(start);
    report(stats, proof, !proof.started);
    return proof.started ? std::min(proof.t, options.t_max) : 0.0;
}

bool may_collide(PairKind kind, const Vec3* x0, const Vec3* x1, CcdQueryStats* stats) {
    constexpr int max_evaluations = 512;
    const PairMotion motion(kind, x0, x1);
    const Proof proof =
        Prover(motion, least_distance, 0.0, 1.0, max_evaluations).run(detail::closest_state(motion, 0.0));
    report(stats, proof, proof.ending == Ending::lost);
    return proof.ending != Ending::free;
}

double ccd_half_space_step_bound(const Vec3& x0, const Vec3& x1, const Vec3& normal, const Vec3& o0, const Vec3& o1,
                                 const CcdOptions& options, CcdQueryStats* stats) {
    check_options(options);
    const HalfSpaceGap gap(x0, x1, normal, o0, o1);
    const double offset = options.offset * normal.norm();
    const double target =
        (offset + options.slack * std::max(gap.at0 + gap.error0 - offset, 0.0)) * (1.0 + 4.0 * rounding_unit);
    const double from0 = gap.at0 - gap.error0 - target;
    const double from1 = gap.at1 - gap.error1 - target;
    Proof proof;
    proof.started = from0 > 0.0;
    proof.t = proof.started ? crossing(from0, from1, options.t_max) : 0.0;
    report(stats, proof, !proof.started);
    return proof.t;
}

}  // namespace stiction
