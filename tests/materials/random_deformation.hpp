// Deformation gradients for tests.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/math/svd3.hpp"

#include <cmath>
#include <random>
#include <string>
#include <utility>

namespace stiction::testing {

inline Mat3 random_matrix(std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    Mat3 A;
    for (int i = 0; i < 9; ++i) A.data()[i] = normal(generator);
    return A;
}

inline Mat3 random_rotation(std::mt19937_64& generator) {
    return polar_rotation(random_matrix(generator));
}

/// Named families of F, all with large rotations. Inverted ones stay away from s_i + s_j = 0, where stresses of laws in
/// the polar factor jump.
inline std::vector<std::pair<std::string, Mat3>> random_deformations(std::mt19937_64& generator, bool with_inverted) {
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const auto u = [&](double low, double high) { return low + (high - low) * uniform(generator); };
    std::vector<std::pair<std::string, Vec3>> stretches = {
        {"identity", Vec3(1, 1, 1)},
        {"nearly identity", Vec3(1 + u(-1e-6, 1e-6), 1 + u(-1e-6, 1e-6), 1 + u(-1e-6, 1e-6))},
        {"moderate", Vec3(u(0.7, 1.4), u(0.7, 1.4), u(0.7, 1.4))},
        {"repeated", Vec3(1.3, 1.3, u(0.5, 1.2))},
        {"nearly repeated", Vec3(1.3, 1.3 + 1e-9, 0.8)},
        {"all equal", Vec3::Constant(u(0.5, 2.0))},
        {"compressed", Vec3(u(0.5, 1.5), u(0.1, 0.3), u(0.1, 0.3))},
        {"flat", Vec3(1.2, 0.9, 0.02)},
        {"stretched", Vec3(u(2, 5), u(0.5, 2), u(0.3, 1))},
    };
    if (with_inverted) {
        stretches.emplace_back("inverted", Vec3(u(1, 2), u(0.8, 1), u(-0.5, -0.1)));
        stretches.emplace_back("inverted and repeated", Vec3(1.1, 1.1, -0.4));
        stretches.emplace_back("singular", Vec3(1.3, 0.8, 0.0));
    }
    std::vector<std::pair<std::string, Mat3>> result;
    for (const auto& [name, s] : stretches) {
        result.emplace_back(name, random_rotation(generator) * s.asDiagonal() * random_rotation(generator));
    }
    return result;
}

}  // namespace stiction::testing
