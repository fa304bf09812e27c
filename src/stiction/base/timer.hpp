// Wall-clock timers of the phases of a step.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace stiction {

/// Milliseconds spent in named phases since the last clear(), which keeps the names. Times are reported, never decided
/// on.
class PhaseTimers {
public:
    void add(const std::string& phase, double milliseconds) { milliseconds_[phase] += milliseconds; }
    void clear() {
        for (auto& [phase, ms] : milliseconds_) ms = 0.0;
    }
    const std::map<std::string, double>& milliseconds() const { return milliseconds_; }

private:
    std::map<std::string, double> milliseconds_;
};

/// Seconds on a monotonic clock.
inline double now_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Adds the time of its own life to a phase.
class ScopedTimer {
public:
    ScopedTimer(PhaseTimers& timers, std::string phase)
        : timers_(timers), phase_(std::move(phase)), start_(now_seconds()) {}
    ~ScopedTimer() { timers_.add(phase_, 1e3 * (now_seconds() - start_)); }
    ScopedTimer(const ScopedTimer&) = delete;
    ScopedTimer& operator=(const ScopedTimer&) = delete;

private:
    PhaseTimers& timers_;
    std::string phase_;
    double start_;
};

}  // namespace stiction
