#include "stiction/scene/import/ipc_script_words.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace stiction::scene {

std::vector<IpcLine> split_ipc_lines(const std::string& text) {
    constexpr const char* blanks = " \t\r\v\f";
    std::vector<IpcLine> lines;
    std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // some editors put a byte-order mark in front
    for (int number = 1; begin <= text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        IpcLine line;
        line.number = number;
        for (std::size_t i = begin; i < end;) {
            const std::size_t from = text.find_first_not_of(blanks, i);
            if (from == std::string::npos || from >= end) break;
            const std::size_t to = std::min(text.find_first_of(" \t\r\v\f\n", from), end);
            const std::string word = text.substr(from, to - from);
            line.comment = line.comment || word[0] == '#';
            line.continues = word == "\\";
            if (!line.comment && !line.continues) line.words.push_back(word);
            i = to;
        }
        lines.push_back(std::move(line));
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

void add_once(std::vector<std::string>& list, const std::string& text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

bool IpcWords::at_time() const {
    return at_number() || (!empty() && line_.words[next_] == "inf");
}

void IpcWords::note(const std::string& text) {
    add_once(notes_, fmt::format("line {}: {}: {}", line_.number, keyword_, text));
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

void IpcWords::number_into(double& value, const std::string& expected, bool (*allowed)(double)) {
    if (empty())
        return note(fmt::format("no value: {:g} as without it{}", value,
                                line_.comment ? " (the reference code reads 0 out of the comment)" : ""));
    value = allowed ? number(expected, allowed) : number(expected);
}

void IpcWords::time_into(double& value, const std::string& expected) {
    if (empty() || line_.words[next_] != "inf") return number_into(value, expected);
    ++next_;
    value = std::numeric_limits<double>::infinity();
    note("inf is no number to the reference code, which reads 0; here it means for ever");
}

int IpcWords::integer(const std::string& expected) {
    const std::string word = text(expected);
    const auto value = ipc_number(word);
    if (!value || std::abs(*value) > 1e9) refuse(word, expected);
    if (word.find_first_of(".eE") == std::string::npos) return static_cast<int>(*value);
    // The reference code stops at the first sign that is no digit: what is no whole number is read as it does.
    const bool whole = *value == std::floor(*value);
    const auto digits = ipc_number(word.substr(0, word.find_first_of(".eE")));
    if (!whole && !digits) refuse(word, expected);
    const double result = whole ? *value : *digits;
    note(fmt::format("{} is {:g} here; the reference code stops reading at the first sign that is no digit", word,
                     result));
    return static_cast<int>(result);
}

Vec3 IpcWords::vector(const std::string& expected) {
    Vec3 value;
    for (int axis = 0; axis < 3; ++axis) value[axis] = number(expected);
    return value;
}

void IpcWords::finish() {
    if (empty()) return;
    note(fmt::format("'{}' and what follows on the line is passed over, as in the reference code", line_.words[next_]));
    next_ = line_.words.size();
}

}  // namespace stiction::scene
