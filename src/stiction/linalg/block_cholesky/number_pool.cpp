#include "stiction/linalg/block_cholesky/number_pool.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace stiction::block_cholesky {

Numbers allocate_numbers(std::size_t size) {
    constexpr std::size_t line = 64;
    if (size > std::numeric_limits<std::size_t>::max() / (2 * sizeof(double))) return {};
    const std::size_t bytes = std::max(size, std::size_t{1}) * sizeof(double);
    void* const memory = std::aligned_alloc(line, (bytes + line - 1) / line * line);
    return {std::unique_ptr<double[], FreeMemory>(static_cast<double*>(memory)), memory ? size : 0};
}

void NumberPool::reset(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (range_.size < size || range_.size / 2 > size) {
        range_ = {};
        range_ = allocate_numbers(size + size / 8);
    }
    others_.clear();
    taken_.clear();
    free_.clear();
    if (range_.memory) free_[range_.get()] = range_.size;
}

double* NumberPool::take(std::size_t size) {
    constexpr std::size_t line = 8;
    size = (std::max(size, std::size_t{1}) + line - 1) / line * line;
    const std::lock_guard lock(mutex_);
    if (double* const found = take_free(size)) return found;
    Numbers numbers = allocate_numbers(size);
    double* const found = numbers.get();
    if (found) others_.emplace(found, std::move(numbers));
    return found;
}

double* NumberPool::take_free(std::size_t size) {
    for (auto room = free_.begin(); room != free_.end(); ++room) {
        if (room->second < size) continue;
        double* const found = room->first;
        const std::size_t rest = room->second - size;
        free_.erase(room);
        if (rest > 0) free_[found + size] = rest;
        taken_[found] = size;
        return found;
    }
    return nullptr;
}

void NumberPool::give_back(double* numbers) {
    if (!numbers) return;
    const std::lock_guard lock(mutex_);
    const auto taken = taken_.find(numbers);
    if (taken == taken_.end()) {
        others_.erase(numbers);
        return;
    }
    auto room = free_.emplace(*taken).first;
    taken_.erase(taken);
    if (const auto next = std::next(room); next != free_.end() && room->first + room->second == next->first) {
        room->second += next->second;
        free_.erase(next);
    }
    if (room == free_.begin()) return;
    if (const auto previous = std::prev(room); previous->first + previous->second == room->first) {
        previous->second += room->second;
        free_.erase(room);
    }
}

}  // namespace stiction::block_cholesky
