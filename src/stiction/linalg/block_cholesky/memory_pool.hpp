// Memory for dense matrices that is kept from one factorisation to the next.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <mutex>

namespace stiction::block_cholesky {

struct FreeMemory {
    void operator()(std::byte* memory) const { std::free(memory); }
};

/// So many bytes, on cache lines of their own, not initialised.
struct Memory {
    std::unique_ptr<std::byte[], FreeMemory> bytes;
    std::size_t size = 0;
};

/// @return null bytes when there are none
Memory allocate_memory(std::size_t size);

/// Bytes of so many numbers; the largest size there is when it cannot be counted.
template <class Number>
std::size_t bytes_of(std::size_t numbers) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    return numbers > most / sizeof(Number) ? most : numbers * sizeof(Number);
}

/// The system hands out memory page by page and clears each, which of a large front takes longer than its arithmetic.
/// So the pool keeps one range of addresses; only what was in use at one time of it ever becomes memory.
class MemoryPool {
public:
    /// Takes everything back. `size` bytes are as much as is ever in use at a time; more is taken from the system.
    void reset(std::size_t size);
    /// Room for so many numbers on cache lines of its own, as far down as there is any; null when there is none. From
    /// any thread.
    template <class Number>
    Number* take(std::size_t numbers) {
        return reinterpret_cast<Number*>(take_bytes(bytes_of<Number>(numbers)));
    }
    /// What take() returned; nothing happens for null.
    template <class Number>
    void give_back(Number* numbers) {
        give_back_bytes(reinterpret_cast<std::byte*>(numbers));
    }

private:
    std::byte* take_bytes(std::size_t size);
    void give_back_bytes(std::byte* memory);
    std::byte* take_free(std::size_t size);

    std::mutex mutex_;
    Memory range_;
    std::map<std::byte*, std::size_t> free_, taken_;
    std::map<std::byte*, Memory> others_;
};

}  // namespace stiction::block_cholesky
