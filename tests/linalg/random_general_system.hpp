// Random systems without symmetry and the dense matrices they must equal.
#pragma once

#include "stiction/linalg/general_block_system.hpp"

#include "linalg/random_system.hpp"

namespace stiction::test {

/// Random blocks at both places of each pair and on the diagonal, plus `shift` there; the same as a dense matrix, made
/// without the system's help.
inline Eigen::MatrixXd fill_general(Random& random, const std::vector<Edge>& pairs, GeneralBlockSystem& system,
                                    double shift = 0.0) {
    const Index n = system.nodes();
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * n, 3 * n);
    system.set_zero();
    const auto add = [&](Index i, Index j, const Mat3& block) {
        system.add(i, j, block);
        dense.block<3, 3>(3 * i, 3 * j) += block;
    };
    for (Index i = 0; i < n; ++i) add(i, i, random_block(random) + shift * Mat3::Identity());
    for (const auto& [i, j] : pairs) {
        add(i, j, random_block(random));
        if (i != j) add(j, i, random_block(random));
    }
    return dense;
}

}  // namespace stiction::test
