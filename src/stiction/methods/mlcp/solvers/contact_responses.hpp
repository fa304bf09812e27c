// Responses A^-1 L^T of the nodes to forces of single contacts, kept while A stays the same.
#pragma once

#include "stiction/methods/mlcp/solvers/preconditioner.hpp"

#include <Eigen/Core>

#include <vector>

namespace stiction::mlcp {

/// A step solves several contact problems with the same A, and most of their contacts are the same. Three columns of
/// A^-1 L^T a contact are kept, so a contact costs three solves with A once.
class ContactResponses {
public:
    /// Forgets all columns: A has changed.
    void clear() { known_.clear(); }
    /// Makes the columns of the contacts that are not known, and forgets those of others.
    /// @param solve  x = A^-1 r over all nodes
    void update(Index nodes, std::span<const ContactConstraint> contacts, const Preconditioner::Solve& solve);

    /// W = L A^-1 L^T of the contacts given to update(), of size 3 contacts (m/N). Symmetric.
    const Eigen::MatrixXd& delassus() const { return delassus_; }
    /// Solves with A so far.
    int solves() const { return solves_; }

private:
    struct Response {
        ContactConstraint contact;
        Eigen::Matrix<double, Eigen::Dynamic, 3> columns;
    };
    Response solve_for(Index nodes, const ContactConstraint& contact, const Preconditioner::Solve& solve);

    std::vector<Response> known_;
    Eigen::MatrixXd delassus_;
    int solves_ = 0;
};

}  // namespace stiction::mlcp
