// A mesh file in memory, read word by word or byte by byte; every failure says where. Internal to the readers.
#pragma once

#include "stiction/base/types.hpp"

#include <bit>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace stiction::detail {

/// Cursor over the bytes of one file. All failures are InputError "FILE: line N: VALUE: expected WHAT" ("byte N" while
/// binary).
class ByteReader {
public:
    /// Loads the whole file and stands behind its byte-order mark, if it has one; InputError when it cannot be read.
    explicit ByteReader(const std::filesystem::path& file);

    /// Whether failures name a byte offset instead of a line.
    void set_binary(bool binary) { binary_ = binary; }
    /// Whether binary numbers are stored with the byte order opposite to this machine's.
    void set_swapped(bool swapped) { swapped_ = swapped; }

    const std::string& file() const { return file_; }
    std::size_t size() const { return bytes_.size(); }
    std::size_t position() const { return position_; }
    std::size_t remaining() const { return bytes_.size() - position_; }
    void seek(std::size_t position) { position_ = token_ = position; }
    std::string_view bytes() const { return bytes_; }

    /// "line 12" or "byte 340" of the last thing read.
    std::string where() const;
    [[noreturn]] void fail(std::string_view value, std::string_view expected) const;

    /// Moves past white space; true when nothing is left.
    bool skip_space();
    /// The rest of the current line, without its end of line; moves to the next line.
    std::string_view line();
    /// The next run of characters that are no white space.
    std::string_view word(std::string_view expected);
    /// The next word as a finite number.
    double number(std::string_view expected);
    /// The next word as an integer.
    std::int64_t integer(std::string_view expected);
    /// Fails unless the next word is `wanted`.
    void expect(std::string_view wanted);

    /// The next sizeof(T) bytes as a number.
    template <class T>
    T binary(std::string_view expected) {
        require(sizeof(T), expected);
        char raw[sizeof(T)];
        std::memcpy(raw, bytes_.data() + position_, sizeof(T));
        if (swapped_) {
            for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
        }
        position_ += sizeof(T);
        T value;
        std::memcpy(&value, raw, sizeof(T));
        return value;
    }
    /// Like binary<T>, but fails unless the number is finite.
    template <class T>
    double binary_finite(std::string_view expected) {
        return finite(static_cast<double>(binary<T>(expected)), expected);
    }

    /// Fails unless `count` more bytes are left.
    void require(std::size_t count, std::string_view expected);
    /// Skips `count` bytes.
    void skip(std::size_t count, std::string_view expected);
    /// Checks a count the file announces before anything is allocated for it: each item takes at least `bytes_each`
    /// bytes.
    /// @return the count as a size
    std::size_t plausible_count(std::int64_t count, std::size_t bytes_each, std::string_view items) const;
    /// Checks an index: first <= index < first + count. @return index - first
    Index index(std::int64_t value, std::int64_t first, std::size_t count) const;
    double finite(double value, std::string_view expected) const;

private:
    std::string file_;
    std::string bytes_;
    std::size_t position_ = 0;
    std::size_t token_ = 0;  // where the last word or number began
    bool binary_ = false;
    bool swapped_ = false;
};

/// The text with its ASCII capitals as small letters.
std::string lower_case(std::string_view text);
/// A word as a finite number; false when it is none.
bool parse_number(std::string_view word, double& value);
/// A word as an integer; false when it is none.
bool parse_integer(std::string_view word, std::int64_t& value);

}  // namespace stiction::detail
