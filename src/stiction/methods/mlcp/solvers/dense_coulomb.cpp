#include "stiction/methods/mlcp/solvers/dense_coulomb.hpp"

#include "stiction/methods/mlcp/solvers/friction_cone.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <utility>

namespace stiction::mlcp {
namespace {

Eigen::Index row_of(std::size_t contact) {
    return 3 * static_cast<Eigen::Index>(contact);
}

}  // namespace

/// The natural map F = y - P_K(y - r (u + mu |u_t| e_n)), and its derivative with respect to y and u.
struct DenseCoulomb::Place {
    VecX F;
    std::vector<Mat3> with_force, with_motion;
    double largest = 0.0;  ///< |F| / r of the worst contact (m), over its share
    double merit = 0.0;    ///< half of the sum of its squares (m^2)
};

DenseCoulomb::DenseCoulomb(const Eigen::MatrixXd& delassus, const VecX& free_motion, std::vector<double> friction,
                           std::vector<double> share)
    : W_(delassus),
      q_(free_motion),
      friction_(std::move(friction)),
      share_(std::move(share)),
      scale_(friction_.size()) {
    share_.resize(friction_.size(), 1.0);
    for (std::size_t k = 0; k < scale_.size(); ++k) {
        const double most = W_.diagonal().segment<3>(row_of(k)).maxCoeff();
        scale_[k] = most > 0.0 ? 1.0 / most : 0.0;
        contacts_.emplace_back(Mat3(W_.block<3, 3>(row_of(k), row_of(k))), friction_[k], 1.0);
    }
}

DenseCoulomb::Place DenseCoulomb::at(const VecX& y) const {
    Place place{VecX(y.size()), std::vector<Mat3>(scale_.size()), std::vector<Mat3>(scale_.size())};
    const VecX u = q_ + W_ * y;
    for (std::size_t k = 0; k < scale_.size(); ++k) {
        const double r = scale_[k], mu = friction_[k];
        const Vec3 force = y.segment<3>(row_of(k));
        Vec3 motion = u.segment<3>(row_of(k));
        const double slip = motion.tail<2>().norm();
        Mat3 dilated = Mat3::Identity();  // derivative of u + mu |u_t| e_n
        if (slip > 0.0) dilated.block<1, 2>(0, 1) = mu / slip * motion.tail<2>().transpose();
        motion[0] += mu * slip;
        const ConeProjection projection = project_onto_cone(force - r * motion, mu);
        const Vec3 F = r > 0.0 ? Vec3(force - projection.value) : force;
        place.F.segment<3>(row_of(k)) = F;
        place.with_force[k] = r > 0.0 ? Mat3(Mat3::Identity() - projection.derivative) : Mat3(Mat3::Identity());
        place.with_motion[k] = r * projection.derivative * dilated;
        if (r > 0.0) place.largest = std::max(place.largest, F.norm() / (r * share_[k]));
        if (r > 0.0) place.merit += 0.5 * F.squaredNorm() / (r * r);
    }
    return place;
}

VecX DenseCoulomb::direction(const Place& place) const {
    // Where rows are redundant the matrix is singular without a part of the identity.
    constexpr double regularisation = 1e-3;
    Eigen::MatrixXd system(W_.rows(), W_.cols());
    for (std::size_t k = 0; k < scale_.size(); ++k) {
        system.middleRows<3>(row_of(k)).noalias() = place.with_motion[k] * W_.middleRows<3>(row_of(k));
        system.block<3, 3>(row_of(k), row_of(k)) += place.with_force[k];
        system.diagonal().segment<3>(row_of(k)).array() += regularisation;
    }
    return -system.partialPivLu().solve(place.F);
}

double DenseCoulomb::error(const VecX& y) const {
    return at(y).largest;
}

void DenseCoulomb::newton(double tolerance, const std::function<bool()>& may_go_on, VecX& y) const {
    constexpr double decrease = 1e-3, slow = 0.8;
    constexpr int halvings = 6, most_steps = 20, most_slow_steps = 2;
    Place place = at(y);
    int slow_steps = 0;
    for (int step = 0; step < most_steps; ++step) {
        if (place.largest <= tolerance || slow_steps > most_slow_steps || !may_go_on()) return;
        const VecX dy = direction(place);
        double t = 1.0;
        Place next = at(y + dy);
        for (int i = 0; i < halvings && !(next.merit < (1.0 - decrease * t) * place.merit); ++i) {
            t *= 0.5;
            next = at(y + t * dy);
        }
        if (!(next.merit < (1.0 - decrease * t) * place.merit)) return;
        slow_steps = next.merit > slow * place.merit ? slow_steps + 1 : 0;
        y += t * dy;
        place = std::move(next);
    }
}

void DenseCoulomb::sweep(int sweeps, VecX& y) const {
    for (int i = 0; i < sweeps; ++i) {
        for (std::size_t k = 0; k < contacts_.size(); ++k) {
            const Vec3 force = y.segment<3>(row_of(k));
            // Columns in place of rows: W is symmetric.
            const Vec3 others = q_.segment<3>(row_of(k)) + W_.middleCols<3>(row_of(k)).transpose() * y -
                                contacts_[k].response() * force;
            y.segment<3>(row_of(k)) = contacts_[k].solve(others);
        }
    }
}

}  // namespace stiction::mlcp
