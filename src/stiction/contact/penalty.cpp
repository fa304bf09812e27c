#include "stiction/contact/penalty.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {

ScalarJet penalty(double d, double delta, double kappa) {
    if (d >= delta) return {};
    const double overlap = delta - d;
    return {kappa * overlap * overlap * overlap, -3.0 * kappa * overlap * overlap, 6.0 * kappa * overlap};
}

void penalty_hessian(const ScalarJet& energy, const VecX& gradient, Eigen::MatrixXd& hessian) {
    hessian *= energy.first;
    hessian.noalias() += energy.second * gradient * gradient.transpose();
}

double penalty_bump(double deepest, double delta) {
    if (!(deepest < 0.0)) return 1.0;
    const double ratio = (delta - deepest) / (0.5 * delta);
    return ratio * ratio;
}

PenaltyStiffness::PenaltyStiffness(double initial, double delta) : initial_(initial), kappa_(initial), delta_(delta) {
    if (!(initial > 0.0) || !std::isfinite(initial))
        throw InputError("", "contact stiffness", fmt::format("{}", initial), "a positive number of J/m^3");
    if (!(delta > 0.0) || !std::isfinite(delta))
        throw InputError("", "contact thickness", fmt::format("{}", delta), "a positive length in m");
}

void PenaltyStiffness::restore(double kappa) {
    kappa_ = std::max(initial_, kappa);
}

bool PenaltyStiffness::bump(double deepest) {
    if (!(deepest < 0.0)) return false;
    kappa_ *= penalty_bump(deepest, delta_);
    return true;
}

void PenaltyStiffness::end_step(bool any_active) {
    if (!any_active) kappa_ = initial_;
}

}  // namespace stiction
