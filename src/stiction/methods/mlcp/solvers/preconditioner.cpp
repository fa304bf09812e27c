#include "stiction/methods/mlcp/solvers/preconditioner.hpp"

#include "stiction/base/enum_names.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <Eigen/LU>

namespace stiction::mlcp {

const std::vector<std::string>& preconditioner_names() {
    static const std::vector<std::string> names{"diagonal", "full", "block", "factorised"};
    return names;
}

PreconditionerKind preconditioner_from_name(const std::string& name) {
    return enum_from_name<PreconditionerKind>(preconditioner_names(), name);
}

bool has_blocks(PreconditionerKind kind) {
    return kind == PreconditionerKind::block || kind == PreconditionerKind::factorised;
}

InverseDiagonal::InverseDiagonal(PreconditionerKind kind, const VelocityMatrix& matrix)
    : has_blocks_(mlcp::has_blocks(kind)) {
    const auto nodes = static_cast<std::size_t>(matrix.nodes());
    if (has_blocks_) {
        blocks_.resize(nodes);
    } else {
        diagonal_.resize(3 * static_cast<Eigen::Index>(nodes));
    }
    parallel_for(nodes, [&](std::size_t node) {
        const Mat3 block = matrix.diagonal_block(static_cast<Index>(node));
        if (has_blocks_) {
            blocks_[node] = block.inverse();
        } else {
            diagonal_.segment<3>(3 * static_cast<Eigen::Index>(node)) = block.diagonal().cwiseInverse();
        }
    });
}

Mat3 InverseDiagonal::block(Index node) const {
    if (has_blocks()) return blocks_[static_cast<std::size_t>(node)];
    return diagonal_.segment<3>(3 * static_cast<Eigen::Index>(node)).asDiagonal();
}

void InverseDiagonal::apply(const VecX& r, VecX& z) const {
    z.resize(r.size());
    if (!has_blocks()) {
        for_blocks(r.size(), [&](Eigen::Index at, Eigen::Index size) {
            z.segment(at, size) = diagonal_.segment(at, size).cwiseProduct(r.segment(at, size));
        });
        return;
    }
    parallel_for(
        blocks_.size(),
        [&](std::size_t node) {
            const auto at = 3 * static_cast<Eigen::Index>(node);
            const Vec3 part = r.segment<3>(at);
            z.segment<3>(at) = blocks_[node] * part;
        },
        512);
}

Preconditioner::Preconditioner(PreconditionerKind kind, const VelocityMatrix& matrix,
                               const ConstraintMatrix& constraints, Solve solve)
    : Preconditioner(kind, std::make_shared<const InverseDiagonal>(kind, matrix), constraints, std::move(solve)) {}

Preconditioner::Preconditioner(PreconditionerKind kind, std::shared_ptr<const InverseDiagonal> nodes,
                               const ConstraintMatrix& constraints, Solve solve)
    : kind_(kind), nodes_(std::move(nodes)), constraints_(constraints), solve_(std::move(solve)) {
    const bool scalar = !nodes_->has_blocks();
    const std::size_t count = constraints_.size();
    compliance_.resize(count);
    inverse_.resize(count);
    normal_inverse_.resize(count);
    tangential_.resize(count);
    parallel_for(count, [&](std::size_t k) {
        const ContactConstraint& contact = constraints_.contacts()[k];
        Mat3 s = constraints_.response(k, [&](std::size_t i) { return node_inverse(contact.nodes[i]); });
        compliance_[k] = s.diagonal().array() + contact.body_compliance;
        const bool moves = s.diagonal().minCoeff() > 0.0;
        if (!moves) s = Mat3::Identity();  // both sides are driven: the row is empty, and any scale will do
        tangential_[k] = contact.duplicates *
                         (scalar ? Mat2(s.diagonal().tail<2>().asDiagonal()) : Mat2(s.bottomRightCorner<2, 2>()));
        normal_inverse_[k] = 1.0 / (s(0, 0) * contact.duplicates);
        inverse_[k] = scalar || !moves ? Mat3(s.diagonal().cwiseInverse().asDiagonal()) : Mat3(s.inverse());
        inverse_[k] /= contact.duplicates;
    });
}

void Preconditioner::solve_constraints(const VecX& u, const ActiveSet& rows, VecX& z) const {
    z.resize(u.size());
    const auto solve_one = [&](std::size_t k) {
        const auto at = 3 * static_cast<Eigen::Index>(k);
        const Vec3 part = u.segment<3>(at);
        const ActiveRows& active = rows[k];
        if (active.count == 3) {
            z.segment<3>(at) = inverse_[k] * part;
        } else {
            z.segment<3>(at) = Vec3(active.count > 0 ? normal_inverse_[k] * part[0] : 0.0, 0.0, 0.0);
            if (active.count == 2)
                z.segment<2>(at + 1) = active.across.dot(part.tail<2>()) /
                                       (row_compliance(k, active.across) + active.compliance) * active.across;
        }
    };
    parallel_for(constraints_.size(), solve_one, 512);
}

/// Compliance of a tangential row, scaled for duplicates.
double Preconditioner::row_compliance(std::size_t k, const Vec2& along) const {
    const auto block = tangential_[k];
    return along.dot(block * along);
}

void Preconditioner::apply_diagonal(const SaddleVector& r, const ActiveSet& rows, SaddleVector& z) const {
    nodes_->apply(r.v, z.v);
    solve_constraints(r.c, rows, z.c);
}

void Preconditioner::apply(const SaddleVector& r, const ActiveSet& rows, SaddleVector& z) const {
    if (kind_ == PreconditionerKind::diagonal) {
        apply_diagonal(r, rows, z);
        return;
    }
    if (kind_ == PreconditionerKind::factorised) {
        solve_(r.v, z.v);
    } else {
        nodes_->apply(r.v, z.v);
    }
    VecX u;
    constraints_.multiply(z.v, rows, u);
    u -= r.c;
    solve_constraints(u, rows, z.c);
    if (kind_ == PreconditionerKind::factorised) {
        VecX force = VecX::Zero(r.v.size()), moved;
        constraints_.add_transposed(z.c, force);
        solve_(force, moved);
        z.v -= moved;
    } else {
        constraints_.visit_transposed(z.c, [&](Index node, const Vec3& force) {
            z.v.segment<3>(3 * static_cast<Eigen::Index>(node)) -= node_product(node, force);
        });
    }
}

}  // namespace stiction::mlcp
