// Values as bytes, in the order of this machine: what a State carries from step to step.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

namespace stiction {

template <class T>
void append_bytes(std::string& bytes, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Reads what append_bytes() wrote, and goes on behind it.
template <class T>
void take_bytes(const char*& bytes, T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, bytes, sizeof value);
    bytes += sizeof value;
}

}  // namespace stiction
