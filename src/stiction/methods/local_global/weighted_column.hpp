// A column of contact rows: a weighted sum of positions, of unknowns and of what is driven.
#pragma once

#include "stiction/methods/local_global/global_system.hpp"

namespace stiction::local_global {

/// Collects the terms of a weighted sum of vertex positions. Embedded vertices stand for the vertices that carry them.
/// Keeps its memory.
class WeightedColumn {
public:
    void clear();
    /// Adds a weighted vertex. A driven one enters at its target.
    void add(Index vertex, double weight, const GlobalSystem& system, const VecX& target);

    const std::vector<Index>& unknowns() const { return unknowns_; }
    const std::vector<double>& weights() const { return weights_; }
    /// The part of driven vertices (m).
    const Vec3& driven() const { return driven_; }

private:
    void add_term(Index vertex, double weight, const GlobalSystem& system, const VecX& target);

    std::vector<Index> unknowns_;
    std::vector<double> weights_;
    Vec3 driven_ = Vec3::Zero();
};

}  // namespace stiction::local_global
