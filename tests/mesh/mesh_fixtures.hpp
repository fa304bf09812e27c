// Files written by the tests, byte by byte.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/mesh/mesh.hpp"
#include "stiction/mesh/read.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace stiction::test {

/// A folder of its own that disappears with the object.
class Folder {
public:
    Folder() {
        static int counter = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("stiction-mesh-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::filesystem::path path(const std::string& name) const { return path_ / name; }
    std::filesystem::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
    }

private:
    std::filesystem::path path_;
};

/// Bytes in a chosen byte order.
class Bytes {
public:
    explicit Bytes(std::endian order) : order_(order) {}
    Bytes& text(const std::string& text) {
        bytes_ += text;
        return *this;
    }
    template <class T>
    Bytes& add(std::type_identity_t<T> value) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        if (order_ != std::endian::native) std::reverse(raw, raw + sizeof(T));
        bytes_.append(raw, sizeof(T));
        return *this;
    }
    template <class T>
    Bytes& add_all(std::initializer_list<T> values) {
        for (const T value : values) add<T>(value);
        return *this;
    }
    const std::string& str() const { return bytes_; }

private:
    std::endian order_;
    std::string bytes_;
};

inline Mesh read_text(const std::string& name, const std::string& bytes) {
    const Folder folder;
    return read_mesh(folder.write(name, bytes));
}

/// What the InputError says that reading these bytes throws; "" when nothing is thrown.
inline std::string error_of(const Folder& folder, const std::string& name, const std::string& bytes) {
    const auto file = folder.write(name, bytes);
    try {
        read_mesh(file);
    } catch (const InputError& error) {
        std::string message = error.what();
        const std::string start = file.string() + ": ";
        return message.rfind(start, 0) == 0 ? message.substr(start.size()) : "without the file's name: " + message;
    }
    return "";
}

inline std::string error_of(const std::string& name, const std::string& bytes) {
    return error_of(Folder(), name, bytes);
}

inline bool same_bits(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3)) == 0);
}

/// Doubles of all magnitudes: random bits that happen to be finite.
inline std::vector<Vec3> random_bit_vertices(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<Vec3> vertices(count);
    for (Vec3& vertex : vertices) {
        for (int k = 0; k < 3; ++k) {
            double value;
            do {
                value = std::bit_cast<double>(random());
            } while (!std::isfinite(value));
            vertex[k] = value;
        }
    }
    return vertices;
}

}  // namespace stiction::test
