// Reductions over long vectors with a fixed order.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/base/types.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction {

/// body(begin, size) for the pieces of [0, n), in parallel: one pass over several long vectors.
template <class Body>
void for_blocks(Eigen::Index n, const Body& body) {
    constexpr Eigen::Index block_size = 4096;
    parallel_for(
        static_cast<std::size_t>((n + block_size - 1) / block_size),
        [&](std::size_t b) {
            const Eigen::Index begin = static_cast<Eigen::Index>(b) * block_size;
            body(begin, std::min(block_size, n - begin));
        },
        1);
}

/// x . y, summed in blocks of fixed size that are added in order: the same bits for any number of threads.
inline double dot(const VecX& x, const VecX& y) {
    constexpr Eigen::Index block_size = 4096;
    const Eigen::Index n = x.size(), blocks = (n + block_size - 1) / block_size;
    const auto partial_dot = [&](Eigen::Index b) {
        const Eigen::Index begin = b * block_size, size = std::min(block_size, n - begin);
        return x.segment(begin, size).dot(y.segment(begin, size));
    };
    if (blocks <= 1) return n == 0 ? 0.0 : partial_dot(0);
    std::vector<double> partial(static_cast<std::size_t>(blocks));
    parallel_for(
        partial.size(), [&](std::size_t b) { partial[b] = partial_dot(static_cast<Eigen::Index>(b)); }, 1);
    double sum = 0.0;
    for (const double value : partial) sum += value;
    return sum;
}

/// Euclidean length of x, reduced like dot(). Overflows where |x|^2 does.
inline double norm(const VecX& x) {
    return std::sqrt(dot(x, x));
}

}  // namespace stiction
