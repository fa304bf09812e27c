// Bending by angles, which no constant matrix is the derivative of.
#pragma once

#include "stiction/world/world.hpp"

#include <Eigen/SparseCore>

#include <vector>

namespace stiction::local_global {

/// The hinges of all sheets (HingeBending), one after the other. Keeps its memory from call to call.
class Hinges {
public:
    /// @param world  kept by reference
    explicit Hinges(const World& world);

    std::size_t count() const { return count_; }
    /// @param energies  count() of them (J)
    /// @param gradient  of their sum (N), stacked over all vertices; set anew
    void evaluate(const VecX& x, double* energies, VecX& gradient);
    /// Sum of the stiffnesses (J/rad^2).
    double stiffness() const { return stiffness_; }
    /// Weights of the constant matrix (N/m), scalar: the Hessian of each hinge laid flat, which is that of
    /// IsometricBending, w / |e|^2 K K^T.
    void add_weights(std::vector<Eigen::Triplet<double, std::int64_t>>& entries) const;

private:
    const World& world_;
    std::vector<const SheetGroup*> groups_;
    std::size_t count_ = 0;
    double stiffness_ = 0.0;
    std::vector<double> group_energies_;
    std::vector<Vec12> local_;
};

}  // namespace stiction::local_global
