#include "stiction/audit/quadratic_tet.hpp"

#include "stiction/audit/interval.hpp"

namespace stiction::audit {
namespace {

constexpr int depth_limit = 40;

/// Columns of the Jacobian of the map from the reference tet, at each corner.
using Jacobians = std::array<std::array<Interval3, 3>, 4>;

/// Node between two corners, in the order of Tet10.
constexpr std::array<std::array<std::size_t, 4>, 4> between{{{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}}};

Interval3 operator-(const Interval3& a, const Interval3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Rate of the position at corner k as one moves towards corner a. Along the edge the map is the parabola through
/// x_k, the node m between them, and x_a, whose slope at k is 4 m - 3 x_k - x_a; of 4 m - 4 x_k + (x_k - x_a) each part
/// is a difference, so that far from the origin nothing is lost.
Interval3 slope(const Tet10Positions& x, std::size_t k, std::size_t a) {
    return 4.0 * difference(x[between[k][a]], x[k]) + difference(x[k], x[a]);
}

/// The barycentric coordinates other than the first are the free ones: column j is the rate towards corner j + 1 less
/// that towards corner 0, at corner k, where the rate towards k itself is 0.
Jacobians jacobians(const Tet10Positions& x) {
    Jacobians result;
    for (std::size_t k = 0; k < 4; ++k) {
        const Interval3 zero{};
        const Interval3 from = k == 0 ? zero : slope(x, k, 0);
        for (std::size_t j = 0; j < 3; ++j) result[k][j] = (k == j + 1 ? zero : slope(x, k, j + 1)) - from;
    }
    return result;
}

Jacobians at_time(const Jacobians& start, const Jacobians& end, double t) {
    Jacobians result;
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t j = 0; j < 3; ++j) result[k][j] = (1.0 - t) * start[k][j] + t * end[k][j];
    return result;
}

/// Sum of the determinants with one column of each matrix, over all orders: six times the symmetric trilinear form that
/// is det on the diagonal.
Interval mixed(const std::array<Interval3, 3>& P, const std::array<Interval3, 3>& Q,
               const std::array<Interval3, 3>& R) {
    return determinant(P[0], Q[1], R[2]) + determinant(P[0], R[1], Q[2]) + determinant(Q[0], P[1], R[2]) +
           determinant(Q[0], R[1], P[2]) + determinant(R[0], P[1], Q[2]) + determinant(R[0], Q[1], P[2]);
}

/// positive(a, b, c) for the corners of every coefficient; stops at the first that is not.
template <class Positive>
bool all_coefficients(const Positive& positive) {
    for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = a; b < 4; ++b)
            for (std::size_t c = b; c < 4; ++c)
                if (!positive(a, b, c)) return false;
    return true;
}

bool all_positive(const Jacobians& J) {
    return all_coefficients(
        [&](std::size_t a, std::size_t b, std::size_t c) { return mixed(J[a], J[b], J[c]).positive(); });
}

/// Each coefficient is a cubic in time; these are its own Bernstein coefficients but for the ends.
bool all_positive_between(const Jacobians& s, const Jacobians& e) {
    return all_coefficients([&](std::size_t a, std::size_t b, std::size_t c) {
        return (mixed(e[a], s[b], s[c]) + mixed(s[a], e[b], s[c]) + mixed(s[a], s[b], e[c])).positive() &&
               (mixed(s[a], e[b], e[c]) + mixed(e[a], s[b], e[c]) + mixed(e[a], e[b], s[c])).positive();
    });
}

MoveVerdict piece(const Jacobians& start, const Jacobians& end, double a, double b, int depth, int& work_left) {
    if (work_left-- <= 0) return MoveVerdict::work_limit;
    const Jacobians first = at_time(start, end, a), last = at_time(start, end, b);
    // An end that is not proved positive stays so, however short the piece.
    if (!all_positive(first) || !all_positive(last)) return MoveVerdict::not_excluded;
    if (all_positive_between(first, last)) return MoveVerdict::separate;
    if (depth == depth_limit) return MoveVerdict::not_excluded;
    const double t = 0.5 * (a + b);
    const MoveVerdict left = piece(start, end, a, t, depth + 1, work_left);
    return left == MoveVerdict::separate ? piece(start, end, t, b, depth + 1, work_left) : left;
}

}  // namespace

bool is_positive(const Tet10Positions& x) {
    return all_positive(jacobians(x));
}

bool is_positive_at_corners(const Tet10Positions& x) {
    const Jacobians J = jacobians(x);
    for (const auto& columns : J)
        if (!determinant(columns[0], columns[1], columns[2]).positive()) return false;
    return true;
}

MoveVerdict certify_tet10(const Tet10Positions& x0, const Tet10Positions& x1, int work_limit) {
    return piece(jacobians(x0), jacobians(x1), 0.0, 1.0, 0, work_limit);
}

}  // namespace stiction::audit
