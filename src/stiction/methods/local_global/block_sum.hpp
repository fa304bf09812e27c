// Sums whose bits do not depend on the number of threads, without allocation.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stiction::local_global {

/// Compensated sums of term(i) over [0, n), in blocks of fixed size that are added in order. In a block four sums take
/// turns, so that none waits for the one before. Allocates only when n grows.
class BlockSum {
public:
    template <class Term>
    double operator()(std::size_t n, const Term& term) {
        return total(n, term).value();
    }

    /// The sum with its correction.
    template <class Term>
    CompensatedSum total(std::size_t n, const Term& term) {
        const std::size_t blocks = (n + block_size - 1) / block_size;
        if (partial_.size() < blocks) partial_.resize(blocks);
        parallel_for(
            blocks,
            [&](std::size_t b) {
                Lanes lanes;
                const std::size_t end = std::min(n, (b + 1) * block_size);
                std::size_t i = b * block_size;
                for (; i + 4 <= end; i += 4) lanes.add(Eigen::Array4d(term(i), term(i + 1), term(i + 2), term(i + 3)));
                CompensatedSum sum = lanes.total();
                for (; i < end; ++i) sum += term(i);
                partial_[b] = sum;
            },
            1);
        CompensatedSum sum;
        for (std::size_t b = 0; b < blocks; ++b) sum += partial_[b];
        return sum;
    }

private:
    static constexpr std::size_t block_size = 1024;

    /// Four sums with the errors of their additions (Knuth), free of branches.
    struct Lanes {
        Eigen::Array4d sum = Eigen::Array4d::Zero(), correction = Eigen::Array4d::Zero();

        void add(const Eigen::Array4d& terms) {
            const Eigen::Array4d next = sum + terms, added = next - sum;
            correction += (sum - (next - added)) + (terms - added);
            sum = next;
        }
        /// Of a sum that is not finite only itself counts.
        CompensatedSum total() const {
            CompensatedSum result;
            for (int k = 0; k < 4; ++k)
                result += CompensatedSum(sum[k], std::isfinite(correction[k]) ? correction[k] : 0.0);
            return result;
        }
    };

    std::vector<CompensatedSum> partial_;
};

}  // namespace stiction::local_global
