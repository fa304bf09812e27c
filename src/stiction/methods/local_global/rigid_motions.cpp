#include "stiction/methods/local_global/rigid_motions.hpp"

#include "stiction/math/svd3.hpp"

#include <Eigen/Dense>

namespace stiction::local_global {
namespace {

using Corners = Eigen::Matrix<double, 3, 4>;

Corners corners(const Tet& frame, const VecX& x) {
    Corners result;
    for (std::size_t k = 0; k < 4; ++k)
        result.col(static_cast<Eigen::Index>(k)) = x.segment<3>(3 * static_cast<Eigen::Index>(frame[k]));
    return result;
}

/// Scalar entries of a mass matrix that acts on each coordinate alike.
Eigen::Matrix4d scalar_mass(const Mat12& matrix) {
    Eigen::Matrix4d result;
    for (Eigen::Index a = 0; a < 4; ++a) {
        for (Eigen::Index b = 0; b < 4; ++b) result(a, b) = matrix(3 * a, 3 * b);
    }
    return result;
}

RigidMotions::Body body_of(const World& world, const Tet& frame, const Eigen::Matrix4d& mass) {
    RigidMotions::Body body;
    body.frame = frame;
    body.factor = mass.llt().matrixL();
    body.shares = mass.rowwise().sum() / mass.sum();
    const Corners start = corners(frame, world.initial_positions);
    body.at_rest = start.colwise() - start * body.shares;
    body.moments = mass * body.at_rest.transpose();
    return body;
}

}  // namespace

RigidMotions::RigidMotions(const World& world) {
    for (const ElasticGroup& group : world.elastic) {
        if (!group.frames) continue;
        for (std::size_t e = 0; e < group.consistent_mass.size(); ++e)
            bodies_.push_back(
                body_of(world, group.consistent_mass.vertices[e], scalar_mass(group.consistent_mass.matrices[e])));
    }
}

void RigidMotions::begin(const GlobalSystem& system, InverseModes& modes) const {
    modes.rigid.resize(bodies_.size());
    modes.rigid_of_unknown.clear();
    if (bodies_.empty()) return;
    modes.rigid_of_unknown.assign(system.unknowns().size(), -1);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        for (std::size_t k = 0; k < 4; ++k) {
            const Index unknown = system.unknown_of(bodies_[b].frame[k]);
            modes.rigid[b].unknowns[k] = unknown;
            modes.rigid_of_unknown[at(unknown)] = static_cast<Index>(b);
        }
    }
}

/// The rotation that maximises the trace of R^T times the correlation of present and initial positions over the mass is
/// its polar factor.
void RigidMotions::straighten(VecX& x) const {
    for (const Body& body : bodies_) {
        const Corners present = corners(body.frame, x);
        const Vec3 centre = present * body.shares;
        const Mat3 correlation = (present.colwise() - centre) * body.moments;
        const Corners placed = (polar_rotation(correlation) * body.at_rest).colwise() + centre;
        for (std::size_t k = 0; k < 4; ++k)
            x.segment<3>(3 * static_cast<Eigen::Index>(body.frame[k])) = placed.col(static_cast<Eigen::Index>(k));
    }
}

/// With A = L L^T on the frame, L^T times the rigid motions spans a space of six dimensions; an orthonormal basis Q of
/// what is orthogonal to it gives Y = L^-T Q.
void RigidMotions::linearise(const VecX& x, InverseModes& modes) const {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const Body& body = bodies_[b];
        const Corners present = corners(body.frame, x);
        const Corners arms = present.colwise() - present * body.shares;
        InverseModes::RigidModes::Basis motions;
        Mat12 factor = Mat12::Zero();
        for (Eigen::Index i = 0; i < 4; ++i) {
            motions.block<3, 3>(3 * i, 0).setIdentity();
            for (int axis = 0; axis < 3; ++axis)
                motions.block<3, 1>(3 * i, 3 + axis) = Vec3::Unit(axis).cross(arms.col(i)) / arms.norm();
            for (Eigen::Index j = 0; j <= i; ++j)
                factor.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(body.factor(i, j));
        }
        const InverseModes::RigidModes::Basis weighted = factor.transpose() * motions;
        const Mat12 basis = weighted.householderQr().householderQ();
        modes.rigid[b].deformations = factor.transpose().triangularView<Eigen::Upper>().solve(basis.rightCols<6>());
        modes.rigid[b].scaled = factor * basis.rightCols<6>();
    }
}

}  // namespace stiction::local_global
