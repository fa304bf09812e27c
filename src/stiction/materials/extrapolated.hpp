// A barrier law continued past a volume ratio: finite energy and stress for every deformation gradient.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/materials/stretches.hpp"
#include "stiction/math/dual.hpp"
#include "stiction/math/svd3.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

/// Where the ray 1 + t d from the undeformed state leaves the stretches that are all positive with a product (volume
/// ratio) of at least `volume_ratio`, up to rounding, and never beyond. That set is convex, for the sum of the
/// logarithms is concave, and has (1, 1, 1) in its interior: every ray leaves it once at most, at an angle, and never
/// comes back.
/// @param d             s - (1, 1, 1) for stretches s outside of the set, finite
/// @param volume_ratio  in (0, 1)
STICTION_HD inline double ray_exit(const Vec3& d, double volume_ratio) {
    const auto at = [&](double t) -> Vec3 { return Vec3::Ones() + t * d; };
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 3; ++i) {
        if (d[i] <= -1.0) high = std::min(high, -1.0 / d[i]);  // this stretch vanishes there, the product with it
    }
    // Newton's method on the product within the bracket of its only crossing; halves the bracket where it leaves it or
    // stops converging.
    double t = 0.5 * high, last_step = high;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const Vec3 s = at(t);
        const double excess = s.prod() - volume_ratio;
        (excess >= 0.0 ? low : high) = t;
        double next = t - excess / d.dot(stretch_cofactor(s));
        if (!(low < next && next < high && std::abs(next - t) <= 0.5 * last_step)) next = 0.5 * (low + high);
        last_step = std::abs(next - t);
        t = next;
        if (last_step <= 2e-16 * t) break;
    }
    for (double back = 1e-16; !(at(t).minCoeff() > 0.0 && at(t).prod() >= volume_ratio); back *= 2.0) t *= 1.0 - back;
    return t;
}

/// A law with an energy of +inf at J <= 0, replaced where the volume ratio is below a limit J0 (Stomakhin, Howes,
/// Schroeder and Teran 2012, along rays from the undeformed state as there). Stretches that are all positive with J >=
/// J0 keep the law. For others let q = 1 + t (s - 1), t in (0, 1), be the point of their ray where J = J0 (see
/// ray_exit()); then, all on the right at q,
///     psi(s) = psi + g . (s - q) + 1/2 (s - q)^T H (s - q),
/// the Taylor polynomial of second order along the ray: the stress along the ray goes on linearly, with the stiffness
/// that the law itself has where the ray leaves. Twice continuously differentiable in s for all s; as a function of F
/// wherever no two stretches have the sum zero (there the rotation of F is not unique, and the stress jumps as that of
/// the laws in the polar rotation does). Derivatives are exact. Invertible. Stretches are those of signed_svd(): at
/// most one of them negative.
/// @tparam Law  law of doubles or dual numbers, with an energy that grows without bound as J -> 0
template <template <class> class Law>
struct Extrapolated {
    static constexpr bool invertible = true;
    static constexpr bool has_direct_path = Law<double>::has_direct_path;

    LameParameters lame;
    double volume_ratio;  ///< J0, in (0, 1)

    /// From the Lame parameters of linear elasticity and the volume ratio below which the law is continued.
    STICTION_HD static Extrapolated from_lame(const LameParameters& lame, double volume_ratio) {
        return {lame, volume_ratio};
    }

    /// Energy density of principal stretches.
    STICTION_HD double value(const Vec3& s) const {
        if (keeps_law(s)) return law<double>().value(s);
        const Ray ray(s, volume_ratio);
        const Vec3 q = ray.exit_point();
        const double rest = 1.0 - ray.t;
        return law<double>().value(q) +
               rest * ray.d.dot(law<double>().gradient(q) + 0.5 * rest * (law<double>().hessian(q) * ray.d));
    }

    /// Principal stresses d psi / d s.
    STICTION_HD Vec3 gradient(const Vec3& s) const {
        if (keeps_law(s)) return law<double>().gradient(s);
        const Ray ray(s, volume_ratio);
        const Second t = second_order(ray.t);
        return gradient_of(ray, law<Second>().gradient(ray.point(t)), t);
    }

    /// All second derivatives at once, in the order of PrincipalHessian: entry k of flips and twists belongs to the
    /// axes k + 1 and k + 2.
    struct Curvature {
        Mat3 scaling;
        Vec3 flip, twist;
    };
    Curvature curvature(const Vec3& s) const {
        if (keeps_law(s)) return curvature_of_law(s);
        const Ray ray(s, volume_ratio);
        const Second t = second_order(ray.t);
        const Third t3 = Third::variable(t);
        const Stretches<Second> q = ray.point(t);
        const Stretches<Third> g3 = law<Third>().gradient(ray.point(t3));
        const Stretches<Second> g(g3[0].value, g3[1].value, g3[2].value);
        const Vec3 gradient = gradient_of(ray, g, t);
        const double along = third_derivative(ray, g);
        Curvature result;
        result.scaling = scaling_of(ray, law<Second>().hessian(q), g3, t, t3);
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            result.flip[k] = ray.taylor(t * t * law<Second>().flip(q, i, j)) + along * ray.exit_flip(i, j);
            result.twist[k] = (gradient[i] + gradient[j]) / guarded_stretch_sum(s[i] + s[j]);
        }
        return result;
    }

    /// d^2 psi / d s_i d s_j.
    Mat3 hessian(const Vec3& s) const { return curvature(s).scaling; }
    /// (g_i - g_j) / (s_i - s_j), also for s_i = s_j.
    double flip(const Vec3& s, int i, int j) const { return curvature(s).flip[3 - i - j]; }
    /// (g_i + g_j) / (s_i + s_j), with the pole at s_i + s_j = 0 guarded.
    double twist(const Vec3& s, int i, int j) const { return curvature(s).twist[3 - i - j]; }

    /// Energy density of a deformation gradient, with the accuracy of the law itself where that is kept.
    STICTION_HD double energy(const Mat3& F) const requires has_direct_path {
        return F.determinant() >= volume_ratio ? law<double>().energy(F) : value(signed_svd(F).s);
    }
    /// First Piola stress d psi / d F.
    STICTION_HD Mat3 stress(const Mat3& F) const requires has_direct_path {
        if (F.determinant() >= volume_ratio) return law<double>().stress(F);
        const SignedSvd svd = signed_svd(F);
        return svd.U * gradient(svd.s).asDiagonal() * svd.V.transpose();
    }

private:
    using Second = Dual<Dual<double>>;  ///< up to the second derivative in t
    using Third = Dual<Second>;         ///< up to the third

    STICTION_HD static Second second_order(double t) { return Second::variable(Dual<double>::variable(t)); }
    STICTION_HD static double derivative(const Second& f) { return f.tangent[0].tangent[0]; }            ///< the second
    STICTION_HD static double derivative(const Third& f) { return f.tangent[0].tangent[0].tangent[0]; }  ///< the third

    /// The ray 1 + t d through stretches (at t = 1), and its exit t as a function of d: L(t, d) = sum ln(1 + t d_i) =
    /// ln J0.
    struct Ray {
        Vec3 d;
        double t;

        STICTION_HD Ray(const Vec3& s, double volume_ratio) : d(s - Vec3::Ones()), t(ray_exit(d, volume_ratio)) {}

        template <class T>
        STICTION_HD Stretches<T> point(const T& at) const {
            return Stretches<T>(1.0 + at * d[0], 1.0 + at * d[1], 1.0 + at * d[2]);
        }
        STICTION_HD Vec3 exit_point() const { return point(t); }
        /// The second-order polynomial of f about the exit, at t = 1.
        STICTION_HD double taylor(const Second& f) const {
            return f.value.value + (1.0 - t) * (f.tangent[0].value + 0.5 * (1.0 - t) * f.tangent[0].tangent[0]);
        }

        /// dL/dt < 0.
        STICTION_HD double slope() const { return d.cwiseQuotient(exit_point()).sum(); }
        /// dt/dd_i = -L_i / L_t.
        STICTION_HD Vec3 exit_gradient() const { return (-t / slope()) * exit_point().cwiseInverse(); }
        /// d^2 t / dd_i dd_j = -(L_ij + L_ti t_j + t_i L_tj + L_tt t_i t_j) / L_t.
        Mat3 exit_hessian() const {
            const Vec3 inverse = exit_point().cwiseInverse(), squares = inverse.cwiseAbs2(), t_d = exit_gradient();
            Mat3 sum = squares * t_d.transpose() + t_d * squares.transpose() -
                       d.cwiseProduct(inverse).squaredNorm() * t_d * t_d.transpose();
            sum.diagonal() -= t * t * squares;
            return sum / -slope();
        }
        /// (dt/dd_i - dt/dd_j) / (d_i - d_j).
        double exit_flip(int i, int j) const {
            const Vec3 q = exit_point();
            return t * t / (q[i] * q[j] * slope());
        }
    };

    template <class T>
    STICTION_HD Law<T> law() const {
        return Law<T>::from_lame(lame);
    }
    STICTION_HD bool keeps_law(const Vec3& s) const { return s.minCoeff() > 0.0 && s.prod() >= volume_ratio; }

    Curvature curvature_of_law(const Vec3& s) const {
        const auto curvature = law<double>().curvature(s);
        return {curvature.scaling, curvature.flip, curvature.twist};
    }

    /// 1/2 (1 - t)^2 f_ttt for f(t) = psi(1 + t d): how the polynomial changes with the place where it is taken.
    STICTION_HD static double third_derivative(const Ray& ray, const Stretches<Second>& g) {
        double f_ttt = 0.0;
        for (int i = 0; i < 3; ++i) f_ttt += ray.d[i] * derivative(g[i]);
        return 0.5 * (1.0 - ray.t) * (1.0 - ray.t) * f_ttt;
    }

    STICTION_HD static Vec3 gradient_of(const Ray& ray, const Stretches<Second>& g, const Second& t) {
        Vec3 result = third_derivative(ray, g) * ray.exit_gradient();
        for (int i = 0; i < 3; ++i) result[i] += ray.taylor(t * g[i]);
        return result;
    }

    static Mat3 scaling_of(const Ray& ray, const Matrix3<Second>& H, const Stretches<Third>& g, const Second& t,
                           const Third& t3) {
        Mat3 result;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j <= i; ++j) result(i, j) = result(j, i) = ray.taylor(t * t * H(i, j));
        }
        // f(t, d) = psi(1 + t d): derivatives of third and fourth order at the exit, which follows d.
        Vec3 f_ttti;
        double f_ttt = 0.0, f_tttt = 0.0;
        for (int i = 0; i < 3; ++i) {
            f_ttti[i] = derivative(Third(t3 * g[i]));
            f_ttt += ray.d[i] * derivative(g[i].value);
            f_tttt += ray.d[i] * derivative(g[i]);
        }
        const double rest = 1.0 - ray.t, half_square = 0.5 * rest * rest;
        const Vec3 t_d = ray.exit_gradient();
        const Mat3 mixed = f_ttti * t_d.transpose();
        result += half_square * (mixed + mixed.transpose() + f_ttt * ray.exit_hessian());
        result += (half_square * f_tttt - rest * f_ttt) * t_d * t_d.transpose();
        return 0.5 * (result + result.transpose());
    }
};

/// Calls visitor(make), where make(lame) is the law with these Lame parameters, continued below a volume ratio J0 =
/// `extrapolate_below` unless that is 0. Otherwise law and ratio have to pass check_extrapolation().
template <class Visitor>
decltype(auto) visit_law(MaterialLaw law, double extrapolate_below, Visitor&& visitor) {
    if (extrapolate_below > 0.0) {
        STICTION_CHECK(law == MaterialLaw::neo_hookean, "only a barrier law is extrapolated");
        return visitor([extrapolate_below](const LameParameters& lame) {
            return Extrapolated<NeoHookean>::from_lame(lame, extrapolate_below);
        });
    }
    return visit_law(law, [&](auto type) -> decltype(auto) {
        return visitor([](const LameParameters& lame) { return decltype(type)::type::from_lame(lame); });
    });
}

}  // namespace stiction
