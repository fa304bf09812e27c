// Coulomb's law of few contacts together, with a dense Delassus operator.
#pragma once

#include "stiction/methods/mlcp/solvers/coulomb_contact.hpp"

#include <Eigen/Core>

#include <functional>
#include <vector>

namespace stiction::mlcp {

/// Forces y with the relative motions u = q + W y obey Coulomb's law where (de Saxce and Feng 1998)
///     y = P_K(y - r (u + mu |u_t| e_n)),   r > 0,
/// with the projection P_K onto the cone of every contact. The outer loop of the augmented Lagrangian takes mu |u_t|
/// from the iteration before, and converges slowly where that depends on itself. Here it is an unknown as well, so the
/// equations may have no solution, or several.
class DenseCoulomb {
public:
    /// @param delassus     W (m/N), kept by reference
    /// @param free_motion  q (m), kept by reference; 3 entries a contact
    /// @param friction     mu of every contact
    /// @param share        of every contact, of the tolerance; empty: 1
    DenseCoulomb(const Eigen::MatrixXd& delassus, const VecX& free_motion, std::vector<double> friction,
                 std::vector<double> share = {});

    /// Largest distance between y and its projection, as a distance of the contact (m) over its share.
    double error(const VecX& y) const;
    /// Newton's method, until the error is below a tolerance (m) or does not decrease any more.
    /// @param may_go_on  asked before every step, which factors a matrix of the size of W
    void newton(double tolerance, const std::function<bool()>& may_go_on, VecX& y) const;
    /// Gauss-Seidel sweeps over the contacts, each with its law solved exactly.
    void sweep(int sweeps, VecX& y) const;

private:
    struct Place;
    Place at(const VecX& y) const;
    VecX direction(const Place& place) const;

    const Eigen::MatrixXd& W_;
    const VecX& q_;
    std::vector<double> friction_, share_;
    std::vector<CoulombContact> contacts_;
    std::vector<double> scale_;  ///< r (N/m); 0: the contact has no force
};

}  // namespace stiction::mlcp
