// Random systems and the dense matrices they must equal.
#pragma once

#include "stiction/linalg/block_system.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>

namespace stiction::test {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low = -1.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

inline Index random_index(Random& random, Index count) {
    return std::uniform_int_distribution<Index>(0, count - 1)(random);
}

inline VecX random_vector(Random& random, Eigen::Index size) {
    VecX x(size);
    for (Eigen::Index i = 0; i < size; ++i) x[i] = uniform(random);
    return x;
}

inline Mat3 random_block(Random& random) {
    Mat3 block;
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) block(r, c) = uniform(random);
    }
    return block;
}

/// Random pairs with duplicates, reversals and pairs (i, i).
inline std::vector<Edge> random_pairs(Random& random, Index nodes, int count) {
    std::vector<Edge> pairs;
    for (int k = 0; k < count; ++k) pairs.push_back({random_index(random, nodes), random_index(random, nodes)});
    return pairs;
}

/// Fills the system with a random positive definite matrix (a sum of B B^T over its pairs, plus `shift` on the
/// diagonal) and returns the same as a dense matrix, made without the system's help.
inline Eigen::MatrixXd fill_positive_definite(Random& random, const std::vector<Edge>& pairs, BlockSystem& system,
                                              double shift = 0.1) {
    const Index n = system.nodes();
    Eigen::MatrixXd dense = shift * Eigen::MatrixXd::Identity(3 * n, 3 * n);
    system.set_zero();
    for (Index i = 0; i < n; ++i) system.add_diagonal(i, shift * Mat3::Identity());
    for (const auto& [i, j] : pairs) {
        if (i == j) continue;
        Eigen::Matrix<double, 6, 2> factor;
        for (int c = 0; c < 2; ++c) {
            for (int r = 0; r < 6; ++r) factor(r, c) = uniform(random);
        }
        const Eigen::Matrix<double, 6, 6> local = factor * factor.transpose();
        system.add_diagonal(i, local.topLeftCorner<3, 3>());
        system.add_diagonal(j, local.bottomRightCorner<3, 3>());
        system.add(i, j, local.topRightCorner<3, 3>());
        const std::array<Index, 2> ends{i, j};
        for (int a = 0; a < 2; ++a) {
            for (int b = 0; b < 2; ++b) {
                dense.block<3, 3>(3 * ends[a], 3 * ends[b]) += local.block<3, 3>(3 * a, 3 * b);
            }
        }
    }
    return dense;
}

/// Nodes (x, y, z) of a grid of n^3 and the tets of Kuhn's division of its cells into six.
struct KuhnCube {
    std::vector<Vec3> nodes;
    std::vector<std::array<Index, 4>> tets;

    explicit KuhnCube(Index n) {
        const auto number = [n](Index x, Index y, Index z) { return x + n * (y + n * z); };
        for (Index z = 0; z < n; ++z) {
            for (Index y = 0; y < n; ++y) {
                for (Index x = 0; x < n; ++x) nodes.push_back(Vec3(x, y, z) / (n - 1));
            }
        }
        const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        for (Index z = 0; z + 1 < n; ++z) {
            for (Index y = 0; y + 1 < n; ++y) {
                for (Index x = 0; x + 1 < n; ++x) {
                    for (const auto& order : orders) {
                        std::array<Index, 3> at{x, y, z};
                        std::array<Index, 4> tet{number(x, y, z), 0, 0, 0};
                        for (std::size_t k = 0; k < 3; ++k) {
                            ++at[order[k]];
                            tet[k + 1] = number(at[0], at[1], at[2]);
                        }
                        tets.push_back(tet);
                    }
                }
            }
        }
    }
};

inline bool same_bits(const VecX& a, const VecX& b) {
    return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data(), [](double x, double y) {
               return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
           });
}

inline bool same_bits(const std::vector<Mat3>& a, const std::vector<Mat3>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Mat3& x, const Mat3& y) {
               return std::equal(x.data(), x.data() + 9, y.data(), [](double p, double q) {
                   return std::bit_cast<std::uint64_t>(p) == std::bit_cast<std::uint64_t>(q);
               });
           });
}

}  // namespace stiction::test
