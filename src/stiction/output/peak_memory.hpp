// How much memory this program has had at most.
#pragma once

namespace stiction {

/// In MiB, of this program alone.
double peak_memory_mib();

}  // namespace stiction
