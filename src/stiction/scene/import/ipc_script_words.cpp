#include "stiction/scene/import/ipc_script_words.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stiction::scene {

std::vector<IpcLine> split_ipc_lines(const std::string& text) {
    constexpr const char* blanks = " \t\r\v\f";
    std::vector<IpcLine> lines;
    bool continued = false;
    std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // some editors put a byte-order mark in front
    for (int number = 1; begin <= text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (!continued) lines.push_back({number, {}});
        continued = false;
        bool comment = false;
        for (std::size_t i = begin; i < end;) {
            const std::size_t from = text.find_first_not_of(blanks, i);
            if (from == std::string::npos || from >= end) break;
            const std::size_t to = std::min(text.find_first_of(" \t\r\v\f\n", from), end);
            const std::string word = text.substr(from, to - from);
            comment = comment || word[0] == '#';
            continued = word == "\\";
            if (!comment && !continued) lines.back().words.push_back(word);
            i = to;
        }
        begin = end + 1;
    }
    return lines;
}

std::optional<double> ipc_number(const std::string& word) {
    double value = 0.0;
    const char* const begin = word.data() + (word.size() > 1 && word[0] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

void IpcWords::refuse(const std::string& value, const std::string& expected) const {
    throw InputError(file_, fmt::format("line {}: {}", line_.number, keyword_), value, expected);
}

std::string IpcWords::text(const std::string& expected) {
    if (empty()) refuse("end of line", expected);
    return line_.words[next_++];
}

double IpcWords::number(const std::string& expected) {
    const std::string word = text(expected);
    const auto value = ipc_number(word);
    if (!value) refuse(word, expected);
    return *value;
}

double IpcWords::number(const std::string& expected, bool (*allowed)(double)) {
    const double value = number(expected);
    if (!allowed(value)) refuse(fmt::format("{}", value), expected);
    return value;
}

int IpcWords::integer(const std::string& expected) {
    const double value = number(expected);
    if (value != std::floor(value) || std::abs(value) > 1e9) refuse(fmt::format("{}", value), expected);
    return static_cast<int>(value);
}

Vec3 IpcWords::vector(const std::string& expected) {
    Vec3 value;
    for (int axis = 0; axis < 3; ++axis) value[axis] = number(expected);
    return value;
}

void IpcWords::finish() const {
    if (!empty()) refuse(line_.words[next_], "nothing more on this line");
}

}  // namespace stiction::scene
