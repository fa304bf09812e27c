// Contact forces with a block diagonal of A in place of A (Otaduy et al. 2009), by Coulomb's law of each contact.
#pragma once

#include "stiction/methods/mlcp/problem/contact_problem.hpp"
#include "stiction/methods/mlcp/solvers/coulomb_contact.hpp"

#include <functional>

namespace stiction::mlcp {

/// Solves the contact problem with a block diagonal D in place of A by projected Gauss-Seidel over contacts.
class AnticipatedContacts {
public:
    /// @param inverse_diagonal  block of D^-1 of a node; not kept
    AnticipatedContacts(const ContactProblem& problem, const std::function<Mat3(Index)>& inverse_diagonal);

    /// A sweep passes over contacts that no neighbour has moved since they were solved last.
    /// @param tolerance  distance (m): changes of a contact that move it by less leave its neighbours alone; a sweep
    ///                   without larger ones is the last
    /// @param w          velocities under the forces f (m/s), before and after; only nodes with contacts are read and
    ///                   written
    /// @param f          forces of the contacts as in cone_forces() (N): the start, and the result
    void solve(double tolerance, int max_sweeps, VecX& w, VecX& f) const;

private:
    void move(std::size_t k, const Vec3& force, VecX& w) const;

    const ContactProblem& problem_;
    std::vector<CoulombContact> laws_;
    std::vector<std::array<Mat3, ContactConstraint::max_nodes>> moves_;  ///< D^-1 L^T of every contact
    std::size_t nodes_;
};

}  // namespace stiction::mlcp
