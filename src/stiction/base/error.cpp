#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace stiction {
namespace {

std::string compose(std::string_view file, std::string_view field, std::string_view value, std::string_view expected) {
    std::string message;
    for (const auto part : {file, field, value}) {
        if (!part.empty()) message += fmt::format("{}: ", part);
    }
    return message + fmt::format("expected {}", expected);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1), above(b.size() + 1), two_above(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(two_above, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({substitute, above[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
    }
    return row[b.size()];
}

}  // namespace

InputError::InputError(std::string_view file, std::string_view field, std::string_view value, std::string_view expected)
    : std::runtime_error(compose(file, field, value, expected)), field_(field), value_(value), expected_(expected) {}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t best_distance = std::numeric_limits<std::size_t>::max();
    for (const auto& candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate);
        const std::size_t half = (name.size() + candidate.size()) / 4;  // of the letters, on average
        const bool is_typo = distance <= std::clamp<std::size_t>(half, 1, 3);
        const bool is_another_word = distance >= std::max(name.size(), candidate.size());
        if (distance < best_distance && is_typo && !is_another_word) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

namespace detail {
void check_failed(const char* condition, const char* file, int line, const std::string& message) {
    throw InternalError(fmt::format("{} ({}:{}: {} does not hold)", message, file, line, condition));
}
}  // namespace detail

}  // namespace stiction
