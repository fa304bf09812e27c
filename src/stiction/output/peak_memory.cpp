#include "stiction/output/peak_memory.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace stiction {

/// The maximum of getrusage survives fork and exec, and would be that of a larger parent.
double peak_memory_mib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024.0;
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace stiction
