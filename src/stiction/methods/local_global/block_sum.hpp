// Sums whose bits do not depend on the number of threads, without allocation.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"

#include <vector>

namespace stiction::local_global {

/// Compensated sum of term(i) over [0, n), in blocks of fixed size that are added in order. Allocates only when n
/// grows.
class BlockSum {
public:
    template <class Term>
    double operator()(std::size_t n, const Term& term) {
        const std::size_t blocks = (n + block_size - 1) / block_size;
        if (partial_.size() < blocks) partial_.resize(blocks);
        parallel_for(
            blocks,
            [&](std::size_t b) {
                CompensatedSum sum;
                const std::size_t end = std::min(n, (b + 1) * block_size);
                for (std::size_t i = b * block_size; i < end; ++i) sum += term(i);
                partial_[b] = sum;
            },
            1);
        CompensatedSum sum;
        for (std::size_t b = 0; b < blocks; ++b) sum += partial_[b];
        return sum.value();
    }

private:
    static constexpr std::size_t block_size = 1024;
    std::vector<CompensatedSum> partial_;
};

}  // namespace stiction::local_global
