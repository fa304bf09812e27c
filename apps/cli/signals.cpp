#include "exit_code.hpp"
#include "signals.hpp"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace stiction::cli {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

void on_signal(int) {
    if (interrupted.exchange(true)) _exit(exit_interrupted);
}

}  // namespace

const std::atomic<bool>* catch_interrupts() {
    interrupted = false;
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action = {};
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
    return &interrupted;
}

}  // namespace stiction::cli
