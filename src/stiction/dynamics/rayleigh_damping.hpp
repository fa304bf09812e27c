// Rayleigh damping of a whole world, frozen at one configuration.
#pragma once

#include "stiction/dynamics/hessian_assembly.hpp"

#include <vector>

namespace stiction {

/// C = alpha M + beta K(x), with K the elastic Hessian, projected positive semi-definite; beside it the mass damping of
/// sheets. Forces are -C v.
class RayleighDamping {
public:
    /// @param x  positions at which K is taken (m), stacked
    RayleighDamping(const World& world, const VecX& x);

    /// C u, stacked.
    VecX product(const VecX& u) const;
    /// Adds scale * C.
    void add_hessian(double scale, HessianAssembly& assembly) const;

private:
    const World& world_;
    std::vector<QuadraticElements> elements_;    ///< per elastic group; empty where nothing is damped
    std::vector<QuadraticForms<10>> quadratic_;  ///< the same per group of quadratic tets
};

/// Whether anything in the world is damped.
bool is_damped(const World& world);

}  // namespace stiction
