// The barrier energy of all contacts.
#pragma once

#include "stiction/barrier/predicted_forces.hpp"
#include "stiction/contact/contact_set.hpp"
#include "stiction/dynamics/hessian_assembly.hpp"

#include <vector>

namespace stiction {

/// kappa sum_k b(d_k) (Li et al. 2020, equation 5). Only contacts nearer than dhat have a share in it.
struct BarrierTerm {
    /// kappa b of each contact.
    std::vector<double> values(const VecX& x, const ContactSet& contacts) const;
    /// Their sum.
    double value(const VecX& x, const ContactSet& contacts) const;
    /// Gradient per unit stiffness (m^3), stacked over all vertices.
    /// @param force_sum  where given, grows by the stiffness times the sum of absolute entries of all stencils'
    /// gradients
    VecX unit_gradient(const VecX& x, const ContactSet& contacts, double* force_sum = nullptr) const;
    /// @param project    make each contact's Hessian positive semi-definite first
    /// @param predicted  where given, contacts whose force it knows have the curvature of a chord
    void add_hessian(const VecX& x, const ContactSet& contacts, bool project, HessianAssembly& assembly,
                     const PredictedForces* predicted = nullptr) const;

    double dhat = 0.0;       ///< activation distance (m)
    double stiffness = 0.0;  ///< kappa (J/m^4 times s^2)
};

}  // namespace stiction
