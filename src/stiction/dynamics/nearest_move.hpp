// The move nearest to a given one that keeps linear bounds.
#pragma once

#include "stiction/world/dof_map.hpp"
#include "stiction/world/world.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace stiction {

/// Finds u that minimises 1/2 (u - w)^T M (u - w) subject to sum_v c_v . u_v >= b for every bound that was added: w is
/// a wanted move of all vertices, M the mass of the nodes. What hangs on no node keeps its part of w. Projected
/// Gauss-Seidel on the multipliers, in the order of the bounds; multipliers are kept when further bounds are added.
class NearestMove {
public:
    /// @param map     kept by reference. A node of a rigid body has a quarter of the body's mass, one without a mass of
    ///                its own World::mean_mass
    /// @param wanted  w, stacked over all vertices (m); kept by reference
    NearestMove(const World& world, const DofMap& map, const VecX& wanted);

    /// @param vertices      of the bound; -1: none
    /// @param coefficients  c, one a vertex
    /// @param least         b
    /// @param small         correction along the bound that sweep() leaves alone (unit direction, m)
    /// @return whether nodes can do enough about it. If less than a hundredth of c is theirs, they would have to move
    ///         too far, and the bound is left out
    bool add_bound(const std::array<Index, 4>& vertices, const std::array<Vec3, 4>& coefficients, double least,
                   double small);
    std::size_t bounds() const { return bounds_.size(); }
    /// Goes through all bounds until no correction along one is above what it leaves alone, or most_sweeps times.
    void sweep(int most_sweeps);
    /// u, stacked over all vertices (m).
    VecX move() const;

private:
    /// In terms of the nodes' correction, scaled to a direction of unit length.
    struct Bound {
        std::size_t first, last;  ///< its entries
        double least;
        double small;
        double compliance;  ///< direction^T M^-1 direction (1/kg)
        double multiplier = 0.0;
    };
    struct Entry {
        Index node;
        Vec3 direction;
    };

    const DofMap& map_;
    const VecX& wanted_;
    std::vector<double> inverse_mass_;  ///< of nodes (1/kg)
    VecX correction_;                   ///< of nodes (m)
    std::vector<Bound> bounds_;
    std::vector<Entry> entries_;
};

}  // namespace stiction
