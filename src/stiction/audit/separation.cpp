#include "stiction/audit/separation.hpp"

#include "stiction/audit/interval.hpp"
#include "stiction/audit/predicates.hpp"

#include <Eigen/Geometry>

namespace stiction::audit {
namespace {

/// Times are multiples of 2^-depth_limit: exact, and so is 1 - t.
constexpr int depth_limit = 40;
/// Far inside the range in which products of three coordinates neither overflow nor lose everything.
constexpr double largest_coordinate = 1e90;
/// Two features this near each other, relative to their size, are not told from touching ones.
constexpr double smallest_gap = 1e-16;

bool in_range(const std::array<Vec3, 4>& x, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
        if (!(x[k].cwiseAbs().maxCoeff() < largest_coordinate)) return false;
    }
    return true;
}

/// A direction N(t) on a time interval, quadratic in t, by its Bernstein coefficients. Whatever doubles they are, it is
/// this direction that a proof is about.
struct Direction {
    Vec3 start, middle, end;

    static Direction constant(const Vec3& n) { return {n, n, n}; }
    static Direction linear(const Vec3& n0, const Vec3& n1) { return {n0, 0.5 * (n0 + n1), n1}; }
    Direction operator-() const { return {-start, -middle, -end}; }
};

/// Search for directions that keep the two features of a pair apart on pieces of [0, 1].
class Separation {
public:
    Separation(const PairMove& move, int work_limit)
        : move_(move), first_(first_size(move.kind)), size_(pair_size(move.kind)), work_left_(work_limit) {}

    MoveVerdict run() {
        if (!in_range(move_.x0, size_) || !in_range(move_.x1, size_)) return MoveVerdict::not_excluded;
        if (proved_at_once()) return MoveVerdict::separate;
        std::size_t pair = 0;
        for (std::size_t i = 0; i < first_; ++i) {
            for (std::size_t j = first_; j < size_; ++j, ++pair) {
                start_[pair] = difference(move_.x0[i], move_.x0[j]);
                end_[pair] = difference(move_.x1[i], move_.x1[j]);
            }
        }
        pairs_ = pair;
        return piece(0.0, 1.0, 0);
    }

private:
    /// One fixed direction for the whole move, with a floating filter: most pairs end here.
    bool proved_at_once() const {
        for (const double t : {0.5, 0.0, 1.0}) {
            const Vec3 n = closest_points(move_.kind, at(t)).difference;
            const double length = n.cwiseAbs().maxCoeff();
            if (!(length > 1e-100)) return false;
            if (splits(n / length, move_.x0) && splits(n / length, move_.x1)) return true;
        }
        return false;
    }

    /// n . (p - q) > 0 for all vertices p of the first and q of the second feature. Each computed value is off by at
    /// most 4u sum |n_k (p - q)_k| (one difference, one product, two sums) to first order, plus what underflow loses;
    /// 8u of the computed sum, and `tiny`, cover both.
    bool splits(const Vec3& n, const std::array<Vec3, 4>& x) const {
        constexpr double tiny = 1e-300;
        for (std::size_t i = 0; i < first_; ++i) {
            for (std::size_t j = first_; j < size_; ++j) {
                const Vec3 d = x[i] - x[j];
                const double a = n[0] * d[0], b = n[1] * d[1], c = n[2] * d[2];
                if (!(a + b + c > 0x1p-50 * (std::abs(a) + std::abs(b) + std::abs(c)) + tiny)) return false;
            }
        }
        return true;
    }

    /// Positions at t, rounded: only to choose directions.
    std::array<Vec3, 4> at(double t) const {
        std::array<Vec3, 4> x;
        for (std::size_t k = 0; k < size_; ++k) x[k] = (1.0 - t) * move_.x0[k] + t * move_.x1[k];
        return x;
    }

    /// The pair on [a, b]: proved, or cut in two.
    MoveVerdict piece(double a, double b, int depth) {
        if (work_left_-- <= 0) return MoveVerdict::work_limit;
        const double t = 0.5 * (a + b);
        const auto xa = at(a), xt = at(t), xb = at(b);
        const ClosestPoints closest = closest_points(move_.kind, xt);
        if (proved_on(a, b, xa, xt, xb, closest)) return MoveVerdict::separate;
        const double gap = closest.difference.norm();
        if (depth == depth_limit || !(gap > smallest_gap * extent(xt))) return MoveVerdict::not_excluded;
        const MoveVerdict left = piece(a, t, depth + 1);
        return left == MoveVerdict::separate ? piece(t, b, depth + 1) : left;
    }

    double extent(const std::array<Vec3, 4>& x) const {
        double largest = 0.0;
        for (std::size_t k = 1; k < size_; ++k) largest = std::max(largest, (x[k] - x[0]).cwiseAbs().maxCoeff());
        return largest;
    }

    bool proved_on(double a, double b, const std::array<Vec3, 4>& xa, const std::array<Vec3, 4>& xt,
                   const std::array<Vec3, 4>& xb, const ClosestPoints& closest) {
        for (std::size_t p = 0; p < pairs_; ++p) {
            da_[p] = (1.0 - a) * start_[p] + a * end_[p];
            db_[p] = (1.0 - b) * start_[p] + b * end_[p];
        }
        const double length = closest.difference.cwiseAbs().maxCoeff();
        if (!(length > 1e-100)) return false;
        const Vec3 n = closest.difference / length;
        if (separates(Direction::constant(n))) return true;
        if (closest.points[0] >= 0 && passes_by(closest, xa, xb)) return true;
        if (closest.edge[0] >= 0) {
            // Turns with the edge that the closest point lies on, at right angles to it all the time: m x e(t) with m x
            // e = n at the middle.
            const auto edge = [&](const std::array<Vec3, 4>& x) -> Vec3 {
                return x[static_cast<std::size_t>(closest.edge[1])] - x[static_cast<std::size_t>(closest.edge[0])];
            };
            const Vec3 e = edge(xt), m = e.cross(n) / e.squaredNorm();
            if (separates(Direction::linear(m.cross(edge(xa)), m.cross(edge(xb))))) return true;
        }
        if (size_ == 4) {
            const Direction normal = plane_normal(xa, xb);
            const Vec3 middle = 0.25 * normal.start + 0.5 * normal.middle + 0.25 * normal.end;
            if (separates(middle.dot(n) > 0.0 ? normal : -normal)) return true;
        }
        const Vec3 na = closest_points(move_.kind, xa).difference, nb = closest_points(move_.kind, xb).difference;
        const double la = na.norm(), lb = nb.norm();
        return la > 1e-100 && lb > 1e-100 && separates(Direction::linear(na / la, nb / lb));
    }

    /// The direction at right angles to the relative motion of the closest features, and to the edge if one is an edge:
    /// along it they stay as far apart as they are when they pass each other.
    bool passes_by(const ClosestPoints& closest, const std::array<Vec3, 4>& xa, const std::array<Vec3, 4>& xb) const {
        const auto motion = [&](int k) -> Vec3 {
            return move_.x1[static_cast<std::size_t>(k)] - move_.x0[static_cast<std::size_t>(k)];
        };
        const Vec3& d = closest.difference;
        Vec3 na, nb;
        if (closest.edge[0] >= 0) {
            const auto edge = [&](const std::array<Vec3, 4>& x) -> Vec3 {
                return x[static_cast<std::size_t>(closest.edge[1])] - x[static_cast<std::size_t>(closest.edge[0])];
            };
            const Vec3 v = motion(closest.points[0]) - 0.5 * (motion(closest.edge[0]) + motion(closest.edge[1]));
            na = edge(xa).cross(v);
            nb = edge(xb).cross(v);
        } else {
            const Vec3 v = motion(closest.points[0]) - motion(closest.points[1]);
            na = nb = v.cross(d).cross(v);
        }
        const double length = std::max(na.cwiseAbs().maxCoeff(), nb.cwiseAbs().maxCoeff());
        if (!(length > 1e-100)) return false;
        const double scale = ((na + nb).dot(d) > 0.0 ? 1.0 : -1.0) / length;
        return separates(Direction::linear(scale * na, scale * nb));
    }

    /// The normal u(t) x v(t) of the triangle, or of both edges. N . (p - q) is then the volume of all four vertices,
    /// whose zeros are the times at which they lie in one plane.
    Direction plane_normal(const std::array<Vec3, 4>& xa, const std::array<Vec3, 4>& xb) const {
        const bool edges = move_.kind == PairKind::edge_edge;
        const std::size_t u0 = edges ? 0 : 1, u1 = edges ? 1 : 2, v0 = edges ? 2 : 1, v1 = 3;
        const Vec3 ua = xa[u1] - xa[u0], ub = xb[u1] - xb[u0], va = xa[v1] - xa[v0], vb = xb[v1] - xb[v0];
        Direction normal{ua.cross(va), 0.5 * (ua.cross(vb) + ub.cross(va)), ub.cross(vb)};
        const double length = std::max({normal.start.cwiseAbs().maxCoeff(), normal.middle.cwiseAbs().maxCoeff(),
                                        normal.end.cwiseAbs().maxCoeff()});
        if (!(length > 1e-100)) return normal;
        return {normal.start / length, normal.middle / length, normal.end / length};
    }

    /// N(t) . (p - q)(t) > 0 on [a, b] for all vertices p of the first and q of the second feature, hence for all
    /// points of them: N is quadratic and p - q linear, and a cubic is positive where all its Bernstein coefficients
    /// are.
    bool separates(const Direction& direction) const {
        for (std::size_t p = 0; p < pairs_; ++p) {
            if (!dot(direction.start, da_[p]).positive() || !dot(direction.end, db_[p]).positive()) return false;
            if (!(dot(direction.start, db_[p]) + 2.0 * dot(direction.middle, da_[p])).positive()) return false;
            if (!(2.0 * dot(direction.middle, db_[p]) + dot(direction.end, da_[p])).positive()) return false;
        }
        return true;
    }

    const PairMove& move_;
    std::size_t first_, size_, pairs_ = 0;
    int work_left_;
    std::array<Interval3, 4> start_, end_;  // differences first - second of the vertices, at t = 0 and 1
    std::array<Interval3, 4> da_, db_;      // the same at the ends of a piece
};

/// The volume's Bernstein coefficients on [0, 1] with a floating filter: nearly all tets end here. A determinant of
/// edges with sums of magnitudes L_1, L_2, L_3 is off by at most 8u L_1 L_2 L_3 to first order (3 differences, 2
/// products, 3 sums), and a sum of three of them by 30u; 64u also covers the rounding of the bound.
bool volume_positive_at_once(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1) {
    std::array<Vec3, 3> e, f;
    double bound = 0x1p-47, largest = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
        e[k] = x0[k + 1] - x0[0];
        f[k] = x1[k + 1] - x1[0];
        const double length = std::max(e[k].lpNorm<1>(), f[k].lpNorm<1>());
        bound *= length;
        largest = std::max(largest, length);
    }
    // What underflow loses, at most 1e-322 of each product, is less than the bound when it comes into a product with
    // `largest`.
    if (!(bound > 1e-250) || !(largest < 1e30)) return false;
    const auto det = [](const Vec3& a, const Vec3& b, const Vec3& c) { return a.dot(b.cross(c)); };
    return det(e[0], e[1], e[2]) > bound && det(f[0], f[1], f[2]) > bound &&
           det(f[0], e[1], e[2]) + det(e[0], f[1], e[2]) + det(e[0], e[1], f[2]) > bound &&
           det(e[0], f[1], f[2]) + det(f[0], e[1], f[2]) + det(f[0], f[1], e[2]) > bound;
}

/// The three edges from corner 0.
std::array<Interval3, 3> tet_edges(const std::array<Vec3, 4>& x) {
    return {difference(x[1], x[0]), difference(x[2], x[0]), difference(x[3], x[0])};
}

using TetEdges = std::array<Interval3, 3>;

/// All Bernstein coefficients of the volume between edges e and f.
bool volume_positive(const TetEdges& e, const TetEdges& f) {
    return determinant(e[0], e[1], e[2]).positive() && determinant(f[0], f[1], f[2]).positive() &&
           (determinant(f[0], e[1], e[2]) + determinant(e[0], f[1], e[2]) + determinant(e[0], e[1], f[2])).positive() &&
           (determinant(e[0], f[1], f[2]) + determinant(f[0], e[1], f[2]) + determinant(f[0], f[1], e[2])).positive();
}

MoveVerdict tet_piece(const TetEdges& e, const TetEdges& f, double a, double b, int depth, int& work_left) {
    if (work_left-- <= 0) return MoveVerdict::work_limit;
    const auto at = [&](double t) {
        TetEdges edges;
        for (std::size_t k = 0; k < 3; ++k) edges[k] = (1.0 - t) * e[k] + t * f[k];
        return edges;
    };
    const TetEdges start = at(a), end = at(b);
    if (volume_positive(start, end)) return MoveVerdict::separate;
    // An end that is not proved positive stays so, however short the piece.
    if (!determinant(start[0], start[1], start[2]).positive() || !determinant(end[0], end[1], end[2]).positive() ||
        depth == depth_limit) {
        return MoveVerdict::not_excluded;
    }
    const double t = 0.5 * (a + b);
    const MoveVerdict left = tet_piece(e, f, a, t, depth + 1, work_left);
    return left == MoveVerdict::separate ? tet_piece(e, f, t, b, depth + 1, work_left) : left;
}

}  // namespace

MoveVerdict certify_pair(const PairMove& move, int work_limit) {
    return Separation(move, work_limit).run();
}

MoveVerdict certify_tet(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1, int work_limit) {
    if (!in_range(x0, 4) || !in_range(x1, 4)) return MoveVerdict::not_excluded;
    if (volume_positive_at_once(x0, x1)) return MoveVerdict::separate;
    if (x0 == x1) return orient3d(x0[0], x0[1], x0[2], x0[3]) > 0 ? MoveVerdict::separate : MoveVerdict::not_excluded;
    return tet_piece(tet_edges(x0), tet_edges(x1), 0.0, 1.0, 0, work_limit);
}

MoveVerdict certify_half_space(const Vec3& normal, const Vec3& o0, const Vec3& o1, const Vec3& p0, const Vec3& p1) {
    // n . (p - o) is linear in time.
    const bool apart = plane_side(normal, o0, p0) > 0 && plane_side(normal, o1, p1) > 0;
    return apart ? MoveVerdict::separate : MoveVerdict::not_excluded;
}

}  // namespace stiction::audit
