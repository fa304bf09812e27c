#include "stiction/mesh/byte_reader.hpp"

#include "stiction/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

namespace stiction::detail {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view blanks = " \t\r\n\v\f";

bool is_blank(char c) {
    return blanks.find(c) != std::string_view::npos;
}

std::string load(const std::filesystem::path& file) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) throw InputError(file.string(), "", "no such file", "a mesh file");
    if (!std::filesystem::is_regular_file(file, error)) {
        throw InputError(file.string(), "", "not a regular file", "a mesh file");
    }
    std::ifstream stream(file, std::ios::binary);
    const auto size = std::filesystem::file_size(file, error);
    if (!stream || error) throw InputError(file.string(), "", "cannot be opened", "a readable mesh file");
    std::string bytes(size, '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(size));
    if (!stream) throw InputError(file.string(), "", "cannot be read", "a readable mesh file");
    return bytes;
}

/// Quotes at most 60 printable characters of what the file holds.
std::string shown(std::string_view value) {
    std::string text;
    for (const char c : value.substr(0, 60)) text += (c >= 32 && c < 127) ? c : '?';
    return value.size() > 60 ? text + "..." : text;
}

}  // namespace

std::string lower_case(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

bool parse_number(std::string_view word, double& value) {
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    if (result.ptr != word.data() + word.size() || word.empty()) return false;
    // from_chars reports under- and overflow alike; strtod tells them apart (a denormal or 0, or infinity)
    if (result.ec == std::errc::result_out_of_range)
        value = std::strtod(std::string(word).c_str(), nullptr);
    else if (result.ec != std::errc())
        return false;
    return std::isfinite(value);
}

bool parse_integer(std::string_view word, std::int64_t& value) {
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    return result.ec == std::errc() && result.ptr == word.data() + word.size() && !word.empty();
}

ByteReader::ByteReader(const std::filesystem::path& file) : file_(file.string()), bytes_(load(file)) {
    if (bytes_.starts_with(byte_order_mark)) seek(byte_order_mark.size());
}

std::string ByteReader::where() const {
    if (binary_) return fmt::format("byte {}", token_);
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(token_, bytes_.size()));
    return fmt::format("line {}", 1 + std::count(bytes_.begin(), end, '\n'));
}

void ByteReader::fail(std::string_view value, std::string_view expected) const {
    throw InputError(file_, where(), shown(value), expected);
}

bool ByteReader::skip_space() {
    while (position_ < bytes_.size() && is_blank(bytes_[position_])) ++position_;
    if (position_ == bytes_.size()) token_ = position_;
    return position_ == bytes_.size();
}

std::string_view ByteReader::line() {
    token_ = position_;
    const std::size_t end = std::min(bytes_.find('\n', position_), bytes_.size());
    std::string_view text(bytes_.data() + position_, end - position_);
    position_ = std::min(end + 1, bytes_.size());
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    return text;
}

std::string_view ByteReader::word(std::string_view expected) {
    const bool ended = skip_space();
    token_ = position_;
    if (ended) fail("end of file", expected);
    while (position_ < bytes_.size() && !is_blank(bytes_[position_])) ++position_;
    return std::string_view(bytes_).substr(token_, position_ - token_);
}

double ByteReader::number(std::string_view expected) {
    const std::string_view text = word(expected);
    double value = 0;
    if (!parse_number(text, value)) fail(text, fmt::format("{} (a finite number)", expected));
    return value;
}

std::int64_t ByteReader::integer(std::string_view expected) {
    const std::string_view text = word(expected);
    std::int64_t value = 0;
    if (!parse_integer(text, value)) fail(text, fmt::format("{} (an integer)", expected));
    return value;
}

void ByteReader::expect(std::string_view wanted) {
    const std::string_view text = word(wanted);
    if (text != wanted) fail(text, wanted);
}

void ByteReader::require(std::size_t count, std::string_view expected) {
    token_ = position_;
    if (count > remaining()) fail("end of file", expected);
}

void ByteReader::skip(std::size_t count, std::string_view expected) {
    require(count, expected);
    position_ += count;
}

std::size_t ByteReader::plausible_count(std::int64_t count, std::size_t bytes_each, std::string_view items) const {
    if (count < 0) fail(fmt::format("{}", count), fmt::format("a number of {} of at least 0", items));
    // the last item of a text file may lack the separator that bytes_each counts
    const std::uint64_t most = (remaining() + 1) / std::max<std::size_t>(bytes_each, 1);
    if (static_cast<std::uint64_t>(count) > most) {
        fail(fmt::format("{} {}", count, items),
             fmt::format("at most {}, which is what the rest of the file has room for", most));
    }
    if (count > std::numeric_limits<Index>::max()) {
        fail(fmt::format("{} {}", count, items), fmt::format("at most {}", std::numeric_limits<Index>::max()));
    }
    return static_cast<std::size_t>(count);
}

Index ByteReader::index(std::int64_t value, std::int64_t first, std::size_t count) const {
    if (value < first || static_cast<std::uint64_t>(value - first) >= count) {
        fail(fmt::format("vertex {}", value),
             count == 0 ? std::string("no vertex: there is none before it")
                        : fmt::format("a vertex from {} to {}", first, first + static_cast<std::int64_t>(count) - 1));
    }
    return static_cast<Index>(value - first);
}

double ByteReader::finite(double value, std::string_view expected) const {
    if (!std::isfinite(value)) fail(fmt::format("{}", value), fmt::format("{} (a finite number)", expected));
    return value;
}

}  // namespace stiction::detail
