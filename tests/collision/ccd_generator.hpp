// CCD queries whose truth is known by construction: contacts planted exactly on a dyadic grid, misses kept apart by a
// plane.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/collision/distance.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace stiction::testing {

/// SplitMix64: the same numbers on every platform.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }
    /// Uniform in [lo, hi].
    double real(double lo, double hi) { return lo + (hi - lo) * (static_cast<double>(bits() >> 11) * 0x1p-53); }
    /// Uniform integer in [lo, hi].
    int integer(int lo, int hi) { return lo + static_cast<int>(bits() % static_cast<std::uint64_t>(hi - lo + 1)); }
    bool chance(double p) { return real(0.0, 1.0) < p; }
    Vec3 vector(double size) { return {real(-size, size), real(-size, size), real(-size, size)}; }
    Vec3 grid(int size) {
        return {double(integer(-size, size)), double(integer(-size, size)), double(integer(-size, size))};
    }
    Eigen::Quaterniond rotation() {
        Eigen::Quaterniond q(real(-1, 1), real(-1, 1), real(-1, 1), real(-1, 1));
        return q.norm() > 0.1 ? q.normalized() : rotation();
    }

private:
    std::uint64_t state_;
};

enum class Family {
    hit,              // generic planted contact
    hit_degenerate,   // parallel, coplanar, zero length, zero area, or without motion
    hit_far,          // large common translation, high speed
    miss_plane,       // apart by a fixed plane, margin 1e-9 .. 1 of the size
    miss_slide,       // both features lie in parallel planes and slide along them at a constant gap
    miss_turn,        // apart by a plane that turns by up to 150 degrees
    miss_degenerate,  // parallel, coplanar, zero length, zero area or motionless, apart by a plane
    miss_fast,        // tangential speeds of 1e4 sizes
    miss_far,         // translation of 1e6 sizes
    count
};

inline const char* family_name(Family family) {
    constexpr const char* names[] = {"hit",       "hit_degenerate",  "hit_far",   "miss_plane", "miss_slide",
                                     "miss_turn", "miss_degenerate", "miss_fast", "miss_far"};
    return names[static_cast<int>(family)];
}

struct GeneratedQuery {
    PairKind kind;
    Family family;
    bool collides;
    double gap;           ///< misses: the features stay apart by at least this
    double contact_time;  ///< hits: the features touch at this time (and perhaps before)
    std::array<Vec3, 4> x0, x1;
};

namespace detail {

inline void scale_all(GeneratedQuery& q, double factor) {
    for (std::size_t k = 0; k < 4; ++k) {
        q.x0[k] *= factor;
        q.x1[k] *= factor;
    }
    q.gap *= factor;
}

// Integers and dyadic fractions of less than 53 bits only: every operation is exact.
inline GeneratedQuery planted_hit(Random& random, PairKind kind, Family family) {
    GeneratedQuery q{kind, family, true, 0.0, 0.0, {}, {}};
    const bool degenerate = family == Family::hit_degenerate;
    const int size = random.chance(0.3) ? 4 : 2048;
    constexpr int parts = 32;  // barycentric weights are multiples of 1 / 32
    const int mode = degenerate ? random.integer(0, 4) : -1;

    // Contact at the point c; features through it.
    std::array<Vec3, 4> at{};
    const Vec3 c = random.grid(size);
    const auto edge_through = [&](const Vec3& direction, Vec3& e0, Vec3& e1) {
        const int i = random.chance(0.2) ? parts * random.integer(0, 1) : random.integer(0, parts);
        e0 = c - i * direction;
        e1 = c + (parts - i) * direction;
    };
    Vec3 u = random.grid(size);
    if (mode == 2 && random.chance(0.5)) u.setZero();
    if (kind == PairKind::point_point) {
        at[0] = at[1] = c;
    } else if (kind == PairKind::point_edge) {
        at[0] = c;
        edge_through(u, at[1], at[2]);
    } else if (kind == PairKind::edge_edge) {
        Vec3 v = random.grid(size);
        if (mode == 0) v = random.integer(-3, 3) * u;  // parallel and overlapping
        if (mode == 2 && random.chance(0.5)) v.setZero();
        edge_through(u, at[0], at[1]);
        edge_through(v, at[2], at[3]);
    } else {
        Vec3 v = random.grid(size);
        if (mode == 0) v = random.integer(-3, 3) * u;  // no area
        if (mode == 2 && random.chance(0.5)) v.setZero();
        // c = (1 - (i + j) / parts) t0 + i / parts t1 + j / parts t2 with t1 = t0 + parts u', t2 = t0 + parts v'
        int i = random.integer(0, parts);
        int j = random.integer(0, parts - i);
        if (random.chance(0.1)) i = 0;
        if (random.chance(0.1)) j = parts - i;
        at[0] = c;
        at[1] = c - i * u - j * v;
        at[2] = at[1] + parts * u;
        at[3] = at[1] + parts * v;
    }
    const int denominator = 1 << random.integer(0, 6);
    const double t = double(random.integer(1, denominator)) / denominator;
    q.contact_time = t;
    const int speed = family == Family::hit_far ? 16384 * 8 : (random.chance(0.3) ? 4 : 4096);
    const Vec3 common = random.grid(family == Family::hit_far ? 1 << 20 : speed);
    const Vec3 shift = family == Family::hit_far ? Vec3((1 << 10) * random.grid(1 << 20)) : Vec3(Vec3::Zero());
    for (std::size_t k = 0; k < 4; ++k) {
        Vec3 velocity = common + random.grid(speed);
        if (mode == 1) velocity.setZero();
        if (mode == 3) velocity = common;  // in contact all the time
        q.x0[k] = at[k] - t * velocity + shift;
        q.x1[k] = at[k] + (1.0 - t) * velocity + shift;
    }
    if (mode == 4) {  // everything in one plane
        const int axis = random.integer(0, 2);
        for (std::size_t k = 0; k < 4; ++k) q.x0[k][axis] = q.x1[k][axis] = 0.0;
    }
    scale_all(q, std::ldexp(1.0, random.chance(0.5) ? -12 : random.integer(-50, 10)));
    return q;
}

// In the frame of the plane (z across) the first feature keeps z >= gap / 2, the second z <= -gap / 2.
inline GeneratedQuery planted_miss(Random& random, PairKind kind, Family family) {
    GeneratedQuery q{kind, family, false, 0.0, 0.0, {}, {}};
    const double translation = family == Family::miss_far ? 1e6 : (random.chance(0.3) ? 10.0 : 0.0);
    const double speed = family == Family::miss_fast ? 1e4 : (random.chance(0.5) ? 1.0 : 0.01);
    double gap = std::pow(10.0, random.real(-9.0, 0.0));
    if (random.chance(0.3)) gap = 1e-9;
    gap = std::max(gap, 1e-13 * translation);  // above the rounding of the coordinates: the truth must survive it
    q.gap = 0.5 * gap;

    const int n_first = first_count(kind);
    const auto side = [&](std::size_t k) { return static_cast<int>(k) < n_first ? 0.5 : -0.5; };
    std::array<Vec3, 4> y0, y1;
    const Vec3 slide = random.vector(speed);
    for (std::size_t k = 0; k < 4; ++k) {
        y0[k] = random.vector(1.0);
        y1[k] = y0[k] + random.vector(speed) + (side(k) > 0.0 ? slide : Vec3(Vec3::Zero()));
    }
    if (family == Family::miss_degenerate) {
        const int mode = random.integer(0, 4);
        const std::size_t last = static_cast<std::size_t>(vertex_count(kind)) - 1;
        if (mode == 0) y1 = y0;  // no motion
        if (mode == 1 && kind != PairKind::point_point)
            y0[last] = y0[last - 1], y1[last] = y1[last - 1];  // zero length
        if (mode == 2)
            for (std::size_t k = 0; k < 4; ++k) y0[k][0] = y1[k][0] = 0.0;  // everything in one plane
        if (mode == 3 && kind == PairKind::point_triangle) {                // no area
            y0[3] = y0[1] + 2.0 * (y0[2] - y0[1]);
            y1[3] = y1[1] + 2.0 * (y1[2] - y1[1]);
        }
        if (mode == 4 && kind == PairKind::edge_edge) {  // parallel
            y0[3] = y0[2] + (y0[1] - y0[0]);
            y1[3] = y1[2] + (y1[1] - y1[0]);
        }
    }
    const bool flat = family == Family::miss_slide || random.chance(0.3);
    for (std::size_t k = 0; k < 4; ++k) {
        const double sign = 2.0 * side(k);
        y0[k][2] = flat ? sign * 0.5 * gap : sign * (0.5 * gap + std::abs(y0[k][2]));
        y1[k][2] = flat ? sign * 0.5 * gap : sign * (0.5 * gap + std::abs(y1[k][2]));
    }
    const Mat3 frame = random.rotation().toRotationMatrix();
    const Vec3 c0 = random.vector(translation);
    const Vec3 c1 = c0 + random.vector(speed);
    Mat3 end_frame = frame;
    if (family == Family::miss_turn) {
        // x(t) = M(t) y + c(t), M(t) between two rotations at most 150 degrees apart: never singular, so it maps the
        // plane between the features to a plane between them and shrinks gaps by at most cos 75 degrees.
        y1 = y0;
        const double angle =
            random.chance(0.5) ? random.real(0.0, 0.1) : random.real(0.0, 150.0 / 180.0 * 3.14159265358979);
        end_frame = Eigen::AngleAxisd(angle, random.vector(1.0).normalized()).toRotationMatrix() * frame;
        q.gap *= 0.25;
    }
    for (std::size_t k = 0; k < 4; ++k) {
        q.x0[k] = frame * y0[k] + c0;
        q.x1[k] = end_frame * y1[k] + c1;
    }
    scale_all(q, random.chance(0.7) ? 1.0 : std::pow(10.0, random.integer(-6, 6)));
    return q;
}

}  // namespace detail

/// The i-th query of the suite of a seed; families and kinds take turns.
inline GeneratedQuery generate_query(std::uint64_t seed, std::uint64_t i) {
    Random random(seed * 0xd1342543de82ef95ull + i * 0x2545f4914f6cdd1dull + 1);
    constexpr PairKind kinds[] = {PairKind::point_triangle, PairKind::edge_edge,  PairKind::point_triangle,
                                  PairKind::edge_edge,      PairKind::point_edge, PairKind::point_point};
    const auto family = static_cast<Family>(i % static_cast<std::uint64_t>(Family::count));
    const PairKind kind = kinds[(i / static_cast<std::uint64_t>(Family::count)) % 6];
    return family <= Family::hit_far ? detail::planted_hit(random, kind, family)
                                     : detail::planted_miss(random, kind, family);
}

}  // namespace stiction::testing
