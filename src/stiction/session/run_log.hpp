// log.txt of a run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace stiction {

/// Lines with time and level, written at once. A log that cannot be written is no reason to say so over and over: the
/// files that matter report it.
class RunLog {
public:
    /// @param continued  goes on with a file that is there, else replaces it
    /// Throws InputError when the file cannot be opened.
    RunLog(const std::filesystem::path& path, bool continued);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    void info(const std::string& line);
    void warn(const std::string& line);
    void error(const std::string& line);

private:
    struct File;
    std::unique_ptr<File> file_;
};

}  // namespace stiction
