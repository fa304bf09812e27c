#include "stiction/collision/orientation.hpp"

#include "stiction/base/error.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stiction {
namespace {

// The floating-point filter. Let u = 2^-53 and let every operation on a path from the coordinates to a term of the
// determinant multiply it by (1 + delta), |delta| <= u. With k operations on the longest path, the computed determinant
// is off by at most
// ((1 + u)^k - 1) P, where P is the sum of the absolute terms; P is computed the same way, so it is at most P' / (1 -
// u)^k. (k + 2) u P' covers that for k <= 8, the rounding of the bound included.
//   orient2d: difference 1, its partner 1, product 1, sum 1                          -> k = 4
//   orient3d: three differences 3, product 1, minor 1, product 1, sum of three 2      -> k = 8
//   plane_side: difference 1, product 1, sum of three 2                              -> k = 4
// Sums and differences do not suffer from underflow, a product may lose 2^-1022 (much less with gradual underflow). In
// orient3d the six inner products lose it once and are multiplied by at most `largest` afterwards, the three outer ones
// lose it once: less than 2^-1019 (1 + largest) in all, and P' may have lost as much. Beyond the limits on `largest`,
// where a product could overflow, no sign is certain.
constexpr double unit = 0x1p-53;
constexpr double underflow = 0x1p-1016;

/// The sign of a computed determinant, or `unsure`.
constexpr int unsure = 2;
int certain_sign(double determinant, double permanent, int operations, double largest) {
    const double bound = (operations + 2) * unit * permanent + underflow * (1.0 + largest);
    if (determinant > bound) return 1;
    if (determinant < -bound) return -1;
    return unsure;  // also for not a number
}

using Integer = boost::multiprecision::cpp_int;

/// The given doubles as integers, all multiplied by the same power of two.
template <std::size_t N>
std::array<Integer, N> to_integers(const std::array<double, N>& values) {
    std::array<std::int64_t, N> mantissa;
    std::array<int, N> exponent;
    int lowest = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < N; ++i) {
        STICTION_CHECK(std::isfinite(values[i]), "orientation of points that are not finite");
        mantissa[i] = static_cast<std::int64_t>(std::ldexp(std::frexp(values[i], &exponent[i]), 53));
        if (mantissa[i] != 0) lowest = std::min(lowest, exponent[i]);
    }
    std::array<Integer, N> integers;
    for (std::size_t i = 0; i < N; ++i) {
        if (mantissa[i] == 0) continue;
        integers[i] = mantissa[i];
        integers[i] <<= static_cast<unsigned>(exponent[i] - lowest);
    }
    return integers;
}

int exact_orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    std::array<Integer, 2> u, v;  // each axis may have its own scale
    for (std::size_t k = 0; k < 2; ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        const auto p = to_integers<3>({a[i], b[i], c[i]});
        u[k] = p[1] - p[0];
        v[k] = p[2] - p[0];
    }
    return Integer(u[0] * v[1]).compare(Integer(u[1] * v[0]));
}

int exact_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    std::array<Integer, 3> u, v, w;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<Eigen::Index>(k);
        const auto p = to_integers<4>({a[i], b[i], c[i], d[i]});
        u[k] = p[1] - p[0];
        v[k] = p[2] - p[0];
        w[k] = p[3] - p[0];
    }
    const Integer determinant =
        u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
    return determinant.sign();
}

int exact_plane_side(const Vec3& normal, const Vec3& origin, const Vec3& point) {
    const auto n = to_integers<3>({normal[0], normal[1], normal[2]});
    const auto p = to_integers<6>({origin[0], origin[1], origin[2], point[0], point[1], point[2]});
    const Integer sum = n[0] * (p[3] - p[0]) + n[1] * (p[4] - p[1]) + n[2] * (p[5] - p[2]);
    return sum.sign();
}

/// -1, 0 or +1 from what a comparison of big integers returns.
int sign_of(int comparison) {
    return comparison > 0 ? 1 : (comparison < 0 ? -1 : 0);
}

/// Shortcut for points of an axis-aligned plane, which are common (floors, boxes) and which the filter cannot decide.
/// Equal doubles have the exact difference 0, so a row of zeros makes the determinant exactly 0.
bool on_axis_plane(const Vec3& u, const Vec3& v, const Vec3& w) {
    for (Eigen::Index k = 0; k < 3; ++k) {
        if (u[k] == 0.0 && v[k] == 0.0 && w[k] == 0.0) return true;
    }
    return false;
}

}  // namespace

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    const Vec2 u = b - a, v = c - a;
    const double left = u[0] * v[1], right = u[1] * v[0];
    const double largest = std::max(u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff());
    if (largest < 0x1p500) {
        if ((u[0] == 0.0 && v[0] == 0.0) || (u[1] == 0.0 && v[1] == 0.0)) return 0;
        const int sign = certain_sign(left - right, std::abs(left) + std::abs(right), 4, 0.0);
        if (sign != unsure) return sign;
    }
    return sign_of(exact_orient2d(a, b, c));
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 u = b - a, v = c - a, w = d - a;
    const double largest = std::max({u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff(), w.cwiseAbs().maxCoeff()});
    if (largest < 0x1p300) {
        if (on_axis_plane(u, v, w)) return 0;
        double determinant = 0.0, permanent = 0.0;
        for (Eigen::Index k = 0; k < 3; ++k) {
            const Eigen::Index i = (k + 1) % 3, j = (k + 2) % 3;
            const double left = v[i] * w[j], right = v[j] * w[i];
            determinant += u[k] * (left - right);
            permanent += std::abs(u[k]) * (std::abs(left) + std::abs(right));
        }
        const int sign = certain_sign(determinant, permanent, 8, largest);
        if (sign != unsure) return sign;
    }
    return exact_orient3d(a, b, c, d);
}

int plane_side(const Vec3& normal, const Vec3& origin, const Vec3& point) {
    const Vec3 offset = point - origin;
    const double largest = std::max(normal.cwiseAbs().maxCoeff(), offset.cwiseAbs().maxCoeff());
    if (largest < 0x1p500) {
        const Vec3 terms = normal.cwiseProduct(offset);
        const int sign = certain_sign((terms[0] + terms[1]) + terms[2], terms.cwiseAbs().sum(), 4, 0.0);
        if (sign != unsure) return sign;
    }
    return exact_plane_side(normal, origin, point);
}

}  // namespace stiction
