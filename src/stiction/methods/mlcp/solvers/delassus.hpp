// The Delassus operator L A^-1 L^T of all contacts, formed explicitly.
#pragma once

#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"
#include "stiction/methods/mlcp/solvers/preconditioner.hpp"

#include <Eigen/Core>

#include <vector>

namespace stiction::mlcp {

/// W = L A^-1 L^T, as a sum over the connected components of A (bodies). The matrix of a component is dense on the
/// contacts that touch it.
class DelassusOperator {
public:
    /// One right-hand side serves all components at once: the number of solves is the number of rows of the component
    /// with the most contacts.
    /// @param contacts  kept by reference
    /// @param solve     x = A^-1 r over all nodes
    DelassusOperator(const VelocityMatrix& matrix, std::span<const ContactConstraint> contacts,
                     const Preconditioner::Solve& solve);

    /// W(k, k).
    Mat3 diagonal(std::size_t contact) const;
    /// (W f)_k of the forces last given to set().
    Vec3 motion(std::size_t contact) const;
    /// Sets f_k.
    void set(std::size_t contact, const Vec3& force);

private:
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    /// A connected component with contacts.
    struct Part {
        std::vector<Index> contacts;  ///< ascending
        RowMajor W;
        VecX f;
    };
    struct Place {
        std::size_t part;
        Eigen::Index row;
    };
    template <class Visit>
    void for_each_block(std::size_t part, std::size_t contact, const Visit& visit) const;
    void fill_columns(std::size_t turn, int row, Eigen::Index size, const Preconditioner::Solve& solve);

    std::span<const ContactConstraint> contacts_;
    std::vector<std::size_t> part_of_;  ///< of every node that has contacts
    std::vector<Part> parts_;
    std::vector<std::vector<Place>> places_;  ///< of every contact
};

}  // namespace stiction::mlcp
