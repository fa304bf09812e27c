// Augmented Lagrangian that pulls driven vertices to their targets.
#pragma once

#include "stiction/dynamics/hessian_assembly.hpp"

#include <vector>

namespace stiction {

/// Sum of rho/2 m |x - target|^2 - multiplier . (x - target) over the pulled coordinates. Inactive while empty.
struct TargetPull {
    /// Value at x1 minus value at x0, without cancellation.
    double difference(const VecX& x0, const VecX& x1) const;
    void add_gradient(const VecX& x, VecX& gradient) const;
    void add_hessian(HessianAssembly& assembly) const;

    std::vector<Index> vertices;
    std::vector<std::uint8_t> axes;  ///< bits of the coordinates that are pulled, one entry a vertex
    std::vector<double> mass;        ///< kg, one a vertex
    VecX target;                     ///< stacked over all vertices of the world
    VecX multipliers;                ///< stacked over all vertices of the world
    double stiffness = 0.0;          ///< rho (-)

private:
    /// u with the coordinates that are not pulled set to 0; `i` counts `vertices`.
    Vec3 masked(std::size_t i, Vec3 u) const;
};

}  // namespace stiction
