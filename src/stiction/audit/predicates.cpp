#include "stiction/audit/predicates.hpp"

#include "stiction/audit/expansion.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::audit {
namespace {

constexpr double unit = 0x1p-53;
// Where every factor is below `huge`, what underflow loses in a product of three is below 2^-770; `least_bound` is far
// above that.
constexpr double huge = 0x1p300;
constexpr double least_bound = 0x1p-700;

using Integer = boost::multiprecision::cpp_int;

/// The sign that a rounded value shows if its error is at most `bound`; 2: it shows none.
int filtered(double value, double bound, double largest) {
    if (!(largest < huge) || !(bound > least_bound)) return 2;
    if (value > bound) return 1;
    return value < -bound ? -1 : 2;
}

/// Parts for which products of three are exact: bits between 2^-1056 and 2^903.
template <std::size_t N>
bool multipliable(const Expansion<N>& number) {
    for (std::size_t i = 0; i < number.size(); ++i) {
        if (!(std::abs(number[i]) < huge && std::abs(number[i]) > 1.0 / huge)) return false;
    }
    return true;
}

/// Integers in the ratio of finite doubles: value / 2^e with e the least exponent of the bits of all of them.
template <std::size_t N>
std::array<Integer, N> integers(const std::array<double, N>& values) {
    std::array<std::int64_t, N> mantissas;
    std::array<int, N> exponents;
    int least = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < N; ++i) {
        mantissas[i] = static_cast<std::int64_t>(std::ldexp(std::frexp(values[i], &exponents[i]), 53));
        if (mantissas[i] != 0) least = std::min(least, exponents[i]);
    }
    std::array<Integer, N> result;
    for (std::size_t i = 0; i < N; ++i) {
        if (mantissas[i] != 0) result[i] = Integer(mantissas[i]) << (exponents[i] - least);
    }
    return result;
}

/// rows[r] = from a to corner r.
int orient3d_exact(const Vec3& a, const std::array<const Vec3*, 3>& corners) {
    std::array<std::array<Expansion<2>, 3>, 3> d;
    bool ready = true;
    for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto axis = static_cast<Eigen::Index>(k);
            d[r][k] = Expansion<2>::difference((*corners[r])[axis], a[axis]);
            ready = ready && multipliable(d[r][k]);
        }
    }
    if (ready) {
        Expansion<192> det;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
            Expansion<16> minor;
            add_product(minor, d[1][l], d[2][m]);
            add_product(minor, d[1][m], d[2][l], -1.0);
            add_product(det, minor, d[0][k]);
        }
        return det.sign();
    }
    std::array<double, 12> values;
    for (std::size_t k = 0; k < 3; ++k) {
        values[k] = a[static_cast<Eigen::Index>(k)];
        for (std::size_t r = 0; r < 3; ++r) values[3 * r + 3 + k] = (*corners[r])[static_cast<Eigen::Index>(k)];
    }
    const auto v = integers(values);
    const auto e = [&](std::size_t r, std::size_t k) -> Integer { return v[3 * r + 3 + k] - v[k]; };
    Integer det = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
        det += e(0, k) * (e(1, l) * e(2, m) - e(1, m) * e(2, l));
    }
    return det.sign();
}

int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c) {
    const auto bx = Expansion<2>::difference(b[0], a[0]), by = Expansion<2>::difference(b[1], a[1]);
    const auto cx = Expansion<2>::difference(c[0], a[0]), cy = Expansion<2>::difference(c[1], a[1]);
    if (multipliable(bx) && multipliable(by) && multipliable(cx) && multipliable(cy)) {
        Expansion<16> det;
        add_product(det, bx, cy);
        add_product(det, by, cx, -1.0);
        return det.sign();
    }
    const auto v = integers(std::array<double, 6>{a[0], a[1], b[0], b[1], c[0], c[1]});
    const Integer det = (v[2] - v[0]) * (v[5] - v[1]) - (v[3] - v[1]) * (v[4] - v[0]);
    return det.sign();
}

int plane_side_exact(const Vec3& n, const Vec3& o, const Vec3& p) {
    Expansion<24> sum;
    bool ready = true;
    for (Eigen::Index k = 0; k < 3; ++k) {
        const auto d = Expansion<2>::difference(p[k], o[k]);
        const auto factor = Expansion<2>::of(n[k]);
        ready = ready && multipliable(d) && multipliable(factor);
        if (ready) add_product(sum, d, factor);
    }
    if (ready) return sum.sign();
    const auto normal = integers(std::array<double, 3>{n[0], n[1], n[2]});
    const auto v = integers(std::array<double, 6>{o[0], o[1], o[2], p[0], p[1], p[2]});
    Integer side = 0;
    for (std::size_t k = 0; k < 3; ++k) side += normal[k] * (v[k + 3] - v[k]);
    return side.sign();
}

}  // namespace

// Bounds: the computed value is a sum of products of differences, each with a relative error of at most `count`
// roundings (counted beside), so its error is at most count u (1 + ...) times the sum of the magnitudes; twice the
// count also covers the rounding of that sum.

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 u = b - a, v = c - a, w = d - a;
    double det = 0.0, magnitude = 0.0;
    for (Eigen::Index k = 0; k < 3; ++k) {
        const Eigen::Index l = (k + 1) % 3, m = (k + 2) % 3;
        const double plus = v[l] * w[m], minus = v[m] * w[l];
        det += u[k] * (plus - minus);
        magnitude += std::abs(u[k]) * (std::abs(plus) + std::abs(minus));
    }
    const double largest = std::max({u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff(), w.cwiseAbs().maxCoeff()});
    const int sign =
        filtered(det, 16.0 * unit * magnitude, largest);  // 3 differences, 2 products, 1 inner difference, 2 sums: 8
    return sign != 2 ? sign : orient3d_exact(a, {&b, &c, &d});
}

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    const Vec2 u = b - a, v = c - a;
    const double plus = u[0] * v[1], minus = u[1] * v[0];
    const double largest = std::max(u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff());
    const int sign = filtered(plus - minus, 8.0 * unit * (std::abs(plus) + std::abs(minus)),
                              largest);  // 2 differences, 1 product, 1 difference: 4
    return sign != 2 ? sign : orient2d_exact(a, b, c);
}

int plane_side(const Vec3& n, const Vec3& o, const Vec3& p) {
    const Vec3 d = p - o;
    const double side = n.dot(d), magnitude = n.cwiseAbs().dot(d.cwiseAbs());
    const double largest = std::max(n.cwiseAbs().maxCoeff(), d.cwiseAbs().maxCoeff());
    const int sign = filtered(side, 8.0 * unit * magnitude, largest);  // 1 difference, 1 product, 2 sums: 4
    return sign != 2 ? sign : plane_side_exact(n, o, p);
}

}  // namespace stiction::audit
