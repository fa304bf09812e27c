// Energies that are quadratic in a displacement, with one constant matrix per element.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// Q(u) = sum over elements of 1/2 u_e^T A_e u_e with constant symmetric A_e: consistent mass, frozen damping.
/// u is the stacked vector of ALL vertices; element vectors are ordered corner by corner. The Hessians are `matrices`.
/// Elements have N nodes.
template <int N>
struct QuadraticForms {
    using ElementVector = Eigen::Matrix<double, 3 * N, 1>;
    using ElementMatrix = Eigen::Matrix<double, 3 * N, 3 * N>;

    std::vector<std::array<Index, N>> vertices;  ///< global vertex ids; -1 for nodes that elements of fewer do not have
    std::vector<ElementMatrix> matrices;         ///< symmetric, one per element

    std::size_t size() const { return vertices.size(); }

    /// 1/2 u_e^T A_e u_e, one per element; `out` is resized.
    void energies(const VecX& u, std::vector<double>& out) const;
    /// Sum of the energies (compensated, fixed order).
    double energy(const VecX& u) const;
    /// A_e u_e, one per element; `out` is resized.
    void gradients(const VecX& u, std::vector<ElementVector>& out) const;
};

extern template struct QuadraticForms<4>;
extern template struct QuadraticForms<10>;
using QuadraticElements = QuadraticForms<4>;

}  // namespace stiction
