// A + L^T D L of a contact problem, with one 3x3 block of D a contact, as a sparse matrix with its Cholesky factor.
#pragma once

#include "stiction/linalg/low_rank_update.hpp"
#include "stiction/methods/mlcp/problem/contact_problem.hpp"

#include <span>

namespace stiction::mlcp {

/// The sum is formed: contacts couple their nodes. One pattern serves all D of a problem.
class PenalisedSystem {
public:
    /// @param problem  kept by reference: A and the contacts must not change
    explicit PenalisedSystem(const ContactProblem& problem);

    /// Factors A + L^T D L.
    /// @param stiffness  D, symmetric positive semidefinite, a block a contact (N/m)
    /// @return false: not positive definite to working precision
    bool factorise(std::span<const Mat3> stiffness);
    /// x = (A + L^T D L)^-1 r with the last factor.
    void solve(const VecX& r, VecX& x);

private:
    void add_contact(std::size_t k, const Mat3& stiffness);

    const ContactProblem& problem_;
    BlockSystem system_;
    std::vector<Index> elastic_slots_;  ///< slot in system_ of every slot of A's elastic part
    LowRankUpdate rank_one_;
};

}  // namespace stiction::mlcp
