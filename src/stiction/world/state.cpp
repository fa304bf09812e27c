#include "stiction/world/state.hpp"

#include "stiction/base/error.hpp"

#include <cstring>

namespace stiction {
namespace {

constexpr std::string_view magic = "stiction-state-2\n";

std::uint64_t checksum(std::string_view bytes) {  // FNV-1a
    std::uint64_t hash = 14695981039346656037ull;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return hash;
}

class Writer {
public:
    template <class T>
    void value(const T& item) {
        bytes.append(reinterpret_cast<const char*>(&item), sizeof(T));
    }
    template <class T>
    void array(const T* data, std::size_t count) {
        value(static_cast<std::uint64_t>(count));
        if (count > 0) bytes.append(reinterpret_cast<const char*>(data), count * sizeof(T));
    }
    void vector(const VecX& v) { array(v.data(), static_cast<std::size_t>(v.size())); }
    std::string bytes;
};

class Reader {
public:
    Reader(std::string_view bytes, const std::string& source) : bytes_(bytes), source_(source) {}
    template <class T>
    void value(T& item) {
        take(&item, sizeof(T));
    }
    template <class T>
    std::vector<T> array() {
        std::uint64_t count = 0;
        value(count);
        if (count > bytes_.size() / sizeof(T)) fail();
        std::vector<T> items(count);
        take(items.data(), count * sizeof(T));
        return items;
    }
    VecX vector() {
        const auto items = array<double>();
        return Eigen::Map<const VecX>(items.data(), static_cast<Eigen::Index>(items.size()));
    }
    std::string text() {
        const auto items = array<char>();
        return {items.begin(), items.end()};
    }
    bool at_end() const { return bytes_.empty(); }
    [[noreturn]] void fail() const {
        throw InputError(source_, "", "", "a complete checkpoint of this version (file is damaged or truncated)");
    }

private:
    void take(void* target, std::size_t size) {
        if (size > bytes_.size()) fail();
        if (size > 0) std::memcpy(target, bytes_.data(), size);
        bytes_.remove_prefix(size);
    }
    std::string_view bytes_;
    const std::string& source_;
};

}  // namespace

std::string to_bytes(const State& state) {
    Writer writer;
    writer.value(state.t);
    writer.value(state.step);
    for (const VecX* v : {&state.x, &state.v, &state.previous_x, &state.previous_v, &state.acceleration, &state.anchor})
        writer.vector(*v);
    writer.value(state.previous_h);
    writer.array(state.anchor_time.data(), state.anchor_time.size());
    writer.array(state.active_motion.data(), state.active_motion.size());
    writer.value(static_cast<std::uint64_t>(state.warm_start.size()));
    for (const auto& [name, data] : state.warm_start) {
        writer.array(name.data(), name.size());
        writer.array(data.data(), data.size());
    }
    const std::uint64_t hash = checksum(writer.bytes);
    std::string result(magic);
    result.append(reinterpret_cast<const char*>(&hash), sizeof(hash));
    return result + writer.bytes;
}

State state_from_bytes(std::string_view bytes, const std::string& source) {
    Reader reader(bytes.substr(std::min(bytes.size(), magic.size())), source);
    if (!bytes.starts_with(magic)) reader.fail();
    std::uint64_t hash = 0;
    reader.value(hash);
    if (checksum(bytes.substr(magic.size() + sizeof(hash))) != hash) reader.fail();
    State state;
    reader.value(state.t);
    reader.value(state.step);
    for (VecX* v : {&state.x, &state.v, &state.previous_x, &state.previous_v, &state.acceleration, &state.anchor})
        *v = reader.vector();
    reader.value(state.previous_h);
    state.anchor_time = reader.array<double>();
    state.active_motion = reader.array<Index>();
    std::uint64_t entries = 0;
    reader.value(entries);
    for (std::uint64_t i = 0; i < entries; ++i) {
        std::string name = reader.text();
        state.warm_start[std::move(name)] = reader.text();
    }
    if (!reader.at_end()) reader.fail();
    return state;
}

}  // namespace stiction
