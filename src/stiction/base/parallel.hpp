// The only place that owns threads. Reductions have a fixed order: same bits for any number of threads.
#pragma once

#include "stiction/base/types.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cstddef>

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

/// parallel_for for few large bodies of unequal size: each is a task of its own.
template <class Body>
void parallel_tasks(std::size_t n, const Body& body) {
    tbb::parallel_for(std::size_t{0}, n, body, tbb::simple_partitioner());
}

/// parallel_tasks inside a task: a thread that waits here for the last body takes up no task from outside, which might
/// keep it for long.
template <class Body>
void parallel_subtasks(std::size_t n, const Body& body) {
    tbb::this_task_arena::isolate([&] { parallel_tasks(n, body); });
}

namespace detail {

/// Gives reduce() what block(begin, end) makes of each block of [0, n), in order. Takes nothing from the heap.
template <class Value, class Block, class Reduce>
void in_blocks(std::size_t n, const Block& block, const Reduce& reduce) {
    constexpr std::size_t block_size = 256, most_blocks = 256;  // at a time: what fits the stack
    for (std::size_t first = 0; first < n; first += block_size * most_blocks) {
        const std::size_t count = std::min((n - first + block_size - 1) / block_size, most_blocks);
        std::array<Value, most_blocks> values;
        parallel_for(
            count,
            [&](std::size_t b) {
                const std::size_t begin = first + b * block_size;
                values[b] = block(begin, std::min(n, begin + block_size));
            },
            1);
        for (std::size_t b = 0; b < count; ++b) reduce(values[b]);
    }
}

}  // namespace detail

/// Sum of term(i) over [0, n) in blocks of fixed size added in order; `zero` is the neutral element.
template <class Value, class Term>
Value parallel_sum(std::size_t n, Value zero, const Term& term) {
    Value total = zero;
    const auto sum_block = [&](std::size_t begin, std::size_t end) {
        Value sum = zero;
        for (std::size_t i = begin; i < end; ++i) sum += term(i);
        return sum;
    };
    detail::in_blocks<Value>(n, sum_block, [&](const Value& value) { total += value; });
    return total;
}

/// Minimum of term(i) over [0, n) and `start`.
template <class Term>
double parallel_min(std::size_t n, double start, const Term& term) {
    const auto best_of_block = [&, start](std::size_t begin, std::size_t end) {
        double best = start;
        for (std::size_t i = begin; i < end; ++i) best = std::min(best, static_cast<double>(term(i)));
        return best;
    };
    detail::in_blocks<double>(n, best_of_block, [&](double value) { start = std::min(start, value); });
    return start;
}

}  // namespace stiction
