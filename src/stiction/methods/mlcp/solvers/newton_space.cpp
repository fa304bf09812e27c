#include "stiction/methods/mlcp/solvers/newton_space.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/mlcp/solvers/contact_responses.hpp"
#include "stiction/methods/mlcp/solvers/dense_coulomb.hpp"

#include <Eigen/LU>

namespace stiction::mlcp {

VecX relative_motions(const ContactProblem& problem, const VecX& v) {
    VecX u(3 * static_cast<Eigen::Index>(problem.contacts.size()));
    parallel_for(problem.contacts.size(), [&](std::size_t k) {
        u.segment<3>(3 * static_cast<Eigen::Index>(k)) = relative_motion(problem.contacts[k], v);
    });
    return u;
}

void NewtonSpace::look_at(const VecX& v) {
    problem_.matrix->multiply(v, w_);
    w_ -= problem_.rhs;
    u_ = relative_motions(problem_, v);
    clear_direction();
}

void NewtonSpace::clear_direction() {
    du_ = VecX::Zero(u_.size());
    dw_ = VecX::Zero(w_.size());
}

VelocitySpace::VelocitySpace(const ContactProblem& problem) : NewtonSpace(problem), system_(problem) {}

void VelocitySpace::begin(const VecX& v, const VecX& /*forces*/) {
    v_ = v;
    refresh();
}

void VelocitySpace::refresh() {
    look_at(v_);
}

bool VelocitySpace::find_direction(std::span<const Mat3> stiffness, const VecX& gradient, const VecX& /*forces*/) {
    if (!system_.factorise(stiffness)) return false;
    const VecX right = -gradient;
    system_.solve(right, step_);
    problem_.matrix->multiply(step_, dw_);
    // c cancels: du is L step.
    du_ = relative_motions(problem_, v_ + step_) - u_;
    return true;
}

double VelocitySpace::slope(double /*t*/, const VecX& gradient, const VecX& /*forces*/) const {
    return dot(gradient, step_);
}

void VelocitySpace::advance(double t) {
    v_ += t * step_;
    w_ += t * dw_;
    u_ = relative_motions(problem_, v_);
}

ForceSpace::ForceSpace(const SolverTask& task) : NewtonSpace(task.problem), task_(task) {
    VecX v;
    task.solve(problem_.rhs, v);
    free_motion_ = relative_motions(problem_, v);
}

void ForceSpace::begin(const VecX& /*v*/, const VecX& forces) {
    y_ = forces;
    refresh();
}

void ForceSpace::refresh() {
    u_ = free_motion_ + task_.responses->delassus() * y_;
    w_ = VecX::Zero(problem_.rhs.size());
    task_.constraints.add_transposed(y_, w_);
    clear_direction();
}

bool ForceSpace::find_direction(std::span<const Mat3> stiffness, const VecX& /*gradient*/, const VecX& forces) {
    const Eigen::MatrixXd& W = task_.responses->delassus();
    Eigen::MatrixXd system = Eigen::MatrixXd::Identity(W.rows(), W.cols());
    for (std::size_t k = 0; k < stiffness.size(); ++k) {
        const auto row = 3 * static_cast<Eigen::Index>(k);
        if (!stiffness[k].isZero(0.0)) system.middleRows<3>(row).noalias() += stiffness[k] * W.middleRows<3>(row);
    }
    const VecX error = y_ - forces;
    dy_ = -system.partialPivLu().solve(error);
    du_ = W * dy_;
    dw_ = VecX::Zero(w_.size());
    task_.constraints.add_transposed(dy_, dw_);
    return dy_.allFinite();
}

double ForceSpace::slope(double t, const VecX& /*gradient*/, const VecX& forces) const {
    return dot(y_ + t * dy_ - forces, du_);
}

void ForceSpace::advance(double t) {
    y_ += t * dy_;
    refresh();
}

void ForceSpace::solve_law(double tolerance, int rounds, const std::function<bool()>& may_go_on, VecX& y) const {
    std::vector<double> friction, share;
    for (const ContactConstraint& contact : problem_.contacts) {
        friction.push_back(contact.kinetic_ratio * contact.friction);
        share.push_back(contact.share);
    }
    const DenseCoulomb law(task_.responses->delassus(), free_motion_, std::move(friction), std::move(share));
    VecX swept = y, better = y;
    law.newton(tolerance, may_go_on, better);
    for (int round = 0; round < rounds && law.error(better) > tolerance && may_go_on(); ++round) {
        law.sweep(static_cast<int>(problem_.contacts.size()), swept);
        better = swept;
        law.newton(tolerance, may_go_on, better);
    }
    if (law.error(better) <= tolerance) y = better;
}

VecX ForceSpace::velocity() {
    VecX v;
    task_.solve(problem_.rhs + w_, v);
    return v;
}

}  // namespace stiction::mlcp
