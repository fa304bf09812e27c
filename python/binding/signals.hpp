// Signals of Python, such as Ctrl-C, while a step is made.
#pragma once

#include "stiction/base/timer.hpp"
#include "stiction/sim/observer.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <exception>
#include <utility>

namespace stiction::python {

namespace nb = nanobind;

/// Says when to let Python's signal handlers run. They need the interpreter's lock, for which another thread of Python
/// may let a simulation wait: a few times a second is often enough.
class SignalClock {
public:
    bool is_due() {
        constexpr double interval = 0.05;  // s
        const double now = now_seconds();
        if (now - last_ < interval) return false;
        last_ = now;
        return true;
    }

private:
    double last_ = 0.0;
};

/// Interrupts a step when a signal handler of Python raises an exception, as that of Ctrl-C does. Signal handlers run
/// in the main thread alone.
class SignalWatch final : public Observer {
public:
    void iterated(const World&, const State&, int, double) override {
        if (interrupt_ || !clock_.is_due()) return;
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() == 0) return;
        raised_ = std::make_exception_ptr(nb::python_error());
        interrupt_ = true;
    }
    /// For Simulator::advance.
    const std::atomic<bool>& interrupt() const { return interrupt_; }
    /// What was raised since the last call; null: nothing.
    std::exception_ptr take() {
        interrupt_ = false;
        return std::exchange(raised_, nullptr);
    }

private:
    SignalClock clock_;
    std::atomic<bool> interrupt_{false};
    std::exception_ptr raised_;
};

}  // namespace stiction::python
