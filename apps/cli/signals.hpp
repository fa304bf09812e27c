// SIGINT and SIGTERM: the first asks politely, the second quits.
#pragma once

#include <atomic>

namespace stiction::cli {

/// From here to the end of the process the first SIGINT or SIGTERM raises the returned flag, and a second one ends the
/// process at once with exit code 130. There is no way back: with the default handlers put back after a run, a second
/// signal that comes late would kill it.
const std::atomic<bool>* catch_interrupts();

}  // namespace stiction::cli
