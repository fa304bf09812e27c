#include "stiction/linalg/block_cholesky/memory_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace stiction::block_cholesky {
namespace {
constexpr std::size_t cache_line = 64;
}

Memory allocate_memory(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / 4) return {};
    void* const memory =
        std::aligned_alloc(cache_line, (std::max(size, cache_line) + cache_line - 1) / cache_line * cache_line);
    return {std::unique_ptr<std::byte[], FreeMemory>(static_cast<std::byte*>(memory)), memory ? size : 0};
}

void MemoryPool::reset(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (range_.size < size || range_.size / 2 > size) {
        range_ = {};
        range_ = allocate_memory(std::max(size, size + size / 8));  // which may not be counted
    }
    others_.clear();
    taken_.clear();
    free_.clear();
    if (range_.bytes) free_[range_.bytes.get()] = range_.size;
}

std::byte* MemoryPool::take_bytes(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (size <= range_.size) {
        size = (std::max(size, cache_line) + cache_line - 1) / cache_line * cache_line;
        if (std::byte* const found = take_free(size)) return found;
    }
    Memory memory = allocate_memory(size);
    std::byte* const found = memory.bytes.get();
    if (found) others_.emplace(found, std::move(memory));
    return found;
}

std::byte* MemoryPool::take_free(std::size_t size) {
    for (auto room = free_.begin(); room != free_.end(); ++room) {
        if (room->second < size) continue;
        std::byte* const found = room->first;
        const std::size_t rest = room->second - size;
        free_.erase(room);
        if (rest > 0) free_[found + size] = rest;
        taken_[found] = size;
        return found;
    }
    return nullptr;
}

void MemoryPool::give_back_bytes(std::byte* memory) {
    if (!memory) return;
    const std::lock_guard lock(mutex_);
    const auto taken = taken_.find(memory);
    if (taken == taken_.end()) {
        others_.erase(memory);
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
