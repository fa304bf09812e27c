// Bending by hinge angles: an energy without constant Hessian, with a constant approximation for the matrix A.
#pragma once

#include "stiction/world/world.hpp"

#include <Eigen/SparseCore>

#include <vector>

namespace stiction::local_global {

/// The hinges of all sheets (HingeBending). Keeps its memory from call to call.
class Hinges {
public:
    /// @param world  kept by reference
    explicit Hinges(const World& world);

    std::size_t count() const { return count_; }
    /// @param x         positions of all vertices, stacked (m)
    /// @param energies  output, one a hinge (J)
    /// @param gradient  output: gradient of their sum (N), stacked over all vertices
    void evaluate(const VecX& x, double* energies, VecX& gradient);
    /// A copy of them, in the order of evaluate().
    HingeBending all() const;
    /// Sum of the stiffnesses (J/rad^2).
    double stiffness() const { return stiffness_; }
    /// Adds entries of the constant scalar matrix (N/m): the Hessian of each hinge laid flat, w / |e|^2 K K^T, which is
    /// that of IsometricBending.
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
