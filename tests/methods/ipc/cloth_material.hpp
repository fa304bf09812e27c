// The cloth of the tests of shells.
#pragma once

#include "stiction/world/world_builder.hpp"

namespace stiction::test {

inline ShellMaterial cloth(double modulus = 1e5, BendingModel bending = BendingModel::hinge) {
    ShellMaterial material;
    material.youngs_modulus = modulus;
    material.poissons_ratio = 0.3;
    material.thickness = 1e-3;
    material.areal_density = 0.2;
    material.bending = bending;
    return material;
}

}  // namespace stiction::test
