#include "stiction/methods/mlcp/solvers/minimal_residuals.hpp"

#include "stiction/linalg/vector_ops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stiction::mlcp {
namespace {

double product(const SaddleVector& x, const SaddleVector& y) {
    return dot(x.v, y.v) + dot(x.c, y.c);
}
SaddleVector zero_like(const SaddleVector& x) {
    return {VecX::Zero(x.v.size()), VecX::Zero(x.c.size())};
}
/// scale (x - a y - b z)
SaddleVector combine(double scale, const SaddleVector& x, double a, const SaddleVector& y, double b,
                     const SaddleVector& z) {
    return {scale * (x.v - a * y.v - b * z.v), scale * (x.c - a * y.c - b * z.c)};
}
void add(double a, const SaddleVector& x, SaddleVector& y) {
    y.v += a * x.v;
    y.c += a * x.c;
}

}  // namespace

MinimalResiduals::MinimalResiduals(const SaddleVector& r, const Apply& precondition)
    : v_(r), v_old_(zero_like(r)), w_(zero_like(r)), w_old_(zero_like(r)), Bw_(zero_like(r)), Bw_old_(zero_like(r)) {
    precondition(v_, z_);
    gamma_ = eta_ = std::sqrt(product(z_, v_));
}

bool MinimalResiduals::advance(const Apply& multiply, const Apply& precondition, SaddleVector& y, SaddleVector& r) {
    if (!(gamma_ > 0.0) || !std::isfinite(eta_)) return false;
    z_.v /= gamma_;
    z_.c /= gamma_;
    SaddleVector Bz, z_new;
    multiply(z_, Bz);
    const double delta = product(Bz, z_);
    SaddleVector v_new = combine(1.0, Bz, delta / gamma_, v_, gamma_ / gamma_old_, v_old_);
    precondition(v_new, z_new);
    const double gamma_new = std::sqrt(std::max(product(z_new, v_new), 0.0));
    // Rotations of Givens: a1, a2, a3 is the new column of R.
    const double a0 = cosine_ * delta - cosine_old_ * sine_ * gamma_, a1 = std::hypot(a0, gamma_new);
    const double a2 = sine_ * delta + cosine_old_ * cosine_ * gamma_, a3 = sine_old_ * gamma_;
    if (!(a1 > 0.0)) return false;
    w_old_ = std::exchange(w_, combine(1.0 / a1, z_, a3, w_old_, a2, w_));
    Bw_old_ = std::exchange(Bw_, combine(1.0 / a1, Bz, a3, Bw_old_, a2, Bw_));
    cosine_old_ = std::exchange(cosine_, a0 / a1);
    sine_old_ = std::exchange(sine_, gamma_new / a1);
    add(cosine_ * eta_, w_, y);
    add(-cosine_ * eta_, Bw_, r);
    eta_ *= -sine_;
    v_old_ = std::exchange(v_, std::move(v_new));
    z_ = std::move(z_new);
    gamma_old_ = std::exchange(gamma_, gamma_new);
    return std::isfinite(eta_);
}

}  // namespace stiction::mlcp
