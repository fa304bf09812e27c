// The general system of a tet mesh.
#pragma once

#include "stiction/linalg/element_scatter.hpp"
#include "stiction/linalg/general_block_system.hpp"

#include "linalg/random_general_system.hpp"

namespace stiction::test {

/// The tets of a cube with random matrices, made regular by a shift of the diagonal.
struct MeshSystem {
    KuhnCube cube;
    GeneralBlockSystem system;

    MeshSystem(Index n, std::uint64_t seed, double shift = 2.0) : cube(n) {
        system.set_pattern(static_cast<Index>(cube.nodes.size()), element_pairs(cube.tets));
        assemble(seed, shift);
    }
    void assemble(std::uint64_t seed, double shift) {
        Random random(seed);
        system.set_zero();
        for (const auto& tet : cube.tets) {
            Mat12 local;
            for (auto& value : local.reshaped()) value = uniform(random);
            system.add_stencil(tet, local);
        }
        for (Index i = 0; i < system.nodes(); ++i) system.add_diagonal(i, shift * Mat3::Identity());
    }
};

}  // namespace stiction::test
