#include "stiction/contact/implicit_friction.hpp"

#include "stiction/contact/barrier.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/math/dual.hpp"

#include <Eigen/Geometry>

#include <cmath>

namespace stiction {
namespace {

using Dual12 = Dual<double, 12>;

template <class T>
using Vec3T = Eigen::Matrix<T, 3, 1>;
template <class T>
using Stencil = std::array<Vec3T<T>, 4>;

Stencil<double> positions(const Contact& contact, const VecX& x) {
    Stencil<double> points;
    for (std::size_t i = 0; i < 4; ++i)
        points[i] = contact.vertices[i] < 0 ? Vec3::Zero() : Vec3(x.segment<3>(3 * contact.vertices[i]));
    return points;
}

Stencil<Dual12> variables(const Stencil<double>& points) {
    Stencil<Dual12> result;
    for (std::size_t i = 0; i < 4; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            result[i][axis] = Dual12::variable(points[i][axis], 3 * static_cast<int>(i) + axis);
    }
    return result;
}

/// An accurate value for a number whose derivatives are known; plain numbers just take it.
void set_value(double& number, double value) {
    number = value;
}
void set_value(Dual12& number, double value) {
    number.value = value;
}

/// Barycentric weights of the closest points of a reduced pair, from its normal equations.
template <class T>
std::array<T, 4> weights_of(PairKind pair, const Stencil<T>& p) {
    switch (pair) {
        case PairKind::point_point: return {T(1.0), T(-1.0), T(0.0), T(0.0)};
        case PairKind::point_edge: {
            const Vec3T<T> e = p[2] - p[1];
            const T t = e.dot(p[0] - p[1]) / e.squaredNorm();
            return {T(1.0), t - 1.0, -t, T(0.0)};
        }
        case PairKind::point_triangle: {
            const Vec3T<T> a = p[2] - p[1], b = p[3] - p[1], r = p[0] - p[1];
            const T aa = a.dot(a), ab = a.dot(b), bb = b.dot(b), ra = r.dot(a), rb = r.dot(b);
            const T determinant = aa * bb - ab * ab;
            const T u = (bb * ra - ab * rb) / determinant, v = (aa * rb - ab * ra) / determinant;
            return {T(1.0), u + v - 1.0, -u, -v};
        }
        case PairKind::edge_edge: break;
    }
    const Vec3T<T> a = p[1] - p[0], b = p[3] - p[2], r = p[0] - p[2];
    const T aa = a.dot(a), ab = a.dot(b), bb = b.dot(b), ra = r.dot(a), rb = r.dot(b);
    const T determinant = aa * bb - ab * ab;
    const T s = (ab * rb - bb * ra) / determinant, t = (aa * rb - ab * ra) / determinant;
    return {1.0 - s, s, t - 1.0, -t};
}

/// What all outputs are made of.
template <class T>
struct Slip {
    std::array<T, 4> weights{T(0.0), T(0.0), T(0.0), T(0.0)};  ///< on the contact's vertices
    T normal_force{0.0};
    Vec3T<T> slip = Vec3T<T>::Constant(T(0.0));
};

/// lambda / (kappa m) as a function of the squared distance.
template <class T>
T barrier_force_of(const T& squared_distance, const Contact& contact, double s_hat) {
    const ScalarJet b = contact_barrier(contact, s_hat);
    const double d = std::sqrt(contact.squared_distance);
    return with_derivative(squared_distance, -2.0 * d * b.first, -b.first / d - 2.0 * d * b.second);
}

template <class T>
T mollifier_of(const Contact& contact, const Stencil<T>& p) {
    const Vec3T<T> cross = Vec3T<T>(p[1] - p[0]).cross(Vec3T<T>(p[3] - p[2]));
    const T c = cross.squaredNorm();
    const ScalarJet e = edge_edge_mollifier(plain_value(c), contact.mollifier_threshold);
    return with_derivative(c, e.value, e.first);
}

template <class T>
Slip<T> slip_of(const ImplicitFriction& friction, const Contact& contact, const Stencil<T>& p,
                const Stencil<double>& p_plain, const Stencil<double>& q_bar) {
    Slip<T> result;
    Vec3T<T> normal;
    T squared_distance(0.0);
    if (contact.kind == ContactKind::half_space) {
        result.weights[0] = T(1.0);
        result.weights[1] = T(-1.0);
        for (int axis = 0; axis < 3; ++axis) normal[axis] = T(contact.normal[axis]);
        T distance = normal.dot(p[0] - p[1]);
        set_value(distance, std::sqrt(contact.squared_distance));
        squared_distance = distance * distance;
    } else {
        Stencil<T> reduced;
        Stencil<double> plain;
        for (int k = 0; k < vertex_count(contact.pair); ++k) {
            const auto place = static_cast<std::size_t>(contact.local[static_cast<std::size_t>(k)]);
            reduced[static_cast<std::size_t>(k)] = p[place];
            plain[static_cast<std::size_t>(k)] = p_plain[place];
        }
        const std::array<T, 4> weights = weights_of(contact.pair, reduced);
        Vec3T<T> r = Vec3T<T>::Constant(T(0.0));
        for (int k = 0; k < vertex_count(contact.pair); ++k) {
            r += weights[static_cast<std::size_t>(k)] * reduced[static_cast<std::size_t>(k)];
            result.weights[static_cast<std::size_t>(contact.local[static_cast<std::size_t>(k)])] =
                weights[static_cast<std::size_t>(k)];
        }
        // The sum loses the digits of a small gap; its derivatives do not.
        const Vec3 exact = separation(contact.pair, plain.data());
        for (int axis = 0; axis < 3; ++axis) set_value(r[axis], exact[axis]);
        squared_distance = r.squaredNorm();
        using std::sqrt;
        normal = r / sqrt(squared_distance);
    }
    result.normal_force = friction.barrier_stiffness * contact.multiplicity *
                          barrier_force_of(squared_distance, contact, friction.squared_dhat);
    if (contact.kind == ContactKind::mollified_pair) result.normal_force *= mollifier_of(contact, p);
    for (std::size_t i = 0; i < 4; ++i) {
        if (contact.vertices[i] >= 0) result.slip += result.weights[i] * (p[i] - q_bar[i].template cast<T>());
    }
    result.slip -= Vec3T<T>(normal * normal.dot(result.slip));
    return result;
}

template <class T>
std::array<Vec3T<T>, 4> residual_of(const ImplicitFriction& friction, const Contact& contact, const Stencil<T>& p,
                                    const Stencil<double>& p_plain, const Stencil<double>& q_bar) {
    const Slip<T> slip = slip_of(friction, contact, p, p_plain, q_bar);
    using std::sqrt;
    const T y = sqrt(slip.slip.squaredNorm());
    const double at = plain_value(y);
    const T over_slip = with_derivative(y, friction.law.over_slip(at, friction.kinetic_ratio),
                                        friction.law.over_slip_derivative(at, friction.kinetic_ratio));
    const Vec3T<T> force = (friction.coefficient * slip.normal_force * over_slip) * slip.slip;
    std::array<Vec3T<T>, 4> result;
    for (std::size_t i = 0; i < 4; ++i) result[i] = slip.weights[i] * force;
    return result;
}

}  // namespace

Vec12 implicit_friction_residual(const ImplicitFriction& friction, const Contact& contact, const VecX& x,
                                 const VecX& q_bar) {
    const Stencil<double> points = positions(contact, x);
    const auto residual = residual_of<double>(friction, contact, points, points, positions(contact, q_bar));
    Vec12 result;
    for (int i = 0; i < 4; ++i) result.segment<3>(3 * i) = residual[static_cast<std::size_t>(i)];
    return result;
}

Mat12 implicit_friction_jacobian(const ImplicitFriction& friction, const Contact& contact, const VecX& x,
                                 const VecX& q_bar, Vec12* residual) {
    const Stencil<double> points = positions(contact, x);
    const auto dual = residual_of<Dual12>(friction, contact, variables(points), points, positions(contact, q_bar));
    Mat12 jacobian;
    for (int row = 0; row < 12; ++row) {
        const Dual12& entry = dual[static_cast<std::size_t>(row / 3)][row % 3];
        jacobian.row(row) = entry.tangent.matrix().transpose();
        if (residual) (*residual)[row] = entry.value;
    }
    return jacobian;
}

ContactSlip contact_slip(const ImplicitFriction& friction, const Contact& contact, const VecX& x, const VecX& q_bar) {
    const Stencil<double> points = positions(contact, x);
    const Slip<double> slip = slip_of<double>(friction, contact, points, points, positions(contact, q_bar));
    return {slip.normal_force, slip.slip};
}

}  // namespace stiction
