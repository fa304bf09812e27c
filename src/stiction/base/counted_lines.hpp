// Lines of which some are equal, each once.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace stiction {

/// The lines in the order of their first places; one that is there n > 1 times ends with " (n times)".
inline std::vector<std::string> counted_lines(const std::vector<std::string>& lines) {
    std::vector<std::string> once;
    std::vector<long> counts;
    for (const std::string& line : lines) {
        const auto place = static_cast<std::size_t>(std::find(once.begin(), once.end(), line) - once.begin());
        if (place == once.size()) {
            once.push_back(line);
            counts.push_back(0);
        }
        ++counts[place];
    }
    for (std::size_t i = 0; i < once.size(); ++i) {
        if (counts[i] > 1) once[i] += " (" + std::to_string(counts[i]) + " times)";
    }
    return once;
}

}  // namespace stiction
