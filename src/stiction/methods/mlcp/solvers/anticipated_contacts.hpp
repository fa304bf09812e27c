// Contact forces with a block diagonal of A in place of A (Otaduy et al. 2009), by Coulomb's law of each contact.
#pragma once

#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"
#include "stiction/methods/mlcp/solvers/coulomb_contact.hpp"

#include <functional>

namespace stiction::mlcp {

/// Solves the contact problem with a block diagonal D in place of A by projected Gauss-Seidel over contacts.
class AnticipatedContacts {
public:
    /// @param constraints       kept by reference: must outlive this object, and not change
    /// @param inverse_diagonal  block of D^-1 of a node, symmetric; not kept
    AnticipatedContacts(const ConstraintMatrix& constraints, const std::function<Mat3(Index)>& inverse_diagonal);

    /// A sweep passes over contacts that no neighbour has moved since they were solved last.
    /// @param tolerance  distance (m): changes of a contact that move it by less than its share of this leave its
    ///                   neighbours alone; a sweep without larger ones is the last
    /// @param w          velocities under the forces f (m/s), before and after; only nodes with contacts are read and
    ///                   written
    /// @param f          forces of the contacts as in cone_forces() (N): the start, and the result
    /// @return  sweeps: contacts solved, over the number of contacts
    double solve(double tolerance, int max_sweeps, VecX& w, VecX& f) const;

private:
    const ConstraintMatrix& constraints_;
    std::vector<Mat3> inverse_;                ///< D^-1 of the nodes with contacts
    std::vector<ContactNodes<Index>> places_;  ///< of every contact's nodes in inverse_
    std::vector<CoulombContact> laws_;
};

}  // namespace stiction::mlcp
