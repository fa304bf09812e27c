// Errors: InputError for what the user gave, STICTION_CHECK for what we broke ourselves.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// Bad input. what() is one line: "FILE: FIELD: VALUE: expected EXPECTED"; parts that do not apply are left out.
class InputError : public std::runtime_error {
public:
    explicit InputError(const std::string& message) : std::runtime_error(message) {}
    /// @param file      path as the user gave it, may be empty
    /// @param field     path of the field inside the file ("bodies[2].material.nu"), or "line 12"; may be empty
    /// @param value     the offending value as text, may be empty
    /// @param expected  what would have been accepted, a noun phrase
    InputError(std::string_view file, std::string_view field, std::string_view value, std::string_view expected);

    /// Empty where the message is not made of parts.
    const std::string& field() const { return field_; }
    /// The same error with another name of the file.
    InputError in_file(std::string_view file) const { return {file, field_, value_, expected_}; }

private:
    std::string field_, value_, expected_;
};

/// A broken invariant of the program itself: a bug in stiction, never the user's fault.
class InternalError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// The entry of `candidates` closest to `name`, or "" when none is near enough to be a plausible typo. Counted are
/// letters inserted, deleted or replaced and neighbours swapped (optimal string alignment): at most 3, at most half of
/// the mean length, and not all letters. Of equals the first wins.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

namespace detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);
}

}  // namespace stiction

/// Checked in release builds too; throws InternalError.
#define STICTION_CHECK(condition, message)                                                           \
    do {                                                                                             \
        if (!(condition)) ::stiction::detail::check_failed(#condition, __FILE__, __LINE__, message); \
    } while (false)
