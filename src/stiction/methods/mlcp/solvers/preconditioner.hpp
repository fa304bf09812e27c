// Approximate inverses of the saddle-point matrix of a contact problem.
#pragma once

#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"

#include <functional>
#include <memory>
#include <string>

namespace stiction::mlcp {

/// Approximations of A and S = L A^-1 L^T in the block inverse (Verschoor and Jalba 2019, equation 22).
enum class PreconditionerKind {
    diagonal,    ///< no coupling: diag(A_d, S_d)^-1 with diagonals ("Diag"); positive definite
    full,        ///< the block inverse with diagonals ("Full"); indefinite
    block,       ///< the block inverse with 3x3 blocks of nodes and of contacts
    factorised,  ///< the block inverse with a Cholesky factor of A, and 3x3 blocks of contacts
};

/// Whether A_d has 3x3 blocks of nodes; a diagonal otherwise.
bool has_blocks(PreconditionerKind kind);
/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& preconditioner_names();
/// Throws InternalError for any other name.
PreconditionerKind preconditioner_from_name(const std::string& name);

/// A vector over the velocities and the rows of all contacts.
struct SaddleVector {
    VecX v;  ///< 3 nodes
    VecX c;  ///< 3 contacts
};

/// A_d^-1: the inverse of the diagonal of A, or of its diagonal blocks. It serves every solve with one A.
class InverseDiagonal {
public:
    InverseDiagonal(PreconditionerKind kind, const VelocityMatrix& matrix);

    bool has_blocks() const { return has_blocks_; }
    /// Block of a node.
    Mat3 block(Index node) const;
    /// Block of a node times a vector.
    Vec3 product(Index node, const Vec3& r) const {
        const auto at = static_cast<std::size_t>(node);
        if (has_blocks_) return blocks_[at] * r;
        return diagonal_.segment<3>(3 * static_cast<Eigen::Index>(node)).cwiseProduct(r);
    }
    /// z = A_d^-1 r
    void apply(const VecX& r, VecX& z) const;

private:
    bool has_blocks_;
    VecX diagonal_;             ///< of the kinds with diagonals
    std::vector<Mat3> blocks_;  ///< of the other kinds, one a node
};

/// C^-1 of a problem, where C approximates the saddle-point matrix B.
class Preconditioner {
public:
    /// Solves A x = r with a factor; only `factorised` needs it.
    using Solve = std::function<void(const VecX& r, VecX& x)>;

    /// @param constraints  kept by reference: must outlive this object
    Preconditioner(PreconditionerKind kind, const VelocityMatrix& matrix, const ConstraintMatrix& constraints,
                   Solve solve = {});
    /// @param nodes  of the problem's matrix, and of a kind with the same has_blocks()
    Preconditioner(PreconditionerKind kind, std::shared_ptr<const InverseDiagonal> nodes,
                   const ConstraintMatrix& constraints, Solve solve);

    /// z = C^-1 r; r.c has to be 0 on inactive rows, and z.c is.
    void apply(const SaddleVector& r, const ActiveSet& rows, SaddleVector& z) const;

    /// z = D r with the positive definite D = diag(A_d, S_d)^-1, for every kind; r . D r measures a residual.
    void apply_diagonal(const SaddleVector& r, const ActiveSet& rows, SaddleVector& z) const;

    /// diag(L A_d^-1 L^T) plus body_compliance of every contact (m/N), without the scaling for duplicates. A force
    /// times its compliance estimates the distance that the force moves the contact.
    const std::vector<Vec3>& compliance() const { return compliance_; }
    /// Block of A_d^-1 of a node.
    Mat3 node_inverse(Index node) const { return nodes_->block(node); }
    /// The same times a vector.
    Vec3 node_product(Index node, const Vec3& r) const { return nodes_->product(node, r); }

private:
    double row_compliance(std::size_t k, const Vec2& along) const;
    void solve_constraints(const VecX& u, const ActiveSet& rows, VecX& z) const;

    PreconditionerKind kind_;
    std::shared_ptr<const InverseDiagonal> nodes_;
    const ConstraintMatrix& constraints_;
    Solve solve_;
    std::vector<Vec3> compliance_;
    std::vector<Mat3> inverse_;           ///< S_d^-1 with duplicates, all three rows
    std::vector<double> normal_inverse_;  ///< of the normal alone
    std::vector<Mat2> tangential_;        ///< S_d with duplicates, tangents
};

}  // namespace stiction::mlcp
