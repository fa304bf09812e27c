// Lists that are made in parallel and come out in one order.
#pragma once

#include "stiction/base/parallel.hpp"

namespace stiction::audit {

/// Calls body(i, list) for every i in [0, n) in parallel, with lists of its own, and joins the lists in the order of i
/// (entries of one i stay in the order in which it appended them).
template <class Item, class Body>
std::vector<Item> collect(std::size_t n, const Body& body) {
    constexpr std::size_t block_size = 64;
    std::vector<std::vector<Item>> lists((n + block_size - 1) / block_size);
    parallel_for(
        lists.size(),
        [&](std::size_t b) {
            for (std::size_t i = b * block_size; i < std::min(n, (b + 1) * block_size); ++i) body(i, lists[b]);
        },
        1);
    std::vector<Item> all;
    for (auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

}  // namespace stiction::audit
