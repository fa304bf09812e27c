// The only place that owns threads. Reductions have a fixed order: same bits for any number of threads.
#pragma once

#include "stiction/base/types.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stiction {

/// Number of threads used by parallel_for from now on; 0 means all cores.
void set_thread_count(int threads);
int thread_count();

/// Calls body(i) for every i in [0, n), in any order and on any thread. body must write only to what i owns.
template <class Body>
void parallel_for(std::size_t n, const Body& body, std::size_t grain = 64) {
    if (n == 0) return;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain), [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
    });
}

/// Sum of term(i) over [0, n) in blocks of fixed size added in order; `zero` is the neutral element.
template <class Value, class Term>
Value parallel_sum(std::size_t n, Value zero, const Term& term) {
    constexpr std::size_t block_size = 256;
    const std::size_t blocks = (n + block_size - 1) / block_size;
    std::vector<Value> partial(blocks, zero);
    parallel_for(blocks, [&](std::size_t b) {
        Value sum = zero;
        const std::size_t end = std::min(n, (b + 1) * block_size);
        for (std::size_t i = b * block_size; i < end; ++i) sum += term(i);
        partial[b] = sum;
    }, 1);
    Value sum = zero;
    for (const Value& value : partial) sum += value;
    return sum;
}

/// Minimum of term(i) over [0, n) and `start`.
template <class Term>
double parallel_min(std::size_t n, double start, const Term& term) {
    constexpr std::size_t block_size = 256;
    const std::size_t blocks = (n + block_size - 1) / block_size;
    std::vector<double> partial(blocks, start);
    parallel_for(blocks, [&](std::size_t b) {
        double best = start;
        const std::size_t end = std::min(n, (b + 1) * block_size);
        for (std::size_t i = b * block_size; i < end; ++i) best = std::min(best, static_cast<double>(term(i)));
        partial[b] = best;
    }, 1);
    for (const double value : partial) start = std::min(start, value);
    return start;
}

}  // namespace stiction
