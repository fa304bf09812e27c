// Memory for dense matrices that is kept from one factorisation to the next.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace stiction::block_cholesky {

struct FreeMemory {
    void operator()(double* memory) const { std::free(memory); }
};

/// Room for so many numbers, on a cache line of its own, not initialised.
struct Numbers {
    std::unique_ptr<double[], FreeMemory> memory;
    std::size_t size = 0;

    double* get() const { return memory.get(); }
};

/// @return null memory when there is none
Numbers allocate_numbers(std::size_t size);

/// The system hands out memory page by page and clears each, which of a large front takes longer than its arithmetic.
/// So the pool keeps one range of addresses; only what was in use at one time of it ever becomes memory.
class NumberPool {
public:
    /// Takes everything back. `size` is as much as is ever in use at a time; more is taken from the system.
    void reset(std::size_t size);
    /// Room for `size` numbers on cache lines of its own, as far down as there is any; null when there is none. From
    /// any thread.
    double* take(std::size_t size);
    /// What take() returned; nothing happens for null.
    void give_back(double* numbers);

private:
    double* take_free(std::size_t size);

    std::mutex mutex_;
    Numbers range_;
    std::map<double*, std::size_t> free_, taken_;
    std::map<double*, Numbers> others_;
};

}  // namespace stiction::block_cholesky
