#include "stiction/methods/mlcp/solvers/coulomb_contact.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>

namespace stiction::mlcp {

CoulombContact::CoulombContact(const Mat3& W, double friction, double kinetic_ratio)
    : W_(W), friction_(friction), kinetic_(kinetic_ratio * friction) {
    if (!(W(0, 0) > 0.0) || friction == 0.0) return;
    coupling_ = W.col(0).tail<2>() / W(0, 0);
    const Mat2 tangential = W.bottomRightCorner<2, 2>() - coupling_ * W.row(0).tail<2>();
    Eigen::SelfAdjointEigenSolver<Mat2> solver;
    solver.computeDirect(tangential);
    basis_ = solver.eigenvectors();
    stiffness_ = solver.eigenvalues().cwiseMax(1e-14 * W.trace());
    turned_coupling_ = basis_.transpose() * coupling_;
}

Vec3 CoulombContact::solve(const Vec3& q) const {
    if (q[0] >= 0.0 || !(W_(0, 0) > 0.0)) return Vec3::Zero();
    const double push = -q[0] / W_(0, 0);
    if (friction_ == 0.0) return Vec3(push, 0.0, 0.0);
    const Vec2 slip = basis_.transpose() * (q.tail<2>() - coupling_ * q[0]);
    const auto tangential = [&](double a) {
        return Vec2(-slip[0] / (stiffness_[0] + a), -slip[1] / (stiffness_[1] + a));
    };
    const auto normal = [&](const Vec2& t) { return push - turned_coupling_.dot(t); };
    Vec2 t = tangential(0.0);
    if (t.norm() <= friction_ * normal(t)) {
        const Vec2 sticking = basis_ * t;
        return Vec3(normal(t), sticking[0], sticking[1]);
    }
    if (kinetic_ == 0.0) return Vec3(push, 0.0, 0.0);
    // Newton's method inside an interval whose ends are outside and inside the cone.
    double low = 0.0, high = slip.norm() * (1.0 + kinetic_ * turned_coupling_.norm()) / (kinetic_ * push), a = 0.0;
    for (int i = 0; i < 100 && high - low > 1e-15 * high; ++i) {
        t = tangential(a);
        const double size = t.norm(), excess = size - kinetic_ * normal(t);
        (excess > 0.0 ? low : high) = a;
        if (std::abs(excess) <= 1e-15 * size) break;
        const Vec2 change(-t[0] / (stiffness_[0] + a), -t[1] / (stiffness_[1] + a));
        const double slope = t.dot(change) / size + kinetic_ * turned_coupling_.dot(change);
        const double next = a - excess / slope;
        a = next > low && next < high ? next : 0.5 * (low + high);
    }
    t = tangential(a);
    const double size = t.norm(), force = std::max(normal(t), 0.0);
    if (size > 0.0) t *= kinetic_ * force / size;
    const Vec2 sliding = basis_ * t;
    return Vec3(force, sliding[0], sliding[1]);
}

}  // namespace stiction::mlcp
