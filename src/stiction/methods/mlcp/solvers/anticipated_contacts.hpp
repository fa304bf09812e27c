// Contact forces with a block diagonal of A in place of A (Otaduy et al. 2009), by Coulomb's law of each contact.
#pragma once

#include "stiction/methods/mlcp/problem/contact_problem.hpp"
#include "stiction/methods/mlcp/solvers/coulomb_contact.hpp"

#include <span>

namespace stiction::mlcp {

/// Solves the contact problem with a block diagonal D in place of A by projected Gauss-Seidel over contacts.
class AnticipatedContacts {
public:
    /// @param inverse_diagonal  blocks of D^-1, one a node; not kept
    AnticipatedContacts(const ContactProblem& problem, std::span<const Mat3> inverse_diagonal);

    /// A sweep passes over contacts that no neighbour has moved since they were solved last.
    /// @param tolerance  distance (m): changes of a contact that move it by less leave its neighbours alone; a sweep
    ///                   without larger ones is the last
    /// @param w          velocities without the forces on entry, with them on return (m/s)
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
