#include "stiction/base/parallel.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <memory>
#include <mutex>

namespace stiction {
namespace {
std::unique_ptr<tbb::global_control>& control() {
    static std::unique_ptr<tbb::global_control> instance;
    return instance;
}

/// Runs in several threads of one process set the number, too.
std::mutex& mutex() {
    static std::mutex instance;
    return instance;
}
}  // namespace

void set_thread_count(int threads) {
    const std::lock_guard lock(mutex());
    control().reset();
    if (threads > 0) {
        control() = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                          static_cast<std::size_t>(threads));
    }
}

int thread_count() {
    const std::lock_guard lock(mutex());
    const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    return std::min(static_cast<int>(allowed),
                    control() ? static_cast<int>(allowed) : tbb::info::default_concurrency());
}

}  // namespace stiction
