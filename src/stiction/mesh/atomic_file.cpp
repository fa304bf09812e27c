#include "stiction/mesh/atomic_file.hpp"

#include "stiction/base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stiction {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int code) {
    throw InputError(file.string(), "", std::strerror(code), "a path that can be written");
}

/// @return 0, or the error number
int write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace

void write_file_atomically(const std::filesystem::path& file, std::string_view bytes) {
    std::error_code error;
    // renaming over a device or a folder would destroy it or fail late
    const auto target = std::filesystem::status(file, error);
    if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target)) {
        throw InputError(file.string(), "", "not a regular file", "a path that can be written");
    }
    const std::string temporary = fmt::format("{}.partial-{}", file.string(), ::getpid());
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) fail(file, errno);
    int code = write_all(descriptor, bytes);
    if (::close(descriptor) != 0 && code == 0) code = errno;
    if (code == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) code = errno;
    if (code != 0) {
        ::unlink(temporary.c_str());
        fail(file, code);
    }
}

std::optional<std::string> read_whole_file(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    struct stat status {};
    std::optional<std::string> bytes;
    if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        bytes.emplace(static_cast<std::size_t>(status.st_size), '\0');
    for (std::size_t done = 0; bytes && done < bytes->size();) {
        const ssize_t count = ::read(descriptor, bytes->data() + done, bytes->size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) bytes.reset();
        if (count == 0) bytes->resize(done);
        if (count > 0) done += static_cast<std::size_t>(count);
    }
    ::close(descriptor);
    return bytes;
}

}  // namespace stiction
