// Forward automatic differentiation: numbers that carry their derivatives along one or several directions.
#pragma once

#include "stiction/base/host_device.hpp"

#include <Eigen/Core>

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

namespace stiction {

/// value + sum_k tangent[k] eps_k with eps_j eps_k = 0: every operation keeps the exact first derivatives along N
/// directions. Put dx/ds_k into `tangent` of the arguments, and the result holds df/ds_k. Works as a scalar of Eigen's
/// matrices, also together with doubles. Comparisons look at the value alone, so that a branch is taken as for plain
/// numbers.
/// @tparam T  double, or a Dual again for second derivatives
/// @tparam N  number of directions, known to the compiler
template <class T, int N = 1>
struct Dual {
    static_assert(N >= 1, "a dual number has at least one direction");
    using Tangent = Eigen::Array<T, N, 1>;

    T value{0.0};
    Tangent tangent = Tangent::Constant(T{0.0});

    Dual() = default;
    /// A constant. Not explicit: constants mix freely with duals.
    template <std::convertible_to<T> Number>
    STICTION_HD Dual(const Number& constant)
        : value(static_cast<T>(constant)) {}  // NOLINT(google-explicit-constructor)
    STICTION_HD Dual(const T& value_, const Tangent& tangent_) : value(value_), tangent(tangent_) {}

    /// The variable with this value that grows at unit rate in `direction`.
    STICTION_HD static Dual variable(const T& value, int direction = 0) {
        Dual x(value);
        x.tangent[direction] = T{1.0};
        return x;
    }

    STICTION_HD Dual& operator+=(const Dual& b) {
        value += b.value;
        tangent += b.tangent;
        return *this;
    }
    STICTION_HD Dual& operator-=(const Dual& b) {
        value -= b.value;
        tangent -= b.tangent;
        return *this;
    }
    STICTION_HD Dual& operator*=(const Dual& b) {
        tangent = tangent * b.value + b.tangent * value;
        value *= b.value;
        return *this;
    }
    STICTION_HD Dual& operator/=(const Dual& b) {
        const T quotient = value / b.value;
        tangent = (tangent - b.tangent * quotient) / b.value;
        value = quotient;
        return *this;
    }

    STICTION_HD friend Dual operator+(Dual a, const Dual& b) { return a += b; }
    STICTION_HD friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
    STICTION_HD friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
    STICTION_HD friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
    STICTION_HD friend Dual operator+(const Dual& a) { return a; }
    STICTION_HD friend Dual operator-(const Dual& a) { return {-a.value, -a.tangent}; }

    STICTION_HD friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
    STICTION_HD friend bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }
    STICTION_HD friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
    STICTION_HD friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
    STICTION_HD friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
    STICTION_HD friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }

    /// f(a) with the derivative f'(a). A direction that does not move stays still, even where f' is infinite.
    STICTION_HD static Dual chain(const T& value, const T& derivative, const Dual& a) {
        Dual result(value);
        for (int k = 0; k < N; ++k) {
            if (!(a.tangent[k] == T{0.0})) result.tangent[k] = derivative * a.tangent[k];
        }
        return result;
    }

    friend Dual sqrt(const Dual& a) {
        using std::sqrt;
        const T root = sqrt(a.value);
        return chain(root, T{0.5} / root, a);
    }
    friend Dual exp(const Dual& a) {
        using std::exp;
        const T e = exp(a.value);
        return chain(e, e, a);
    }
    STICTION_HD friend Dual log(const Dual& a) {
        using std::log;
        return chain(log(a.value), T{1.0} / a.value, a);
    }
    STICTION_HD friend Dual log1p(const Dual& a) {
        using std::log1p;
        return chain(log1p(a.value), T{1.0} / (T{1.0} + a.value), a);
    }
    friend Dual sin(const Dual& a) {
        using std::cos;
        using std::sin;
        return chain(sin(a.value), cos(a.value), a);
    }
    friend Dual cos(const Dual& a) {
        using std::cos;
        using std::sin;
        return chain(cos(a.value), -sin(a.value), a);
    }
    friend Dual acos(const Dual& a) {
        using std::acos;
        using std::sqrt;
        return chain(acos(a.value), T{-1.0} / sqrt(T{1.0} - a.value * a.value), a);
    }
    friend Dual atan2(const Dual& y, const Dual& x) {
        using std::atan2;
        const T squared = x.value * x.value + y.value * y.value;
        return {atan2(y.value, x.value), (y.tangent * x.value - x.tangent * y.value) / squared};
    }
    /// a^p for a constant exponent; any a that std::pow takes.
    friend Dual pow(const Dual& a, double p) {
        using std::pow;
        return p == 0.0 ? Dual(T{1.0}) : chain(pow(a.value, p), T{p} * pow(a.value, p - 1.0), a);
    }
    /// a^b, a > 0 unless b is a constant.
    friend Dual pow(const Dual& a, const Dual& b) {
        using std::log;
        using std::pow;
        const T power = pow(a.value, b.value);
        return chain(power, b.value * pow(a.value, b.value - T{1.0}), a) +
               chain(T{0.0}, a.value > T{0.0} ? power * log(a.value) : T{std::numeric_limits<double>::quiet_NaN()}, b);
    }
    /// |a|; the derivative at 0 is that from the right.
    STICTION_HD friend Dual abs(const Dual& a) { return a.value < T{0.0} ? -a : a; }
    /// The first argument where both are equal, as std::max and std::min.
    friend Dual max(const Dual& a, const Dual& b) { return a.value < b.value ? b : a; }
    friend Dual min(const Dual& a, const Dual& b) { return b.value < a.value ? b : a; }
    /// True if the value and all derivatives are finite.
    friend bool isfinite(const Dual& a) {
        using std::isfinite;
        bool finite = isfinite(a.value);
        for (int k = 0; k < N; ++k) finite = finite && isfinite(a.tangent[k]);
        return finite;
    }
};

/// The plain number below all derivatives.
inline double plain_value(double x) {
    return x;
}
template <class T, int N>
double plain_value(const Dual<T, N>& x) {
    return plain_value(x.value);
}

/// f(a) for a function whose value and derivative at a are known; a plain number takes the value alone.
inline double with_derivative(double, double value, double) {
    return value;
}
template <class T, int N>
Dual<T, N> with_derivative(const Dual<T, N>& a, const T& value, const T& derivative) {
    return Dual<T, N>::chain(value, derivative, a);
}

/// x + eps_0 direction: what a function is applied to for its product Jacobian * direction.
/// @param x, direction  dense vectors or matrices of doubles of one size
template <class Point, class Direction>
auto with_direction(const Eigen::MatrixBase<Point>& x, const Eigen::MatrixBase<Direction>& direction) {
    using Scalar = Dual<double, 1>;
    Eigen::Matrix<Scalar, Point::RowsAtCompileTime, Point::ColsAtCompileTime> result(x.rows(), x.cols());
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            result(i, j) = Scalar(x(i, j), Scalar::Tangent::Constant(direction(i, j)));
        }
    }
    return result;
}

/// Derivative along direction k of every entry of a matrix of duals.
template <class Derived>
auto tangent_of(const Eigen::MatrixBase<Derived>& x, int k = 0) {
    using T = std::decay_t<decltype(typename Derived::Scalar{}.value)>;
    Eigen::Matrix<T, Derived::RowsAtCompileTime, Derived::ColsAtCompileTime> result(x.rows(), x.cols());
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
        for (Eigen::Index i = 0; i < x.rows(); ++i) result(i, j) = x(i, j).tangent[k];
    }
    return result;
}

}  // namespace stiction

namespace Eigen {

template <class T, int N>
struct NumTraits<stiction::Dual<T, N>> : NumTraits<double> {
    using Real = stiction::Dual<T, N>;
    using NonInteger = Real;
    using Nested = Real;
    using Literal = double;
    enum {
        IsComplex = 0,
        IsInteger = 0,
        IsSigned = 1,
        RequireInitialization = 1,
        ReadCost = (N + 1) * int(NumTraits<T>::ReadCost),
        AddCost = (N + 1) * int(NumTraits<T>::AddCost),
        MulCost = (2 * N + 1) * int(NumTraits<T>::MulCost),
    };
};

template <class T, int N, class Operation>
struct ScalarBinaryOpTraits<stiction::Dual<T, N>, double, Operation> {
    using ReturnType = stiction::Dual<T, N>;
};
template <class T, int N, class Operation>
struct ScalarBinaryOpTraits<double, stiction::Dual<T, N>, Operation> {
    using ReturnType = stiction::Dual<T, N>;
};

}  // namespace Eigen
