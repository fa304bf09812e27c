// SIGINT and SIGTERM: the first asks politely, the second quits.
#pragma once

#include <atomic>

namespace stiction::cli {

/// While it lives, the first SIGINT or SIGTERM raises flag(), and a second one ends the process at once with exit code
/// 130. One at a time.
class SignalGuard {
public:
    SignalGuard();
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;
    const std::atomic<bool>* flag() const;
};

}  // namespace stiction::cli
