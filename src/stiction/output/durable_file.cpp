#include "stiction/output/durable_file.hpp"

#include "stiction/base/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace stiction {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
    throw InputError(path.string() + ": " + what + ": " + std::strerror(errno));
}

/// Owns a POSIX file descriptor; the C++ streams offer no fsync.
class Descriptor {
public:
    Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    bool is_open() const { return number_ >= 0; }
    bool write_all(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t written = ::write(number_, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }
    bool flush() const { return ::fsync(number_) == 0; }

private:
    int number_;
};

void rename_over(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) throw InputError(to.string() + ": cannot be replaced: " + error.message());
}

}  // namespace

void write_aside(const fs::path& path, std::string_view bytes) {
    const fs::path temporary = path.string() + ".partial";
    {
        const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
        if (!file.is_open()) fail(temporary, "cannot be opened for writing");
        if (!file.write_all(bytes) || !file.flush()) {
            const int code = errno;
            ::unlink(temporary.c_str());
            errno = code;
            fail(path, "cannot be written");
        }
    }
}

void put_in_place(const fs::path& path) {
    rename_over(path.string() + ".partial", path);
    // The rename itself lives in the folder. Some file systems cannot flush a folder; the content is safe regardless.
    const Descriptor folder(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
    if (folder.is_open()) folder.flush();
}

void write_durably(const fs::path& path, std::string_view bytes) {
    write_aside(path, bytes);
    try {
        put_in_place(path);
    } catch (...) {
        std::error_code error;
        fs::remove(path.string() + ".partial", error);
        throw;
    }
}

std::string read_bytes(const fs::path& path) {
    if (fs::is_directory(path)) throw InputError(path.string(), "", "a folder", "a file");
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path, "cannot be read");
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (file.bad()) fail(path, "cannot be read");
    return bytes;
}

}  // namespace stiction
